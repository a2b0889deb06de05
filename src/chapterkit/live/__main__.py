"""`python -m chapterkit.live build`: assemble the live runtime of a built site."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from chapterkit.live.build import build
from chapterkit.live.manifest import LiveBuildError


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m chapterkit.live", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("build", help="fetch, verify and assemble the runtime into <site>/lite")
    command.add_argument("--site", type=Path, required=True, help="the built site, such as build/html")
    command.add_argument("--manifest", type=Path, required=True)
    command.add_argument(
        "--cache", type=Path, required=True, help="where fetched files and the last result are kept"
    )
    command.add_argument("--project", type=Path, default=Path(), help="the project whose wheel cells import")
    command.add_argument(
        "--from",
        dest="offered",
        type=Path,
        action="append",
        default=[],
        help="a folder to look in for pinned files before asking a registry",
    )
    given = parser.parse_args(arguments)
    started = time.perf_counter()
    try:
        done = build(
            given.site,
            given.manifest.resolve(),
            given.cache.resolve(),
            given.project.resolve(),
            given.offered,
        )
    except LiveBuildError as problem:
        print(f"The live runtime was not built. {problem}", file=sys.stderr)
        return 1
    took = time.perf_counter() - started
    print(f"live runtime: {'assembled' if done else 'unchanged'} ({took:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
