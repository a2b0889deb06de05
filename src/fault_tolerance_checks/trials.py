"""Properties tried on many inputs; where one fails, the input is made as small as it will go."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fault_tolerance_checks.answer import Answer, kind, number, show, show_inputs
from fault_tolerance_checks.report import Wrong
from fault_tolerance_checks.units import constant_factor, other_unit

RUNS = 60

# What every check of a plan asks for first.
ENTRIES = (
    "All seven entries of `answers` are filled in with one number each, in the unit that the entry names."
)
SHARES = "Shares are fractions. Three digits are enough."
_MOST_STEPS = 400


class Input(Protocol):
    """Where the values of one argument come from."""

    def draw(self, rng: np.random.Generator) -> Any:
        """A value at random."""

    def simpler(self, value: Any) -> Iterator[Any]:
        """Values to try in its place, the simplest first."""


def _digits(value: float) -> tuple[int, float]:
    """How hard a number is to think about: its digits, then its distance from one."""
    if value == 0:
        return (0, 0.0)
    text = f"{value:.6e}".split("e")[0].replace(".", "").rstrip("0")
    return (len(text), abs(math.log10(abs(value))))


@dataclass(frozen=True)
class Number:
    """Numbers between `low` and `high`, spread evenly over their orders of magnitude."""

    low: float
    high: float
    zero: bool = False  # zero as well

    def draw(self, rng: np.random.Generator) -> float:
        if self.zero and rng.random() < 0.15:
            return 0.0
        value = math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        return min(max(float(f"{value:.3g}"), self.low), self.high)

    def simpler(self, value: float) -> Iterator[float]:
        tens = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
        nice = [10.0**power for power in tens]
        if value:
            nice += [float(f"{value:.1g}"), float(f"{value:.2g}")]
        if self.zero:
            nice.append(0.0)
        fits = [v for v in nice if (self.low <= v <= self.high or v == 0) and _digits(v) < _digits(value)]
        yield from sorted(set(fits), key=_digits)


@dataclass(frozen=True)
class Whole:
    """Whole numbers."""

    low: int
    high: int

    def draw(self, rng: np.random.Generator) -> int:
        return int(rng.integers(self.low, self.high + 1))

    def simpler(self, value: int) -> Iterator[int]:
        yield from sorted({self.low, (self.low + value) // 2, value - 1} & set(range(self.low, value)))


@dataclass(frozen=True)
class Several:
    """Arrays of up to `most` numbers."""

    each: Input
    most: int
    least: int = 1
    ordered: bool = False

    def draw(self, rng: np.random.Generator) -> Any:
        size = int(rng.integers(self.least, self.most + 1))
        values = np.array([self.each.draw(rng) for _ in range(size)])
        return np.sort(values) if self.ordered else values

    def simpler(self, value: Any) -> Iterator[Any]:
        half = len(value) // 2
        if half >= self.least:
            yield value[:half]
            yield value[half:]
        if len(value) > self.least:
            for at in range(len(value)):
                yield np.delete(value, at)
        for at in range(len(value)):
            for other in self.each.simpler(value[at]):
                changed = value.copy()
                changed[at] = other
                if not self.ordered or np.all(np.diff(changed) >= 0):
                    yield changed


def for_all(
    test: Callable[..., None],
    inputs: Mapping[str, Input],
    *,
    where: Callable[..., bool] = lambda **given: True,
    runs: int = RUNS,
    seed: int = 1,
) -> None:
    """Try `test` on many inputs; raise the `Wrong` of the smallest input that was found to fail.

    `where` says which inputs count. The draws are the same each time.
    """
    rng = np.random.default_rng(seed)
    for given in _draws(inputs, where, runs, rng):
        wrong = _tried(test, given)
        if wrong:
            raise _shrunk(test, inputs, where, given, wrong)


def _draws(
    inputs: Mapping[str, Input], where: Callable[..., bool], runs: int, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    made = 0
    for _ in range(50 * runs):
        given = {name: source.draw(rng) for name, source in inputs.items()}
        if where(**given):
            made += 1
            yield given
        if made == runs:
            return


def _tried(test: Callable[..., None], given: Mapping[str, Any]) -> Wrong | None:
    try:
        test(**given)
    except Wrong as wrong:
        wrong.given = wrong.given or show_inputs(given)
        return wrong
    return None


def _shrunk(
    test: Callable[..., None],
    inputs: Mapping[str, Input],
    where: Callable[..., bool],
    given: dict[str, Any],
    wrong: Wrong,
) -> Wrong:
    steps = 0
    going = True
    while going and steps < _MOST_STEPS:
        going = False
        for name, source in inputs.items():
            for value in source.simpler(given[name]):
                steps += 1
                other = {**given, name: value}
                if steps > _MOST_STEPS or not where(**other):
                    continue
                # A smaller input that fails in another way would tell of another mistake.
                found = _tried(test, other)
                if found and found.sentence == wrong.sentence:
                    given, wrong, going = other, found, True
                    break
    return wrong


Slips = Mapping[str, Callable[..., Any]]


def agrees(
    answer: Answer,
    call: Callable[..., Any],
    truth: Callable[..., float],
    sentence: str,
    inputs: Mapping[str, Input],
    *,
    unit: str = "",
    rel: float = 1e-6,
    slips: Slips | None = None,
    where: Callable[..., bool] = lambda **given: True,
    runs: int = RUNS,
    seed: int = 1,
) -> None:
    """The reader's function gives what `truth` gives, for every input.

    `slips` maps words to functions that people write by mistake: the words are said if the answer is
    one of these for every input that was tried.
    """

    def test(**given: Any) -> None:
        due = truth(**given)
        got = number(
            call(*given.values()),
            "the function returns one number for one set of numbers",
            show_inputs(given),
        )
        if not math.isclose(got, due, rel_tol=rel, abs_tol=1e-12):
            raise Wrong(sentence, got=_in(got, unit), due=_in(due, unit))

    try:
        for_all(test, inputs, where=where, runs=runs, seed=seed)
    except Wrong as wrong:
        if wrong.sentence == sentence:
            wrong.note = _looks_like(call, truth, inputs, unit, rel, slips or {}, where, seed)
        raise


def _in(value: float, unit: str) -> str:
    return f"{show(value)} {unit}" if unit and unit not in ("a fraction",) else show(value)


def _looks_like(
    call: Callable[..., Any],
    truth: Callable[..., float],
    inputs: Mapping[str, Input],
    unit: str,
    rel: float,
    slips: Slips,
    where: Callable[..., bool],
    seed: int,
) -> str:
    draws = list(_draws(inputs, where, 15, np.random.default_rng(seed)))
    due = [truth(**given) for given in draws]
    try:
        got = [number(call(*given.values()), "") for given in draws]
    except Wrong:
        return ""
    for words, slip in slips.items():
        theirs = [slip(**given) for given in draws]
        same = all(
            math.isclose(g, t, rel_tol=max(rel, 1e-9), abs_tol=1e-12)
            for g, t in zip(got, theirs, strict=True)
        )
        if same:
            return words
    if all(math.isclose(g, d, rel_tol=1e-2) for g, d in zip(got, due, strict=True)):
        return "nearly right: was something rounded, or left over from two numbers that are nearly equal?"
    return other_unit(got, due, unit, rel) or constant_factor(got, due)


def takes_arrays(call: Callable[..., Any], name: str, *values: Any) -> None:
    """The function works element by element: an array in, an array of that shape out, the same numbers."""
    sentence = f"`{name}` takes an array of numbers and returns an array of that shape"
    shape = np.broadcast_shapes(*[np.shape(value) for value in values])
    given = ", ".join("an array" if np.ndim(value) else show(value) for value in values)
    try:
        got = call(*values)
    except Wrong as wrong:
        wrong.sentence, wrong.given = sentence, given
        wrong.note = "`math` knows single numbers only; NumPy has the same functions for arrays"
        raise
    if isinstance(got, list | tuple):
        note = "a list where an array is due: a list cannot be multiplied or compared as a whole"
        raise Wrong(sentence, given=given, got=f"a {type(got).__name__} of {len(got)}", note=note)
    if not isinstance(got, np.ndarray) or got.shape != shape:
        is_ = f"an array of shape {got.shape}" if isinstance(got, np.ndarray) else show(got)
        raise Wrong(sentence, given=given, got=is_, due=f"an array of shape {shape}")
    for at in np.ndindex(shape):
        one = [np.broadcast_to(value, shape)[at].item() for value in values]
        alone = number(call(*one), sentence)
        if not math.isclose(float(got[at]), alone, rel_tol=1e-9, abs_tol=1e-12):
            words = "element by element, the array gives what single numbers give"
            raise Wrong(f"`{name}`: {words}", given=show(one), got=show(float(got[at])), due=show(alone))


@dataclass(frozen=True)
class Asked:
    """One number that is asked for: what is right, its unit, the property it has, and known slips."""

    due: float
    unit: str
    sentence: str
    slips: Mapping[str, float] | None = None
    rel: float = 5e-3


def numbers(answer: Answer, name: str, asked: Mapping[str, Asked]) -> None:
    """A dictionary of numbers is filled in rightly; what is right is never said."""
    given = answer.value(name)
    if not isinstance(given, dict):
        raise Wrong(f"`{name}` is a dictionary from questions to numbers", got=f"`{name}` is {kind(given)}")
    missing = [question for question in asked if question not in given]
    if missing:
        raise Wrong(f"`{name}` has an answer to every question", got=f"no entry “{missing[0]}”")
    for question, entry in asked.items():
        answer.tried += 1
        value = given[question]
        if value is None or value is ...:
            raise Wrong("every question has an answer", given=f"“{question}”", got="to do")
        got = number(value, f"“{question}” is one number", "")
        if math.isclose(got, entry.due, rel_tol=entry.rel):
            continue
        note = other_unit([got], [entry.due], entry.unit, entry.rel)
        for words, slip in (entry.slips or {}).items():
            if not note and math.isclose(got, slip, rel_tol=entry.rel):
                note = words
        if not note:
            note = "too large" if got > entry.due else "too small"
        raise Wrong(entry.sentence, given=f"“{question}”", got=_in(got, entry.unit), note=note)


def threshold(
    answer: Answer,
    name: str,
    crossed: Callable[[float], float],
    sentence: str,
    *,
    words: str,
    rel: float = 0.02,
) -> None:
    """A number at which `crossed` goes from below zero to above, or back.

    `words` says what `crossed` measures; it is shown with the value a little off the reader's number.
    """
    got = answer.number(name)
    if got <= 0:
        raise Wrong(sentence, got=show(got), note="a ratio above zero is due")
    below, above = crossed(got * (1 - rel)), crossed(got * (1 + rel))
    if (below < 0) == (above < 0):
        raise Wrong(
            sentence,
            given=f"`{name}` = {show(got)}",
            got=f"{words} is {below:+.3g} a little below your number and {above:+.3g} a little above it",
            due="a change of sign between the two",
        )
