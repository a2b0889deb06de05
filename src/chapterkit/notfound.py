"""The page for addresses that lead nowhere: ``404.html``, which servers send for whatever they do not have.

It arrives under the address that was asked for, so no relative link in it can be right, and where the site
begins is not known at build. Style and script therefore stand in the page. The script looks for the list
of ids (``ids.txt``) in each folder of the asked address, takes the folder that has it as the base of all
links, and suggests what is close to what was asked. With ``html_baseurl`` set, the links are right without
scripts too; otherwise the page says in words how to get to the book.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.locale import get_translation

from chapterkit.assets import STATIC, bare, is_page_builder, write_if_changed
from chapterkit.ids import anchors
from chapterkit.moved import resolve
from chapterkit.question import reading_order

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_ = get_translation("chapterkit")
STYLE = """
:root{color-scheme:light dark;background:Canvas;color:CanvasText}
body{max-width:40rem;margin:0 auto;padding:2rem 1rem;font:1rem/1.6 system-ui,sans-serif}
h1{line-height:1.25}code{overflow-wrap:anywhere}li{margin-block:.25rem}
"""


def page(app: Sphinx) -> str:
    """The whole page."""
    env, builder = app.env, app.builder
    pages = [name for name in reading_order(env) if not env.metadata.get(name, {}).get("orphan")]
    address = {name: builder.get_target_uri(name) for name in env.all_docs}
    where = {anchor: found[0] for anchor, found in anchors(env).items()}
    for (_old, anchor), (to, _new) in resolve(app).items():
        where.setdefault(anchor, to)
    home, search = address[env.config.root_doc], builder.get_target_uri("search")
    base = app.config.html_baseurl
    data = {
        "pages": [[address[name], env.titles[name].astext()] for name in pages],
        "ids": {name: [id_ for id_ in where if where[id_] == name] for name in sorted(set(where.values()))},
        "at": {name: address[name] for name in sorted(set(where.values()))},
        "search": search,
        "based": bool(base),
    }
    links = "".join(
        f'<li><a href="{escape(address[name])}">{escape(env.titles[name].astext())}</a></li>'
        for name in pages
    )
    title = escape(_("There is no such page"))
    book = escape(app.config.html_title)
    script = bare(STATIC / "notfound.js").replace("</", "<\\/")
    blob = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    hidden = "" if base else " hidden"
    return f"""<!doctype html>
<html lang="{app.config.language}"><head><meta charset="utf-8"><title>{title} - {book}</title>
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><link rel="icon" href="data:,">
{f'<base href="{escape(base.rstrip("/"))}/">' if base else ""}<style>{STYLE}</style></head>
<body><main><h1>{title}</h1>
<p>{escape(_("This address leads nowhere:"))} <code id="asked"></code></p>
<noscript><p>{escape(_("The book is elsewhere on this site. Shorten the address from its end, folder by folder, or try"))}
<a href="./">{escape(_("the folder it names"))}</a>.</p></noscript>
<div id="close" hidden><h2>{escape(_("Did you mean"))}</h2><ul></ul></div>
<div id="book"{hidden}><h2>{escape(_("The pages of this book"))}</h2><ul>{links}</ul>
<p><a id="search" href="{escape(search)}">{escape(_("Search the book"))}</a> · <a href="{escape(home)}">{book}</a></p></div>
<p id="lost" hidden>{escape(_("The book is not to be found from here. Its first page ends in"))} <code>{escape(home)}</code></p>
</main><script type="application/json" id="data">{blob}</script><script>{script}</script></body></html>
"""


def _write(app: Sphinx, problem: Exception | None) -> None:
    if not problem and is_page_builder(app.builder) and app.builder.name != "singlehtml":
        write_if_changed(Path(app.outdir, "404.html"), page(app))


def setup(app: Sphinx) -> dict[str, Any]:
    """Nothing to set; ``html_baseurl`` is Sphinx's own."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
