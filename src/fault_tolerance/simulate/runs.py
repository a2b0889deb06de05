"""Many training runs at once, failure by failure."""

from math import ceil

import numpy as np

from fault_tolerance._arguments import Array, accepts
from fault_tolerance.checkpoint import goodput
from fault_tolerance.simulate.history import kept_periods

#: ``training_run`` plays out no more failures (or runs) than this in one call.
MOST_FAILURES = 100_000_000

#: ``training_run`` counts no more intervals than this in one run.
MOST_INTERVALS = 1e12

_BLOCK = 1 << 13  # gaps drawn at a time: enough to be quick, few enough to stay in cache


def _few_enough_to_simulate(
    work: float,
    interval: float,
    write_time: float,
    mtbf: float,
    restart_time: float = 0.0,
    *,
    runs: int,
    seed: int,
) -> None:
    if work > MOST_INTERVALS * interval:
        raise ValueError(
            f"work must be at most {MOST_INTERVALS:.0e} times interval; got {work!r} and {interval!r}"
        )
    per_failure = goodput(interval, write_time, mtbf, restart_time) * mtbf
    if max(runs * work, runs * per_failure) > MOST_FAILURES * per_failure:
        raise ValueError(
            f"work over interval, write_time, mtbf and restart_time asks for too many failures: {runs} runs "
            f"of {work!r} s, with {per_failure:.3g} s kept from one failure to the next, where "
            f"{MOST_FAILURES:,} failures or runs are the most"
        )


@accepts(
    "scalars",
    _few_enough_to_simulate,
    work="positive",
    interval="positive",
    write_time="positive",
    mtbf="positive",
    restart_time="non-negative",
    runs="count",
    seed="count-or-zero",
)
def training_run(
    work: float,
    interval: float,
    write_time: float,
    mtbf: float,
    restart_time: float = 0.0,
    *,
    runs: int,
    seed: int,
) -> Array:
    r"""Goodput of simulated training runs, each from its start to its last finished write.

    .. math:: \hat\eta = \text{work} / \text{wall time}

    The work is cut into intervals, each followed by a write. If the last interval is shorter than the
    others, so be it: exactly ``work`` is done, and the write after it belongs to the run. Failures are
    exponential and may strike work, write and restart.

    Parameters
    ----------
    work : float
        Work to finish, in seconds.
    interval, write_time, mtbf : float
        Work between writes, time of one write, mean time between failures, in seconds
        (:math:`\tau, \delta, M`).
    restart_time : float, optional
        Time from a failure until work goes on, in seconds (:math:`R`).
    runs : int
        How many runs to simulate.
    seed : int
        Same seed, same runs (with the same NumPy).

    Returns
    -------
    array of shape (runs,)
        Goodput of each run, between 0 and 1.

    Raises
    ------
    ValueError
        An argument is outside its domain, or the runs would meet too many failures to play out.
    TypeError
        An argument is an array, or no number.

    Notes
    -----
    Compared with theory in :ref:`part-a-check`: if ``work`` is a whole number of intervals, total
    work over total time (the harmonic mean of the result) tends to :func:`fault_tolerance.checkpoint.goodput`
    :cite:p:`daly2006checkpoint`. The plain mean lies a little higher, by the variance over the mean, for
    short runs.

    Only failures take steps, so the cost grows with their number and not with that of intervals.

    Examples
    --------
    >>> shares = training_run(work=100 * 1600, interval=1600, write_time=120, mtbf=11_250, runs=2000, seed=1)
    >>> shares.shape, round(float(1 / (1 / shares).mean()), 2)
    ((2000,), 0.86)
    """
    rng = np.random.default_rng(seed)
    expected = work / (float(goodput(interval, write_time, mtbf, restart_time)) * mtbf)
    ahead = int(min(expected + np.sqrt(expected) + 1.0, _BLOCK))
    at_once = max(_BLOCK // ahead, 1)
    intervals = max(ceil(work / interval * (1.0 - 1e-12)), 1)
    last = work - (intervals - 1) * interval + write_time
    times = [
        _finish_times(
            rng, min(at_once, runs - begun), ahead, intervals, last, interval + write_time, mtbf, restart_time
        )
        for begun in range(0, runs, at_once)
    ]
    return work / np.concatenate(times)


def _finish_times(
    rng: np.random.Generator,
    runs: int,
    ahead: int,
    intervals: int,
    last: float,
    period: float,
    mtbf: float,
    restart_time: float,
) -> Array:
    """Wall times of some runs; gaps are drawn ``ahead`` at a time for every run still going."""
    # A restart in front of the first gap, in time that is not counted, makes all gaps alike.
    times = np.full(runs, -restart_time)
    uncounted = restart_time
    left = np.full(runs, float(intervals))
    going = np.arange(runs)
    while going.size:
        gaps = rng.exponential(mtbf, (going.size, ahead))
        gaps[:, 0] += uncounted
        uncounted = 0.0
        kept = np.asarray(kept_periods(gaps, restart_time, period))
        due = left[going, np.newaxis] - (np.cumsum(kept, axis=1) - kept)
        needed = restart_time + (due - 1.0) * period + last
        ends = gaps >= needed
        rows, end = np.arange(going.size), ends.argmax(axis=1)
        ended = ends[rows, end]
        clock = np.cumsum(gaps, axis=1)
        until_end = clock[rows, end] - gaps[rows, end] + needed[rows, end]
        times[going] += np.where(ended, until_end, clock[:, -1])
        left[going] = due[:, -1] - kept[:, -1]
        going = going[~ended]
    return times
