"""What every check has in common: reports that a person and a page can read, and the same ones each time."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fault_tolerance_checks import MIME, Failed, asks, check, demand, exercise_of, ids
from fault_tolerance_checks.registry import PARTS

ALL = ids()


def test_every_part_has_four_checks_or_more_and_each_says_what_it_asks() -> None:
    for part in PARTS:
        assert len(ids(part)) >= 4
    for id in ALL:
        assert asks(id)
        assert check(exercise_of(id), {}).check == id


def test_an_unknown_check_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ValueError, match=r"no check 'a9-tea'; checks: a1-plan, "):
        check("a9-tea", {})


@pytest.mark.parametrize("id", ALL)
def test_nothing_defined_is_said_by_name(id: str) -> None:
    report = check(id, {})
    assert not report.passed
    assert "is not defined" in report.got


def test_a_cell_needs_to_name_no_namespace() -> None:
    scope: dict[str, object] = {}
    exec("from fault_tolerance_checks import check\nyoung_interval = 3\nreport = check('a2-young')", scope)
    assert "`young_interval` is a number" in str(scope["report"])


def test_a_page_finds_the_outcome_beside_the_words() -> None:
    report = check("a2-young", {})
    bundle = report._repr_mimebundle_()
    assert bundle[MIME] == {"exercise": "exercise-a2", "passed": False}
    assert bundle["text/plain"] == str(report) == repr(report)
    json.dumps(bundle)


def test_demand_raises_with_the_words_of_the_report() -> None:
    with pytest.raises(Failed, match="is not defined") as error:
        demand("a2-young", {})
    assert not error.value.report


def test_two_runs_of_a_check_say_the_same() -> None:
    scope = {"young_interval": lambda write_time, mtbf: write_time + mtbf}
    assert check("a2-young", scope) == check("a2-young", scope)


def test_what_an_answer_prints_does_not_bury_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    check("a2-young", {"young_interval": lambda write_time, mtbf: print("tea")})
    assert capsys.readouterr().out == ""


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fault_tolerance_checks", *arguments],
        cwd=cwd, capture_output=True, text=True, timeout=120, check=False, encoding="utf-8",
    )  # fmt: skip


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    good = "def exact_goodput(i, w, m, r): return i * np.exp(-r / m) / (m * np.expm1((i + w) / m))\n"
    (tmp_path / "good.py").write_text("import numpy as np\nprint('tea')\n" + good)
    (tmp_path / "loop.py").write_text("while True: pass\n")
    (tmp_path / "stops.py").write_text("1 / 0\n" + good)
    cells = ["%pip install tea\nimport numpy as np", "1 / 0", good]
    notebook = {"cells": [{"cell_type": "markdown", "source": ["# Tea"]}]}
    notebook["cells"] += [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    (tmp_path / "book.ipynb").write_text(json.dumps(notebook))
    return tmp_path


def test_an_instructor_gets_a_row_for_each_submission_and_the_reason_for_each_no(submissions: Path) -> None:
    names = ["good.py", "loop.py", "stops.py", "book.ipynb"]
    done = command("--seconds", "8", "a5-goodput", *names, cwd=submissions)
    assert done.returncode == 1
    assert done.stderr == ""
    rows = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[1:5]}
    assert rows == {"good.py": "yes", "loop.py": "no", "stops.py": "no", "book.ipynb": "yes"}
    assert "an endless loop?" in done.stdout
    assert "stopped early: stops.py: ZeroDivisionError: division by zero, in line 1: `1 / 0`" in done.stdout


def test_the_table_comes_as_csv_too(submissions: Path) -> None:
    done = command("exercises/part-a", "--csv", "good.py", cwd=submissions)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["check"] for row in rows] == ids("a")
    assert {row["check"]: row["passed"] for row in rows}["a5-goodput"] == "True"


def test_a_part_that_is_none_and_a_file_that_is_missing_are_named(submissions: Path) -> None:
    assert "no exercises 'part-x'" in command("part-x", "good.py", cwd=submissions).stderr
    assert "no file tea.py" in command("part-a", "tea.py", cwd=submissions).stderr
