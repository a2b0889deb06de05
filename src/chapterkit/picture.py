"""A Plotly figure (a dict) drawn as static SVG or PNG, without a browser.

The picture stands in the HTML before any script runs, in print and in the EPUB. It knows the part
of Plotly's vocabulary that the book's figures use; anything else raises `PictureError`, so that the
two drawings cannot drift apart unseen. Colours are ``var(--name)``: in a page they follow the
theme, elsewhere they take the light values of `chapterkit.css`. `drawing` does it with matplotlib.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from chapterkit import shelf, svg

_FOLDER = Path(__file__).parent
_STYLE = _FOLDER / "static" / "chapterkit.css"
_VAR = re.compile(r"var\((--[\w-]+)\)")
DASHES = {"solid": "-", "dash": (0, (6, 3)), "dot": (0, (1.5, 2)), "dashdot": (0, (6, 2, 1.5, 2))}
MARKERS = {
    "circle": "o",
    "star": "*",
    "diamond": "D",
    "x": "x",
    "square": "s",
    "triangle-up": "^",
    "line-ns-open": "|",
}


class PictureError(ValueError):
    """A figure uses something the static drawing does not know."""


@cache
def palette() -> dict[str, str]:
    """Light value of each colour, read from the style sheet: the first time a property is set."""
    text = _STYLE.read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for name, value in re.findall(r"(--ck-[\w-]+)\s*:\s*(#[0-9a-fA-F]{6})", text):
        found.setdefault(name, value)
    return found


class Ink:
    """Turns ``var(--name)`` into a colour; in a page, into a stand-in that is put back afterwards."""

    def __init__(self, themed: bool) -> None:
        self.themed = themed
        self.stand_ins: dict[str, str] = {}

    def __call__(self, colour: str) -> str:
        match = _VAR.fullmatch(colour)
        if not match:
            return colour
        name = match[1]
        if name not in palette():
            raise PictureError(f"colour must be one of {', '.join(sorted(palette()))}; got {name}")
        if not self.themed:
            return palette()[name]
        stand_in = f"#fe{sorted(palette()).index(name):02x}e1"
        self.stand_ins[stand_in] = f"var({name})"
        return stand_in


@cache
def _tools() -> str:
    """What draws and judges figures, as one line: with other code or another version they are drawn anew."""
    code = shelf.fingerprint((Path(__file__), _FOLDER / "drawing.py", Path(svg.__file__), _STYLE))
    return f"{code} {version('matplotlib')} {version('plotly')}"


def key(figure: dict[str, Any], *more: Any) -> tuple[str, str]:
    """What a drawing or a judgement of `figure` is kept under."""
    return _tools(), json.dumps([figure, *more], sort_keys=True, default=float)


def check(figure: dict[str, Any]) -> None:
    """Raise `PictureError` for what `draw` does not know, without drawing."""
    from chapterkit import drawing

    drawing.compose(figure, 720, 400, Ink(themed=False))


def draw(
    figure: dict[str, Any], width: float, height: float, *, themed: bool, salt: str, kind: str = "svg",
    folder: Path | None = None,
) -> bytes:  # fmt: skip
    """Draw `figure` at `width` × `height` CSS pixels; bytes of SVG, PNG or PDF.

    With a `folder`, a drawing made before is taken from there: drawing is the slowest step of a page.
    Raises `PictureError` for parts of Plotly's vocabulary that are not drawn here.
    """

    def make() -> bytes:
        from chapterkit import drawing

        return drawing.drawn(figure, width, height, themed=themed, salt=salt, kind=kind)

    return shelf.kept(folder, key(figure, width, height, themed, salt, kind), make)


def strip_colours(figure: Any) -> Any:
    """A copy with plain colours, for Plotly's own validation at build."""
    if isinstance(figure, dict):
        return {key: strip_colours(value) for key, value in figure.items()}
    if isinstance(figure, list):
        return [strip_colours(value) for value in figure]
    if isinstance(figure, str):
        return _VAR.sub("#123456", figure)
    return figure
