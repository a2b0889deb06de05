"""Math at build: rendered in every process alike, and no server is left when the build is over."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

CONF = """\
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
project = "Math"
extensions = ["myst_parser", "sphinxcontrib.katex", "math_only"]
myst_enable_extensions = ["dollarmath"]
katex_prerender = True
html_theme = "basic"
"""
EXTENSION = """\
from chapterkit import katex


def setup(app):
    katex.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
"""
PAGES = 18


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    """A book with math on every page, the first included, which Sphinx writes before it forks."""
    folder = tmp_path_factory.mktemp("math")
    (folder / "conf.py").write_text(CONF)
    (folder / "math_only.py").write_text(EXTENSION)
    (folder / "index.md").write_text("# A $x^2$\n\n```{toctree}\n:glob:\np*\n```\n")
    for page in range(10, 10 + PAGES):
        formulas = "\n\n".join(f"$\\frac{{a_{{{page}}}}}{{b_{{{at}}}}}$" for at in range(25))
        (folder / f"p{page}.md").write_text(f"# P\n\n{formulas}\n")
    (folder / "kept.md").write_text(
        '---\norphan: true\n---\n# Kept\n\nTake ($a$), $b$-th, $c$ = 3 and $d$ *too*, $e$ or "$f$".\n'
    )
    return folder


def build(book: Path, out: Path, jobs: int) -> list[str]:
    """Build in a process of its own and wait until it and everything it started has ended; what is left of scratch folders.

    Every process it starts holds the end of a pipe that is read here, so the reading ends when the last of them does.
    """
    # The path of a socket must be short.
    scratch = Path(tempfile.mkdtemp(prefix="k"))
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "-j",
        str(jobs),
        "-d",
        str(out / "doctrees"),
        str(book),
        str(out / "html"),
    ]
    # In a session of its own, so that what is left can be ended by the number of its group.
    process = subprocess.Popen(
        command, env={**os.environ, "TMPDIR": str(scratch)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        ended = process.poll() is not None
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        pytest.fail(
            "the build is over, yet a process that it started lives on" if ended else "the build does not end"
        )
    finally:
        left = sorted(path.name for path in scratch.iterdir())
        shutil.rmtree(scratch)
    assert process.returncode == 0, said
    return left


@pytest.fixture(scope="module")
def serial(book, tmp_path_factory) -> tuple[Path, list[str]]:
    out = tmp_path_factory.mktemp("serial")
    return out / "html", build(book, out, 1)


@pytest.fixture(scope="module")
def parallel(book, tmp_path_factory) -> tuple[Path, list[str]]:
    out = tmp_path_factory.mktemp("parallel")
    return out / "html", build(book, out, 4)


def formulas(page: Path) -> list[tuple[str, str]]:
    """The indices in the fractions of a page, as a screen reader finds them."""
    index = r"<msub><mi>[ab]</mi><mn>(\d+)</mn></msub>"
    return re.findall(f"<mfrac>{index}{index}</mfrac>", page.read_text(encoding="utf-8"))


def test_every_formula_stands_where_it_was_written(serial):
    html, _left = serial
    for page in range(10, 10 + PAGES):
        assert formulas(html / f"p{page}.html") == [(str(page), str(at)) for at in range(25)]


def test_mathml_stays_and_the_source_in_it_goes(serial):
    html, _left = serial
    article = (
        (html / "p10.html").read_text(encoding="utf-8").split('role="main"')[1].split("sphinxsidebar")[0]
    )
    assert article.count("</math>") == 25
    assert "annotation" not in article
    assert "semantics" not in article


def test_processes_that_write_at_once_get_their_own_formulas(serial, parallel):
    for page in sorted(serial[0].glob("*.html")):
        assert (parallel[0] / page.name).read_bytes() == page.read_bytes()


def test_no_server_and_no_scratch_folder_outlives_a_build(serial, parallel):
    # That both builds came to their end says that their servers did.
    assert serial[1] == []
    assert parallel[1] == []


def test_a_formula_keeps_its_brackets_its_comma_and_the_sign_of_its_relation(serial):
    page = (serial[0] / "kept.html").read_text(encoding="utf-8")
    ends = r'(?=[^<]*(?:<em|<span class="(?:ck-kept|math)|</p))'
    kept = re.findall(rf'<span class="ck-kept">(.*?)</span>{ends}', page, re.S)
    around = [re.sub(r"<span class=\"math.*</span>", "@", text, flags=re.S) for text in kept]
    assert around == ["(@),", "@-th,", "@\u00a0=\u00a0", "“@”."]
