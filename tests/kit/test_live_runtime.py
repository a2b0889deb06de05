"""The runtime of live cells: what is pinned is what is built, and nothing else."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from chapterkit.live import build, runtime, sources, wheels
from chapterkit.live.__main__ import main
from chapterkit.live.manifest import LiveBuildError, digest, read

ROOT = Path(__file__).resolve().parents[2]
PINS = ROOT / "book" / "live" / "manifest.toml"
WASM = b"\0asm" * 1000
COMPILED = "numpy-2.0-cp312-cp312-wasm32.whl"


def make_wheel(path: Path, *needs: str, content: str = "x = 1\n") -> Path:
    name, version, *_ = path.name.split("-")
    requires = "".join(f"Requires-Dist: {need}\n" for need in needs)
    with zipfile.ZipFile(path, "w") as z:
        z.writestr(zipfile.ZipInfo(f"{name}/__init__.py"), content)
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
        z.writestr(zipfile.ZipInfo(f"{name}-{version}.dist-info/METADATA"), text)
    return path


class Kit:
    """A manifest of a very small runtime, and its files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.offered = folder / "offered"
        self.offered.mkdir(parents=True)
        self.compiled = make_wheel(self.offered / COMPILED)
        old = "missing; python_version < '3.9'"
        self.pure = make_wheel(self.offered / "shell-1.0-py3-none-any.whl", "numpy", old)
        self.kernel = make_wheel(self.offered / "kernel-3-py3-none-any.whl", "shell")
        self.lock = {
            "info": {"python": "3.12.7", "abi_version": "2024_0"},
            "packages": {
                "numpy": {
                    "file_name": COMPILED,
                    "sha256": digest(self.compiled),
                    "imports": ["numpy"],
                    "depends": [],
                }
            },
        }
        (folder / "standins" / "jedi").mkdir(parents=True)
        (folder / "standins" / "jedi" / "__init__.py").write_text('"""Nothing."""\n')
        self.pack()

    def pack(self) -> None:
        core = self.offered / "pyodide-1.0.tgz"
        files = {"pyodide.mjs": b"export {}", "pyodide.asm.wasm": WASM, "lib.zip": b"PK"}
        files["pyodide-lock.json"] = json.dumps(self.lock).encode()
        with tarfile.open(core, "w:gz") as tar:
            for name, data in files.items():
                entry = tarfile.TarInfo(f"package/{name}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
        pins = [
            'standins = ["jedi"]',
            '[local]\nname = "ours"\nimports = ["ours"]\nwithout = []',
            '[application]\npackages = {}\narchive-sha256 = ""',
            f'[pyodide]\nnpm = "pyodide@1.0"\nsha256 = "{digest(core)}"\nlock = "pyodide-lock.json"',
            'files = ["pyodide.mjs", "pyodide.asm.wasm", "lib.zip"]\nlibrary = "lib.zip"',
        ]
        for table, path in (("wheel", self.compiled), ("wheel", self.pure), ("kernel-wheel", self.kernel)):
            pins.append(f'[[{table}]]\nfile = "{path.name}"\nsha256 = "{digest(path)}"')
        (self.folder / "manifest.toml").write_text("\n".join(pins))

    def collect(self, cache: str = "cache") -> dict[str, Path]:
        return sources.collect(read(self.folder / "manifest.toml"), self.folder / cache, [self.offered])

    def assemble(self, out: str) -> Path:
        manifest = read(self.folder / "manifest.toml")
        standin = wheels.standin(self.folder / "standins" / "jedi", self.folder / out / "made")
        own = make_wheel(self.folder / out / "made" / "ours-1-py3-none-any.whl", "numpy")
        dist = self.folder / out / "dist"

        def compile_archives(core: Path, archives: list[Path]) -> None:
            assert core.name == "pyodide-1.0.tgz"
            self.compiled_names = [path.name for path in archives]

        runtime.assemble(manifest, self.collect(), [standin], dist, compile_archives)
        runtime.add_own(manifest, own, dist)
        return dist


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path)


def test_a_file_that_changed_stops_the_build_and_is_named(kit: Kit) -> None:
    kept = kit.collect()["shell-1.0-py3-none-any.whl"]
    kept.write_bytes(kept.read_bytes() + b" ")
    with pytest.raises(LiveBuildError, match=r"^shell-1\.0-py3-none-any\.whl is not the file that"):
        kit.collect()


def test_what_a_registry_sends_is_held_against_the_pin(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same name with other bytes: what a tampered or rebuilt package looks like."""

    def download(requirements: list[str], folder: Path) -> None:
        assert requirements == ["shell==1.0"]
        make_wheel(folder / kit.pure.name, content="import os\n")

    monkeypatch.setattr(sources, "_pip_download", download)
    kit.pure.unlink()
    with pytest.raises(LiveBuildError, match=r"^shell-1\.0"):
        kit.collect()
    assert not list((kit.folder / "cache" / "files").rglob("shell*"))


def test_the_command_says_it_in_words_and_leaves_no_runtime(
    kit: Kit, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = kit.collect()[COMPILED]
    kept.write_bytes(b"other")
    arguments = ["build", "--site", f"{kit.folder}/site", "--manifest", f"{kit.folder}/manifest.toml"]
    assert main([*arguments, "--cache", f"{kit.folder}/cache", "--project", str(kit.folder)]) == 1
    assert COMPILED in capsys.readouterr().err
    assert not (kit.folder / "site").exists()


def test_compiled_code_must_also_match_the_interpreters_own_lock(kit: Kit) -> None:
    """A wrong pin in our manifest is not enough to let other machine code in."""
    kit.lock["packages"]["numpy"]["sha256"] = "0" * 64
    kit.pack()
    with pytest.raises(LiveBuildError, match=rf"^{re.escape(COMPILED)} is compiled code"):
        kit.assemble("one")


def test_the_lock_names_all_that_is_there_and_all_that_is_needed(kit: Kit) -> None:
    dist = kit.assemble("one")
    lock = json.loads((dist / "pyodide-lock.json").read_text())
    packages = lock["packages"]
    assert lock["info"] == kit.lock["info"]
    assert sorted(packages) == ["jedi", "kernel", "numpy", "ours", "shell"]
    assert packages["kernel"]["depends"] == ["shell"]
    assert packages["shell"]["depends"] == ["numpy"]
    assert packages["ours"]["imports"] == ["ours"]
    for entry in packages.values():
        assert digest(dist / entry["file_name"]) == entry["sha256"]
        assert set(entry["depends"]) <= packages.keys()


def test_a_package_that_nobody_provides_stops_the_build(kit: Kit) -> None:
    make_wheel(kit.kernel, "shell", "something")
    kit.pack()
    with pytest.raises(LiveBuildError, match="kernel needs something, which the manifest does not name"):
        kit.assemble("one")


def test_two_assemblies_are_equal_to_the_byte(kit: Kit) -> None:
    one, two = kit.assemble("one"), kit.assemble("two")
    assert sorted(p.name for p in one.iterdir()) == sorted(p.name for p in two.iterdir())
    for path in one.iterdir():
        assert path.read_bytes() == (two / path.name).read_bytes(), path.name


def test_webassembly_is_packed_for_servers_that_do_not(kit: Kit) -> None:
    dist = kit.assemble("one")
    packed = dist / "pyodide.asm.wasm.packed"
    assert gzip.decompress(packed.read_bytes()) == WASM
    assert not (dist / "pyodide.asm.wasm").exists()


def test_python_is_compiled_ahead_except_the_projects_own_source(kit: Kit) -> None:
    """Readers may look into the functions they call; what those stand on only has to start fast."""
    kit.assemble("one")
    assert kit.compiled_names == ["lib.zip", "jedi-0-py3-none-any.whl", kit.pure.name, kit.kernel.name]


def test_a_standin_is_a_wheel_that_pip_would_read(tmp_path: Path) -> None:
    made = [wheels.standin(ROOT / "book" / "live" / "standins" / "jedi", tmp_path / n) for n in ("a", "b")]
    assert made[0].read_bytes() == made[1].read_bytes()
    with zipfile.ZipFile(made[0]) as z:
        assert {"jedi/__init__.py", "jedi/api/helpers.py"} <= set(z.namelist())
        recorded = {line.split(",")[0] for line in z.read("jedi-0.dist-info/RECORD").decode().splitlines()}
    assert recorded == set(z.namelist())


def test_nothing_is_done_when_nothing_changed_and_prose_is_not_something(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(manifest, inputs, cache, project, ready, offered):
        ready.mkdir(parents=True, exist_ok=True)
        (ready / build.STAMP).write_text(inputs)
        made.append(inputs)

    made: list[str] = []
    monkeypatch.setattr(build, "_make", make)
    project = kit.folder / "project"
    (project / "src" / "ours").mkdir(parents=True)
    (project / "src" / "ours" / "__init__.py").write_text("x = 1\n")
    (project / "live").mkdir()
    pins = (kit.folder / "manifest.toml").rename(project / "live" / "manifest.toml")
    given = (kit.folder / "site", pins, kit.folder / "kept", project)
    assert build.build(*given)
    assert not build.build(*given)
    (project / "page.md").write_text("# Prose\n")
    assert not build.build(*given)
    assert len(made) == 1
    (project / "src" / "ours" / "__init__.py").write_text("x = 2\n")
    assert build.build(*given)
    assert len(made) == 2
    # A site that was deleted gets the runtime back without making it again.
    build.build(kit.folder / "other", *given[1:])
    assert len(made) == 2


def test_every_file_of_the_book_is_pinned_and_every_local_part_is_there() -> None:
    manifest = read(PINS)
    for file in (manifest.core, *manifest.wheels, *manifest.kernel_wheels):
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256), file.name
    for name in manifest.standins:
        assert (manifest.folder / "standins" / name / "__init__.py").is_file()
    for name in manifest.extensions:
        assert (manifest.folder / name / "package.json").is_file()
    for path in manifest.folder.rglob("*"):
        if path.is_file():
            assert "://" not in path.read_text(encoding="utf-8"), f"{path.name} names an address"


def test_a_manifest_without_a_key_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text('[pyodide]\nnpm = "pyodide@1"\n[application]\n')
    with pytest.raises(LiveBuildError, match="'sha256' is missing"):
        read(tmp_path / "manifest.toml")


def test_completion_in_the_browser_knows_what_the_cell_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "book" / "live" / "standins"))
    import importlib
    import sys

    for name in [n for n in sys.modules if n == "jedi" or n.startswith("jedi.")]:
        monkeypatch.delitem(sys.modules, name)
    jedi = importlib.import_module("jedi")
    namespaces = [{"interval": 3.0, "os": os}]
    assert "interval" in [c.name for c in jedi.Interpreter("inter", namespaces).complete(line=1, column=5)]
    found = jedi.Interpreter("x = 1\nos.path.jo", namespaces).complete(line=2, column=10)
    assert [(c.name, c.complete) for c in found] == [("join", "in")]
