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

INSIDE = Path(__file__).parent / "inside"
# What JupyterLite's worker imports in Pyodide's place; see the file.
BOOT = INSIDE / "boot.mjs"
# The kernel that pages start, and what it loads before the first cell.
KERNEL = (INSIDE / "kernel.mjs", INSIDE / "kernel.py")
START = "kernel.json"
# Packed by us, since many servers send WebAssembly as it is: 10 MB instead of 3. The name must not
# end in .gz, or some servers declare the file encoded and browsers unpack it a second time.
WASM = "pyodide.asm.wasm"
LOCK = "pyodide-lock.json"
Compile = Callable[[Path, list[Path]], None]


def assemble(
    manifest: Manifest, files: dict[str, Path], standins: Iterable[Path], out: Path, compile_archives: Compile
) -> list[str]:
    """Write a self-hosted Pyodide to `out`, but for the project's wheel, and return its packages' names.

    The lock is complete: whatever a package needs is in it, or the manifest says that it is done without.
    """
    out.mkdir(parents=True, exist_ok=True)
    core = files[manifest.core.name]
    official = _unpack_core(manifest, core, out)
    pinned = [files[f.name] for f in (*manifest.wheels, *manifest.kernel_wheels)]
    for path in pinned:
        _check_compiled(path, official)
    shipped = []
    for path in [*standins, *pinned]:
        shipped.append(out / path.name)
        shipped[-1].write_bytes(path.read_bytes())
    compile_archives(core, [out / manifest.library, *filter(_is_pure, shipped)])

    known = {entry["file_name"]: entry for entry in official["packages"].values()}
    packages: dict[str, dict[str, Any]] = {}
    for path in shipped:
        entry = _lock_entry(path, official["info"]["python"])
        if not _is_pure(path):
            entry["imports"] = known[path.name]["imports"]
            entry["depends"] += [canonicalize_name(name) for name in known[path.name]["depends"]]
        packages[entry["name"]] = entry
    _write_lock(manifest, {"info": official["info"], "packages": packages}, out)
    return sorted(packages)


def add_own(manifest: Manifest, own: Path, out: Path) -> None:
    """Add the project's wheel, as it is: readers may look into the functions they call."""
    lock = json.loads((out / LOCK).read_text(encoding="utf-8"))
    entry = _lock_entry(own, lock["info"]["python"])
    if entry["name"] != manifest.local["name"]:
        raise LiveBuildError(
            f"The project's wheel is {entry['name']}, the manifest names {manifest.local['name']}"
        )
    entry["imports"] = [name for name in entry["imports"] if name in manifest.local["imports"]]
    lock["packages"][entry["name"]] = entry
    (out / own.name).write_bytes(own.read_bytes())
    _write_lock(manifest, lock, out)
    compiled = [name for name, each in lock["packages"].items() if not _is_pure(Path(each["file_name"]))]
    start = {"packages": [*sorted(compiled), entry["name"]]}
    (out / START).write_text(f"{json.dumps(start)}\n", encoding="utf-8")


def first_files(out: Path) -> list[Path]:
    """What a page asks for until its first cell has run."""
    packages = json.loads((out / LOCK).read_text(encoding="utf-8"))["packages"]
    wanted = json.loads((out / START).read_text(encoding="utf-8"))["packages"]
    names = [path.name for path in KERNEL] + [START, LOCK, f"{WASM}.packed"]
    names += ["pyodide.mjs", "pyodide.asm.js", "python_stdlib.zip"]
    return [out / name for name in (*names, *(packages[each]["file_name"] for each in wanted))]


def _write_lock(manifest: Manifest, lock: dict[str, Any], out: Path) -> None:
    packages = lock["packages"]
    for name, entry in packages.items():
        needs = set(entry["depends"])
        lost = needs - packages.keys() - set(manifest.local["without"])
        if lost:
            raise LiveBuildError(f"{name} needs {', '.join(sorted(lost))}, which the manifest does not name")
        entry["depends"] = sorted(needs & packages.keys())
    text = json.dumps(lock, indent=1, sort_keys=True)
    (out / LOCK).write_text(f"{text}\n", encoding="utf-8")


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
    for path in (BOOT, *KERNEL):
        (out / path.name).write_bytes(path.read_bytes())
    return official


def _lock_entry(path: Path, python: str) -> dict[str, Any]:
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
    return {
        "name": canonicalize_name(name),
        "version": str(version),
        "file_name": path.name,
        "install_dir": "site",
        "sha256": digest(path),
        "package_type": "package",
        "imports": _top_level(members),
        "depends": sorted(needs),
        "unvendored_tests": False,
        "shared_library": False,
    }


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
