"""Assemble Pyodide: its core, our wheels, and a lock file that names those and no others."""

from __future__ import annotations

import email
import gzip
import json
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from chapterkit.live.manifest import LiveBuildError, Manifest, digest

# What the kernel's worker imports in Pyodide's place; see the file.
BOOT = Path(__file__).parent / "boot.mjs"
# Packed by us, since many servers send WebAssembly as it is: 10 MB instead of 3. The name must not
# end in .gz, or some servers declare the file encoded and browsers unpack it a second time.
PACKED = "pyodide.asm.wasm"


def assemble(
    manifest: Manifest,
    files: dict[str, Path],
    extra: Iterable[Path],
    out: Path,
    imports: tuple[str, ...] = (),
) -> list[str]:
    """Write a self-hosted Pyodide to `out` and return the names of its packages.

    `files` are the pinned files; `extra` are wheels made here. The lock is complete: whatever a
    package needs is in it, or was left out on purpose by a stand-in.
    """
    out.mkdir(parents=True, exist_ok=True)
    official = _unpack_core(manifest, files[manifest.core.name], out)
    by_file = {entry["file_name"]: entry for entry in official["packages"].values()}
    packages: dict[str, dict[str, Any]] = {}
    wants: dict[str, set[str]] = {}
    pinned = [files[f.name] for f in (*manifest.wheels, *manifest.kernel_wheels)]
    for path in [*pinned, *extra]:
        entry, needs = _lock_entry(path, official["info"]["python"])
        known = by_file.get(path.name)
        if not path.name.endswith("-none-any.whl") and (known is None or known["sha256"] != entry["sha256"]):
            raise LiveBuildError(f"{path.name} is compiled code and not the one in Pyodide's own lock file")
        if known is not None and known["sha256"] == entry["sha256"]:
            entry["imports"] = known["imports"]
            needs |= {canonicalize_name(name) for name in known["depends"]}
        if path in extra and imports and entry["name"] not in manifest.standins:
            entry["imports"] = [name for name in entry["imports"] if name in imports]
        packages[entry["name"]] = entry
        wants[entry["name"]] = needs
        (out / path.name).write_bytes(path.read_bytes())
    without = set(manifest.local.get("without", ()))
    for name, needs in wants.items():
        lost = needs - packages.keys() - without
        if lost:
            raise LiveBuildError(f"{name} needs {', '.join(sorted(lost))}, which the manifest does not name")
        packages[name]["depends"] = sorted(needs & packages.keys())
    lock = {"info": official["info"], "packages": dict(sorted(packages.items()))}
    text = json.dumps(lock, indent=1, sort_keys=True)
    (out / "pyodide-lock.json").write_text(f"{text}\n", encoding="utf-8")
    return sorted(packages)


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
    (out / f"{PACKED}.packed").write_bytes(gzip.compress((out / PACKED).read_bytes(), 9, mtime=0))
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
        if rest and member.endswith((".py", ".so")):
            names.add(head)
        elif not rest and member.endswith(".py"):
            names.add(head.removesuffix(".py"))
    return sorted(names)
