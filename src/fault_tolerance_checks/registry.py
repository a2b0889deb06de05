"""Checks by their ids. A part's checks are imported when one of them is asked for."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fault_tolerance_checks.answer import Answer
from fault_tolerance_checks.report import Failed, Report, Wrong

PARTS = ("a", "b", "c", "d")


@dataclass(frozen=True)
class Check:
    """One check: whose exercise it is, what it asks in sentences, and the function that asks it."""

    id: str
    exercise: str
    asks: tuple[str, ...]
    run: Callable[[Answer], None]


_CHECKS: dict[str, Check] = {}


def checks(
    id: str, exercise: str, asks: Sequence[str]
) -> Callable[[Callable[[Answer], None]], Callable[[Answer], None]]:
    """Declare a function a check. It raises `Wrong` at the first property that fails."""

    def declare(run: Callable[[Answer], None]) -> Callable[[Answer], None]:
        _CHECKS[id] = Check(id, exercise, tuple(asks), run)
        return run

    return declare


def ids(part: str = "") -> list[str]:
    """The ids of all checks, or of those of one part (``"a"`` to ``"d"``)."""
    for letter in [part] if part else PARTS:
        importlib.import_module(f"fault_tolerance_checks.part_{letter}")
    return [id for id in _CHECKS if id.startswith(part)]


def _find(id: str) -> Check:
    part = id.removeprefix("exercise-")[:1]
    known = ids(part if part in PARTS else "")
    for name in known:
        if id in (name, _CHECKS[name].exercise):
            return _CHECKS[name]
    raise ValueError(f"there is no check {id!r}; checks: {', '.join(known)}")


def asks(id: str) -> tuple[str, ...]:
    """What a check asks for, in sentences."""
    return _find(id).asks


def exercise_of(id: str) -> str:
    """The id of the exercise that a check belongs to."""
    return _find(id).exercise


def check(id: str, namespace: Mapping[str, Any] | None = None) -> Report:
    """Check the answer to an exercise.

    Parameters
    ----------
    id : str
        Which check, as in ``"a2-young"``, or whose exercise, as in ``"exercise-a2"``; `ids` lists them.
    namespace : mapping, optional
        The names that the answer defined. Without it, those of the caller: in a cell, what cells defined.

    Returns
    -------
    Report
        Whether the answer passes, and if not, which property fails, with the smallest input that shows it.

    Raises
    ------
    ValueError
        There is no check of that id.
    """
    return _check(id, sys._getframe(1).f_globals if namespace is None else namespace)


def demand(id: str, namespace: Mapping[str, Any] | None = None) -> Report:
    """Check, and raise `Failed` with the report unless the answer passes."""
    report = _check(id, sys._getframe(1).f_globals if namespace is None else namespace)
    if not report.passed:
        raise Failed(report)
    return report


def _check(id: str, namespace: Mapping[str, Any]) -> Report:
    found = _find(id)
    answer = Answer(namespace)
    # What an answer prints or warns about, five hundred times over, would bury the report.
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found.run(answer)
        except Wrong as wrong:
            failed = (wrong.sentence, wrong.given, wrong.got, wrong.due, wrong.note)
            return Report(found.id, found.exercise, False, answer.tried, *failed)
    return Report(found.id, found.exercise, True, answer.tried)
