"""How much load a replica can take within a target, and how many replicas that makes."""

import math

import numpy as np

from fault_tolerance._arguments import Numbers, accepts
from fault_tolerance.serving._checks import surplus_rate
from fault_tolerance.serving._elementwise import elementwise
from fault_tolerance.serving.queueing import log_tail, waiting_share


def _within_reach(service_rate: Numbers, slo: Numbers, quantile: Numbers = 0.99, **_others: object) -> None:
    floor = -np.log1p(-quantile) / service_rate
    if not np.all(slo >= floor):
        targets, floors = map(np.ravel, np.broadcast_arrays(slo, floor))
        at = int(np.argmax(targets < floors))
        raise ValueError(
            f"slo must be at least {float(floors[at]):.6g} s, ln(1/(1 − quantile)) over service_rate, which "
            f"serving alone takes without any load; got {float(targets[at])!r}"
        )


@accepts(service_rate="positive", quantile="quantile")
def response_floor(service_rate: Numbers, quantile: Numbers = 0.99) -> Numbers:
    r"""Response time without any load: no number of replicas gets below it.

    .. math:: \ln\frac{1}{1 - p} \Big/ \mu

    Parameters
    ----------
    service_rate : float or array
        Requests per second that one server serves (:math:`\mu`).
    quantile : float or array, optional
        The share of requests to stay within (:math:`p`); 0.99 gives the P99.

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        ``service_rate`` is not finite and above 0, or ``quantile`` not above 0 and below 1.

    Notes
    -----
    Derived in :ref:`part-d-tail` as :eq:`eq-floor`, from the M/M/1 queue
    :cite:p:`harcholbalter2013performance`.

    Examples
    --------
    >>> round(1000 * response_floor(service_rate=130), 1)
    35.4
    """
    return -np.log1p(-quantile) / service_rate


@accepts("arrays", _within_reach, service_rate="positive", slo="positive", quantile="quantile")
def safe_load(service_rate: Numbers, slo: Numbers, quantile: Numbers = 0.99) -> Numbers:
    r"""Most requests per second that a replica with a queue of its own can take within the target.

    .. math:: \mu - \ln\frac{1}{1 - p} \Big/ L

    Parameters
    ----------
    service_rate : float or array
        Requests per second that one replica serves (:math:`\mu`).
    slo : float or array
        Target for the response time at the quantile, in seconds (:math:`L`).
    quantile : float or array, optional
        The share of requests to stay within it (:math:`p`); 0.99 makes it a P99 target.

    Returns
    -------
    float or array
        Requests per second, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``slo`` is below :func:`response_floor`: no load is safe then.
        Ask that function first where a slider can get there.

    Notes
    -----
    Derived in :ref:`part-d-tail` as :eq:`eq-safe-load`, from the M/M/1 queue
    :cite:p:`harcholbalter2013performance`.

    Examples
    --------
    >>> round(safe_load(service_rate=130, slo=0.5), 1)
    120.8
    """
    return _safe(service_rate + np.log1p(-quantile) / slo)


@accepts(
    "arrays",
    _within_reach,
    arrival_rate="non-negative",
    service_rate="positive",
    slo="positive",
    failed="count-or-zero",
    quantile="quantile",
)
def replicas_needed(
    arrival_rate: Numbers,
    service_rate: Numbers,
    slo: Numbers,
    failed: Numbers = 1,
    pooled: bool = False,
    quantile: Numbers = 0.99,
) -> Numbers:
    r"""Least number of replicas that keeps the target with exactly so many of them down.

    .. math:: k + \min\{n : t_p(n) \le L\}

    with :math:`t_p(n)` the response quantile of :math:`n` survivors. What it exceeds the replicas at hand by
    is the number of hot spares needed.

    Parameters
    ----------
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    slo : float or array
        Target for the response time at the quantile, in seconds (:math:`L`).
    failed : float or array, optional
        Replicas down at once (:math:`k`).
    pooled : bool, optional
        Whether the survivors share one queue; else each has its own and an equal share of the load.
    quantile : float or array, optional
        The share of requests to stay within the target (:math:`p`); 0.99 makes it a P99 target.

    Returns
    -------
    float or array
        A whole number, in the broadcast shape of the arguments; at least one replica survives.

    Raises
    ------
    ValueError
        An argument is outside its domain; ``slo`` is not above :func:`response_floor`, so that no number is
        enough; or it would take more than 100,000 survivors in one queue merely to keep up. Ask
        :func:`response_floor` first where a slider can get there.

    Notes
    -----
    Derived in :ref:`part-d-spares` as :eq:`eq-replicas` :cite:p:`harcholbalter2013performance`.
    With a queue each the survivors number :math:`\lceil \lambda / \text{safe load} \rceil`. With one queue
    they are found by bisection, as the tail at the target falls with every further survivor.

    Examples
    --------
    Ten are enough for one loss with a queue each, and nine with a shared queue:

    >>> replicas_needed(arrival_rate=1000, service_rate=130, slo=0.5)
    10.0
    >>> replicas_needed(arrival_rate=1000, service_rate=130, slo=0.5, pooled=True)
    9.0
    """
    load = _useful(safe_load(service_rate, slo, quantile))
    if pooled:
        least = _fleet(np.floor(arrival_rate / service_rate) + 1.0)
        return failed + _survivors_in_one_queue(least, arrival_rate, service_rate, slo, -np.log1p(-quantile))
    return failed + np.maximum(np.ceil(arrival_rate / load), 1.0)


# In a page these stop what the checks of two arguments would have stopped before.


@accepts(safe_load="non-negative")
def _safe(safe_load: Numbers) -> Numbers:
    return safe_load


@accepts(safe_load="positive")
def _useful(safe_load: Numbers) -> Numbers:
    return safe_load


@accepts(survivors="servers")
def _fleet(survivors: Numbers) -> Numbers:
    return survivors


@elementwise
def _survivors_in_one_queue(
    least: float, arrival_rate: float, service_rate: float, slo: float, depth: float
) -> float:
    too_few = least - 1.0
    enough = least
    while _misses(enough, arrival_rate, service_rate, slo, depth):
        too_few = enough
        enough = 2.0 * enough
    while enough - too_few > 1.0:
        middle = math.floor((too_few + enough) / 2.0)
        if _misses(middle, arrival_rate, service_rate, slo, depth):
            too_few = middle
        else:
            enough = middle
    return enough


def _misses(servers: float, arrival_rate: float, service_rate: float, slo: float, depth: float) -> bool:
    surplus = float(surplus_rate(servers, arrival_rate, service_rate))
    if surplus <= 0.0:
        return True
    waiting = waiting_share(servers, arrival_rate, service_rate, surplus)
    return log_tail(waiting, service_rate, surplus, slo) > -depth
