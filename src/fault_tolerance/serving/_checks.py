"""What must hold between the arguments of the serving functions, and what tells when it does not.

In a page, which makes no checks that join two arguments, those of a single number at the end stop what would
otherwise go on with a number that means nothing.
"""

from typing import Any

import numpy as np

from fault_tolerance._arguments import DOMAINS, Domain, Numbers, accepts

#: No fleet here has more servers.
MOST_SERVERS = 100_000

DOMAINS["quantile"] = Domain(0.0, True, 1.0, True, False, "a number above 0 and below 1")
DOMAINS["servers"] = Domain(1.0, False, MOST_SERVERS, False, True, "a whole number from 1 to 100,000")


def surplus_rate(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers) -> Numbers:
    """cμ − λ, rounded once. Near a full load the rounding of cμ alone would be a large part of it."""
    rate = np.minimum(service_rate, 1e300)
    head = 134_217_729.0 * rate - (134_217_729.0 * rate - rate)  # half of its digits: c times it is exact
    return (servers * head - arrival_rate) + servers * (service_rate - head)


def keeps_up(servers: Numbers, arrival_rate: Numbers, service_rate: Numbers, **_others: object) -> None:
    full = surplus_rate(servers, arrival_rate, service_rate) <= 0.0
    if np.any(full):
        arrivals, rates = map(np.ravel, np.broadcast_arrays(arrival_rate, servers * service_rate))
        at = int(np.argmax(full))
        raise ValueError(
            f"arrival_rate must be below servers times service_rate, {float(rates[at])!r}, or the queue "
            f"grows for ever; got {float(arrivals[at])!r}"
        )


def some_survive(replicas: Numbers, failed: Numbers = 1.0, **_others: object) -> None:
    told_where(failed >= replicas, "failed must be below replicas", failed, replicas)


def no_more_fail_than_there_are(replicas: Numbers, failed: Numbers, **_others: object) -> None:
    told_where(failed > replicas, "failed must be at most replicas", failed, replicas)


def told_where(wrong: Any, words: str, value: Numbers, limit: Numbers) -> None:
    if np.any(wrong):
        flags, values, limits = map(np.ravel, np.broadcast_arrays(wrong, value, limit))
        at = int(np.argmax(flags))
        raise ValueError(f"{words}: {float(limits[at])!r}; got {float(values[at])!r}")


@accepts(surplus="positive")
def stable(surplus: Numbers) -> Numbers:
    """Let a surplus pass if there is one."""
    return surplus


@accepts(survivors="count")
def survivors(survivors: Numbers) -> Numbers:
    """Let a number of survivors pass if it is one."""
    return survivors


@accepts(survivors="count-or-zero")
def survivors_if_any(survivors: Numbers) -> Numbers:
    """Let a number of survivors pass if it is one, or none."""
    return survivors
