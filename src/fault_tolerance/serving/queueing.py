"""How long a request takes, from its arrival to its answer, when requests queue.

Requests arrive at random (a Poisson process), take an exponential time to serve, and are served in order of
arrival. Replicas with a queue each are queues of one server; replicas that share one queue are Erlang's.
All is said of the steady state, so the servers must keep up: ``arrival_rate`` below ``servers`` times
``service_rate``. Ask that first where a slider can get there.
"""

import math

import numpy as np

from fault_tolerance._arguments import DOMAINS, Domain, Numbers, accepts
from fault_tolerance.serving._elementwise import elementwise

#: No fleet here has more servers.
MOST_SERVERS = 100_000

DOMAINS["quantile"] = Domain(0.0, True, 1.0, True, False, "a number above 0 and below 1")
DOMAINS["servers"] = Domain(1.0, False, MOST_SERVERS, False, True, "a whole number from 1 to 100,000")


def _keeps_up(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers, **_others: object) -> None:
    full = surplus_rate(servers, arrival_rate, service_rate) <= 0.0
    if np.any(full):
        arrivals, rates = map(np.ravel, np.broadcast_arrays(arrival_rate, servers * service_rate))
        at = int(np.argmax(full))
        raise ValueError(
            f"arrival_rate must be below servers times service_rate, {float(rates[at])!r}, or the queue "
            f"grows for ever; got {float(arrivals[at])!r}"
        )


def _within_reach(service_rate: Numbers, slo: Numbers, quantile: Numbers = 0.99, **_others: object) -> None:
    floor = -np.log1p(-quantile) / service_rate
    if not np.all(slo >= floor):
        targets, floors = map(np.ravel, np.broadcast_arrays(slo, floor))
        at = int(np.argmax(targets < floors))
        raise ValueError(
            f"slo must be at least {float(floors[at]):.6g} s, ln(1/(1 − quantile)) over service_rate, which "
            f"serving alone takes without any load; got {float(targets[at])!r}"
        )


@accepts("arrays", _keeps_up, servers="servers", arrival_rate="non-negative", service_rate="positive")
def erlang_c(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers) -> Numbers:
    r"""Probability that a request finds all servers busy and has to wait.

    .. math::

        E_c = \frac{1}{1 + (1 - \rho) \sum_{j=1}^{c} \prod_{i<j} \frac{(c - i) \mu}{\lambda}},
        \qquad \rho = \frac{\lambda}{c \mu}

    Parameters
    ----------
    servers : float or array
        Servers that share the queue (:math:`c`), at most 100,000.
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one server serves (:math:`\lambda, \mu`).

    Returns
    -------
    float or array
        A probability, in the broadcast shape of the arguments; 0.0 where it is too small for a float.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``arrival_rate`` is not below ``servers`` times
        ``service_rate``.

    Notes
    -----
    Derived in ``part-d-pooled``; [harcholbalter2013performance]. With one server it is :math:`\rho`. This is
    Erlang's formula with both sides divided by its last term: no factorials, only positive terms, and those
    that no longer count are left out.

    Examples
    --------
    >>> round(erlang_c(servers=10, arrival_rate=1000, service_rate=130), 3)
    0.344
    """
    surplus = stable(surplus_rate(servers, arrival_rate, service_rate))
    return _each_waiting(servers, arrival_rate, service_rate, surplus)


@accepts(
    "arrays",
    _keeps_up,
    servers="servers",
    arrival_rate="non-negative",
    service_rate="positive",
    time="non-negative",
)
def response_tail(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers, time: Numbers) -> Numbers:
    r"""Probability that a response takes longer than a given time, waiting and service together.

    .. math::

        P(T > t) = (1 - E_c) e^{-\mu t} + E_c \frac{\nu e^{-\mu t} - \mu e^{-\nu t}}{\nu - \mu},
        \qquad \nu = c \mu - \lambda

    Parameters
    ----------
    servers : float or array
        Servers that share the queue (:math:`c`), at most 100,000; 1 for a queue of one's own.
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one server serves (:math:`\lambda, \mu`).
    time : float or array
        Seconds (:math:`t`).

    Returns
    -------
    float or array
        A probability, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``arrival_rate`` is not below ``servers`` times
        ``service_rate``.

    Notes
    -----
    Derived in ``part-d-tail`` for one server, where it is :math:`e^{-(\mu - \lambda) t}`, and in
    ``part-d-pooled`` for more; [harcholbalter2013performance]. At :math:`\nu = \mu` it has the limit
    :math:`(1 - E_c) e^{-\mu t} + E_c (1 + \mu t) e^{-\mu t}`. There and nearby the fraction would cancel, so
    it is computed as :math:`e^{-\mu t} + E_c\, \mu t\, e^{-\min(\mu, \nu) t} \varphi(|\nu - \mu| t)` with
    :math:`\varphi(x) = (1 - e^{-x})/x`, where nothing does.

    Examples
    --------
    Ten replicas, one queue, a twentieth of a second:

    >>> round(response_tail(servers=10, arrival_rate=1000, service_rate=130, time=0.05), 4)
    0.0019
    """
    surplus = stable(surplus_rate(servers, arrival_rate, service_rate))
    return np.exp(_each_log_tail(servers, arrival_rate, service_rate, surplus, time))


@accepts(
    "arrays",
    _keeps_up,
    servers="servers",
    arrival_rate="non-negative",
    service_rate="positive",
    quantile="quantile",
)
def response_quantile(
    servers: Numbers, arrival_rate: Numbers, service_rate: Numbers, quantile: Numbers = 0.99
) -> Numbers:
    r"""Response time that a given share of the requests stays within.

    .. math:: P(T > t) = 1 - q

    solved for :math:`t`. With one server that is :math:`\ln\frac{1}{1 - q} \big/ (\mu - \lambda)`.

    Parameters
    ----------
    servers : float or array
        Servers that share the queue (:math:`c`), at most 100,000; 1 for a queue of one's own.
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one server serves (:math:`\lambda, \mu`).
    quantile : float or array, optional
        The share (:math:`q`); 0.99 gives the P99.

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``arrival_rate`` is not below ``servers`` times
        ``service_rate``.

    Notes
    -----
    Derived in ``part-d-tail`` for one server and in ``part-d-pooled`` for more;
    [harcholbalter2013performance]. The logarithm of the tail bends downwards only, so Newton's method on it
    overshoots at most once, at the first step, and then runs in from above.

    Examples
    --------
    One replica of ten gone, in milliseconds: with a queue each, and with one for all.

    >>> round(1000 * response_quantile(servers=1, arrival_rate=1000 / 9, service_rate=130))
    244
    >>> round(1000 * response_quantile(servers=9, arrival_rate=1000, service_rate=130))
    42
    """
    surplus = stable(surplus_rate(servers, arrival_rate, service_rate))
    return _each_quantile(servers, arrival_rate, service_rate, surplus, -np.log1p(-quantile))


@accepts(service_rate="positive", quantile="quantile")
def response_floor(service_rate: Numbers, quantile: Numbers = 0.99) -> Numbers:
    r"""Response time without any load: no number of replicas gets below it.

    .. math:: \ln\frac{1}{1 - q} \Big/ \mu

    Parameters
    ----------
    service_rate : float or array
        Requests per second that one server serves (:math:`\mu`).
    quantile : float or array, optional
        The share of requests to stay within (:math:`q`); 0.99 gives the P99.

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
    Derived in ``part-d-tail``; [harcholbalter2013performance].

    Examples
    --------
    >>> round(1000 * response_floor(service_rate=130), 1)
    35.4
    """
    return -np.log1p(-quantile) / service_rate


@accepts("arrays", _within_reach, service_rate="positive", slo="positive", quantile="quantile")
def safe_load(service_rate: Numbers, slo: Numbers, quantile: Numbers = 0.99) -> Numbers:
    r"""Most requests per second that a replica with a queue of its own can take within the target.

    .. math:: \mu - \ln\frac{1}{1 - q} \Big/ L

    Parameters
    ----------
    service_rate : float or array
        Requests per second that one replica serves (:math:`\mu`).
    slo : float or array
        Target for the response time at the quantile, in seconds (:math:`L`).
    quantile : float or array, optional
        The share of requests to stay within it (:math:`q`); 0.99 makes it a P99 target.

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
    Derived in ``part-d-tail``; [harcholbalter2013performance].

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

    .. math:: k + \min\{n : t_q(n) \le L\}

    with :math:`t_q(n)` the response quantile of :math:`n` survivors. What it exceeds the replicas at hand by
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
        The share of requests to stay within the target (:math:`q`); 0.99 makes it a P99 target.

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
    Derived in ``part-d-spares``; [harcholbalter2013performance]. With a queue each the survivors number
    :math:`\lceil \lambda / \text{safe load} \rceil`. With one queue they are found by bisection, as the tail
    at the target falls with every further survivor.

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


# The checks below hold wherever those above do. In a page, which makes no checks that join two arguments,
# they stop what would otherwise go on with a number that means nothing.


@accepts(surplus="positive")
def stable(surplus: Numbers) -> Numbers:
    """Let a surplus pass if there is one."""
    return surplus


@accepts(safe_load="non-negative")
def _safe(safe_load: Numbers) -> Numbers:
    return safe_load


@accepts(safe_load="positive")
def _useful(safe_load: Numbers) -> Numbers:
    return safe_load


@accepts(survivors="servers")
def _fleet(survivors: Numbers) -> Numbers:
    return survivors


def surplus_rate(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers) -> Numbers:
    """cμ − λ, rounded once. Near a full load the rounding of cμ alone would be a large part of it."""
    wide = 134_217_729.0 * np.minimum(service_rate, 1e300)
    head = wide - (
        wide - np.minimum(service_rate, 1e300)
    )  # its first half of digits, so that c times it is exact
    return (servers * head - arrival_rate) + servers * (service_rate - head)


# What follows is for single numbers: the steps it takes depend on them.


def _waiting(servers: float, arrival_rate: float, service_rate: float, surplus: float) -> float:
    if arrival_rate == 0.0:
        return 0.0
    total = 0.0
    term = 1.0
    for busy in range(int(servers)):
        ratio = (servers - busy) * service_rate / arrival_rate
        term = term * ratio
        total = total + term
        if total > 1e305:
            return 0.0
        if ratio < 1.0 and term < 1e-20 * total:
            break
    return 1.0 / (1.0 + surplus / (servers * service_rate) * total)


def _queued(service_rate: float, surplus: float, time: float) -> float:
    """μt φ(|ν − μ|t) with φ(x) = (1 − e^{−x})/x, which is 1 at 0."""
    apart = abs(surplus - service_rate)
    exponent = apart * time
    if exponent > 1.0:
        return service_rate / apart * -math.expm1(-exponent)
    if exponent > 1e-300:
        return service_rate * time * (-math.expm1(-exponent) / exponent)
    return service_rate * time


def _log_tail(waiting: float, service_rate: float, surplus: float, time: float) -> float:
    """Logarithm of the tail, with the slower of its two exponentials taken out."""
    slower = min(service_rate, surplus)
    queued = min(_queued(service_rate, surplus, time), 1e300)
    return -slower * time + math.log1p(math.expm1(-(service_rate - slower) * time) + waiting * queued)


def _hazard(waiting: float, service_rate: float, surplus: float, time: float) -> float:
    """Rate at which responses end that have taken so long: minus the slope of the logarithm."""
    slower = min(service_rate, surplus)
    served = math.exp(-(service_rate - slower) * time)
    queued = waiting * _queued(service_rate, surplus, time)
    leaving = service_rate * (served - waiting * math.exp(-abs(surplus - service_rate) * time))
    return (leaving + slower * queued) / (served + queued)


@elementwise
def _each_waiting(servers: float, arrival_rate: float, service_rate: float, surplus: float) -> float:
    return _waiting(servers, arrival_rate, service_rate, surplus)


@elementwise
def _each_log_tail(
    servers: float, arrival_rate: float, service_rate: float, surplus: float, time: float
) -> float:
    return _log_tail(_waiting(servers, arrival_rate, service_rate, surplus), service_rate, surplus, time)


@elementwise
def _each_quantile(
    servers: float, arrival_rate: float, service_rate: float, surplus: float, depth: float
) -> float:
    waiting = _waiting(servers, arrival_rate, service_rate, surplus)
    floor = depth / service_rate
    time = floor
    for _ in range(100):
        missing = depth + _log_tail(waiting, service_rate, surplus, time)
        step = missing / _hazard(waiting, service_rate, surplus, time)
        time = max(time + step, floor)
        if abs(step) < 4e-16 * time:
            break
    return time


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
    waiting = _waiting(servers, arrival_rate, service_rate, surplus)
    return _log_tail(waiting, service_rate, surplus, slo) > -depth
