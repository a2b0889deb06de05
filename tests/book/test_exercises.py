"""The book's exercises: every one has a check, hints and a solution, and the solution passes its check."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from fault_tolerance_checks import check, exercise_of, ids

ROOT = Path(__file__).parents[2]
PAGES = {path.stem[-1]: path for path in sorted(ROOT.glob("exercises/part-?.md"))}
CELL = re.compile(r"^```\{code-cell\} python3\n(?:---\n(.*?)\n---\n)?(.*?)^```$", re.DOTALL | re.MULTILINE)


def sections(letter: str) -> dict[str, str]:
    """The source of each exercise, by its label."""
    parts = re.split(
        r"^\((exercise-\w+|exercises-\w+-check)\)=$", PAGES[letter].read_text(encoding="utf-8"), flags=re.M
    )
    return {
        label: text
        for label, text in zip(parts[1::2], parts[2::2], strict=True)
        if label.startswith("exercise-")
    }


EXERCISES = {label: text for letter in PAGES for label, text in sections(letter).items()}


def cells(text: str) -> list[str]:
    return [match[2] for match in CELL.finditer(text)]


def run(sources: list[str]) -> dict[str, object]:
    namespace: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for source in sources:
            exec(source, namespace)
    return namespace


def test_exercises_and_checks_are_the_same() -> None:
    assert sorted(EXERCISES) == sorted(exercise_of(id) for id in ids())
    for letter in PAGES:
        assert len(sections(letter)) >= 4


@pytest.mark.parametrize("label", EXERCISES)
def test_an_exercise_has_a_checked_cell_two_hints_and_a_solution_that_is_checked(label: str) -> None:
    text = EXERCISES[label]
    before, _, after = text.partition(f":::{{solution-start}} {label}\n")
    assert re.search(rf"tags: \[live\]\nname: {label}-cell\ncheck: {label}\n", before)
    assert before.count(":::{dropdown} Hint") >= 2
    assert f'demand("{label}")' in after
    assert after.rstrip().endswith(":::{solution-end}\n:::")
    assert f"{{minutes}}`{label}` |" in PAGES[label[9]].read_text(encoding="utf-8")


@pytest.mark.parametrize("label", EXERCISES)
def test_what_the_reader_starts_from_runs_and_does_not_pass(label: str) -> None:
    before = EXERCISES[label].partition("{solution-start}")[0]
    report = check(label, run(cells(before)))
    assert not report.passed
    assert report.got


@pytest.mark.parametrize("label", EXERCISES)
def test_the_solution_passes(label: str) -> None:
    after = EXERCISES[label].partition("{solution-start}")[2]
    assert check(label, run(cells(after))).passed
