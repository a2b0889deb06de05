"""How long a request takes, from its arrival to its answer, when requests queue.

Requests arrive at random (a Poisson process), take an exponential time to serve, and are served in order of
arrival. Replicas with a queue each are queues of one server; replicas that share one queue are Erlang's.
All is said of the steady state, so the servers must keep up: ``arrival_rate`` below ``servers`` times
``service_rate``. Ask that first where a slider can get there.
"""

import math

import numpy as np

from fault_tolerance._arguments import Numbers, accepts
from fault_tolerance.serving._checks import keeps_up, stable, surplus_rate
from fault_tolerance.serving._elementwise import elementwise


@accepts("arrays", keeps_up, servers="servers", arrival_rate="non-negative", service_rate="positive")
def erlang_c(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers) -> Numbers:
    r"""Probability that a request finds all servers busy and has to wait.

    .. math::

        \begin{aligned}
        \frac{1}{E_c} &= 1 + (1 - \rho) \sum_{j=1}^{c} \prod_{i<j} \frac{(c - i) \mu}{\lambda}, \\
        \rho &= \frac{\lambda}{c \mu}
        \end{aligned}

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
    Derived in :ref:`part-d-pooled` as :eq:`eq-erlang-c`, and put to use in :eq:`eq-wait`
    :cite:p:`harcholbalter2013performance`. With one server it is :math:`\rho`. This is Erlang's formula with
    both sides divided by its last term: no factorials, only positive terms, and those that no longer count
    are left out.

    Examples
    --------
    >>> round(erlang_c(servers=10, arrival_rate=1000, service_rate=130), 3)
    0.344
    """
    surplus = stable(surplus_rate(servers, arrival_rate, service_rate))
    return _each_waiting(servers, arrival_rate, service_rate, surplus)


@accepts(
    "arrays",
    keeps_up,
    servers="servers",
    arrival_rate="non-negative",
    service_rate="positive",
    time="non-negative",
)
def response_tail(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers, time: Numbers) -> Numbers:
    r"""Probability that a response takes longer than a given time, waiting and service together.

    .. math::

        \begin{aligned}
        P(T > t) &= (1 - E_c) e^{-\mu t} \\
        &\quad + E_c \frac{\nu e^{-\mu t} - \mu e^{-\nu t}}{\nu - \mu}, \\
        \nu &= c \mu - \lambda
        \end{aligned}

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
    Derived in :ref:`part-d-tail` as :eq:`eq-response` for one server, where it is
    :math:`e^{-(\mu - \lambda) t}`, and in :ref:`part-d-pooled` as :eq:`eq-pooled` for more
    :cite:p:`harcholbalter2013performance`. At :math:`\nu = \mu` it has the limit
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
    keeps_up,
    servers="servers",
    arrival_rate="non-negative",
    service_rate="positive",
    quantile="quantile",
)
def response_quantile(
    servers: Numbers, arrival_rate: Numbers, service_rate: Numbers, quantile: Numbers = 0.99
) -> Numbers:
    r"""Response time that a given share of the requests stays within.

    .. math:: P(T > t) = 1 - p

    solved for :math:`t`. With one server that is :math:`\ln\frac{1}{1 - p} \big/ (\mu - \lambda)`.

    Parameters
    ----------
    servers : float or array
        Servers that share the queue (:math:`c`), at most 100,000; 1 for a queue of one's own.
    arrival_rate, service_rate : float or array
        Requests per second that arrive, and that one server serves (:math:`\lambda, \mu`).
    quantile : float or array, optional
        The share (:math:`p`); 0.99 gives the P99.

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments; infinite where they exceed the largest float.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``arrival_rate`` is not below ``servers`` times
        ``service_rate``.

    Notes
    -----
    Derived in :ref:`part-d-tail` as :eq:`eq-p99` for one server, and in :ref:`part-d-pooled` from
    :eq:`eq-pooled` for more :cite:p:`harcholbalter2013performance`. The logarithm of the tail bends downwards
    only, so Newton's method on it overshoots at most once, at the first step, and then runs in from above.

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


# What follows is for single numbers: the steps it takes depend on them.


def waiting_share(servers: float, arrival_rate: float, service_rate: float, surplus: float) -> float:
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


def log_tail(waiting: float, service_rate: float, surplus: float, time: float) -> float:
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
    return waiting_share(servers, arrival_rate, service_rate, surplus)


@elementwise
def _each_log_tail(
    servers: float, arrival_rate: float, service_rate: float, surplus: float, time: float
) -> float:
    return log_tail(waiting_share(servers, arrival_rate, service_rate, surplus), service_rate, surplus, time)


@elementwise
def _each_quantile(
    servers: float, arrival_rate: float, service_rate: float, surplus: float, depth: float
) -> float:
    waiting = waiting_share(servers, arrival_rate, service_rate, surplus)
    floor = depth / service_rate
    time = floor
    for _ in range(100):
        if time == math.inf:
            return time
        missing = depth + log_tail(waiting, service_rate, surplus, time)
        step = missing / _hazard(waiting, service_rate, surplus, time)
        time = max(time + step, floor)
        if abs(step) < 4e-16 * time:
            break
    return time
