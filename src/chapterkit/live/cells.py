"""Below each code cell, the button that opens it; nothing in any other format than a web page."""

from __future__ import annotations

import hashlib
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

from chapterkit.assets import is_page_builder, write_if_changed
from chapterkit.live import FOLDER, runtime_facts
from chapterkit.live.jupyterlite import RepliteIframe, console_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")
logger = logging.getLogger(__name__)

WORDS = "live-words.js"


class LiveControl(nodes.raw):
    """The buttons of one cell: raw HTML, so that no builder has to know them."""


def _words() -> dict[str, str]:
    """Everything the script says, in the language of the book."""
    kept = " " + _("Your code is kept, and the output on the page is still what the build computed.")
    words = {
        "name": _("Live Python"),
        "cell": _("Cell {n}"),
        "code": _("Code of cell {n}"),
        "solution": _("Solution"),
        "output": _("Output of cell {n}"),
        "run": _("Run"),
        "runAll": _("Run all"),
        "check": _("Check"),
        "reset": _("Reset"),
        "sure": _("Your changes to this cell will be lost."),
        "discard": _("Discard them"),
        "keep": _("Keep them"),
        "stop": _("Stop"),
        "restart": _("Restart"),
        "download": _("Notebook"),
        "downloadLong": _("Download this page's code as a Jupyter notebook"),
        "lab": _("JupyterLite"),
        "labLong": _("Open this page's code in JupyterLite, in a new tab"),
        "close": _("Close"),
        "step1": _("Load Python"),
        "step2": _("Start Python"),
        "step3": _("Run the cell"),
        "amount": _("{done} of {all} MB"),
        "waking": _("Python is starting."),
        "keys": _("Shift+Enter runs a cell. Tab indents; Esc, then Tab leaves the code."),
        "ready": _("Ready."),
        "busy": _("Running. If it does not end, press Stop."),
        "raised": _("The cell stopped with an error, shown below it. Your code is kept."),
        "above": _("A cell that this one needs stopped with an error, shown below it."),
        "stopped": _("Stopped. Python was started afresh and remembers nothing; your code is kept."),
        "interrupted": _("Stopped. Python still knows what ran before."),
        "restarted": _("Python was started afresh and remembers nothing; your code is kept."),
        "cut": _("The cell printed more than is shown here."),
        "saved": _("Changed by you, kept in this browser"),
        "unsaved": _("Changed by you, not saved: this browser keeps nothing for this site"),
        "older": _("Changed by you. The book has changed this cell since; Reset shows its version."),
        "module": _(
            "Live cells have NumPy and this book's package. The downloaded notebook runs with any package."
        ),
        "memory": _("The browser gave Python no more memory. Make the problem smaller."),
        "checking": _("Checking."),
        "unchecked": _("The cell stopped with an error, so nothing was checked."),
        "broken": _("The check itself could not run; this is no judgement of your code."),
        "noChart": _("The chart could not be drawn here; its data came out right."),
        "stalled": _("Nothing has arrived for 90 seconds, so this was given up. Restart tries again.") + kept,
        "missing": _(
            "A file of live Python is not there: the site changed or is incomplete. Reload the page."
        )
        + kept,
        "blocked": _("Something in this browser or network keeps live Python from loading.") + kept,
        "failed": _("Python could not start here. Restart tries again.") + kept,
        "dead": _("Python broke down, most likely out of memory. Restart starts it afresh.") + kept,
        "file": _("Live cells need a web server, and this page was opened from a file.") + kept,
        "unable": _("This browser lacks something that live cells need, such as WebAssembly.") + kept,
        "install": _("Run this first. It installs the package that the cells use."),
        "offline": _("Without the site: keep the file {wheel} beside this notebook, and install that."),
        "from": _("The code of {page}."),
    }
    # Sphinx translates when a text is used, and JSON does not use it as text.
    return {key: str(text) for key, text in words.items()}


def _note(size: int | None) -> str:
    if size is None:
        return str(_("Starts Python beside this page."))
    text = str(_("Starts Python beside this page: a download of {size} MB, once."))
    return text.format(size=max(1, round(size / 1e6)))


def _warn(node: nodes.Element, text: object, *values: object) -> None:
    logger.warning(text, *values, location=node, type="chapterkit", subtype="live")


class AddControls(SphinxPostTransform):
    """Put a control below each code cell, and in place of each `{replite}`."""

    default_priority = 400
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        offered = is_page_builder(self.app.builder)
        seen: set[str] = set()
        for place, name, code in list(self._cells()):
            if name in seen:
                _warn(place, _("two live cells are named %r"), name)
            control = self._control(place, name, code, first=not seen) if offered else None
            seen.add(name)
            if isinstance(place, RepliteIframe):
                place.replace_self([control] if control else [])
            elif control:
                place.parent.insert(place.parent.index(place) + 1, control)

    def _cells(self) -> Iterator[tuple[nodes.Element, str, str | None]]:
        """Each cell, its name, and its code if the script cannot read that on the page."""
        for number, node in enumerate(self.document.findall(nodes.Element), 1):
            if isinstance(node, RepliteIframe):
                query = node["iframe_src"].partition("?")[2]
                # Its directive takes no name, so its code gives one.
                code = parse_qs(query).get("code", [""])[0]
                yield node, f"replite-{nodes.make_id(code[:40]) or number}", code
            elif (
                node.get("nb_element") == "cell_code"
                and "tag_not-live" not in node["classes"]
                and (source := _code(node)) is not None
            ):
                yield node, self._name(node, source), None

    def _name(self, cell: nodes.Element, source: str) -> str:
        name = nodes.make_id(str(cell.get("cell_metadata", {}).get("name", "")))
        if name:
            return name
        if "tag_live" in cell["classes"] or _exercise(cell):
            _warn(cell, _("a live cell needs a name: write `:name: …` below `:tags: [live]`"))
        # A reader's changes are kept under this name, so it must not pass to another cell.
        return f"cell-{hashlib.sha256(source.encode()).hexdigest()[:8]}"

    def _control(self, cell: nodes.Element, name: str, code: str | None, *, first: bool) -> LiveControl:
        attributes = {"class": "ck-live", "id": f"live-{name}"}
        if first:
            page = self.app.builder.get_target_uri(self.env.docname)
            attributes["data-runtime"] = relative_uri(page, f"{FOLDER}/")
            attributes["data-lost"] = str(_("Live Python could not be loaded. Reload the page to try again."))
            facts = runtime_facts(self.app.outdir)
            if facts:
                attributes["data-facts"] = json.dumps(facts, sort_keys=True)
        if code is not None:
            attributes["data-code"] = code
        exercise = _exercise(cell)
        module = self.config.chapterkit_checks
        if exercise and not module:
            _warn(cell, _("a cell is checked, but the setting `chapterkit_checks` names no module of checks"))
        elif exercise:
            attributes["data-exercise"] = exercise
            attributes["data-check"] = f"from {module} import check; check({json.dumps(exercise)})"
        tag = " ".join(f'{key}="{html.escape(value)}"' for key, value in attributes.items())
        parts = [
            f"<div {tag}>",
            _button(_("Run and change it"), f' aria-describedby="live-{name}-note"' if first else ""),
        ]
        if "data-check" in attributes:
            parts.append(_button(_("Check"), ' data-act="check"'))
        if first:
            parts.append(_button(_("Run this page"), f' data-act="all" aria-describedby="live-{name}-note"'))
            note = html.escape(_note(runtime_facts(self.app.outdir).get("bytes")))
            parts.append(f'<span class="ck-live-note" id="live-{name}-note">{note}</span>')
        return LiveControl("", "".join(parts) + "</div>\n", format="html")


def _button(label: object, rest: str) -> str:
    return f'<button type="button"{rest}>{html.escape(str(label))}</button>'


def _exercise(cell: nodes.Element) -> str:
    return str(cell.get("cell_metadata", {}).get("check", ""))


def _code(cell: nodes.Element) -> str | None:
    # A cell whose source is hidden by a tag still has it; one whose source is removed has nothing to change.
    for block in cell.findall(nodes.literal_block):
        parent = block.parent
        if isinstance(parent, nodes.Element) and parent.get("nb_element") == "cell_code_source":
            return block.astext().rstrip()
    return None


def _note_pages(app: Sphinx, doctree: nodes.document) -> None:
    if any(node.get("nb_element") == "cell_code" for node in doctree.findall(nodes.container)):
        app.env.metadata[app.env.docname]["chapterkit_live"] = True


def _pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages that speak of a runtime which is not so any more, because it came or changed since."""
    if not is_page_builder(app.builder):
        return []
    stamp = Path(app.doctreedir, f"live-{app.builder.name}.json")
    now = json.dumps(runtime_facts(app.outdir))
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == now:
        return []
    stamp.write_text(now, encoding="utf-8")
    return [name for name, data in env.metadata.items() if "chapterkit_live" in data]


def _write_words(app: Sphinx, builder: Builder) -> None:
    if not is_page_builder(builder):
        return
    data = {"words": _words(), "console": console_options()}
    target = Path(app.outdir, "_static", WORDS)
    target.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, indent=0)
    write_if_changed(target, f"(window.chapterkit = window.chapterkit || {{}}).live = {text};\n")


def setup(app: Sphinx) -> None:
    """Register the transform, and keep what pages say of the runtime true."""
    app.add_post_transform(AddControls)
    app.connect("doctree-read", _note_pages)
    app.connect("env-get-updated", _pages_to_write)
    app.connect("write-started", _write_words)
