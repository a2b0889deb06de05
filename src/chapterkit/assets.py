"""What a page loads: one style sheet, one script, and a few bytes of each in its head.

Extensions add small files; a page that asked for each of them would make more than a dozen
requests. Here they are joined, in their order, when the page is written. What the page needs
before its first paint (`boot.js`) stands in its head. What belongs to the whole book, such as the
list of its questions, is written once per build into `book.js`.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rcssmin
import rjsmin
from sphinx.builders.html._assets import _CascadingStyleSheet, _JavaScript

from chapterkit import quantity

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.builders import Builder

STATIC = Path(__file__).parent / "static"
# These are written after the last page, so their content is not known when pages are.
_WRITTEN_LATE = {"_static/pygments.css", "_static/mathfonts.css"}
_URL = re.compile(r"""url\(\s*(['"]?)(?!data:|https?:|/|#)([^)'"]+)\1\s*\)""")
_SOURCE_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=[^\n*]*(?:\*/)?")


def is_page_builder(builder: Builder) -> bool:
    """Whether the builder writes pages for a browser (an EPUB has pages, but runs no scripts)."""
    return builder.format == "html" and builder.name != "epub"


def provide(app: Sphinx, name: str, data: Callable[[Sphinx], object]) -> None:
    """Let `data(app)`, called when all pages are read, be `chapterkit.<name>` on every page."""
    app._chapterkit_provided[name] = data  # type: ignore[attr-defined]


def _write_book(app: Sphinx, builder: Builder) -> None:
    if not is_page_builder(builder):
        return
    provided: dict[str, Callable[[Sphinx], object]] = app._chapterkit_provided  # type: ignore[attr-defined]
    lines = [
        f"chapterkit.{name} = {json.dumps(data(app), ensure_ascii=False, sort_keys=True)};\n"
        for name, data in sorted(provided.items())
    ]
    target = Path(app.outdir, "_static", "book.js")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(target, "window.chapterkit = window.chapterkit || {};\n" + "".join(lines))


def write_if_changed(target: Path, text: str) -> None:
    """Replace a file in one step: pages are written by several processes at once."""
    if target.exists() and target.read_text(encoding="utf-8") == text:
        return
    scratch = target.with_suffix(f".{os.getpid()}.tmp")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(target)


def _joinable(app: Sphinx, asset: object, allowed: set[str]) -> bool:
    name = os.fspath(getattr(asset, "filename", None) or "")
    plain = set(getattr(asset, "attributes", {})) <= allowed
    return bool(name) and plain and name not in _WRITTEN_LATE and Path(app.outdir, name).is_file()


@cache
def _bare(script: Path) -> str:
    """A script without its comments and indentation, small enough to stand in every page's head."""
    return str(rjsmin.jsmin(script.read_text(encoding="utf-8")))


def _join(app: Sphinx, names: list[str], suffix: str) -> str:
    joined = f"_static/joined/{sha256(chr(10).join(names).encode()).hexdigest()[:12]}{suffix}"
    parts = []
    for name in names:
        text = _SOURCE_MAP.sub("", Path(app.outdir, name).read_text(encoding="utf-8"))
        if suffix == ".css":
            start = posixpath.relpath(posixpath.dirname(name), posixpath.dirname(joined))
            text = _URL.sub(lambda m, at=start: f"url({posixpath.normpath(posixpath.join(at, m[2]))})", text)
        parts.append(text.rstrip() + ("\n" if suffix == ".css" else "\n;\n"))
    shrink = rcssmin.cssmin if suffix == ".css" else rjsmin.jsmin
    target = Path(app.outdir, joined)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Comments that begin with a bang are licences, and stay.
    write_if_changed(target, shrink("".join(parts), keep_bang_comments=True))
    return joined


def _join_page_assets(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if not is_page_builder(app.builder):
        return
    styles, scripts = context["css_files"], context["script_files"]
    join_css = [s for s in styles if _joinable(app, s, {"rel", "type"})]
    if join_css:
        name = _join(app, [os.fspath(s.filename) for s in join_css], ".css")
        rest = [s for s in styles if s not in join_css]
        # What comes last by its priority has the last word, over joined rules too.
        context["css_files"] = sorted([*rest, _CascadingStyleSheet(name, priority=800)], key=lambda s: s.priority)
    join_js = [s for s in scripts if _joinable(app, s, {"defer"})]
    if join_js:
        name = _join(app, [os.fspath(s.filename) for s in join_js], ".js")
        rest = [s for s in scripts if s not in join_js]
        context["script_files"] = [_JavaScript(name, defer="defer"), *rest]
    settings = {"book": app.config.chapterkit_book, "charts": app.config.chapterkit_charts}
    head = json.dumps(settings, sort_keys=True).replace("<", "\\u003c")
    boot = "\n".join(_bare(STATIC / name) for name in ("firstpaint.js", "boot.js"))
    context["metatags"] = (
        context.get("metatags", "")
        + f'\n<script type="application/json" id="chapterkit-settings">{head}</script>\n<script>{boot}</script>\n'
    )


def setup(app: Sphinx) -> None:
    """Join assets; settings: ``chapterkit_book``, the name under which a reader's record is kept."""
    app._chapterkit_provided = {}  # type: ignore[attr-defined]
    app.add_config_value("chapterkit_book", "book", "html", types=frozenset({str}))
    provide(app, "units", lambda app: quantity.as_data())
    app.add_js_file("book.js", priority=400, defer="defer")
    app.add_js_file("quantity.js", priority=401, defer="defer")
    app.connect("write-started", _write_book)
    app.connect("html-page-context", _join_page_assets, priority=950)
