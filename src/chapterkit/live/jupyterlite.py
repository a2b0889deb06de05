"""jupyterlite-sphinx, without the habits this site does without.

Its directives are used; see `cells`. What is taken out again: a web font from another host on every
page, a style sheet and a script for controls we replace, a folder it empties in the source tree, and
a build of the whole application at the end of every build of the prose (`python -m chapterkit.live
build` does that, from a cache).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import jupyterlite_sphinx.jupyterlite_sphinx as upstream
from jupyterlite_sphinx.jupyterlite_sphinx import RepliteIframe

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["RepliteIframe", "console_options", "setup"]


def console_options() -> dict[str, str]:
    """Return what JupyterLite's console is told in its address, beside the code."""
    return {"kernel": "python", "execute": "1", "showBanner": "0"}


def setup(app: Sphinx) -> None:
    """Load jupyterlite-sphinx and take out what must not run."""
    app.setup_extension("jupyterlite_sphinx")
    unwanted = {upstream.inited, upstream.jupyterlite_build, upstream.conditional_process_examples}
    for listeners in app.events.listeners.values():
        for listener in [one for one in listeners if one.handler in unwanted]:
            app.disconnect(listener.id)
    for assets in (app.registry.css_files, app.registry.js_files):
        assets[:] = [one for one in assets if not _is_upstreams(one[0])]
    for name in ("jupyterlite_sphinx.css", "jupyterlite_sphinx.js"):
        Path(app.outdir, "_static", name).unlink(missing_ok=True)


def _is_upstreams(name: str | None) -> bool:
    return name is not None and (name.startswith("jupyterlite_sphinx.") or name.endswith("css?family=Vibur"))
