"""The simulations: true to themselves, to each other and to the exact formula."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fault_tolerance import checkpoint, simulate

from .strategies import claim, gaps

M = 10_000.0

# (δ/M, R/M, τ over the best interval): from the usual to the hopeless.
CASES = [
    (0.01, 0, 1),
    (0.01, 0.05, 0.4),
    (0.001, 0.02, 1),
    (0.1, 0, 1),
    (0.1, 0.3, 2),
    (0.5, 1.0, 1),
    (2.0, 0.1, 1),
]
cases = pytest.mark.parametrize(("write", "restart", "factor"), CASES)


def times_of(write, restart, factor):
    """Interval, write time, MTBF and restart time of a case."""
    return factor * checkpoint.optimal_interval(write * M, M), write * M, M, restart * M


def wall_time(intervals, interval, write_time, mtbf, restart_time):
    """Expected time for some intervals and their writes, each struck and repeated until it is through."""
    return intervals * math.exp(restart_time / mtbf) * mtbf * math.expm1((interval + write_time) / mtbf)


def assert_mean(sample, right):
    """The mean of a sample lies within a few of its own standard errors of the right value."""
    standard_error = np.std(sample, ddof=1) / math.sqrt(len(sample))

    assert abs(np.mean(sample) - right) < 4 * standard_error
    assert standard_error < 0.02 * right  # and that says something


# Many runs


@cases
def test_total_work_over_total_time_is_the_exact_goodput(write, restart, factor):
    times = times_of(write, restart, factor)
    shares = simulate.training_run(40 * times[0], *times, runs=4000, seed=11)

    assert_mean(1 / shares, 1 / checkpoint.goodput(*times))


@cases
def test_kept_work_up_to_a_failure_is_what_theory_expects(write, restart, factor):
    interval, write_time, mtbf, restart_time = times_of(write, restart, factor)
    draws = np.random.default_rng(5).exponential(size=(4000, 40))
    last_failures = np.cumsum(M * draws, axis=1)[:, -1]
    kept = simulate.useful_work(draws, last_failures, interval, write_time, mtbf, restart_time)

    # The first gap starts without a restart, the other 39 with one.
    per_gap = interval / math.expm1((interval + write_time) / mtbf)
    right = per_gap * (1 + 39 * math.exp(-restart_time / mtbf))
    assert_mean(kept, right)


def test_without_restarts_the_spread_of_times_is_that_of_waiting_for_a_gap():
    """Time until a Poisson process leaves a gap of p means: variance e^2p - 2p e^p - 1."""
    times = times_of(0.1, 0, 1)
    total = 30 * times[0] / simulate.training_run(30 * times[0], *times, runs=20_000, seed=3)
    p = (times[0] + times[1]) / M
    right = 30 * M**2 * (math.exp(2 * p) - 2 * p * math.exp(p) - 1)
    squares = (total - wall_time(30, *times)) ** 2

    assert_mean(squares, right)


def test_a_short_last_interval_takes_only_its_own_time():
    interval, write_time, mtbf, restart_time = times_of(0.1, 0.3, 1)
    work = 4.25 * interval
    total = work / simulate.training_run(work, interval, write_time, mtbf, restart_time, runs=20_000, seed=8)
    right = wall_time(4, interval, write_time, mtbf, restart_time) + wall_time(
        1, 0.25 * interval, write_time, mtbf, restart_time
    )

    assert_mean(total, right)


def test_a_run_that_fails_far_more_often_than_expected_is_played_to_its_end():
    times = times_of(0.5, 2.0, 1)
    total = times[0] / simulate.training_run(times[0], *times, runs=20_000, seed=6)

    assert_mean(total, wall_time(1, *times))


def test_long_runs_of_many_failures_are_played_to_their_end():
    times = times_of(2.0, 0.1, 1)
    shares = simulate.training_run(12_000 * times[0], *times, runs=6, seed=2)
    failures = 12_000 * times[0] / shares / M

    assert failures.min() > 1 << 17
    assert_mean(1 / shares, 1 / checkpoint.goodput(*times))


@pytest.mark.parametrize(("work", "writes"), [(1000.0, 4), (900.0, 3), (100.0, 1), (901.0, 4)])
def test_without_failures_a_run_is_its_work_and_its_writes(work, writes):
    shares = simulate.training_run(work, 300.0, 7.0, 1e30, 50.0, runs=3, seed=0)

    assert shares == pytest.approx([work / (work + writes * 7.0)] * 3, rel=1e-14)


def test_rounding_adds_no_interval():
    for interval, number in [(0.1, 3), (0.7, 9), (1643.167672515498, 577)]:
        work = sum([interval] * number)
        shares = simulate.training_run(work, interval, 1.0, 1e30, runs=1, seed=0)
        assert shares[0] == pytest.approx(work / (work + number), rel=1e-12)


def test_the_same_seed_gives_the_same_runs_and_another_gives_others():
    times = times_of(0.1, 0.3, 1)
    first, again, other = (
        simulate.training_run(20 * times[0], *times, runs=50, seed=seed) for seed in (4, 4, 5)
    )

    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_every_run_is_its_own():
    times = times_of(0.1, 0.3, 1)
    shares = simulate.training_run(20 * times[0], *times, runs=20_000, seed=4)

    assert shares.shape == (20_000,)
    assert len(np.unique(shares)) > 19_900
    assert np.all((shares > 0) & (shares < 1))


def test_a_hopeless_run_is_refused_in_words():
    with pytest.raises(ValueError, match="asks for too many failures: 2 runs"):
        simulate.training_run(1e6, 1e5, 1e4, 1e3, runs=2, seed=0)
    with pytest.raises(ValueError, match="asks for too many failures"):
        simulate.training_run(1e6, 1e3, 1.0, 1e30, runs=10**9, seed=0)
    with pytest.raises(ValueError, match=r"work must be at most 1e\+12 times interval"):
        simulate.training_run(1e300, 1e-300, 1.0, 1e30, runs=1, seed=0)


# One run

MEAN = 100.0  # the MTBF of the single runs

one_run = given(
    gaps=gaps,
    interval=st.floats(5, 500),
    write_time=st.floats(0.1, 200),
    restart_time=st.one_of(st.just(0.0), st.floats(0.1, 300)),
)


def told_again(gaps, interval, write_time, restart_time):
    """The same run, walked phase by phase: kept work, and time lost to work, writes and restarts."""
    kept = lost = restarting = 0.0
    restart = 0.0
    for gap in gaps:
        left = gap * MEAN
        down = min(restart, left)
        restarting += down
        left -= down
        while left >= interval + write_time:
            left -= interval + write_time
            kept += interval
        lost += left
        restart = restart_time
    return kept, lost, restarting


def nearly_whole_periods(gaps, period, restart_time):
    """Whether rounding decides if a last period just ended in some gap, or just did not."""
    spans = [gap * MEAN - (restart_time if place else 0.0) for place, gap in enumerate(gaps)]
    return any(span > period / 2 and abs(math.remainder(span, period)) < 1e-7 for span in spans)


@one_run
@claim
def test_events_follow_each_other_without_holes_and_end_with_the_last_failure(
    gaps, interval, write_time, restart_time
):
    events = simulate.timeline(gaps, interval, write_time, MEAN, restart_time)
    clock = 0.0
    for kind, start, end in events:
        assert start == clock
        assert (end > start) if kind != "failure" else (end == start)
        clock = end

    assert {kind for kind, _, _ in events} <= {"work", "write", "lost", "restart", "failure"}
    assert events[-1][0] == "failure"
    assert clock == pytest.approx(MEAN * sum(gaps), rel=1e-12)
    assert sum(end - start for _, start, end in events) == pytest.approx(clock, rel=1e-12, abs=1e-12)


@one_run
@claim
def test_failures_are_where_the_gaps_put_them(gaps, interval, write_time, restart_time):
    events = simulate.timeline(gaps, interval, write_time, MEAN, restart_time)
    failures = [start for kind, start, _ in events if kind == "failure"]

    assert failures == pytest.approx(np.cumsum(gaps) * MEAN, rel=1e-12)


@one_run
@claim
def test_every_kept_interval_is_whole_and_followed_by_its_whole_write(
    gaps, interval, write_time, restart_time
):
    events = simulate.timeline(gaps, interval, write_time, MEAN, restart_time)
    for place, (kind, start, end) in enumerate(events):
        if kind == "work":
            assert end - start == pytest.approx(interval, rel=1e-9)
            assert events[place + 1][0] == "write"
        if kind == "write":
            assert end - start == pytest.approx(write_time, rel=1e-9)
            assert events[place - 1][0] == "work"
        if kind == "lost":
            assert events[place + 1][0] == "failure"
            assert end - start < (interval + write_time) * (1 + 1e-9)
        if kind == "restart":
            assert events[place - 1][0] == "failure"
            assert end - start <= restart_time * (1 + 1e-9)


@one_run
@claim
def test_the_timeline_tells_what_a_walk_through_the_phases_tells(gaps, interval, write_time, restart_time):
    events = simulate.timeline(gaps, interval, write_time, MEAN, restart_time)
    assume(not nearly_whole_periods(gaps, interval + write_time, restart_time))
    kept, lost, restarting = told_again(gaps, interval, write_time, restart_time)
    total = {
        kind: sum(end - start for k, start, end in events if k == kind)
        for kind in ("work", "lost", "restart")
    }

    assert total["work"] == pytest.approx(kept, rel=1e-9, abs=1e-9)
    assert total["lost"] == pytest.approx(lost, rel=1e-9, abs=1e-9)
    assert total["restart"] == pytest.approx(restarting, rel=1e-9, abs=1e-9)


@one_run
@claim
def test_useful_work_is_the_kept_work_of_the_timeline(gaps, interval, write_time, restart_time):
    events = simulate.timeline(gaps, interval, write_time, MEAN, restart_time)
    kept = interval * sum(kind == "work" for kind, _, _ in events)

    assert simulate.useful_work(gaps, events[-1][2], interval, write_time, MEAN, restart_time) == kept


@one_run
@claim
def test_useful_work_so_far_is_that_of_the_writes_finished_so_far(gaps, interval, write_time, restart_time):
    events = simulate.timeline(gaps, interval, write_time, MEAN, restart_time)
    writes = np.array([end for kind, _, end in events if kind == "write"])
    now = np.linspace(0, events[-1][2], 50)
    done = np.round(simulate.useful_work(gaps, now, interval, write_time, MEAN, restart_time) / interval)

    surely, perhaps = (np.sum(writes < limit[:, np.newaxis], axis=1) for limit in (now - 1e-6, now + 1e-6))

    assert np.all(surely <= done)
    assert np.all(done <= perhaps)


def test_after_the_last_gap_nothing_fails():
    assert simulate.useful_work([1.0], 100.0 + 5 + 3 * 12, 10.0, 2.0, 100.0, 5.0) == (8 + 3) * 10.0


def test_useful_work_takes_many_runs_at_once():
    draws = np.random.default_rng(1).exponential(size=(5, 30))
    together = simulate.useful_work(draws, [[2.0], [9.0]], 0.3, 0.05, 1.0, 0.1)

    assert together.shape == (2, 5)
    for row, elapsed in enumerate([2.0, 9.0]):
        for run in range(5):
            assert together[row, run] == simulate.useful_work(draws[run], elapsed, 0.3, 0.05, 1.0, 0.1)


def test_a_failure_in_a_restart_starts_another():
    events = simulate.timeline([1.0, 0.25, 0.5], 8.0, 1.0, 10.0, 4.0)

    assert events == [
        ["work", 0.0, 8.0],
        ["write", 8.0, 9.0],
        ["lost", 9.0, 10.0],
        ["failure", 10.0, 10.0],
        ["restart", 10.0, 12.5],
        ["failure", 12.5, 12.5],
        ["restart", 12.5, 16.5],
        ["lost", 16.5, 17.5],
        ["failure", 17.5, 17.5],
    ]


def test_a_failure_in_a_write_undoes_the_work_before_it():
    events = simulate.timeline([0.85], 8.0, 1.0, 10.0)

    assert events == [["lost", 0.0, 8.5], ["failure", 8.5, 8.5]]


def test_events_are_plain_lists_of_plain_numbers():
    for event in simulate.timeline(np.array([0.7, 1.9]), np.float64(3), 1, 10):
        assert [type(part) for part in event] == [str, float, float]


def test_a_picture_too_full_to_draw_is_refused_in_words():
    with pytest.raises(ValueError, match="gaps and mtbf over interval and write_time make about "):
        simulate.timeline([1.0, 0.9], 1.0, 1.0, 1e6)
