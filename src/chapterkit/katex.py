"""Math is rendered by a Node process per builder process; see that each ends with its build.

sphinxcontrib-katex ends its servers at interpreter exit, which processes of a parallel build never
reach, so their servers lived on. The server's standard input is a pipe from the process that needs
it: when that ends, however it ends, so does the server, and takes its scratch folder with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinxcontrib.katex import KaTeXServer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_build_command = KaTeXServer.build_command


def _command(*args: Any, **kwargs: Any) -> list[str]:
    node, *rest = _build_command(*args, **kwargs)
    return [node, "--require", str(Path(__file__).with_name("katex_end.js")), *rest]


def setup(app: Sphinx) -> None:
    """Let every KaTeX server end with the process it serves."""
    KaTeXServer.build_command = _command
