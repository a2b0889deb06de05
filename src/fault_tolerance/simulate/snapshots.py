"""Many training runs with checkpoints in the background, failure by failure and drain by drain."""

from math import ceil

import numpy as np

from fault_tolerance._arguments import Array, accepts
from fault_tolerance.simulate.runs import MOST_FAILURES, MOST_INTERVALS
from fault_tolerance.snapshot import goodput

_BLOCK = 1 << 13  # gaps drawn at a time


def _fits_drain_and_patience(
    work: float,
    interval: float,
    pause: float,
    drain_time: float,
    mtbf: float,
    restart_time: float = 0.0,
    *,
    runs: int,
    seed: int,
) -> None:
    if interval + pause < drain_time * (1.0 - 1e-12):
        raise ValueError(
            f"interval and pause must together be at least drain_time, {drain_time!r}: drains run one after "
            f"another, so snapshots would pile up; got {interval!r} and {pause!r}"
        )
    if work > MOST_INTERVALS * interval:
        raise ValueError(
            f"work must be at most {MOST_INTERVALS:.0e} times interval; got {work!r} and {interval!r}"
        )
    per_failure = goodput(interval, pause, drain_time, mtbf, restart_time) * mtbf
    if max(runs * work, runs * per_failure) > MOST_FAILURES * per_failure:
        raise ValueError(
            f"work over interval, pause, drain_time, mtbf and restart_time asks for too many failures: "
            f"{runs} runs of {work!r} s, with {per_failure:.3g} s kept from one failure to the next, where "
            f"{MOST_FAILURES:,} failures or runs are the most"
        )


@accepts(
    "scalars",
    _fits_drain_and_patience,
    work="positive",
    interval="positive",
    pause="positive",
    drain_time="non-negative",
    mtbf="positive",
    restart_time="non-negative",
    runs="count",
    seed="count-or-zero",
)
def snapshot_run(
    work: float,
    interval: float,
    pause: float,
    drain_time: float,
    mtbf: float,
    restart_time: float = 0.0,
    *,
    runs: int,
    seed: int,
) -> Array:
    r"""Goodput of simulated training runs that save in the background.

    .. math:: \hat\eta = \text{work} / \text{wall time}

    The job works for an interval, pauses for a snapshot, and works on while it drains. Drains run one at a
    time, in order. A failure, which may strike at any moment, takes all that is not yet drained; after the
    restart the job goes on from the last snapshot that was.

    Parameters
    ----------
    work : float
        Work to make durable, in seconds. If the last interval is shorter than the others, so be it.
    interval, pause, drain_time, mtbf : float
        Work between snapshots, pause of one snapshot, time to drain it, mean time between failures, in
        seconds (:math:`\tau, s, T_d, M`).
    restart_time : float, optional
        Time from a failure until work goes on, in seconds (:math:`R`).
    runs : int
        How many runs to simulate.
    seed : int
        Same seed, same runs (with the same NumPy).

    Returns
    -------
    array of shape (runs,)
        Goodput of each run, between 0 and 1. Each run is a piece of a longer one: its clock starts when a
        snapshot has just become durable, with the work behind that one under way, and stops when ``work``
        more is durable.

    Raises
    ------
    ValueError
        An argument is outside its domain, ``interval`` and ``pause`` are together shorter than
        ``drain_time``, or the runs would meet too many failures to play out.
    TypeError
        An argument is an array, or no number.

    Notes
    -----
    Compared with theory in :ref:`part-c-check`: if ``work`` is a whole number of intervals, total
    work over total time (the harmonic mean of the result) tends to :func:`fault_tolerance.snapshot.goodput`
    :cite:p:`daly2006checkpoint`. The plain mean lies a little higher, by the variance over the mean, for
    short runs.

    Only failures take steps, so the cost grows with their number and not with that of snapshots.

    Examples
    --------
    A drain as long as the interval, 245 s, on 10,000 GPUs that restart in 300 s:

    >>> shares = snapshot_run(500 * 245, 245, 0.0196, 245, mtbf=18_000, restart_time=300, runs=2000, seed=1)
    >>> shares.shape, round(float(1 / (1 / shares).mean()), 2)
    ((2000,), 0.96)
    """
    rng = np.random.default_rng(seed)
    expected = work / (float(goodput(interval, pause, drain_time, mtbf, restart_time)) * mtbf)
    ahead = int(min(expected + np.sqrt(expected) + 1.0, _BLOCK))
    at_once = max(_BLOCK // ahead, 1)
    intervals = max(ceil(work / interval * (1.0 - 1e-12)), 1)
    times = (interval + pause, work - (intervals - 1) * interval + pause, drain_time, mtbf, restart_time)
    batches = [
        _durable_times(rng, min(at_once, runs - begun), ahead, intervals, *times)
        for begun in range(0, runs, at_once)
    ]
    return work / np.concatenate(batches)


def _durable_times(
    rng: np.random.Generator,
    runs: int,
    ahead: int,
    intervals: int,
    period: float,
    last: float,
    drain_time: float,
    mtbf: float,
    restart_time: float,
) -> Array:
    """Times until all is durable; gaps are drawn ``ahead`` at a time for every run still going.

    In a gap between failures work goes on after the restart, snapshot number j is taken j periods later, and
    durable a drain after that.
    """
    # The clock starts a restart and a drain into a gap, which have gone well: so all gaps are alike.
    uncounted = restart_time + drain_time
    times = np.full(runs, -uncounted)
    left = np.full(runs, float(intervals))
    going = np.arange(runs)
    draining = np.ones((runs, 1), dtype=bool)  # whether a drain is under way as the gap begins
    while going.size:
        gaps = rng.exponential(mtbf, (going.size, ahead))
        gaps[:, 0] += uncounted
        uncounted = 0.0
        durable = np.floor(np.maximum(gaps - restart_time - drain_time, 0.0) / period)
        durable = np.minimum(durable, intervals)  # no run needs more; larger numbers would cost digits
        due = left[going, np.newaxis] - np.cumsum(durable, axis=1) + durable
        # The last snapshot, which may come early, waits for the drain before it.
        busy = due > 1.0
        busy[:, :1] |= draining
        wait = np.where(busy, max(last, drain_time), last)
        needed = restart_time + (due - 1.0) * period + wait + drain_time
        ends = gaps >= needed
        rows, end = np.arange(going.size), ends.argmax(axis=1)
        ended = ends[rows, end]
        clock = np.cumsum(gaps, axis=1)
        until_end = clock[rows, end] - gaps[rows, end] + needed[rows, end]
        times[going] += np.where(ended, until_end, clock[:, -1])
        left[going] = due[:, -1] - durable[:, -1]
        going = going[~ended]
        draining = np.zeros((going.size, 1), dtype=bool)
    return times
