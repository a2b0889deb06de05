"""The seeded generator: as published, the same in both languages, and random enough for a picture."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from chapterkit import random
from chapterkit.compile import compile_functions

SEEDS = [0, 1, 2, 3, 17, 9999, 123456, 2**31, 2**35]


def lecuyer(first: int, second: int, count: int) -> list[float]:
    """Figure 3 of L'Ecuyer 1988, with whole numbers and its own constants."""
    numbers = []
    for _ in range(count):
        first = 40014 * first % 2147483563
        second = 40692 * second % 2147483399
        mixed = first - second
        if mixed < 1:
            mixed += 2147483562
        numbers.append(mixed / 2147483563)
    return numbers


@pytest.mark.parametrize("seed", SEEDS)
def test_the_numbers_are_those_of_the_published_generator(seed):
    first = (seed * 7919 + 12345) % 2147483562 + 1
    second = (seed * 104729 + 67890) % 2147483398 + 1
    assert random.uniforms(seed, 500) == lecuyer(first, second, 508)[8:]


@pytest.fixture
def page(v8):
    def run(name: str, given: list) -> list:
        code = compile_functions([getattr(random, name)])
        return json.loads(
            str(
                v8.eval(
                    f"JSON.stringify({json.dumps(given)}.map(function (a) {{ return {code}.{name}.apply(null, a); }}))"
                )
            )
        )

    return run


def test_uniform_numbers_are_exactly_the_same_in_the_page(page):
    given = [[seed, 2000] for seed in SEEDS]
    assert page("uniforms", given) == [random.uniforms(*case) for case in given]


def test_exponential_numbers_differ_by_no_more_than_the_last_digit_of_a_logarithm(page):
    given = [[seed, 2000] for seed in SEEDS]
    ours = np.array([random.exponentials(*case) for case in given])
    theirs = np.array(page("exponentials", given))
    assert np.all(np.abs(ours - theirs) <= np.spacing(ours))


def test_uniform_numbers_lie_strictly_between_0_and_1():
    for seed in SEEDS:
        numbers = random.uniforms(seed, 5000)
        assert min(numbers) > 0.0
        assert max(numbers) < 1.0


def test_as_many_numbers_come_as_are_asked_for():
    assert [len(random.uniforms(3, count)) for count in (0, 1, 77)] == [0, 1, 77]
    assert random.uniforms(3, 10) == random.uniforms(3, 77)[:10]
    assert len(random.exponentials(3, 77)) == 77


def test_every_seed_of_a_control_gives_its_own_numbers():
    starts = {tuple(random.uniforms(seed, 2)) for seed in range(10_000)}
    assert len(starts) == 10_000


def _standard_errors_off(sample: np.ndarray, mean: float) -> float:
    return abs(sample.mean() - mean) / (sample.std(ddof=1) / np.sqrt(sample.size))


@pytest.mark.parametrize("seed", [1, 2, 42])
def test_moments_are_those_of_the_distributions(seed):
    uniform = np.array(random.uniforms(seed, 100_000))
    exponential = np.array(random.exponentials(seed, 100_000))
    for sample, mean, variance in ((uniform, 0.5, 1 / 12), (exponential, 1.0, 1.0)):
        assert _standard_errors_off(sample, mean) < 3.5
        assert _standard_errors_off((sample - mean) ** 2, variance) < 3.5


def test_first_numbers_of_all_seeds_fill_the_unit_interval_evenly():
    firsts = np.array([random.uniforms(seed, 1)[0] for seed in range(1, 10_001)])
    assert _standard_errors_off(firsts, 0.5) < 3.5
    assert _standard_errors_off((firsts - 0.5) ** 2, 1 / 12) < 3.5


def test_runs_of_neighbouring_seeds_have_nothing_in_common():
    runs = [random.uniforms(seed, 1000) for seed in range(1, 101)]
    together = [np.corrcoef(a, b)[0, 1] for a, b in itertools.pairwise(runs)]
    assert max(map(abs, together)) < 4.5 / np.sqrt(1000)


def test_numbers_of_one_seed_are_not_correlated():
    numbers = np.array(random.uniforms(5, 50_000))
    for lag in (1, 2, 7):
        assert abs(np.corrcoef(numbers[:-lag], numbers[lag:])[0, 1]) < 3.5 / np.sqrt(50_000)
