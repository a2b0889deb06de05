"""The two kinds of wheel that no registry has: the book's own, and stand-ins for what it does without."""

from __future__ import annotations

import base64
import hashlib
import sys
import tempfile
import zipfile
from pathlib import Path

from chapterkit.live.manifest import LiveBuildError
from chapterkit.live.sources import _run

# The first moment a zip file can name: the same input gives the same bytes on any day.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def standin(source: Path, folder: Path) -> Path:
    """Make a wheel of a folder of plain Python files, named for the folder.

    A stand-in takes the place of a package that the kernel asks for by name and this book can do
    without, so that readers do not download it.
    """
    name, version = source.name, "0"
    info = f"{name}-{version}.dist-info"
    files = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in sorted(source.rglob("*.py"))
        if "__pycache__" not in path.parts
    }
    # In an ordinary wheel the top folder is the package itself.
    files = {f"{name}/{path}": data for path, data in files.items()}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: chapterkit\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = "".join(f"{path},sha256={_record_hash(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    target = folder / f"{name}-{version}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as z:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            z.writestr(entry, data)
    return target


def _record_hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def own(project: Path, folder: Path) -> Path:
    """Build the project's wheel, the one that pip installs too."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--wheel-dir", scratch, str(project)]
        _run(command, f"the wheel of {project.name} could not be built")
        built = list(Path(scratch).glob("*-py3-none-any.whl"))
        if len(built) != 1:
            raise LiveBuildError(f"{project.name}: expected one pure-Python wheel, found {len(built)}")
        return built[0].replace(folder / built[0].name)
