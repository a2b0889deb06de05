"""Redirects: an address that was ever given out leads to its content, wherever that is now.

One file says what moved, ``redirects.toml``: old address on the left, new one on the right. An address
is a page, ``book/part-a``, or an id on a page, ``book/part-a#part-a-flat``; on the right an id alone will
do. All of it works without scripts:

* An id that was renamed on its page stays as an empty anchor at the new place.
* An id whose content went to another page becomes a line at the end of its old page, shown only to who
  asks for it, with a link to the new place; a script follows the link.
* A page that moved leaves a page that leads on, and a script keeps what stood behind the hash.
"""

from __future__ import annotations

import json
import tomllib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.errors import ConfigError
from sphinx.locale import get_translation

from chapterkit import errors
from chapterkit.assets import is_page_builder, write_if_changed
from chapterkit.ids import Entry, anchors, ids_by_page
from chapterkit.render import OnPages, close, element, page_address, replace, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")
Place = tuple[str, str]  # page and id; the id of a whole page is empty


def _read(app: Sphinx, config: Any) -> None:
    """The file, as old place → what its right side says."""
    name = config.chapterkit_redirects
    app._chapterkit_moved = {}  # type: ignore[attr-defined]
    if not name:
        return
    try:
        data = tomllib.loads(Path(app.confdir, name).read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as problem:
        raise ConfigError(f"chapterkit_redirects: {problem}") from problem
    for old, new in data.items():
        page, _hash, anchor = old.partition("#")
        app._chapterkit_moved[page, anchor] = new  # type: ignore[attr-defined]


def resolve(app: Sphinx) -> dict[Place, Place]:
    """Each old place and where it is now; what leads nowhere is left out (and stops the build)."""
    pages, known = set(ids_by_page(app.env)), anchors(app.env)
    moved: dict[Place, str] = app._chapterkit_moved  # type: ignore[attr-defined]
    found: dict[Place, Place] = {}
    for old, new in moved.items():
        page, _hash, anchor = new.partition("#")
        if not anchor and page not in pages:
            anchor = page
            page = known.get(anchor, [""])[0]
        if page in pages and (not anchor or page in known.get(anchor, ())):
            found[old] = page, anchor
    return found


def as_entries(app: Sphinx) -> set[Entry]:
    """Redirects as lines of the list of ids."""
    return {
        Entry(page, "redirect", anchor) if anchor else Entry(page, "moved", to[0])
        for (page, anchor), to in resolve(app).items()
    }


class _Anchors(OnPages):
    """Anchors for ids that were renamed, lines for those that left."""

    default_priority = 50  # before instruments and questions become HTML

    def run(self, **_options: Any) -> None:
        here = self.env.docname
        for (page, old), (to, new) in sorted(resolve(self.app).items()):
            if page != here or not old:
                continue
            if to == here and new:
                self._rename(old, new)
            else:
                address = page_address(self.env, here, to, new)
                labels = self.env.domains.standard_domain.labels
                title = labels[new][2] if new in labels else self.env.titles[to].astext()
                self.document += [
                    tag("p", class_="ck-moved", id=old),
                    nodes.Text(_("What you look for has moved:") + " "),
                    *element("a", title, href=address),
                    close("p"),
                ]

    def _rename(self, old: str, new: str) -> None:
        node = next(found for found in self.document.findall(nodes.Element) if new in found.get("ids", ()))
        if isinstance(node, nodes.section):
            node["ids"].append(old)
        else:
            replace(node, [tag("span", id=old), close("span"), node])


def _stubs(app: Sphinx, problem: Exception | None) -> None:
    """A page for each page that moved."""
    if problem or not is_page_builder(app.builder) or app.builder.name == "singlehtml":
        return
    found = resolve(app)
    for (page, anchor), (to, new) in found.items():
        if anchor:
            continue
        uri = app.builder.get_target_uri(page)
        target = (
            Path(app.outdir, app.builder.get_outfilename(page))
            if hasattr(app.builder, "get_outfilename")
            else Path(app.outdir, uri)
        )
        address = app.builder.get_relative_uri(page, to) + (f"#{new}" if new else "")
        own = {
            f"#{old}": app.builder.get_relative_uri(page, place[0]) + (f"#{place[1]}" if place[1] else "")
            for (of, old), place in found.items()
            if of == page and old
        }
        title = escape(app.env.titles[to].astext())
        script = (
            f"var t={json.dumps(address)},h=location.hash,o={json.dumps(own, sort_keys=True)}[h];"
            'location.replace(o||(t.split("#")[0]+location.search+(h||t.slice(t.split("#")[0].length))))'
        ).replace("</", "<\\/")
        target.parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(
            target,
            f'<!doctype html>\n<html lang="{app.config.language}"><head><meta charset="utf-8"><title>{title}</title>'
            f'<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
            f"<script>{script}</script>"
            f'<noscript><meta http-equiv="refresh" content="0; url={escape(address)}"></noscript></head>'
            f"<body><main><h1>{escape(_('This page has moved'))}</h1>"
            f'<p><a href="{escape(address)}">{title}</a></p></main></body></html>\n',
        )


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    """Every redirect starts where nothing is and ends where something is."""
    moved: dict[Place, str] = app._chapterkit_moved  # type: ignore[attr-defined]
    known, pages, found = anchors(env), set(ids_by_page(env)), resolve(app)
    source = str(Path(app.confdir, app.config.chapterkit_redirects or ""))
    for (page, anchor), new in moved.items():
        old = f"{page}#{anchor}" if anchor else page
        mistake = ""
        if (page, anchor) not in found:
            mistake = f"there is no page or id {new!r}"
        elif (not anchor and page in pages) or page in known.get(anchor, ()):
            mistake = f"{old!r} is still there"
        elif anchor and page not in pages and (page, "") not in found:
            mistake = f"the page {page!r} is gone; say where it went too"
        if mistake:
            errors.report(env, f"redirect of {old!r}: {mistake}", source, None, app.config.root_doc)


def _touched(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Pages to write again because redirects from them have changed."""
    now = resolve(app)
    before = getattr(env, "chapterkit_moved_saw", {})
    env.chapterkit_moved_saw = now  # type: ignore[attr-defined]
    changed = {page for (page, _anchor), _to in set(now.items()) ^ set(before.items())}
    return sorted(changed & set(ids_by_page(env)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Settings: ``chapterkit_redirects``, a TOML file, from the folder of ``conf.py``."""
    errors.setup(app)
    app.add_config_value("chapterkit_redirects", "", "", types=frozenset({str}))
    app.connect("config-inited", _read)
    app.add_post_transform(_Anchors)
    app.connect("env-updated", _check, priority=640)
    app.connect("env-updated", _touched, priority=641)
    app.connect("build-finished", _stubs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
