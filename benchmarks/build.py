"""How long a build takes on two cores: from nothing, and after one page was edited.

The live runtime is not part of it. It works on a copy of the tree, so nothing in the repository is touched.
Cells of pages run at build and their output is kept; "from nothing" is without what was kept, which is what a
fresh clone does.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
LIMITS = {"clean build, s": ("≤", 90.0), "after one edited page, s": ("≤", 6.0)}
PAGE = "book/part-a.md"
EDITS = 3
# What builds leave; of ``build`` only the assets that npm brings are needed.
LEFT_OUT = {
    ".git",
    ".nox",
    "node_modules",
    "build",
    "__pycache__",
    ".pytest_cache",
    ".ruff_cache",
    ".mypy_cache",
    "_contents",
}


def copy(tree: Path) -> None:
    if not (ROOT / "build" / "assets").is_dir():
        raise SystemExit("build/assets is not there: fetch it first (python -m nox -s assets)")
    shutil.copytree(ROOT, tree, ignore=lambda _folder, names: LEFT_OUT & set(names))
    shutil.copytree(ROOT / "build" / "assets", tree / "build" / "assets")


def build(tree: Path) -> float:
    """Seconds of one build, as the task of the same name does it."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "-j",
        "2",
        "-b",
        "html",
        "-d",
        "build/doctrees",
        ".",
        "build/html",
    ]
    # On systems that can say so, on two cores and no more.
    two = {0, 1} if hasattr(os, "sched_setaffinity") else None
    log = tree / "build" / "build.log"
    start = perf_counter()
    with log.open("w") as output:
        done = subprocess.run(
            command, cwd=tree, check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            preexec_fn=(lambda: os.sched_setaffinity(0, two)) if two else None,
        )  # fmt: skip
    took = perf_counter() - start
    if done.returncode:
        raise SystemExit(f"the book does not build:\n{log.read_text()[-3000:]}")
    return took


def measure() -> dict[str, float]:
    """Seconds without and with the kept output of cells, and after one more sentence on a page."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "book"
        copy(tree)
        clean = build(tree)
        for made in ("html", "doctrees"):
            shutil.rmtree(tree / "build" / made)
        kept = build(tree)
        again = []
        for turn in range(EDITS):
            with (tree / PAGE).open("a", encoding="utf-8") as page:
                page.write(f"\nOne more sentence{'.' * turn}\n")
            again.append(build(tree))
        nothing = build(tree)
    return {
        "clean build, s": round(clean, 1),
        "clean build, output of cells kept, s": round(kept, 1),
        "after one edited page, s": round(statistics.median(again), 1),
        "nothing changed, s": round(nothing, 1),
    }


if __name__ == "__main__":
    from benchmarks.__main__ import main

    raise SystemExit(main(["build"]))
