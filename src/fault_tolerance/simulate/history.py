"""What happened to one run, given its failures.

Failures cut time into gaps. Each gap but the first begins with a restart; then come whole periods of
work and write, which last; what is left when the next failure strikes is lost. A gap too short for the
restart holds nothing but a restart cut short.
"""

from typing import Any

import numpy as np

from fault_tolerance._arguments import Array, Numbers, accepts, each

#: ``timeline`` lists no more intervals than this.
MOST_PERIODS = 100_000


def _few_enough_to_draw(
    gaps: list[float], interval: float, write_time: float, mtbf: float, restart_time: float = 0.0
) -> None:
    periods = sum(gaps) * mtbf / (interval + write_time)
    if not periods <= MOST_PERIODS:
        raise ValueError(
            f"gaps and mtbf over interval and write_time make about {periods:.3g} intervals to draw, and "
            f"{MOST_PERIODS:,} is the most: give fewer gaps or a longer interval"
        )


@accepts(
    "scalars",
    _few_enough_to_draw,
    gaps=each("non-negative"),
    interval="positive",
    write_time="positive",
    mtbf="positive",
    restart_time="non-negative",
)
def timeline(
    gaps: list[float], interval: float, write_time: float, mtbf: float, restart_time: float = 0.0
) -> list[list[Any]]:
    r"""Events of one run, for drawing.

    .. math:: t_i = M \sum_{j \le i} g_j

    are the failures, wherever they strike. The run starts at time 0 with work and ends with the last
    failure.

    Parameters
    ----------
    gaps : list of float
        Times from one failure to the next, as multiples of ``mtbf`` (:math:`g_j`): unit exponentials for
        the model of this package, though any will do.
    interval, write_time, mtbf : float
        Work between writes, time of one write, mean time between failures, in seconds
        (:math:`\tau, \delta, M`).
    restart_time : float, optional
        Time from a failure until work goes on, in seconds (:math:`R`).

    Returns
    -------
    list of [kind, start, end]
        In order of time, without holes, in seconds. ``"work"`` is an interval that was kept, ``"write"`` the
        write that kept it, ``"lost"`` what a failure undid (work and perhaps part of a write), ``"restart"``
        a restart, finished or not; ``["failure", t, t]`` is an instant.

    Raises
    ------
    ValueError
        An argument is outside its domain, or there would be more than 100,000 intervals to draw.
    TypeError
        An argument but ``gaps`` is an array, or something is no number.

    Notes
    -----
    Drawn in :ref:`part-a-watched`; the model is that of :cite:t:`daly2006checkpoint`. The share
    of ``"work"`` is the measured goodput. Cutting the list at a time before the end may leave the last
    ``"work"`` without its ``"write"``; :func:`useful_work` counts up to any time.

    Examples
    --------
    >>> for event in timeline([0.5, 0.1, 0.3], interval=20, write_time=4, mtbf=100, restart_time=12):
    ...     print(event)
    ['work', 0.0, 20.0]
    ['write', 20.0, 24.0]
    ['work', 24.0, 44.0]
    ['write', 44.0, 48.0]
    ['lost', 48.0, 50.0]
    ['failure', 50.0, 50.0]
    ['restart', 50.0, 60.0]
    ['failure', 60.0, 60.0]
    ['restart', 60.0, 72.0]
    ['lost', 72.0, 90.0]
    ['failure', 90.0, 90.0]
    """
    period = interval + write_time
    events: list[list[Any]] = []
    start = 0.0
    restart = 0.0
    for gap in gaps:
        span = gap * mtbf
        failure = start + span
        kept = kept_periods(span, restart, period)
        ready = start + restart
        if ready > failure:
            ready = failure
        if ready > start:
            events.append(["restart", start, ready])
        done = ready
        for period_number in range(int(kept)):
            begun = done
            done = ready + (period_number + 1) * period
            if done > failure:
                done = failure
            written = begun + interval
            if written > done:
                written = done
            events.append(["work", begun, written])
            events.append(["write", written, done])
        if failure > done:
            events.append(["lost", done, failure])
        events.append(["failure", failure, failure])
        start = failure
        restart = restart_time
    return events


@accepts(
    gaps=each("non-negative"),
    elapsed="non-negative",
    interval="positive",
    write_time="positive",
    mtbf="positive",
    restart_time="non-negative",
)
def useful_work(
    gaps: Array,
    elapsed: Numbers,
    interval: Numbers,
    write_time: Numbers,
    mtbf: Numbers,
    restart_time: Numbers = 0.0,
) -> Numbers:
    r"""Work that a run has kept after a given time.

    .. math:: \tau \sum_i \left\lfloor \frac{(M g_i - R_i)^+}{\tau + \delta} \right\rfloor

    over the gaps up to that time, with :math:`R_1 = 0` and :math:`R_i = R` after that. The gap that is
    running at that time counts as far as it has come: finished writes count, the interval under way does not.

    Parameters
    ----------
    gaps : list of float, or array
        Times from one failure to the next, as multiples of ``mtbf`` (:math:`g_i`). The last axis is the
        list, further axes are further runs. After the last gap nothing fails any more, so give enough.
    elapsed : float or array
        Time since the start, in seconds.
    interval, write_time, mtbf : float or array
        Work between writes, time of one write, mean time between failures, in seconds
        (:math:`\tau, \delta, M`).
    restart_time : float or array, optional
        Time from a failure until work goes on, in seconds (:math:`R`).

    Returns
    -------
    float or array
        Kept work in seconds, in the broadcast shape of the arguments (``gaps`` without its last axis).
        Divided by ``elapsed`` it is the measured goodput.

    Raises
    ------
    ValueError
        An argument is outside its domain, or shapes do not go together.

    Notes
    -----
    Used in :ref:`part-a-watched`; the model is that of :cite:t:`daly2006checkpoint`. It agrees
    with :func:`timeline`, and costs one step per gap however many intervals there are.

    Examples
    --------
    >>> useful_work([0.5, 0.1, 0.3], elapsed=90, interval=20, write_time=4, mtbf=100, restart_time=12)
    40.0

    The second write ends at 48 s:

    >>> useful_work([0.5], elapsed=[47, 48, 49], interval=20, write_time=4, mtbf=100)
    array([20., 40., 40.])
    """
    period = interval + write_time
    kept: Numbers = 0.0
    start: Numbers = 0.0
    restart: Numbers = 0.0
    for gap in gaps:
        span = gap * mtbf
        seen = np.where(start + span <= elapsed, span, np.maximum(elapsed - start, 0.0))
        kept = kept + kept_periods(seen, restart, period)
        start = start + span
        restart = restart_time
    return (kept + kept_periods(np.maximum(elapsed - start, 0.0), restart, period)) * interval


def kept_periods(span: Numbers, restart_time: Numbers, period: Numbers) -> Numbers:
    """Periods of work and write that end within a gap of the given length, restart first."""
    return np.floor(np.maximum(span - restart_time, 0.0) / period)
