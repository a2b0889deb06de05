"""What a page loads: one style sheet, one script, and a few bytes of each in its head.

Extensions add small files; a page that asked for each of them would make more than a dozen
requests. Here they are joined, in their order. Scripts are joined when the page is written, and those
that only answer a reader's hand come after everything else. Styles are joined when the last page is
written, because by then it is known which of their rules any page can need; `prune` leaves out the
rest. What the page needs before its first paint (`boot.js`) stands in its head. What belongs to the
whole book, such as the list of its questions, is written once per build into `book.js`.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import rcssmin
import rjsmin
from sphinx.builders.html._assets import _CascadingStyleSheet, _JavaScript

from chapterkit import quantity
from chapterkit.prune import Used, prune

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.builders import Builder

STATIC = Path(__file__).parent / "static"
# They wait for a click or a key, so a page works before they come.
_LATER = {
    "documentation_options.js", "doctools.js", "sphinx_highlight.js", "clipboard.min.js", "copybutton.js", "links.js",
}  # fmt: skip
# Scripts of components, with the class without which they find nothing to do.
_FOR = {"design-tabs.js": "sd-tab-set"}
_JOINED = re.compile(rb"""(_static/joined/(\w+)\.(?:css|js))(?:\?v=\w*)?(?=["'])""")
_SCRIPT = re.compile(r"""["']([^"'?]+\.js)(?:\?[^"']*)?["']""")
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


def _name(asset: object) -> str:
    return os.fspath(getattr(asset, "filename", None) or "")


def _plain(asset: object, allowed: set[str]) -> bool:
    """Whether the asset is a file of this site that asks for nothing special."""
    name = _name(asset)
    return bool(name) and "://" not in name and set(getattr(asset, "attributes", {})) <= allowed


@cache
def bare(script: Path) -> str:
    """A script without its comments and indentation, small enough to stand in every page's head."""
    return str(rjsmin.jsmin(script.read_text(encoding="utf-8")))


def _join_name(names: list[str], suffix: str) -> str:
    return f"_static/joined/{sha256(chr(10).join(names).encode()).hexdigest()[:12]}{suffix}"


def _join_scripts(app: Sphinx, names: list[str]) -> str:
    joined = _join_name(names, ".js")
    note = _notes(app) / Path(joined).name
    note.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(note, "\n".join(names))
    texts = [_SOURCE_MAP.sub("", Path(app.outdir, name).read_text(encoding="utf-8")) for name in names]
    target = Path(app.outdir, joined)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Comments that begin with a bang are licences, and stay.
    text = rjsmin.jsmin("".join(f"{text.rstrip()}\n;\n" for text in texts), keep_bang_comments=True)
    write_if_changed(target, text)
    return joined


def _notes(app: Sphinx) -> Path:
    return Path(app.doctreedir) / "joined" / app.builder.name


def _join_page_assets(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if not is_page_builder(app.builder):
        return
    styles = sorted(context["css_files"], key=lambda style: style.priority)  # as Sphinx will, but only later
    join_css = [s for s in styles if _plain(s, {"rel", "type"})]
    if join_css:
        names = [_name(s) for s in join_css]
        joined = _join_name(names, ".css")
        note = _notes(app) / f"{Path(joined).stem}.txt"
        note.parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(note, "\n".join(names))
        rest = [s for s in styles if s not in join_css]
        # What comes last by its priority has the last word, over joined rules too.
        context["css_files"] = sorted(
            [*rest, _CascadingStyleSheet(joined, priority=800)], key=lambda s: s.priority
        )
    body = context.get("body") or ""
    scripts = [s for s in context["script_files"] if _FOR.get(posixpath.basename(_name(s)), "") in body]
    join_js = [s for s in scripts if _plain(s, {"defer"}) and Path(app.outdir, _name(s)).is_file()]
    later = [s for s in join_js if posixpath.basename(_name(s)) in _LATER]
    if doctree is None:
        # Pages without a source, such as the search, have scripts of their own that lean on these at once.
        join_js, later = [s for s in join_js if s not in later], []
    now = [s for s in join_js if s not in later]
    attributes = {"defer": "defer"}
    if later and now:
        joined = _join_scripts(app, [_name(s) for s in later])
        version = zlib.crc32(Path(app.outdir, joined).read_bytes())
        attributes["data-later"] = f"{context['pathto'](joined, resource=True)}?v={version:08x}"
    rest = [s for s in scripts if s not in join_js]
    if now:
        rest.insert(0, _JavaScript(_join_scripts(app, [_name(s) for s in now]), **attributes))
    context["script_files"] = rest
    settings = {"book": app.config.chapterkit_book, "charts": app.config.chapterkit_charts}
    head = json.dumps(settings, sort_keys=True).replace("<", "\\u003c")
    boot = "\n".join(bare(STATIC / name) for name in ("firstpaint.js", "boot.js"))
    context["metatags"] = (
        context.get("metatags", "")
        + f'\n<script type="application/json" id="chapterkit-settings">{head}</script>\n<script>{boot}</script>\n'
    )


def _write_styles(app: Sphinx, problem: Exception | None) -> None:
    """Join and prune the styles for the pages there are, and tell the pages which version they got.

    All pages are looked at, those of earlier builds too: a page that is built alone gets the same style. A
    script that changed reaches them all as well, though no page was written for it.
    """
    if problem or not is_page_builder(app.builder):
        return
    outdir = Path(app.outdir)
    pages: dict[Path, bytes] = {}
    for path in outdir.rglob("*.html"):
        text = path.read_bytes()
        if _JOINED.search(text):
            pages[path] = text
    versions: dict[bytes, bytes] = {}
    for note in sorted(_notes(app).glob("*.js")):
        if any(note.name.encode() in text for text in pages.values()):
            joined = _join_scripts(app, note.read_text(encoding="utf-8").split("\n"))
            versions[note.stem.encode()] = b"%08x" % zlib.crc32((outdir / joined).read_bytes())
    # After the scripts, because what a script names stays in the style.
    for note in sorted(_notes(app).glob("*.txt")):
        name = f"_static/joined/{note.stem}.css"
        linked = {path: text for path, text in pages.items() if name.encode() in text}
        if linked:
            _write_style(app, note, outdir / name, linked)
            versions[note.stem.encode()] = b"%08x" % zlib.crc32((outdir / name).read_bytes())
    for path, text in pages.items():
        new = _JOINED.sub(lambda m: b"%b?v=%b" % (m[1], versions[m[2]]) if m[2] in versions else m[0], text)
        if new != text:
            scratch = path.with_suffix(".tmp")
            scratch.write_bytes(new)
            scratch.replace(path)


def _write_style(app: Sphinx, note: Path, target: Path, pages: dict[Path, bytes]) -> None:
    used, kept = Used(), Path(app.doctreedir, "seen")
    scripts = {Path(app.outdir, "_static", app.config.chapterkit_charts)}
    for path, text in pages.items():
        page = text.decode()
        used.see(page, "page", kept)
        scripts.update(Path(os.path.normpath(path.parent / unquote(name))) for name in _SCRIPT.findall(page))
    for script in scripts:
        if script.is_file():
            text = script.read_text(encoding="utf-8")
            used.see(text, "script", kept)
            # A script may fetch others when they are needed, as that of live cells does.
            for other in {Path(app.outdir, "_static", name) for name in _SCRIPT.findall(text)} - scripts:
                if other.is_file():
                    used.see(other.read_text(encoding="utf-8"), "script", kept)
    whole = "".join(_styles(app, note.read_text(encoding="utf-8").split("\n"), target))
    # Pruning takes a second, so it is done only when something has changed.
    key = sha256(f"{used.within(whole).key()}\n{whole}".encode()).hexdigest()
    done = note.with_suffix(".done")
    if not (target.exists() and done.exists() and done.read_text() == key):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(target, rcssmin.cssmin(prune(whole, used), keep_bang_comments=True))
        done.write_text(key)


def _styles(app: Sphinx, names: list[str], target: Path) -> Iterator[str]:
    folder = posixpath.dirname(target.relative_to(app.outdir).as_posix())
    for name in names:
        path = Path(app.outdir, name)
        if path.is_file():
            start = posixpath.relpath(posixpath.dirname(name), folder)
            text = _SOURCE_MAP.sub("", path.read_text(encoding="utf-8"))
            yield (
                _URL.sub(
                    lambda m, at=start: f"url({posixpath.normpath(posixpath.join(at, m[2]))})", text
                ).rstrip()
                + "\n"
            )


def setup(app: Sphinx) -> None:
    """Join assets; settings: ``chapterkit_book``, the name under which a reader's record is kept."""
    app._chapterkit_provided = {}  # type: ignore[attr-defined]
    app.add_config_value("chapterkit_book", "book", "html", types=frozenset({str}))
    provide(app, "units", lambda app: quantity.as_data())
    app.add_js_file("book.js", priority=400, defer="defer")
    app.add_js_file("quantity.js", priority=401, defer="defer")
    app.add_js_file("later.js", priority=402, defer="defer")
    app.connect("write-started", _write_book)
    app.connect("html-page-context", _join_page_assets, priority=950)
    # Other extensions write style sheets when the build ends, too.
    app.connect("build-finished", _write_styles, priority=900)
