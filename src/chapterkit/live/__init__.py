"""Live cells: a page's code run and changed by its reader, in the reader's own browser.

A code cell with the tag `live` is run at build like any other and keeps that output. Below it
stands a button that opens the same code in JupyterLite, whose runtime is part of the site:
`python -m chapterkit.live build` puts it there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.config import Config

# Under this name in the site; the runtime's own files know each other by relative paths.
FOLDER = "lite"
SIZE = "size.json"


def runtime_bytes(outdir: str | Path) -> int | None:
    """Bytes of a first start, if the runtime is in the site already."""
    try:
        return int(json.loads(Path(outdir, FOLDER, SIZE).read_text(encoding="utf-8"))["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _add_static(app: Sphinx, config: Config) -> None:
    config.html_static_path.append(str(Path(__file__).parent / "static"))


def _add_assets(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    from chapterkit.live.cells import LiveControl

    if app.builder.name != "epub" and doctree is not None and any(doctree.findall(LiveControl)):
        app.add_css_file("live.css")
        app.add_js_file("live.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register live cells; they need no setting."""
    from chapterkit.live import cells, jupyterlite

    jupyterlite.setup(app)
    cells.setup(app)
    app.connect("config-inited", _add_static)
    app.connect("html-page-context", _add_assets)
