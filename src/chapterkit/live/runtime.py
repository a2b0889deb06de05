"""Assemble Pyodide: its core, our wheels, and a lock file that names those and no others."""

from __future__ import annotations

import email
import gzip
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from chapterkit.live.manifest import LiveBuildError, Manifest, digest

# What the kernel's worker imports in Pyodide's place; see the file.
BOOT = Path(__file__).parent / "inside" / "boot.mjs"
# Packed by us, since many servers send WebAssembly as it is: 10 MB instead of 3. The name must not
# end in .gz, or some servers declare the file encoded and browsers unpack it a second time.
WASM = "pyodide.asm.wasm"
Compile = Callable[[Path, list[Path]], None]


def assemble(
    manifest: Manifest,
    files: dict[str, Path],
    own: Path,
    standins: Iterable[Path],
    out: Path,
    compile_archives: Compile,
) -> list[str]:
    """Write a self-hosted Pyodide to `out` and return the names of its packages.

    `files` are the pinned files, `own` is the project's wheel. The lock is complete: whatever a
    package needs is in it, or the manifest says that it is done without.
    """
    out.mkdir(parents=True, exist_ok=True)
    core = files[manifest.core.name]
    official = _unpack_core(manifest, core, out)
    pinned = [files[f.name] for f in (*manifest.wheels, *manifest.kernel_wheels)]
    for path in pinned:
        _check_compiled(path, official)
    # Readers may look into the project's own source, so that wheel stays as it is.
    kept = [path for path in pinned if not _is_pure(path)]
    compiled = [*standins, *(path for path in pinned if _is_pure(path))]
    shipped = []
    for path in [own, *kept, *compiled]:
        shipped.append(out / path.name)
        shipped[-1].write_bytes(path.read_bytes())
    compile_archives(core, [out / manifest.library, *shipped[1 + len(kept) :]])

    known = {entry["file_name"]: entry for entry in official["packages"].values()}
    packages: dict[str, dict[str, Any]] = {}
    wants: dict[str, set[str]] = {}
    for path in shipped:
        entry, needs = _lock_entry(path, official["info"]["python"])
        if path.name in known and not _is_pure(path):
            entry["imports"] = known[path.name]["imports"]
            needs |= {canonicalize_name(name) for name in known[path.name]["depends"]}
        if path.name == own.name:
            entry["imports"] = [name for name in entry["imports"] if name in manifest.local["imports"]]
        packages[entry["name"]] = entry
        wants[entry["name"]] = needs
    without = set(manifest.local["without"])
    for name, needs in wants.items():
        lost = needs - packages.keys() - without
        if lost:
            raise LiveBuildError(f"{name} needs {', '.join(sorted(lost))}, which the manifest does not name")
        packages[name]["depends"] = sorted(needs & packages.keys())
    lock = {"info": official["info"], "packages": dict(sorted(packages.items()))}
    text = json.dumps(lock, indent=1, sort_keys=True)
    (out / "pyodide-lock.json").write_text(f"{text}\n", encoding="utf-8")
    return sorted(packages)


def _is_pure(path: Path) -> bool:
    return path.name.endswith("-none-any.whl")


def _check_compiled(path: Path, official: dict[str, Any]) -> None:
    """Machine code must be the interpreter's own, whatever our manifest says."""
    hashes = {entry["sha256"] for entry in official["packages"].values() if entry["file_name"] == path.name}
    if not _is_pure(path) and digest(path) not in hashes:
        raise LiveBuildError(f"{path.name} is compiled code and not the one in Pyodide's own lock file")


def _unpack_core(manifest: Manifest, archive: Path, out: Path) -> dict[str, Any]:
    with tarfile.open(archive) as tar:

        def read(name: str) -> bytes:
            stream = tar.extractfile(f"package/{name}")
            if stream is None:
                raise LiveBuildError(f"{archive.name} holds no {name}")
            return stream.read()

        for name in manifest.core_files:
            (out / name).write_bytes(read(name))
        official: dict[str, Any] = json.loads(read(manifest.lock))
    wasm = out / WASM
    (out / f"{WASM}.packed").write_bytes(gzip.compress(wasm.read_bytes(), 9, mtime=0))
    wasm.unlink()
    (out / BOOT.name).write_bytes(BOOT.read_bytes())
    return official


def _lock_entry(path: Path, python: str) -> tuple[dict[str, Any], set[str]]:
    name, version, *_ = parse_wheel_filename(path.name)
    with zipfile.ZipFile(path) as z:
        members = z.namelist()
        metadata = next(m for m in members if m.endswith(".dist-info/METADATA"))
        message = email.message_from_bytes(z.read(metadata))
    target = {
        "sys_platform": "emscripten",
        "platform_system": "Emscripten",
        "os_name": "posix",
        "platform_machine": "wasm32",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "python_version": ".".join(python.split(".")[:2]),
        "python_full_version": python,
        "extra": "",
    }
    needs = {
        canonicalize_name(requirement.name)
        for requirement in map(Requirement, message.get_all("Requires-Dist") or [])
        if requirement.marker is None or requirement.marker.evaluate(target)
    }
    entry = {
        "name": canonicalize_name(name),
        "version": str(version),
        "file_name": path.name,
        "install_dir": "site",
        "sha256": digest(path),
        "package_type": "package",
        "imports": _top_level(members),
        "depends": [],
        "unvendored_tests": False,
        "shared_library": False,
    }
    return entry, needs


def _top_level(members: list[str]) -> list[str]:
    names = set()
    for member in members:
        head, _, rest = member.partition("/")
        if head.endswith((".dist-info", ".data", ".libs")):
            continue
        if rest and member.endswith((".py", ".pyc", ".so")):
            names.add(head)
        elif not rest and member.endswith((".py", ".pyc")):
            names.add(head.partition(".")[0])
    return sorted(names)
