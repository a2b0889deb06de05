"""Simulated runs that save in the background: against the exact goodput and a walk, drain by drain."""

import math
import random

import numpy as np
import pytest

from fault_tolerance import simulate, snapshot

M = 10_000.0

# (s/M, T_d/M, R/M, τ over the one chosen): drains free, limiting, and longer than the time between failures.
CASES = [
    (pause, drain, restart, factor)
    for pause, drain in [(1e-6, 0.01), (1e-4, 0.2), (0.01, 0.05), (0.05, 0.0), (0.02, 0.8), (1e-3, 1.2)]
    for restart, factor in [(0.0, 1.0), (0.03, 1.0), (0.3, 1.7), (0.1, 2.5)]
]


def times_of(pause, drain, restart, factor):
    """Interval, pause, drain time, MTBF and restart time of a case."""
    interval = factor * snapshot.interval(pause * M, drain * M, M)
    return interval, pause * M, drain * M, M, restart * M


@pytest.mark.parametrize(("pause", "drain", "restart", "factor"), CASES)
def test_total_work_over_total_time_is_the_exact_goodput(pause, drain, restart, factor):
    times = times_of(pause, drain, restart, factor)
    total = 1 / simulate.snapshot_run(30 * times[0], *times, runs=3000, seed=20)
    standard_error = np.std(total, ddof=1) / math.sqrt(len(total))
    right = 1 / snapshot.goodput(*times)

    assert abs(np.mean(total) - right) < 3 * standard_error
    assert standard_error < 0.02 * right


def walk(work, interval, pause, drain_time, mtbf, restart_time, rng):
    """Time of one run, told moment by moment, from a state just durable to the end of the last drain.

    A state is durable when its drain ends, which began when the one before was through.
    """
    number = math.ceil(work / interval - 1e-9)
    lengths = [interval] * (number - 1) + [work - (number - 1) * interval]
    durable = 0
    clock = 0.0
    ready = -drain_time  # when work on state ``durable`` + 1 began, the state before it being taken then
    free = 0.0  # when the drain is next free
    failure = rng.expovariate(1 / mtbf)
    while True:
        taken, drained, reached = ready, free, durable
        while reached < number:
            taken += lengths[reached] + pause
            drained = max(drained, taken) + drain_time
            if drained > failure:
                break
            reached += 1
        if reached == number:
            return drained
        durable = reached
        clock = failure
        while True:  # a failure in a restart starts another
            failure = clock + rng.expovariate(1 / mtbf)
            if failure >= clock + restart_time:
                break
            clock = failure
        ready = clock + restart_time
        free = ready


@pytest.mark.parametrize("intervals", [0.3, 1.0, 4.0, 4.25, 4.9])
@pytest.mark.parametrize(
    ("pause", "drain", "restart", "factor"), [(1e-3, 0.4, 0.1, 1.0), (0.05, 0.1, 0.2, 1.5)]
)
def test_a_walk_from_moment_to_moment_takes_as_long(pause, drain, restart, factor, intervals):
    times = times_of(pause, drain, restart, factor)
    work = intervals * times[0]
    rng = random.Random(7)
    walked = np.array([walk(work, *times, rng) for _ in range(8000)])
    drawn = work / simulate.snapshot_run(work, *times, runs=40_000, seed=5)
    standard_error = math.hypot(
        np.std(walked) / math.sqrt(len(walked)), np.std(drawn) / math.sqrt(len(drawn))
    )

    assert abs(np.mean(walked) - np.mean(drawn)) < 3 * standard_error
    assert np.std(walked) == pytest.approx(np.std(drawn), rel=0.06)
    assert np.quantile(walked, [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(drawn, [0.1, 0.5, 0.9]), rel=0.06
    )


def test_without_a_drain_it_is_a_run_that_waits_for_its_writes():
    times = 1_600.0, 120.0, 11_250.0, 600.0
    background = simulate.snapshot_run(20 * 1_600, 1_600, 120, 0, 11_250, 600, runs=500, seed=3)
    blocking = simulate.training_run(20 * 1_600, *times, runs=500, seed=3)

    assert background == pytest.approx(blocking, rel=1e-12)


def test_drain_time_is_lost_as_restart_time_is():
    late = simulate.snapshot_run(50 * 400, 400, 1, 300, M, 200, runs=300, seed=9)
    slow = simulate.snapshot_run(50 * 400, 400, 1, 0, M, 500, runs=300, seed=9)

    assert late == pytest.approx(slow, rel=1e-12)


@pytest.mark.parametrize(("work", "snapshots"), [(1000.0, 4), (900.0, 3), (100.0, 1), (901.0, 4)])
def test_without_failures_only_pauses_are_lost(work, snapshots):
    shares = simulate.snapshot_run(work, 300.0, 7.0, 5.0, 1e30, 50.0, runs=2, seed=0)

    assert work / shares == pytest.approx([work + snapshots * 7.0] * 2)


@pytest.mark.parametrize(("work", "snapshots"), [(1000.0, 4), (900.0, 3), (100.0, 1), (901.0, 4)])
def test_a_short_last_interval_waits_for_the_drain_before_it(work, snapshots):
    shares = simulate.snapshot_run(work, 300.0, 7.0, 307.0, 1e30, 50.0, runs=2, seed=0)

    assert work / shares == pytest.approx([snapshots * 307.0] * 2)


def test_the_same_seed_gives_the_same_runs_and_another_gives_others():
    times = times_of(1e-3, 0.2, 0.1, 1.0)
    first, again, other = (
        simulate.snapshot_run(20 * times[0], *times, runs=50, seed=seed) for seed in (4, 4, 5)
    )

    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.all((first > 0) & (first < 1))


def test_a_long_run_of_many_failures_is_played_to_its_end():
    times = times_of(1e-3, 1.5, 0.1, 1.0)
    share = simulate.snapshot_run(8000 * times[0], *times, runs=4, seed=2)

    assert np.mean(1 / share) == pytest.approx(1 / snapshot.goodput(*times), rel=0.03)


def test_snapshots_that_pile_up_are_refused_in_words():
    with pytest.raises(ValueError, match=r"^interval and pause must together be at least drain_time, 245\.0"):
        simulate.snapshot_run(1e4, 200, 1, 245, M, runs=1, seed=0)


def test_a_period_as_long_as_the_drain_is_long_enough_whatever_rounding_says():
    for drain_time in (0.1 + 0.2, 245.0, 1 / 3):
        pause = 0.0196 * drain_time
        simulate.snapshot_run(10.0, drain_time - pause, pause, drain_time, M, runs=1, seed=0)


def test_a_hopeless_run_is_refused_in_words():
    with pytest.raises(ValueError, match="asks for too many failures: 2 runs"):
        simulate.snapshot_run(1e6, 1e5, 1e4, 1e5, 1e3, runs=2, seed=0)
    with pytest.raises(ValueError, match=r"work must be at most 1e\+12 times interval"):
        simulate.snapshot_run(1e300, 1e-300, 1.0, 0.0, 1e30, runs=1, seed=0)
