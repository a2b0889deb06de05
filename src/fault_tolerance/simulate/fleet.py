"""A serving fleet that loses replicas, request by request."""

from heapq import heapify, heapreplace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fault_tolerance._arguments import Array, accepts
from fault_tolerance.serving import erlang_c, requests_touched

#: ``serving_fleet`` plays out no more requests than this in one call.
MOST_REQUESTS = 10_000_000


class FleetRun(NamedTuple):
    """What happened to the requests that arrived from the moment of the failure on, in order of arrival.

    Times are in seconds since the failure. How many wait at time t: ``(arrival_times <= t).sum() -
    (start_times <= t).sum()``, besides those who waited before it.
    """

    #: When each request arrived.
    arrival_times: Array
    #: When service of each request began.
    start_times: Array
    #: From arrival to answer; ``np.quantile(response_times, 0.99)`` is the P99.
    response_times: Array
    #: Requests that were in flight on the failed replicas.
    lost: int
    #: Requests waiting as the failed replicas come back, or as the run ends if that is sooner.
    backlog: int
    #: From recovery until nobody waits, for each queue that went through the failure; cut off at the last
    #: arrival.
    drain_times: Array
    #: Requests that came before recovery, or joined after it a queue that had not yet drained.
    touched: int


def _enough_and_not_too_many(
    arrival_rate: float,
    service_rate: float,
    replicas: int,
    failed: int,
    recovery_time: float,
    *,
    pooled: bool,
    requests: int,
    seed: int,
) -> None:
    touched = requests_touched(arrival_rate, service_rate, replicas, failed, recovery_time, pooled)
    if requests > MOST_REQUESTS:
        raise ValueError(f"requests must be at most {MOST_REQUESTS:,}; got {requests}")
    if arrival_rate * recovery_time < requests < touched:
        raise ValueError(
            f"requests must be at least {touched:.0f}, or the run ends before the backlog has drained (or at "
            f"most {arrival_rate * recovery_time:.0f}, to end before recovery); got {requests}"
        )


@accepts(
    "scalars",
    _enough_and_not_too_many,
    arrival_rate="positive",
    service_rate="positive",
    replicas="servers",
    failed="count-or-zero",
    recovery_time="non-negative",
    requests="count",
    seed="count-or-zero",
)
def serving_fleet(
    arrival_rate: float,
    service_rate: float,
    replicas: int,
    failed: int,
    recovery_time: float,
    *,
    pooled: bool,
    requests: int,
    seed: int,
) -> FleetRun:
    r"""One run of a fleet that loses some replicas at time 0 and gets them back.

    .. math:: \text{response} = \text{wait} + \text{Exp}(\mu)

    Requests arrive at random (a Poisson process) and are served in order of arrival. Up to the failure the
    fleet is in its steady state. What is in flight on the failed replicas is lost; from then on requests go
    to the survivors only, and after the recovery time to all again.

    Parameters
    ----------
    arrival_rate, service_rate : float
        Requests per second that arrive, and that one replica serves (:math:`\lambda, \mu`).
    replicas, failed : int
        Replicas, and how many of them fail (:math:`c, k`).
    recovery_time : float
        Seconds until they are back (:math:`T_r`). If it is longer than the run, the run shows the survivors
        alone.
    pooled : bool
        Whether all replicas share one queue; else each request joins the queue of one replica, chosen at
        random, and stays there.
    requests : int
        How many requests to play out from the failure on.
    seed : int
        Same seed, same run (with the same NumPy).

    Returns
    -------
    FleetRun
        A named tuple: the arrays ``arrival_times``, ``start_times``, ``response_times`` of shape (requests,),
        the numbers ``lost``, ``backlog`` and ``touched``, and ``drain_times``, an array with one element for
        a shared queue and one for each survivor otherwise.

    Raises
    ------
    ValueError
        An argument is outside its domain; the whole fleet does not keep up with ``arrival_rate``; nobody
        survives (``pooled`` allows that); or ``requests`` end between recovery and the expected end of the
        backlog.
    TypeError
        An argument is an array, or no number.

    Notes
    -----
    Compared with theory in :ref:`part-d-check`. With the recovery time beyond the run the later
    part is an M/M/1 or M/M/c queue :cite:p:`harcholbalter2013performance`; in an overload, ``backlog`` and
    ``drain_times`` are scattered around :func:`fault_tolerance.serving.backlog` and
    :func:`fault_tolerance.serving.backlog_drain_time`. The mean of the drain times is what is scattered
    there; the last queue of several takes longer.

    Queues of single replicas are computed all requests at once. A shared queue takes one short step for each
    request: about a second for a million.

    Examples
    --------
    >>> run = serving_fleet(1000, 130, 10, 3, 90, pooled=True, requests=150_000, seed=1)
    >>> 7000 < run.backlog < 9000, len(run.response_times)
    (True, 150000)
    """
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1.0 / arrival_rate, requests))
    services = rng.exponential(1.0 / service_rate, requests)
    play = _one_queue if pooled else _queue_each
    starts, old_starts, lost, queues = play(
        rng, arrivals, services, arrival_rate, service_rate, replicas, failed, recovery_time
    )
    last = float(arrivals[-1])
    end = min(recovery_time, last)
    backlog = int(np.sum((old_starts >= end) & (old_starts > 0.0)))
    backlog += int(np.sum((arrivals <= end) & (starts >= end) & (starts > arrivals)))
    drain_times = np.array([_drained(arrivals[queue], starts[queue], end, last) for queue in queues])
    touched = int(np.sum(arrivals <= end)) + sum(
        int(np.sum((arrivals[queue] > end) & (arrivals[queue] <= end + drain_time)))
        for queue, drain_time in zip(queues, drain_times, strict=True)
    )
    return FleetRun(arrivals, starts, starts + services - arrivals, lost, backlog, drain_times, touched)


#: When each request starts, when those start that had come before, how many were lost, and which requests
#: joined each queue that went through the failure.
_Played = tuple[Array, Array, int, list[npt.NDArray[np.int64]]]


def _one_queue(
    rng: np.random.Generator,
    arrivals: Array,
    services: Array,
    arrival_rate: float,
    service_rate: float,
    replicas: int,
    failed: int,
    recovery_time: float,
) -> _Played:
    """Play out a queue that all replicas share, one request after another."""
    busy, waiting = _steady_state(rng, arrival_rate, service_rate, replicas)
    lost = int(rng.hypergeometric(busy, replicas - busy, failed)) if failed else 0
    # When each replica is next free: busy survivors, idle survivors, and those that come back later.
    free = rng.exponential(1.0 / service_rate, busy - lost).tolist()
    free += [0.0] * (replicas - failed - len(free)) + [recovery_time] * failed
    heapify(free)
    old_starts = []
    for service in rng.exponential(1.0 / service_rate, waiting).tolist():
        old_starts.append(free[0])
        heapreplace(free, free[0] + service)
    starts = []
    for arrival, service in zip(arrivals.tolist(), services.tolist(), strict=True):
        start = free[0]
        if start < arrival:
            start = arrival
        starts.append(start)
        heapreplace(free, start + service)
    return np.array(starts), np.array(old_starts), lost, [np.arange(arrivals.size)]


def _queue_each(
    rng: np.random.Generator,
    arrivals: Array,
    services: Array,
    arrival_rate: float,
    service_rate: float,
    replicas: int,
    failed: int,
    recovery_time: float,
) -> _Played:
    """Play out the queues of single replicas, each at once; those of the survivors come first."""
    survivors = replicas - failed
    idle = 1.0 - arrival_rate / (replicas * service_rate)
    before = rng.geometric(idle, replicas) - 1
    choices = np.where(arrivals < recovery_time, survivors, replicas)
    chosen = np.floor(rng.random(arrivals.size) * choices).astype(np.int64)
    order = np.argsort(chosen, kind="stable")
    queues = np.split(order, np.searchsorted(chosen[order], np.arange(1, replicas)))
    starts = np.empty(arrivals.size)
    old_starts = []
    for replica, queue in enumerate(queues):
        waiting = int(before[replica]) if replica < survivors else 0
        old = rng.exponential(1.0 / service_rate, waiting)
        served = np.concatenate((old, services[queue]))
        arrived = np.concatenate((np.zeros(waiting), arrivals[queue]))
        # A request starts when it arrives, or when all that came since the queue was last empty are served.
        done = np.cumsum(served)
        begun = done - served + np.maximum.accumulate(arrived - (done - served))
        starts[queue] = np.maximum(begun[waiting:], arrivals[queue])
        old_starts.append(begun[:waiting])
    return starts, np.concatenate(old_starts), int(before[survivors:].sum()), queues[:survivors]


def _steady_state(
    rng: np.random.Generator, arrival_rate: float, service_rate: float, replicas: int
) -> tuple[int, int]:
    """Busy replicas and waiting requests at a random moment of an M/M/c queue."""
    load = arrival_rate / service_rate
    if rng.random() < erlang_c(replicas, arrival_rate, service_rate):
        return replicas, int(rng.geometric(1.0 - load / replicas)) - 1
    weights = np.concatenate(([0.0], np.cumsum(np.log(load / np.arange(1.0, replicas)))))
    chances = np.exp(weights - weights.max())
    return int(rng.choice(replicas, p=chances / chances.sum())), 0


def _drained(arrivals: Array, starts: Array, recovery_time: float, last: float) -> float:
    """Time from recovery until everyone who has come to a queue has been taken."""
    after = int(np.searchsorted(arrivals, recovery_time, side="right"))
    previous = np.concatenate(([recovery_time], starts))[after:]
    nobody_waits = previous[:-1] <= arrivals[after:]
    taken = previous[nobody_waits.argmax()] if nobody_waits.any() else previous[-1]
    return min(max(float(taken), recovery_time), last) - recovery_time
