"""Results kept on disk under what they were made from, so that the next build need not make them again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path


@cache
def fingerprint(files: tuple[Path, ...]) -> str:
    """What the files hold, as one word: results made by other code are other results."""
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def kept(folder: Path | None, made_from: Iterable[str], make: Callable[[], bytes]) -> bytes:
    """What `make` gives, from `folder` if it is there already; without a folder it is made each time.

    A file is put in its place whole, so builds side by side never read half of one.
    """
    if folder is None:
        return make()
    place = folder / sha256("\n".join(made_from).encode()).hexdigest()
    try:
        return place.read_bytes()
    except FileNotFoundError:
        made = make()
    folder.mkdir(parents=True, exist_ok=True)
    scratch = place.with_name(f"{place.name}.{os.getpid()}")
    scratch.write_bytes(made)
    scratch.replace(place)
    return made
