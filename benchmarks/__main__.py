"""Run every benchmark, one after the other, each in a process of its own; names choose some of them.

Each prints its figures beside what they must be. One that cannot run says why, and the whole run fails at its end.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(chosen: list[str]) -> int:
    known = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; known are {', '.join(known)}")
        return 2
    failed = []
    for name in chosen or known:
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=HERE.parent, check=False).returncode:
            failed.append(name)
    print(f"\nfailed: {', '.join(failed)}" if failed else "\nevery benchmark ran and met its limits")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
