"""Live cells: a page's code run and changed by its reader, in the reader's own browser.

Every code cell is run at build and keeps that output. Below it stands a button that opens the page's
code beside the text, in a Python that is part of the site: `python -m chapterkit.live build` puts it
there. A cell with the tag `not-live` gets none, and a cell whose metadata says `check: <exercise>`
gets a second one, which asks the book's module of checks about the reader's work.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chapterkit.assets import is_page_builder

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.config import Config

# Under this name in the site; the runtime's own files know each other by relative paths.
FOLDER = "lite"
SIZE = "size.json"


def runtime_facts(outdir: str | Path) -> dict[str, Any]:
    """What the runtime says of itself, if it is in the site already: bytes of a start, version, wheel."""
    try:
        facts = json.loads(Path(outdir, FOLDER, SIZE).read_text(encoding="utf-8"))
        return {"bytes": int(facts["bytes"]), **{key: str(facts[key]) for key in ("version", "wheel")}}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _add_static(app: Sphinx, config: Config) -> None:
    config.html_static_path.append(str(Path(__file__).parent / "static"))


def _add_assets(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    from chapterkit.live.cells import LiveControl

    # Only what the button needs: the rest comes when it is pressed.
    if is_page_builder(app.builder) and doctree is not None and any(doctree.findall(LiveControl)):
        app.add_css_file("live.css")
        app.add_js_file("live.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register live cells; the only setting names the module that knows the exercises."""
    from chapterkit.live import cells, jupyterlite

    if "chapterkit_checks" not in app.config:
        app.add_config_value("chapterkit_checks", "", "env", types=frozenset({str}))
    jupyterlite.setup(app)
    cells.setup(app)
    app.connect("config-inited", _add_static)
    app.connect("html-page-context", _add_assets)
