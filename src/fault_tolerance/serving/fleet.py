"""What happens to a fleet when replicas fail: load, overload, loss, and how often.

``failed`` replicas are down at once, exactly so many unless "at least" is said. While they are, the others
carry all of the load; what they cannot carry piles up and is worked off when all are back.
"""

from typing import Any

import numpy as np

from fault_tolerance._arguments import Numbers, accepts
from fault_tolerance.serving._elementwise import elementwise
from fault_tolerance.serving.queueing import stable, surplus_rate

#: Seconds in a year of 365 days.
YEAR = 365 * 86_400.0


def _some_survive(replicas: Numbers, failed: Numbers = 1.0, **_others: object) -> None:
    _told_where(failed >= replicas, "failed must be below replicas", failed, replicas)


def _no_more_fail_than_there_are(replicas: Numbers, failed: Numbers, **_others: object) -> None:
    _told_where(failed > replicas, "failed must be at most replicas", failed, replicas)


def _comes_back(
    arrival_rate: Numbers, service_rate: Numbers, replicas: Numbers, failed: Numbers, **others: object
) -> None:
    _told_where(
        surplus_rate(replicas, arrival_rate, service_rate) <= 0.0,
        "arrival_rate must be below replicas times service_rate, as not even the whole fleet keeps up",
        arrival_rate,
        replicas * service_rate,
    )
    if others.get("pooled", False):
        _no_more_fail_than_there_are(replicas, failed)
    else:
        _some_survive(replicas, failed)


def _told_where(wrong: Any, words: str, value: Numbers, limit: Numbers) -> None:
    if np.any(wrong):
        flags, values, limits = map(np.ravel, np.broadcast_arrays(wrong, value, limit))
        at = int(np.argmax(flags))
        raise ValueError(f"{words}: {float(limits[at])!r}; got {float(values[at])!r}")


@accepts("arrays", _some_survive, arrival_rate="non-negative", replicas="count", failed="count-or-zero")
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
    Derived in ``part-d-load``; [beyer2016sre]. Load is not capacity: whether it is too much, the service rate
    decides.

    Examples
    --------
    >>> round(load_per_survivor(arrival_rate=1000, replicas=10, failed=1), 1)
    111.1
    """
    return arrival_rate / _survivors(replicas - failed)


@accepts("arrays", _some_survive, replicas="count", failed="count-or-zero")
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
    Derived in ``part-d-load``; [beyer2016sre].

    Examples
    --------
    >>> round(headroom(replicas=10, failed=1), 3)
    0.111
    """
    return failed / _survivors(replicas - failed)


@accepts(
    "arrays",
    _no_more_fail_than_there_are,
    arrival_rate="non-negative",
    service_rate="positive",
    replicas="count",
    failed="count-or-zero",
    recovery_time="non-negative",
)
def backlog(
    arrival_rate: Numbers, service_rate: Numbers, replicas: Numbers, failed: Numbers, recovery_time: Numbers
) -> Numbers:
    r"""Requests that have piled up when the failed replicas are back.

    .. math:: b = \left(\lambda - (c - k) \mu\right)^+ T

    Parameters
    ----------
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    replicas, failed : float or array
        Replicas, and how many of them are down (:math:`c, k`).
    recovery_time : float or array
        Seconds until they are back (:math:`T`).

    Returns
    -------
    float or array
        Requests, in the broadcast shape of the arguments; 0 where the survivors keep up.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``failed`` is above ``replicas``.

    Notes
    -----
    Derived in ``part-d-overload``; [harcholbalter2013performance]. Requests are taken for a fluid: queues
    that come and go by chance, a few requests each, are not in it.

    Examples
    --------
    >>> backlog(arrival_rate=1000, service_rate=130, replicas=10, failed=3, recovery_time=90)
    8100.0
    """
    surplus = surplus_rate(_survivors_if_any(replicas - failed), arrival_rate, service_rate)
    return np.maximum(-surplus, 0.0) * recovery_time


@accepts(
    "arrays",
    _comes_back,
    arrival_rate="non-negative",
    service_rate="positive",
    replicas="count",
    failed="count-or-zero",
    recovery_time="non-negative",
)
def backlog_drain_time(
    arrival_rate: Numbers,
    service_rate: Numbers,
    replicas: Numbers,
    failed: Numbers,
    recovery_time: Numbers,
    pooled: bool = False,
) -> Numbers:
    r"""Time from recovery until the backlog is gone.

    .. math:: \frac{b}{c \mu - \lambda}, \qquad \frac{b}{(c - k)(\mu - \lambda / c)}

    from a shared queue, and where each survivor keeps its own.

    Parameters
    ----------
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    replicas, failed : float or array
        Replicas, and how many of them are down (:math:`c, k`).
    recovery_time : float or array
        Seconds until they are back (:math:`T`).
    pooled : bool, optional
        Whether all replicas share one queue. If not, the replicas that come back cannot help: the backlog
        stays with the survivors.

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain; ``arrival_rate`` is not below ``replicas`` times ``service_rate``,
        so that the backlog never goes; ``failed`` is above ``replicas``, or equal where each has its own
        queue. Ask that first where a slider can get there.

    Notes
    -----
    Derived in ``part-d-overload``; [harcholbalter2013performance].

    Examples
    --------
    >>> backlog_drain_time(1000, 130, replicas=10, failed=3, recovery_time=90, pooled=True)
    27.0
    >>> round(backlog_drain_time(1000, 130, replicas=10, failed=3, recovery_time=90), 1)
    38.6
    """
    queued = backlog(arrival_rate, service_rate, replicas, failed, recovery_time)
    surplus = stable(surplus_rate(replicas, arrival_rate, service_rate))
    if pooled:
        return queued / surplus
    return queued / (_survivors(replicas - failed) / replicas * surplus)


@accepts(
    "arrays",
    _comes_back,
    arrival_rate="non-negative",
    service_rate="positive",
    replicas="count",
    failed="count-or-zero",
    recovery_time="non-negative",
)
def requests_touched(
    arrival_rate: Numbers,
    service_rate: Numbers,
    replicas: Numbers,
    failed: Numbers,
    recovery_time: Numbers,
    pooled: bool = False,
) -> Numbers:
    r"""Requests that arrive before all is as it was.

    .. math:: \lambda \left(T + \text{drain time}\right)

    Parameters
    ----------
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    replicas, failed : float or array
        Replicas, and how many of them are down (:math:`c, k`).
    recovery_time : float or array
        Seconds until they are back (:math:`T`).
    pooled : bool, optional
        Whether all replicas share one queue.

    Returns
    -------
    float or array
        Requests, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        As :func:`backlog_drain_time`.

    Notes
    -----
    Derived in ``part-d-overload``; [harcholbalter2013performance]. Where survivors keep up, these are the
    requests that meet fewer replicas; where they do not, each of them waits. With a queue each it is an upper
    bound: of the requests that come after recovery, :math:`k/c` go to replicas that have come back empty. The
    rest make :math:`\lambda T + \lambda b / (c\mu - \lambda)`, as many as with a shared queue.

    Examples
    --------
    >>> requests_touched(1000, 130, replicas=10, failed=3, recovery_time=90, pooled=True)
    117000.0
    """
    draining = backlog_drain_time(arrival_rate, service_rate, replicas, failed, recovery_time, pooled)
    return arrival_rate * (recovery_time + draining)


@accepts(
    "arrays",
    _comes_back,
    arrival_rate="non-negative",
    service_rate="positive",
    replicas="count",
    failed="count-or-zero",
    detection_time="non-negative",
)
def requests_lost(
    arrival_rate: Numbers,
    service_rate: Numbers,
    replicas: Numbers,
    failed: Numbers,
    detection_time: Numbers,
    pooled: bool = False,
) -> Numbers:
    r"""Requests that are lost with the failed replicas, and have to be sent again.

    .. math:: k \frac{\lambda}{c} t_d + k \frac{\rho}{1 - \rho}, \qquad
        k \frac{\lambda}{c} t_d + k \rho, \qquad \rho = \frac{\lambda}{c \mu}

    with a queue each, and with a shared one. First those sent to replicas that nobody knows to be down, then
    those in flight: waiting and in service, or in service only.

    Parameters
    ----------
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    replicas, failed : float or array
        Replicas, and how many of them fail (:math:`c, k`).
    detection_time : float or array
        Seconds until the failure is known and no more requests go there (:math:`t_d`).
    pooled : bool, optional
        Whether all replicas share one queue.

    Returns
    -------
    float or array
        Expected requests, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain; ``arrival_rate`` is not below ``replicas`` times ``service_rate``,
        or ``failed`` above ``replicas``, or equal where each has its own queue.

    Notes
    -----
    Derived in ``part-d-overload`` from the mean number in an M/M/1 queue, and from the utilisation of a
    shared one; [harcholbalter2013performance].

    Examples
    --------
    One of ten, noticed after 5 s:

    >>> round(requests_lost(1000, 130, replicas=10, failed=1, detection_time=5), 1)
    503.3
    """
    surplus = stable(surplus_rate(replicas, arrival_rate, service_rate))
    unnoticed = arrival_rate / replicas * detection_time
    if pooled:
        _survivors_if_any(replicas - failed)
        return failed * (unnoticed + arrival_rate / (replicas * service_rate))
    _survivors(replicas - failed)
    return failed * (unnoticed + arrival_rate / surplus)


@accepts(
    "arrays",
    _no_more_fail_than_there_are,
    replicas="servers",
    failed="count-or-zero",
    mtbf="positive",
    recovery_time="non-negative",
)
def probability_down(replicas: Numbers, failed: Numbers, mtbf: Numbers, recovery_time: Numbers) -> Numbers:
    r"""Probability that at least so many replicas are down at a given moment.

    .. math:: \sum_{j=k}^{c} \binom{c}{j} u^j (1 - u)^{c - j}, \qquad u = \frac{T}{M + T}

    Replicas fail and recover independently. For exactly :math:`k` take the difference to :math:`k + 1`; times
    :data:`YEAR` it is seconds a year.

    Parameters
    ----------
    replicas, failed : float or array
        Replicas, at most 100,000, and how many of them at least are down (:math:`c, k`).
    mtbf : float or array
        Mean time that one replica runs before it fails, in seconds (:math:`M`).
    recovery_time : float or array
        Mean time until it is back, in seconds (:math:`T`).

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
    Derived in ``part-d-spares``; [herault2015fault]. All terms of the sum are positive, each made from the
    one before; where most of the distribution lies above ``failed``, the part below is summed instead.

    Examples
    --------
    Of ten replicas at least one is down three hours a year, at least two for two seconds:

    >>> one, two = (probability_down(10, failed, mtbf=30 * 86_400, recovery_time=90) for failed in (1, 2))
    >>> round(one * YEAR / 3600, 2), round(two * YEAR, 1)
    (3.04, 1.7)
    """
    _survivors_if_any(replicas - failed)
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
    Derived in ``part-d-spares``; [herault2015fault].

    Examples
    --------
    >>> round(failures_per_year(replicas=10, mtbf=30 * 86_400))
    122
    """
    return replicas / mtbf * YEAR


# The checks below hold wherever those above do. In a page, which makes no checks that join two arguments,
# they stop what would otherwise go on with a number that means nothing.


@accepts(survivors="count")
def _survivors(survivors: Numbers) -> Numbers:
    return survivors


@accepts(survivors="count-or-zero")
def _survivors_if_any(survivors: Numbers) -> Numbers:
    return survivors


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
