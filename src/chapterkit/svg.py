"""matplotlib's SVG made fit for a page: short, without a style for the whole page, without repeated ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping


def tidy(svg: str, salt: str, colours: Mapping[str, str]) -> str:
    """The drawing as short as it can be said, with ids that begin with `salt` and stand-ins replaced by `colours`.

    Raises `ValueError` for a path command that matplotlib is not known to write.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.S)
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', svg))
    names = {a or b for a, b in used}
    svg = re.sub(r'\sid="([^"]+)"', lambda m: f' id="{salt}-{m[1]}"' if m[1] in names else "", svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{salt}-", svg)
    svg = re.sub(r'\sd="([^"]*)"', lambda m: f' d="{short_path(m[1])}"', svg)
    svg = re.sub(r'\s(x|y)="(-?[\d.]+)"', lambda m: f' {m[1]}="{round(float(m[2]), 1):g}"', svg)
    svg = re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), svg)
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)  # text is in the font of the page
    svg = re.sub(r'<path [^>]*style="fill: none"/>|\stransform="rotate\(-?0 [^"]*"', "", svg)
    svg = re.sub(r'style="[^"]*"', lambda m: re.sub(r"([:;]) ", r"\1", m[0]), svg)
    svg = re.sub(r"\n\s*(?=<|/?>)|(?<=>)\n\s*", "", svg).replace("\n", " ")
    svg = _without_bare_groups(re.sub(r"<(g|defs) ?/>|<defs></defs>", "", svg))
    svg = svg.replace('xmlns:xlink="http://www.w3.org/1999/xlink" ', "").replace("xlink:href", "href")
    svg = re.sub(
        r'<svg [^>]*?viewBox="([^"]+)"[^>]*>',
        r'<svg xmlns="http://www.w3.org/2000/svg" viewBox="\1">',
        svg,
        count=1,
    )
    for stand_in, name in colours.items():
        svg = svg.replace(stand_in, name)
    return svg.strip()


def _without_bare_groups(svg: str) -> str:
    """Groups that say nothing about what they hold go; what they hold stays."""
    bare: list[bool] = []

    def keep(match: re.Match[str]) -> str:
        if match[0] != "</g>":
            bare.append(match[0] == "<g>")
            return "" if bare[-1] else match[0]
        return "" if bare.pop() else match[0]

    return re.sub(r"<g\b[^>]*>|</g>", keep, svg)


def short_path(path: str) -> str:
    """The same path in steps from point to point, to a twentieth of a pixel; small shapes finer."""
    words = path.split()
    numbers = [float(word) for word in words if not word.isalpha()]
    grain = 10 if max(map(abs, numbers), default=0) > 20 else 100
    at, start, parts = (0, 0), (0, 0), []
    queue = iter(words)
    for word in queue:
        if word in "zZ":
            parts.append("z")
            at = start
            continue
        if word not in "MLQC":
            raise ValueError(f"the path command {word!r} is not known here")
        count = {"M": 1, "L": 1, "Q": 2, "C": 3}[word]
        points = [
            (round(float(next(queue)) * grain), round(float(next(queue)) * grain)) for _point in range(count)
        ]
        steps = [(x - at[0], y - at[1]) for x, y in points]
        at = points[-1]
        if word == "M":
            start = at
        elif word == "L" and 0 in steps[0]:
            across, down = steps[0]
            parts.append(f"h{_short(across, grain)}" if down == 0 else f"v{_short(down, grain)}")
            continue
        parts.append(word.lower() + _joined(_short(n, grain) for step in steps for n in step))
    return "".join(parts)


def _short(number: int, grain: int) -> str:
    return f"{number / grain:.2f}".rstrip("0").rstrip(".").replace("0.", ".", 1 if abs(number) < grain else 0)


def _joined(numbers: Iterable[str]) -> str:
    """Numbers side by side; a sign parts two of them, too."""
    return " ".join(numbers).replace(" -", "-")
