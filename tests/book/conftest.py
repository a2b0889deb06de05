"""The book built in every format, once; and an instrument in V8 as a reader would see it at any setting."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from chapterkit import panel, quantity
from chapterkit.instrument import Instrument

ROOT = Path(__file__).parents[2]
STATIC = Path(panel.__file__).parent / "static"
SEEN = """
function seen(values) {
  var ck = window.chapterkit, state = ck.evaluate(subject, values), figures = {}, odd = [];
  subject.pictures.forEach(function (p) { figures[p.name] = subject.functions[p.figure](state); });
  JSON.stringify([state, figures], function (key, value) {
    if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) odd.push(key);
    return value;
  });
  return Object.assign({ s: state, figures: figures, odd: odd }, ck.words(subject, state));
}; 0
"""


def _build(builder: str, work: Path) -> Path:
    """Build the book below `work`, with warnings as errors; the answer is the folder of the output."""
    log = work / f"{builder}.log"
    # Sphinx keeps catalogues for translators apart: it notes more about each paragraph for them.
    doctrees = work / ("doctrees-gettext" if builder == "gettext" else "doctrees")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", builder, "-W", "--keep-going", "-j", "auto"]
    # A file, not a pipe: a helper process of the build may outlive it and would keep a pipe open.
    with log.open("w") as output:
        finished = subprocess.run(
            [*command, "-d", str(doctrees), str(ROOT), str(work / builder)],
            cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, timeout=600, check=False,
        )  # fmt: skip
    assert finished.returncode == 0, f"{builder} does not build:\n{log.read_text()[-6000:]}"
    return work / builder


@pytest.fixture(scope="session")
def build() -> Callable[[str, Path], Path]:
    return _build


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The book in a format. Each is built once, from pages that are read once, with every cell run anew."""
    base = tmp_path_factory.getbasetemp()
    # Tests that run side by side share what one of them has built.
    work = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "the-book"
    work.mkdir(exist_ok=True)
    done: dict[str, Path] = {}

    def make(builder: str) -> Path:
        if builder not in done:
            finished = work / f"{builder}.done"
            with FileLock(work / "lock"):
                if not finished.exists():
                    _build(builder, work)
                    finished.touch()
            done[builder] = work / builder
        return done[builder]

    return make


@pytest.fixture(scope="session")
def declared() -> Callable[[str], Instrument]:
    """The instrument of a file of the book, by the file's name."""

    def load(module: str) -> Instrument:
        sys.path.insert(0, str(ROOT))
        try:
            return importlib.import_module(f"book.instruments.{module}").INSTRUMENT
        finally:
            sys.path.remove(str(ROOT))

    return load


@pytest.fixture
def in_page(v8) -> Callable[[Instrument], Callable[[list[dict]], list[dict]]]:
    """Load an instrument; the answer takes settings and gives for each the state ``s``, its words,
    its figures and, as ``odd``, the names of values that cannot be shown.
    """

    def load(subject: Instrument) -> Callable[[list[dict]], list[dict]]:
        v8.eval("var window = {}; var subject; 0")
        for script in ("quantity.js", "controls.js", "state.js"):
            v8.eval((STATIC / script).read_text(encoding="utf-8") + "; 0")
        v8.eval(f"window.chapterkit.units = {json.dumps(quantity.as_data(), ensure_ascii=False)}; 0")
        v8.eval("window.chapterkit.define = function (d, f) { subject = d; subject.functions = f; }; 0")
        v8.eval(SEEN)
        v8.eval(panel.script_of(type("App", (), {})(), subject)[0])

        def run(settings: list[dict]) -> list[dict]:
            return json.loads(str(v8.eval(f"JSON.stringify({json.dumps(settings)}.map(seen))")))

        return run

    return load
