"""How long a build takes: from nothing, and after one page was edited; the live runtime is not part of it.

It works on a copy of the tree, so nothing in the repository is touched.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
LIMITS = {"clean build, s": 90.0, "after one edited page, s": 6.0}
LEFT_OUT = shutil.ignore_patterns(".git", ".nox", "node_modules", "html", "live", "doctrees", "__pycache__", "jupyter*")


def build(tree: Path) -> float:
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-j", "2", "-b", "html", "-d", "build/doctrees", ".", "build/html"],
        cwd=tree, check=True, stdin=subprocess.DEVNULL, capture_output=True,
    )  # fmt: skip
    return perf_counter() - start


def measure() -> dict[str, float]:
    """Seconds of a clean build and of three rebuilds' median, each after one more sentence in Part A."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "book"
        shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
        clean = build(tree)
        again = []
        for turn in range(3):
            with (tree / "book" / "part-a.md").open("a", encoding="utf-8") as page:
                page.write(f"\nOne more sentence{'.' * turn}\n")
            again.append(build(tree))
        return {"clean build, s": clean, "after one edited page, s": sorted(again)[1]}


if __name__ == "__main__":
    found = measure()
    for name, value in found.items():
        print(f"{name}: {value:.1f} (must ≤ {LIMITS[name]:g})")
    sys.exit(any(value > LIMITS[name] for name, value in found.items()))
