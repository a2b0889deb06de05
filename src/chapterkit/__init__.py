"""chapterkit: the parts of an interactive textbook chapter, for Sphinx.

Predictions before reveals, numbers computed at build, instruments that run the book's own Python
in the page. It knows nothing of any book's subject.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

__version__ = "0.1.0"

# Order matters only to scripts: one that is named earlier is loaded earlier.
PARTS = (
    "assets", "records", "calc", "record", "progress", "question", "gate", "decision_log", "calls", "panel", "live", "exercise",
    "reference", "katex", "mathfonts", "theme", "elsewhere", "epub",
    "ids", "moved", "names", "outline", "links", "notfound", "kernels",
)  # fmt: skip


def _add_static(app: Sphinx, config: Config) -> None:
    config.html_static_path.append(str(Path(__file__).parent / "static"))
    config.locale_dirs.append(str(Path(__file__).parent / "locale"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register every part; see each module for its directives and settings."""
    app.connect("config-inited", _add_static)
    for part in PARTS:
        importlib.import_module(f"{__name__}.{part}").setup(app)
    return {"version": __version__, "env_version": 5, "parallel_read_safe": True, "parallel_write_safe": True}
