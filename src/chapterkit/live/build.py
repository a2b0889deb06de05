"""Put the live runtime into a built site, from a cache whenever nothing it is made of has changed."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from chapterkit.live import lite, runtime, sources, wheels
from chapterkit.live.compiling import compile_archives
from chapterkit.live.manifest import Manifest, read

HERE = Path(__file__).parent
PYODIDE = Path("static", "pyodide")
STAMP = "inputs.sha256"
SIZE = "size.json"
_TEXT = {".js", ".mjs", ".json", ".css", ".html", ".svg", ".py"}


def build(site: Path, manifest_path: Path, cache: Path, project: Path, offered: Iterable[Path] = ()) -> bool:
    """Make `<site>/lite` what the manifest says; return whether anything had to be done."""
    manifest = read(manifest_path)
    inputs = _inputs(manifest_path.parent, project)
    target = site / "lite"
    if _stamp(target) == inputs:
        return False
    ready = cache / "lite"
    if _stamp(ready) != inputs:
        _make(manifest, inputs, cache, project, ready, offered)
    site.mkdir(parents=True, exist_ok=True)
    # Copied beside and then renamed, so that a reader or an interrupted build never meets half a runtime.
    fresh = site / "lite.new"
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(ready, fresh)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    return True


def _make(
    manifest: Manifest, inputs: str, cache: Path, project: Path, ready: Path, offered: Iterable[Path]
) -> None:
    # Nearly all of the work does not depend on the project's own code, which changes the most.
    base = cache / "base"
    base_inputs = _hash([manifest.folder, HERE / "inside", *HERE.glob("*.py")], HERE)
    if _stamp(base) != base_inputs:
        _make_base(manifest, base_inputs, cache, base, offered)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        out = Path(scratch, "out")
        shutil.copytree(base, out)
        own = wheels.own(project, Path(scratch, "wheels"))
        runtime.add_own(manifest, own, out / PYODIDE)
        facts = {"bytes": first_run_bytes(out / PYODIDE), "version": inputs[:10], "wheel": own.name}
        (out / SIZE).write_text(f"{json.dumps(facts)}\n", encoding="utf-8")
        _finish(out, inputs, ready)


def _make_base(manifest: Manifest, inputs: str, cache: Path, base: Path, offered: Iterable[Path]) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    files = sources.collect(manifest, cache, offered)
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        scratch = Path(temporary)
        folder = manifest.folder / "standins"
        standins = [wheels.standin(folder / name, scratch / "wheels") for name in manifest.standins]
        pyodide = scratch / "pyodide"
        packages = runtime.assemble(manifest, files, standins, pyodide, compile_archives)
        out = scratch / "out"
        lite.build(manifest, sorted([*packages, manifest.local["name"]]), scratch, out)
        shutil.copytree(pyodide, out / PYODIDE)
        _finish(out, inputs, base)


def _finish(made: Path, inputs: str, place: Path) -> None:
    (made / STAMP).write_text(inputs + "\n", encoding="utf-8")
    shutil.rmtree(place, ignore_errors=True)
    made.rename(place)


def first_run_bytes(pyodide: Path) -> int:
    """Bytes of a page's first start; text counts gzipped, as static servers send it."""
    return sum(sent_bytes(path) for path in runtime.first_files(pyodide))


def sent_bytes(path: Path) -> int:
    """Bytes of one file on the wire, from a server that compresses text and nothing else."""
    data = path.read_bytes()
    return len(gzip.compress(data, 6)) if path.suffix in _TEXT else len(data)


def _stamp(folder: Path) -> str:
    stamp = folder / STAMP
    return stamp.read_text(encoding="utf-8").strip() if stamp.is_file() else ""


def _inputs(folder: Path, project: Path) -> str:
    """Hash everything the runtime is made from: the manifest's folder, this package, the project's wheel."""
    # Prose is not among them, so writing it never rebuilds the runtime.
    return _hash([folder, HERE, project / "src", project / "pyproject.toml", project / "README.md"], project)


def _hash(roots: list[Path], relative_to: Path) -> str:
    paths = {path for root in roots for path in ([root] if root.is_file() else root.rglob("*"))}
    total = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file() and "__pycache__" not in path.parts):
        name = path.relative_to(relative_to) if path.is_relative_to(relative_to) else Path(path.name)
        total.update(f"{name.as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
