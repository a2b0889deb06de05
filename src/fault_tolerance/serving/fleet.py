"""A fleet that has lost replicas: what the others carry, and how often so many are down.

``failed`` replicas are down at once, exactly so many unless "at least" is said.
"""

import numpy as np

from fault_tolerance._arguments import Numbers, accepts
from fault_tolerance.serving._checks import (
    no_more_fail_than_there_are,
    some_survive,
    survivors,
    survivors_if_any,
)
from fault_tolerance.serving._elementwise import elementwise

#: Seconds in a year of 365 days.
YEAR = 365 * 86_400.0


@accepts("arrays", some_survive, arrival_rate="non-negative", replicas="count", failed="count-or-zero")
def load_per_survivor(arrival_rate: Numbers, replicas: Numbers, failed: Numbers = 1) -> Numbers:
    r"""Requests per second that each survivor gets when the load is spread evenly.

    .. math:: \frac{\lambda}{c - k}

    Parameters
    ----------
    arrival_rate : float or array
        Requests per second that arrive (:math:`\lambda`).
    replicas, failed : float or array
        Replicas, and how many of them are down (:math:`c, k`).

    Returns
    -------
    float or array
        Requests per second, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain, or no replica survives.

    Notes
    -----
    Derived in :ref:`part-d-load` as :eq:`eq-load`, after :cite:t:`beyer2016sre`. Load is not
    capacity: whether it is too much, the service rate decides.

    Examples
    --------
    >>> round(load_per_survivor(arrival_rate=1000, replicas=10, failed=1), 1)
    111.1
    """
    return arrival_rate / survivors(replicas - failed)


@accepts("arrays", some_survive, replicas="count", failed="count-or-zero")
def headroom(replicas: Numbers, failed: Numbers = 1) -> Numbers:
    r"""Share by which a survivor's load grows, and so the reserve that each replica needs.

    .. math:: \frac{k}{c - k}

    Parameters
    ----------
    replicas, failed : float or array
        Replicas, and how many of them are down (:math:`c, k`).

    Returns
    -------
    float or array
        A share of the load of one replica, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain, or no replica survives.

    Notes
    -----
    Derived in :ref:`part-d-load` as :eq:`eq-headroom`, after :cite:t:`beyer2016sre`.

    Examples
    --------
    >>> round(headroom(replicas=10, failed=1), 3)
    0.111
    """
    return failed / survivors(replicas - failed)


@accepts(
    "arrays",
    no_more_fail_than_there_are,
    replicas="servers",
    failed="count-or-zero",
    mtbf="positive",
    recovery_time="non-negative",
)
def probability_down(replicas: Numbers, failed: Numbers, mtbf: Numbers, recovery_time: Numbers) -> Numbers:
    r"""Probability that at least so many replicas are down at a given moment.

    .. math:: \sum_{j=k}^{c} \binom{c}{j} u^j (1 - u)^{c - j}

    with :math:`u = T_r / (M + T_r)`. Replicas fail and recover independently. For exactly :math:`k` take the
    difference to :math:`k + 1`; times :data:`YEAR` it is seconds a year.

    Parameters
    ----------
    replicas, failed : float or array
        Replicas, at most 100,000, and how many of them at least are down (:math:`c, k`).
    mtbf : float or array
        Mean time that one replica runs before it fails, in seconds (:math:`M`).
    recovery_time : float or array
        Mean time until it is back, in seconds (:math:`T_r`).

    Returns
    -------
    float or array
        A probability, in the broadcast shape of the arguments; 0.0 where it is too small for a float.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``failed`` is above ``replicas``.

    Notes
    -----
    Derived in :ref:`part-d-spares` as :eq:`eq-down`, with :math:`u` from :eq:`eq-unavailable`;
    failures are those of :cite:t:`herault2015fault`. All terms of the sum are positive, each made from the
    one before; where most of the distribution lies above ``failed``, the part below is summed instead.

    Examples
    --------
    Of ten replicas at least one is down three hours a year, at least two for two seconds:

    >>> one, two = (probability_down(10, failed, mtbf=30 * 86_400, recovery_time=90) for failed in (1, 2))
    >>> round(one * YEAR / 3600, 2), round(two * YEAR, 1)
    (3.04, 1.7)
    """
    survivors_if_any(replicas - failed)
    return _tail(replicas, failed, np.minimum(recovery_time / mtbf, 1e300))


@accepts(replicas="count", mtbf="positive")
def failures_per_year(replicas: Numbers, mtbf: Numbers) -> Numbers:
    r"""Replica failures in a year of 365 days.

    .. math:: c \cdot \text{year} / M

    Parameters
    ----------
    replicas : float or array
        Replicas (:math:`c`).
    mtbf : float or array
        Mean time from one failure of a replica to its next, in seconds (:math:`M`). If it is the time up
        only, add the recovery time; at 90 s in 30 days that is no matter.

    Returns
    -------
    float or array
        Failures a year, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        ``replicas`` is no whole number above 0, or ``mtbf`` not finite and above 0.

    Notes
    -----
    Used in :ref:`part-d-spares`. It is the rate of
    :func:`fault_tolerance.reliability.system_mtbf` :cite:p:`herault2015fault`, with replicas for GPUs.

    Examples
    --------
    >>> round(failures_per_year(replicas=10, mtbf=30 * 86_400))
    122
    """
    return replicas / mtbf * YEAR


@elementwise
def _tail(replicas: float, failed: float, odds: float) -> float:
    if failed == 0.0:
        return 1.0
    if odds == 0.0:
        return 0.0
    down = odds / (1.0 + odds)
    upwards = failed > replicas * down
    start = failed
    if not upwards:
        start = failed - 1.0
    # The first term: its large factors first, each paid for at once by replicas that are up.
    term = 1.0
    left = replicas - start
    for small in range(int(start)):
        term = term * ((replicas - start + 1.0 + small) / (1.0 + small) * down)
        while term > 1.0 and left > 0.0:
            term = term / (1.0 + odds)
            left = left - 1.0
    term = term * float(np.exp(-left * np.log1p(odds)))
    total = term
    if upwards:
        for more in range(int(replicas - start)):
            term = term * ((replicas - start - more) / (start + more + 1.0) * odds)
            total = total + term
            if term <= 1e-19 * total:
                break
        return total
    for less in range(int(start)):
        term = term * ((start - less) / (replicas - start + less + 1.0) / odds)
        total = total + term
        if term <= 1e-19 * total:
            break
    return 1.0 - total
