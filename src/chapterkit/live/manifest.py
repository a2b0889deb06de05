"""What the live runtime is made of: every file by name, version and SHA-256.

The manifest is the only place where a version of the runtime is written. A file may come from
anywhere, because what it must be is pinned: one that differs stops the build and is named.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class LiveBuildError(Exception):
    """The live runtime cannot be built; the message says why and names the file."""


@dataclass(frozen=True)
class File:
    """One pinned file, and the package that a registry has it in."""

    name: str
    sha256: str
    package: str
    inside: bool = False
    official: bool = False


@dataclass(frozen=True)
class Manifest:
    """The runtime as pinned; `folder` is where the manifest's own files are."""

    folder: Path
    core: File
    core_files: tuple[str, ...]
    lock: str
    library: str
    wheels: tuple[File, ...]
    kernel_wheels: tuple[File, ...]
    application: dict[str, str]
    application_archive: str
    local: dict[str, Any] = field(default_factory=dict)
    standins: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()


def read(path: Path) -> Manifest:
    """Read a manifest; a missing or unknown key is an error that names it."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        core, app = raw["pyodide"], raw["application"]
        return Manifest(
            folder=path.parent,
            core=File(f"{core['npm'].replace('@', '-')}.tgz", sha256=core["sha256"], package=core["npm"]),
            core_files=tuple(core["files"]),
            lock=core["lock"],
            library=core["library"],
            wheels=tuple(_wheel(w) for w in raw["wheel"]),
            kernel_wheels=tuple(_wheel(w) for w in raw["kernel-wheel"]),
            application=dict(app["packages"]),
            application_archive=app["archive-sha256"],
            local=raw["local"],
            standins=tuple(raw.get("standins", ())),
            extensions=tuple(raw.get("extensions", ())),
        )
    except KeyError as missing:
        raise LiveBuildError(f"{path.name}: {missing} is missing") from None


def _wheel(raw: dict[str, Any]) -> File:
    name, version, *_ = raw["file"].split("-")
    inside = raw.get("inside")
    return File(
        name=raw["file"],
        sha256=raw["sha256"],
        package=inside or f"{name}=={version}",
        inside=bool(inside),
        official=raw.get("official", False),
    )


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def verify(path: Path, wanted: str, *, why: str = "the manifest") -> Path:
    """Return the path if the file is what was pinned, else stop and name it."""
    found = digest(path)
    if found != wanted:
        raise LiveBuildError(
            f"{path.name} is not the file that {why} pins: its SHA-256 is {found}, wanted is {wanted}. "
            "Nothing was built from it."
        )
    return path
