"""Below a cell tagged `live`, the button that opens it; nothing in any other format than a web page."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from docutils import nodes
from sphinx.locale import get_translation
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.osutil import relative_uri

from chapterkit.live import FOLDER, runtime_bytes
from chapterkit.live.jupyterlite import RepliteIframe, panel_query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")
logger = logging.getLogger(__name__)


class LiveControl(nodes.raw):
    """The button of one live cell: raw HTML, so that no builder has to know it."""


def _words() -> dict[str, str]:
    """Everything the script says, in the language of the book."""
    kept = " " + _("The output on the page is still what the build computed.")
    words = {
        "name": _("Live Python"),
        "frame": _("Live Python: edit the code and run it"),
        "run": _("Run"),
        "reset": _("Reset code"),
        "restart": _("Restart"),
        "close": _("Close"),
        "load": _("Step 1 of 3: loading the runtime."),
        "start": _("Step 2 of 3: starting Python."),
        "prepare": _("Step 3 of 3: running the cell."),
        "busy": _("Running. If it does not end, restart Python; your code is kept."),
        "ready": _("Ready. Change the code, then Run or Shift+Enter. Esc, then Tab leaves the editor."),
        "restarted": _("Python was restarted and remembers nothing; your code is kept."),
        "amount": _("{done} of {all} MB"),
        "stalled": _("Nothing has arrived for 90 seconds, so this was given up. Close and try again.") + kept,
        "missing": _("The live runtime is not part of this copy of the book.") + kept,
        "blocked": _("Something in this browser or network keeps the live runtime from loading.") + kept,
        "failed": _("Python stopped while it was starting. Close and try again.") + kept,
        "file": _("Live cells need a web server, and this page was opened from a file.") + kept,
        "unable": _("This browser lacks something that live cells need, such as WebAssembly.") + kept,
    }
    # Sphinx translates when a text is used, and JSON does not use it as text.
    return {key: str(text) for key, text in words.items()}


def _note(size: int | None) -> str:
    if size is None:
        return str(_("Starts Python in this page."))
    text = str(_("Starts Python in this page: a download of {size} MB, once."))
    return text.format(size=max(1, round(size / 1e6)))


def _warn(node: nodes.Element, text: object, *values: object) -> None:
    logger.warning(text, *values, location=node, type="chapterkit", subtype="live")


class AddControls(SphinxPostTransform):
    """Put a control below each live cell, and in place of each `{replite}`."""

    default_priority = 400
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        offered = self.app.builder.name != "epub"
        seen: set[str] = set()
        for place, name, query in list(self._cells()):
            control = self._control(name, query, first=not seen) if offered else None
            if name in seen:
                _warn(place, _("two live cells are named %r"), name)
            seen.add(name)
            if isinstance(place, RepliteIframe):
                place.replace_self([control] if control else [])
            elif control:
                place.parent.insert(place.parent.index(place) + 1, control)

    def _cells(self) -> Iterator[tuple[nodes.Element, str, str]]:
        for number, node in enumerate(self.document.findall(nodes.Element), 1):
            if isinstance(node, RepliteIframe):
                query = node["iframe_src"].partition("?")[2]
                # Its directive takes no name, so its code gives one.
                code = parse_qs(query).get("code", [""])[0]
                yield node, f"replite-{nodes.make_id(code[:40]) or number}", query
            elif node.get("nb_element") == "cell_code" and "tag_live" in node["classes"]:
                yield node, self._name(node), panel_query(_code(node))

    def _name(self, cell: nodes.Element) -> str:
        name = nodes.make_id(str(cell.get("cell_metadata", {}).get("name", "")))
        if not name:
            _warn(cell, _("a live cell needs a name: write `:name: …` below `:tags: [live]`"))
            name = f"cell-{cell['cell_index']}"
        return name

    def _control(self, name: str, query: str, *, first: bool) -> LiveControl:
        builder = self.app.builder
        page = builder.get_target_uri(self.env.docname)
        attributes = {
            "class": "ck-live",
            "id": f"live-{name}",
            "data-runtime": relative_uri(page, f"{FOLDER}/"),
            "data-query": query,
        }
        if first:
            attributes["data-words"] = json.dumps(_words(), ensure_ascii=False)
        tag = " ".join(f'{key}="{html.escape(value)}"' for key, value in attributes.items())
        label = html.escape(str(_("Run and change it")))
        note = html.escape(_note(runtime_bytes(self.app.outdir)))
        described = f"live-{name}-note"
        parts = [
            f"<div {tag}>",
            f'<button type="button" class="ck-live-open" aria-describedby="{described}">{label}</button>',
            f'<span class="ck-live-note" id="{described}">{note}</span></div>',
        ]
        return LiveControl("", "".join(parts) + "\n", format="html")


def _code(cell: nodes.Element) -> str:
    # A cell whose source is hidden by a tag still has it; one whose source is removed has nothing to change.
    for block in cell.findall(nodes.literal_block):
        parent = block.parent
        if isinstance(parent, nodes.Element) and parent.get("nb_element") == "cell_code_source":
            return block.astext().rstrip()
    return ""


def _note_pages(app: Sphinx, doctree: nodes.document) -> None:
    if any("tag_live" in node["classes"] for node in doctree.findall(nodes.container)):
        app.env.metadata[app.env.docname]["chapterkit_live"] = True


def _pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages that say a size which is not so any more, because the runtime came or changed since."""
    if app.builder.format != "html" or app.builder.name == "epub":
        return []
    stamp = Path(app.doctreedir, f"live-size-{app.builder.name}.txt")
    now = str(runtime_bytes(app.outdir))
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == now:
        return []
    stamp.write_text(now, encoding="utf-8")
    return [name for name, data in env.metadata.items() if "chapterkit_live" in data]


def setup(app: Sphinx) -> None:
    """Register the transform, and keep the size that pages say true."""
    app.add_post_transform(AddControls)
    app.connect("doctree-read", _note_pages)
    app.connect("env-get-updated", _pages_to_write)
