"""What the checks of Part D say to answers that people give."""

from __future__ import annotations

import pytest

D1 = """
from math import log
from fault_tolerance import serving
answers = {
    "requests/s per survivor, one down": 1500 / 13,
    "headroom needed for one": 1 / 13,
    "P99 in ms, one down": 1000 * log(100) / (140 - 1500 / 13),
    "safe load, requests/s": 140 - log(100) / 0.3,
    "replicas that may die": 1,
    "P99 in ms, two down, one shared queue": 1000 * serving.response_quantile(12, 1500, 140),
    "replicas needed so that two may die": 15,
}
"""


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("requests/s per survivor, one down", "1500 / 14", "the load with all alive"),
        ("headroom needed for one", "1 / 14", "the share of replicas that died"),
        ("headroom needed for one", "100 / 13", "this is in percent"),
        (
            "P99 in ms, one down",
            "log(100) / (140 - 1500 / 13)",
            "this is in seconds, and milliseconds are due",
        ),
        ("P99 in ms, one down", "1000 / (140 - 1500 / 13)", "the mean response time"),
        ("safe load, requests/s", "140", "serves at most"),
        ("replicas that may die", "2", "too large"),
        ("P99 in ms, two down, one shared queue", "1000 * log(100) / 15", "the P99 with a queue each"),
        ("replicas needed so that two may die", "13", "these are the survivors"),
        ("replicas needed so that two may die", "16", "too large"),
    ],
)
def test_a_wrong_number_is_told_by_what_it_is(said, key, value, words) -> None:
    assert said("d1-survivors", D1).passed
    report = said("d1-survivors", f"{D1}\nanswers[{key!r}] = {value}")
    assert words in str(report)
    assert report.due == ""


DOWN = """
import math
def seconds_down(n, k, m, t):
    u = t / (m + t)
    chance = lambda j: math.comb(n, j) * u**j * (1 - u) ** (n - j)
    return {}
"""


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("365 * 86400 * sum(chance(j) for j in range(k, n + 1))", "passed"),
        ("365 * 86400 * chance(k)", "exactly that many"),
        ("365 * 86400 * sum(chance(j) for j in range(k + 1, n + 1))", "more than that many"),
        ("365 * 86400 * (1 - sum(chance(j) for j in range(k)))", "two numbers that are nearly equal"),
        ("sum(chance(j) for j in range(k, n + 1))", "a share of the time"),
        ("365 * 24 * sum(chance(j) for j in range(k, n + 1))", "this is in hours"),
        ("365 * 86400 * u**k", "one given set of replicas"),
    ],
)
def test_a_time_down_is_told_which_states_it_adds(said, result, words) -> None:
    report = said("d2-down", DOWN.format(result))
    assert words in str(report)
    assert report.passed == (words == "passed")


BACKLOG = """
def backlog_at(t, l, mu, c, k, T):
    growth, surplus = l - (c - k) * mu, c * mu - l
    return {}
"""


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("max(max(growth, 0) * min(t, T) - surplus * max(t - T, 0), 0)", "passed"),
        ("growth * min(t, T) - surplus * max(t - T, 0)", "never shorter than nothing"),
        ("max(growth, 0) * T", "at the end of the recovery, whatever the time"),
        ("max(growth, 0) * t", "after the replicas are back"),
        ("max(l - c * mu, 0) * min(t, T)", "grows by what the survivors cannot serve"),
    ],
)
def test_a_backlog_is_told_what_it_forgets(said, result, words) -> None:
    report = said("d3-backlog", BACKLOG.format(result))
    assert words in str(report)
    assert report.passed == (words == "passed")


FLEET = """
import heapq
import numpy as np
def play(arrivals, services, servers):
    free, out = [0.0] * servers, []
    for arrival, service in zip(arrivals, services):
        done = max(free[0], arrival) + service
        heapq.heapreplace(free, done)
        out.append(done - arrival)
    return np.array(out)
response_times = play
def servers_needed(arrivals, services, slo):
    servers = 1
    while np.mean(play(arrivals, services, servers) > slo) > 0.01:
        servers += 1
    return servers
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("", "passed"),
        ("def response_times(a, s, n): return play(a, s, n) - s", "this is the wait alone"),
        ("def response_times(a, s, n): return play(a, s, n) + a", "the moments at which requests are done"),
        ("def response_times(a, s, n): return s.copy()", "nobody waits in this"),
        ("def response_times(a, s, n): return list(play(a, s, n))", "a list where an array is due"),
        ("def response_times(a, s, n): return play(a, s, n).mean()", "one response time for each request"),
        ("def response_times(a, s, n): play(a, s, n)", "gives back None"),
        (
            "def response_times(a, s, n):\n    out = np.empty(len(a))\n    for k in range(n):\n"
            "        out[k::n] = play(a[k::n], s[k::n], 1)\n    return out",
            "deals requests out in turn",
        ),
        ("def servers_needed(a, s, slo): return 1 + max(n for n in range(1, 99) if play(a, s, n).mean() > slo)",
         "at least 99 % of the requests are in time"),
        ("needed = servers_needed\ndef servers_needed(a, s, slo): return needed(a, s, slo) + 1",
         "with one server fewer too many requests are late"),
        ("def servers_needed(a, s, slo): return 9.5", "a whole number of servers"),
    ],
)  # fmt: skip
def test_a_fleet_is_told_what_its_queue_does_wrongly(said, change, words) -> None:
    report = said("d4-fleet", FLEET + change)
    assert words in str(report)
    assert report.passed == (words == "passed")
