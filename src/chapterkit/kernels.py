"""The kernels that run cells at build: they know nothing of a person's own settings, and say nothing that is normal.

IPython would run its user's startup files in every cell's kernel, so that a page could depend on who built it;
the kernel warns that it talks over an open port of this machine, and the client tells of each page it runs.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_SETTINGS = {"IPKernelApp": {"log_level": logging.ERROR}, "HistoryManager": {"enabled": False}}


def _settle(app: Sphinx) -> None:
    home = Path(app.doctreedir, "ipython")
    profile = home / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.json").write_text(json.dumps(_SETTINGS), encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(home)
    logging.getLogger("traitlets").setLevel(logging.WARNING)


def setup(app: Sphinx) -> dict[str, Any]:
    """Give the kernels a home of their own below the doctrees."""
    app.connect("builder-inited", _settle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
