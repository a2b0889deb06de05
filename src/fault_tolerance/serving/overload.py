"""A fleet that is short of replicas for a while: what piles up, how it goes away, and what is lost.

Requests are taken for a fluid. While ``failed`` replicas are down the others carry all of the load; what they
cannot carry piles up, and is worked off when all are back.
"""

import numpy as np

from fault_tolerance._arguments import Numbers, accepts
from fault_tolerance.serving._checks import (
    no_more_fail_than_there_are,
    some_survive,
    stable,
    surplus_rate,
    survivors,
    survivors_if_any,
    told_where,
)


def _comes_back(
    arrival_rate: Numbers, service_rate: Numbers, replicas: Numbers, failed: Numbers, **others: object
) -> None:
    told_where(
        surplus_rate(replicas, arrival_rate, service_rate) <= 0.0,
        "arrival_rate must be below replicas times service_rate, as not even the whole fleet keeps up",
        arrival_rate,
        replicas * service_rate,
    )
    if others.get("pooled", False):
        no_more_fail_than_there_are(replicas, failed)
    else:
        some_survive(replicas, failed)


@accepts(
    "arrays",
    no_more_fail_than_there_are,
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

    .. math:: b = \left(\lambda - (c - k) \mu\right)^+ T_r

    Parameters
    ----------
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    replicas, failed : float or array
        Replicas, and how many of them are down (:math:`c, k`).
    recovery_time : float or array
        Seconds until they are back (:math:`T_r`).

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
    Derived in :ref:`part-d-overload` as :eq:`eq-backlog`. The survivors keep up where
    :eq:`eq-stable` holds :cite:p:`harcholbalter2013performance`. Queues that come and go by chance, a few
    requests each, are not in it.

    Examples
    --------
    >>> backlog(arrival_rate=1000, service_rate=130, replicas=10, failed=3, recovery_time=90)
    8100.0
    """
    surplus = surplus_rate(survivors_if_any(replicas - failed), arrival_rate, service_rate)
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
        Seconds until they are back (:math:`T_r`).
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
    Derived in :ref:`part-d-overload` as :eq:`eq-backlog-drain`, with requests for a fluid, as in
    :cite:t:`harcholbalter2013performance`.

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
    return queued / (survivors(replicas - failed) / replicas * surplus)


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

    .. math:: \lambda \left(T_r + \text{drain time}\right)

    Parameters
    ----------
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    replicas, failed : float or array
        Replicas, and how many of them are down (:math:`c, k`).
    recovery_time : float or array
        Seconds until they are back (:math:`T_r`).
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
    Derived in :ref:`part-d-overload`, below :eq:`eq-backlog-drain`, which is where the drain time
    comes from :cite:p:`harcholbalter2013performance`. Where survivors keep up, these are the requests that
    meet fewer replicas; where they do not, each of them waits. With a queue each it is an upper bound: of the
    requests that come after recovery, :math:`k/c` go to replicas that have come back empty. The rest make
    :math:`\lambda T_r + \lambda b / (c\mu - \lambda)`, as many as with a shared queue.

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

    .. math::

        \begin{aligned}
        &k \left(\frac{\lambda}{c} t_d + \frac{\rho}{1 - \rho}\right), \\
        &k \left(\frac{\lambda}{c} t_d + \rho\right)
        \end{aligned}

    with a queue each, and with a shared one; :math:`\rho = \lambda / (c \mu)`. First those sent to replicas that
    nobody knows to be down, then those in flight: waiting and in service, or in service only.

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
    Derived in :ref:`part-d-overload` as :eq:`eq-lost`, from the mean number in an M/M/1 queue and
    from the utilisation of a shared one :cite:p:`harcholbalter2013performance`.

    Examples
    --------
    One of ten, noticed after 5 s:

    >>> round(requests_lost(1000, 130, replicas=10, failed=1, detection_time=5), 1)
    503.3
    """
    surplus = stable(surplus_rate(replicas, arrival_rate, service_rate))
    # `failed` comes first: where it is 0, a product that overflows must not meet it.
    offered = failed * arrival_rate
    unnoticed = offered / replicas * detection_time
    if pooled:
        survivors_if_any(replicas - failed)
        return unnoticed + offered / (replicas * service_rate)
    survivors(replicas - failed)
    return unnoticed + offered / surplus
