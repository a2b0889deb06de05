"""What tests of all folders share: a V8, and the book built in every format, once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from py_mini_racer import MiniRacer

ROOT = Path(__file__).parents[1]


@pytest.fixture
def v8():
    """A V8 to run scripts in. One that is not closed can keep the interpreter from ending."""
    with MiniRacer() as engine:
        yield engine


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
