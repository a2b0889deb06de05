"""A simulated fleet: against the queues and fluids of the theory, and a walk from event to event."""

import heapq
import math
from itertools import pairwise

import numpy as np
import pytest

from fault_tolerance import serving, simulate
from fault_tolerance.simulate.fleet import _one_queue, _queue_each, _steady_state

NEVER = 1e9  # a recovery after the end of every run

steady = pytest.mark.parametrize(
    ("replicas", "failed", "load", "quantile"),
    [
        (1, 0, 0.5, 0.99),
        (1, 0, 0.8, 0.9),
        (2, 0, 0.7, 0.99),
        (2, 1, 0.45, 0.99),
        (3, 0, 0.85, 0.95),
        (4, 1, 0.6, 0.99),
        (5, 2, 0.5, 0.9),
        (10, 0, 0.77, 0.99),
        (10, 1, 0.77, 0.99),
        (12, 3, 0.6, 0.5),
        (20, 2, 0.8, 0.99),
        (32, 3, 0.75, 0.99),
    ],
)


@steady
@pytest.mark.parametrize("pooled", [True, False])
def test_the_share_beyond_a_quantile_is_that_of_the_queue(replicas, failed, load, quantile, pooled):
    rate = 10.0
    arrivals = load * replicas * rate
    survivors = replicas - failed
    queue = (survivors, arrivals) if pooled else (1, arrivals / survivors)
    time = serving.response_quantile(*queue, rate, quantile)
    beyond = []
    for seed in range(20):
        run = simulate.serving_fleet(
            arrivals,
            rate,
            replicas,
            failed,
            NEVER,
            pooled=pooled,
            requests=1000 * survivors + 4000,
            seed=seed,
        )
        # What comes before the failure has worn off is left out.
        beyond.append(np.mean(run.response_times[400 * survivors :] > time))

    standard_error = np.std(beyond, ddof=1) / math.sqrt(len(beyond))
    assert abs(np.mean(beyond) - (1 - quantile)) < 3 * standard_error
    assert standard_error < 0.4 * (1 - quantile)


# Far enough over the brim for the queues that come and go by chance, which the fluid leaves out, to be few.
overloads = pytest.mark.parametrize(
    ("replicas", "failed", "load"),
    [
        (2, 1, 0.8),
        (3, 2, 0.6),
        (4, 2, 0.7),
        (5, 3, 0.65),
        (6, 3, 0.7),
        (6, 4, 0.6),
        (8, 4, 0.7),
        (8, 5, 0.6),
        (10, 5, 0.7),
        (10, 6, 0.6),
        (12, 7, 0.65),
    ],
)


@overloads
@pytest.mark.parametrize("pooled", [True, False])
def test_backlog_drain_and_requests_touched_are_those_of_the_fluid(replicas, failed, load, pooled):
    rate, recovery = 10.0, 120.0
    arrivals = load * replicas * rate
    window = arrivals, rate, replicas, failed, recovery
    touched = serving.requests_touched(*window, pooled)
    runs = [
        simulate.serving_fleet(*window, pooled=pooled, requests=round(1.6 * touched), seed=seed)
        for seed in range(16)
    ]

    def agrees(measured, right):
        standard_error = np.std(measured, ddof=1) / math.sqrt(len(measured))
        assert abs(np.mean(measured) - right) < 3 * standard_error
        assert standard_error < 0.05 * right

    agrees([run.backlog for run in runs], serving.backlog(*window))
    agrees([run.drain_times.mean() for run in runs], serving.backlog_drain_time(*window, pooled))
    # With a queue each, those who come after recovery to a replica that was away meet no backlog.
    agrees([run.touched for run in runs], serving.requests_touched(*window, pooled=True))


@pytest.mark.parametrize(
    ("replicas", "failed", "load"), [(1, 0, 0.5), (4, 1, 0.6), (10, 3, 0.8), (10, 2, 0.95)]
)
@pytest.mark.parametrize("pooled", [True, False])
def test_requests_lost_at_once_are_those_in_flight(replicas, failed, load, pooled):
    arrivals = load * replicas * 10.0
    lost = [
        simulate.serving_fleet(
            arrivals, 10.0, replicas, failed, 0.0, pooled=pooled, requests=1, seed=seed
        ).lost
        if failed
        else 0
        for seed in range(1000)
    ]
    right = serving.requests_lost(arrivals, 10.0, replicas, failed, 0.0, pooled)

    assert abs(np.mean(lost) - right) <= 3 * np.std(lost, ddof=1) / math.sqrt(len(lost))


@pytest.mark.parametrize(("replicas", "load"), [(1, 0.7), (3, 0.9), (10, 0.8), (2000, 0.97)])
def test_the_fleet_fails_in_its_steady_state(replicas, load):
    rng = np.random.default_rng(6)
    arrivals = load * replicas * 10.0
    busy, waiting = np.array([_steady_state(rng, arrivals, 10.0, replicas) for _ in range(4000)]).T
    wait = serving.erlang_c(replicas, arrivals, 10.0)

    for measured, right in [
        (busy == replicas, wait),
        (busy, load * replicas),
        (waiting, wait * load / (1 - load)),
    ]:
        assert abs(measured.mean() - right) < 3 * measured.std() / math.sqrt(len(measured))


def served_in_turn(arrivals, services, free):
    """Start times of requests taken in order by whichever server is free first, told event by event."""
    events = [(time, 0, -1) for time in free] + [(time, 1, number) for number, time in enumerate(arrivals)]
    heapq.heapify(events)
    idle, waiting, starts = 0, [], [math.nan] * len(arrivals)
    while events:
        now, kind, number = heapq.heappop(events)
        if kind == 0:
            idle += 1
        else:
            waiting.append(number)
        while idle and waiting:
            idle -= 1
            taken = waiting.pop(0)
            starts[taken] = now
            heapq.heappush(events, (now + services[taken], 0, -1))
    return starts


def test_a_shared_queue_is_served_in_turn():
    arrivals, services = (
        np.cumsum(np.random.default_rng(1).exponential(0.02, 800)),
        np.random.default_rng(2).exponential(0.1, 800),
    )
    # A rate so small that the fleet is idle before.
    starts, old, lost, _ = _one_queue(np.random.default_rng(0), arrivals, services, 1e-9, 10.0, 6, 2, 4.0)

    assert lost == len(old) == 0
    assert starts == pytest.approx(served_in_turn(arrivals, services, [0.0] * 4 + [4.0] * 2), rel=1e-12)


def test_queues_of_ones_own_are_each_served_in_turn():
    arrivals, services = (
        np.cumsum(np.random.default_rng(1).exponential(0.05, 800)),
        np.random.default_rng(2).exponential(0.1, 800),
    )
    starts, old, lost, queues = _queue_each(
        np.random.default_rng(0), arrivals, services, 1e-9, 10.0, 4, 1, 10.0
    )

    assert lost == len(old) == 0
    assert len(queues) == 3
    back = np.setdiff1d(np.arange(800), np.concatenate(queues))
    assert arrivals[back].min() >= 10.0  # the one that was away
    for queue in [*queues, back]:
        assert starts[queue] == pytest.approx(
            served_in_turn(arrivals[queue], services[queue], [0.0]), rel=1e-12
        )
    before, after = np.sum(arrivals < 10.0), np.sum(arrivals >= 10.0)
    for queue in queues:
        joined = np.sum(arrivals[queue] < 10.0)
        assert abs(joined - before / 3) < 4 * math.sqrt(before * 2 / 9)
    assert abs(len(back) - after / 4) < 4 * math.sqrt(after * 3 / 16)


@pytest.mark.parametrize("pooled", [True, False])
def test_a_run_hangs_together(pooled):
    run = simulate.serving_fleet(100, 13, 10, 3, 20.0, pooled=pooled, requests=6000, seed=8)

    assert [len(part) for part in run[:3]] == [6000] * 3
    assert np.all(np.diff(run.arrival_times) > 0)
    assert np.all(run.start_times >= run.arrival_times)
    assert np.all(run.response_times > 0)
    if pooled:
        assert all(earlier <= later for earlier, later in pairwise(run.start_times))
    waiting = np.sum(run.arrival_times <= 20.0) - np.sum(run.start_times < 20.0)
    assert abs(run.backlog - waiting) <= 60  # besides those of before
    assert run.drain_times.shape == ((1,) if pooled else (7,))
    assert np.sum(run.arrival_times <= 20.0) <= run.touched <= 6000


@pytest.mark.parametrize("pooled", [True, False])
def test_a_run_within_the_failure_ends_with_what_waits_then(pooled):
    run = simulate.serving_fleet(100, 13, 10, 4, NEVER, pooled=pooled, requests=3000, seed=8)
    last = run.arrival_times[-1]

    assert run.touched == 3000
    assert np.all(run.drain_times == 0)
    assert run.backlog == pytest.approx(serving.backlog(100, 13, 10, 4, last), rel=0.25)


def test_all_replicas_of_a_shared_queue_can_be_away():
    run = simulate.serving_fleet(100, 13, 10, 10, 5.0, pooled=True, requests=5000, seed=3)

    assert run.start_times.min() >= 5.0
    assert run.backlog >= np.sum(run.arrival_times <= 5.0)


@pytest.mark.parametrize("pooled", [True, False])
def test_the_same_seed_gives_the_same_run_and_another_gives_another(pooled):
    first, again, other = (
        simulate.serving_fleet(100, 13, 10, 3, 5.0, pooled=pooled, requests=2000, seed=seed)
        for seed in (4, 4, 5)
    )

    np.testing.assert_array_equal(first.response_times, again.response_times)
    assert not np.array_equal(first.response_times, other.response_times)


def test_what_cannot_be_played_is_refused_in_words():
    with pytest.raises(ValueError, match=r"^arrival_rate must be below replicas times service_rate"):
        simulate.serving_fleet(130, 13, 10, 1, 5.0, pooled=True, requests=10, seed=0)
    with pytest.raises(ValueError, match=r"^failed must be below replicas: 10\.0; got 10\.0$"):
        simulate.serving_fleet(100, 13, 10, 10, 5.0, pooled=False, requests=10, seed=0)
    with pytest.raises(ValueError, match=r"^requests must be at most 10,000,000; got 10000001$"):
        simulate.serving_fleet(100, 13, 10, 1, 5.0, pooled=True, requests=10_000_001, seed=0)
    with pytest.raises(ValueError, match=r"^requests must be at least 1170, .* at most 900, .*; got 1000$"):
        simulate.serving_fleet(100, 13, 10, 3, 9.0, pooled=True, requests=1000, seed=0)
