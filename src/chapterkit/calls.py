"""What the numbers of an instrument tell: the call behind each of them, with its functions linked.

A panel ends with a list of the calls behind its numbers, for readers without scripts and as what scripts show
on hover, focus and touch: a number in a sentence only says which entry is its own. Tables of pictures have a
list of the same kind below them. Names of functions lead to the reference, where a book has one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sphinx.locale import get_translation
from sphinx.util.osutil import relative_uri

from chapterkit import quantity, trace
from chapterkit.assets import is_page_builder, provide

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from chapterkit.instrument import Instrument, Picture

_ = get_translation("chapterkit")

# A name with its module, or one that is called; `static/calc.js` has the same.
_FUNCTION = re.compile(r"(?<![\w.'])(?:(?:\w+\.)+[A-Za-z_]\w*|[A-Za-z_]\w*(?=\())")
_NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*")


def reference(app: Sphinx) -> dict[str, str]:
    """Where the book describes functions: the address of each page up to their names, and the names."""
    found: dict[str, list[str]] = {}
    if not is_page_builder(app.builder):
        return {}
    domain = app.env.domains.python_domain
    for full, entry in sorted(domain.objects.items()):
        module, _dot, name = full.rpartition(".")
        if entry.objtype in ("function", "data") and not entry.aliased and entry.node_id == full:
            page = app.builder.get_target_uri(entry.docname)
            found.setdefault(f"{'' if page.startswith('#') else page}#{module}.", []).append(name)
    return {page: " ".join(names) for page, names in found.items()}


class Links:
    """Code with links from the names of functions to their entries, on the page `docname`."""

    def __init__(self, app: Sphinx, docname: str) -> None:
        self.here = app.builder.get_target_uri(docname)
        self.known: dict[str, str] = {}
        for page, names in reference(app).items():
            module = page.rstrip(".").rpartition("#")[2].rpartition(".")[2]
            self.known |= {f"{module}.{name}": page + name for name in names.split()}

    def __call__(self, code: str) -> str:
        return _FUNCTION.sub(self._link, html.escape(code, quote=False))

    def _link(self, match: re.Match[str]) -> str:
        target = self.known.get(".".join(match[0].split(".")[-2:]))
        if not target:
            return match[0]
        page, _hash, anchor = target.partition("#")
        address = f"{relative_uri(self.here, page) if page else ''}#{anchor}"
        return f'<a href="{html.escape(address)}">{match[0]}</a>'


def shown(instrument: Instrument) -> list[str]:
    """Names of the numbers that an instrument says, in the order in which it says them."""
    templates = [
        *(readout.note for readout in instrument.readouts),
        *(words for each in instrument.sentences.values() for words in each.values()),
        *instrument.lines,
        *(picture.caption for picture in instrument.pictures),
    ]
    names = [readout.name for readout in instrument.readouts]
    return list(dict.fromkeys(names + [name for text in templates for name in quantity.fields(text)]))


def behind(instrument: Instrument) -> dict[str, str]:
    """The call behind each number that an instrument says, and behind what these calls name."""
    made, beside = trace.expressions(instrument.compute), trace.definitions(instrument.compute)
    controls = {control.name: control.label for control in instrument.controls}
    controls |= {f"{choice.name}_words": choice.label for choice in instrument.choices}
    found: dict[str, str] = {}
    left = shown(instrument)
    tables = [
        text
        for picture in instrument.pictures
        if picture.table
        for text in trace.columns(picture.figure).values()
    ]
    left += [name for text in tables for name in _NAME.findall(text)]
    while left:
        name = left.pop(0)
        text = ""
        if name in found:
            continue
        if name in made:
            text = found[name] = f"{name} = {made[name]}"
        elif name in controls:
            found[name] = _("{name} is set above: {label}").format(name=name, label=controls[name])
        elif name in beside:
            text = found[name] = beside[name]
        left += _NAME.findall(text.partition(" = ")[2])
    return found


def of_picture(part: Picture, figure: dict[str, Any], head: str) -> dict[str, str]:
    """The call behind each column and mark of a picture's table, by its heading."""
    made, calls = trace.columns(part.figure), trace.calls(part.figure)
    whole = f"{part.figure.__name__}: {', '.join(calls)}" if calls else f"{part.figure.__name__}(state)"
    names = dict.fromkeys(drawn["name"] for drawn in figure["data"] if drawn["name"])
    return {head: made.get("", whole), **{name: made.get(name, whole) for name in names}}


def listed(entries: Mapping[str, str], links: Callable[[str], str]) -> str:
    """Entries as a list that scripts can search by name."""
    items = "".join(f'<li data-name="{html.escape(name)}">{links(text)}' for name, text in entries.items())
    return f'<ul class="ck-calls">{items}</ul>'


def setup(app: Sphinx) -> None:
    """Let every page know where functions are described."""
    provide(app, "reference", reference)
