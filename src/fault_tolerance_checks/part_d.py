"""Checks of the exercises to Part D."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from fault_tolerance import serving
from fault_tolerance_checks.answer import Answer, kind, number, show, show_inputs
from fault_tolerance_checks.registry import checks
from fault_tolerance_checks.report import Wrong
from fault_tolerance_checks.trials import (
    ENTRIES,
    SHARES,
    Asked,
    Number,
    Several,
    Whole,
    agrees,
    for_all,
    numbers,
)


@checks(
    "d1-survivors",
    "exercise-d1",
    [
        ENTRIES,
        SHARES,
        "Each replica has a queue of its own, except where the entry says otherwise.",
    ],
)
def d1_survivors(answer: Answer) -> None:
    replicas, arrivals, rate, slo = 14, 1_500.0, 140.0, 0.3
    one, two = (serving.load_per_survivor(arrivals, replicas, k) for k in (1, 2))
    pooled = serving.response_quantile(replicas - 2, arrivals, rate)
    own = serving.replicas_needed(arrivals, rate, slo, failed=2)
    numbers(
        answer,
        "answers",
        {
            "requests/s per survivor, one down": Asked(
                one, "", "the survivors share all requests",
                {"this is the load with all alive": arrivals / replicas},
            ),
            "headroom needed for one": Asked(
                serving.headroom(replicas, 1), "a fraction", "the load of each survivor grows by this share",
                {
                    "this is the share of replicas that died, not the growth of the load of the others":
                    1 / replicas
                },
            ),
            "P99 in ms, one down": Asked(
                1e3 * serving.response_quantile(1, one, rate), "milliseconds",
                "one response in a hundred takes longer than this",
                {"this is the mean response time": 1e3 / (rate - one)},
            ),
            "safe load, requests/s": Asked(
                serving.safe_load(rate, slo), "", "at the safe load the P99 is just the target",
                {"this is what a replica serves at most, with a queue that never ends": rate},
            ),
            "replicas that may die": Asked(
                float(replicas - serving.replicas_needed(arrivals, rate, slo, failed=0)), "",
                "with that many down every survivor is under the safe load, and with one more it is not",
            ),
            "P99 in ms, two down, one shared queue": Asked(
                1e3 * pooled, "milliseconds",
                "of a shared queue one response in a hundred takes longer than this",
                {"this is the P99 with a queue each": 1e3 * serving.response_quantile(1, two, rate)},
            ),
            "replicas needed so that two may die": Asked(
                own, "", "with two down this many keep the target, and one fewer does not",
                {"these are the survivors that are needed; two more may die": own - 2}, rel=1e-6,
            ),
        },
    )  # fmt: skip


@checks(
    "d2-down",
    "exercise-d2",
    [
        "`seconds_down(replicas, failed, mtbf, recovery_time)` is the time in a year of 365 days, in "
        "seconds, during which at least `failed` replicas are down.",
        "Replicas fail independently of each other. Each works for `mtbf` on average and then takes "
        "`recovery_time`.",
        "Rare events keep six digits, down to one second in a thousand years.",
    ],
)
def d2_down(answer: Answer) -> None:
    call = answer.function("seconds_down", "replicas", "failed", "mtbf", "recovery_time")

    def truth(replicas: int, failed: int, mtbf: float, recovery_time: float) -> float:
        return float(serving.YEAR * serving.probability_down(replicas, failed, mtbf, recovery_time))

    def chance(replicas: int, failed: int, u: float) -> float:
        return math.comb(replicas, failed) * u**failed * (1 - u) ** (replicas - failed)

    def exactly(replicas: int, failed: int, mtbf: float, recovery_time: float) -> float:
        return serving.YEAR * chance(replicas, failed, recovery_time / (mtbf + recovery_time))

    def rough(replicas: int, failed: int, mtbf: float, recovery_time: float) -> float:
        u = min(recovery_time / mtbf, 1.0)
        return serving.YEAR * sum(chance(replicas, k, u) for k in range(failed, replicas + 1))

    def one_set(replicas: int, failed: int, mtbf: float, recovery_time: float) -> float:
        return float(serving.YEAR * serving.probability_down(1, 1, mtbf, recovery_time) ** failed)

    def more(replicas: int, failed: int, mtbf: float, recovery_time: float) -> float:
        return truth(replicas, failed + 1, mtbf, recovery_time) if failed < replicas else 0.0

    agrees(
        answer,
        call,
        truth,
        "the seconds add up the chances of all states with that many down or more",
        {
            "replicas": Whole(1, 40),
            "failed": Whole(1, 6),
            "mtbf": Number(1e4, 1e7),
            "recovery_time": Number(10, 10_000),
        },
        unit="seconds",
        rel=1e-6,
        where=lambda replicas, failed, mtbf, recovery_time: (
            failed <= replicas and truth(replicas, failed, mtbf, recovery_time) > 1e-3
        ),
        runs=80,
        slips={
            "this is the time with exactly that many down": exactly,
            "this is the time with more than that many down": more,
            "a replica that is down cannot fail: the share of time it is down is T_r/(M + T_r)": rough,
            "this is a share of the time, not the seconds of a year": lambda **given: (
                truth(**given) / serving.YEAR
            ),
            "this is the time that one given set of replicas is down": one_set,
        },
    )


@checks(
    "d3-backlog",
    "exercise-d3",
    [
        "`backlog_at(time, arrival_rate, service_rate, replicas, failed, recovery_time)` is the number of "
        "requests that wait, as a smooth flow: a number, not rounded.",
        "The failure is at time 0, with nobody waiting. All replicas share one queue.",
        "It is never below zero, even where the survivors keep up.",
        "From `recovery_time` on all replicas serve again, and together they serve more than arrives.",
    ],
)
def d3_backlog(answer: Answer) -> None:
    names = ("time", "arrival_rate", "service_rate", "replicas", "failed", "recovery_time")
    call = answer.function("backlog_at", *names)

    def truth(
        time: float,
        arrival_rate: float,
        service_rate: float,
        replicas: int,
        failed: int,
        recovery_time: float,
    ) -> float:
        grown = serving.backlog(arrival_rate, service_rate, replicas, failed, min(time, recovery_time))
        surplus = replicas * service_rate - arrival_rate
        return max(float(grown) - surplus * max(time - recovery_time, 0.0), 0.0)

    def unbounded(**given: Any) -> float:
        growth = given["arrival_rate"] - (given["replicas"] - given["failed"]) * given["service_rate"]
        surplus = given["replicas"] * given["service_rate"] - given["arrival_rate"]
        early, late = (
            min(given["time"], given["recovery_time"]),
            max(given["time"] - given["recovery_time"], 0.0),
        )
        return float(growth * early - surplus * late)

    def peak(**given: Any) -> float:
        return truth(**{**given, "time": given["recovery_time"]})

    def never_back(**given: Any) -> float:
        return truth(**{**given, "recovery_time": 1e99})

    agrees(
        answer,
        call,
        truth,
        "the backlog grows by what the survivors cannot serve, and after recovery shrinks by the surplus",
        {
            "time": Number(1, 1000, zero=True),
            "arrival_rate": Number(10, 1000),
            "service_rate": Number(10, 200),
            "replicas": Whole(2, 16),
            "failed": Whole(1, 6),
            "recovery_time": Number(10, 300),
        },
        where=lambda time, arrival_rate, service_rate, replicas, failed, recovery_time: (
            failed < replicas and arrival_rate < 0.98 * replicas * service_rate
        ),
        rel=1e-9,
        runs=150,
        slips={
            "a queue is never shorter than nothing": unbounded,
            "this is the backlog at the end of the recovery, whatever the time": peak,
            "this goes on growing after the replicas are back": never_back,
        },
    )


def _responses(arrivals: Any, services: Any, servers: int) -> Any:
    free = [0.0] * servers
    out = []
    for arrival, service in zip(arrivals.tolist(), services.tolist(), strict=True):
        done = max(free[0], arrival) + service
        heapq.heapreplace(free, done)
        out.append(done - arrival)
    return np.array(out)


@checks(
    "d4-fleet",
    "exercise-d4",
    [
        "`response_times(arrivals, services, servers)` returns an array: for each request the seconds from "
        "its arrival until it is served. There is one queue, in order of arrival, and the server that is free "
        "first takes the next.",
        "`servers_needed(arrivals, services, slo)` is the least number of servers with which at least 99 % "
        "of the requests are served within `slo` seconds.",
        "The check compares a few requests with a count by hand, and then sizes fleets for thousands.",
    ],
)
def d4_fleet(answer: Answer) -> None:
    call = answer.function("response_times", "arrivals", "services", "servers")

    def play(arrivals: Any, services: Any, servers: int) -> Any:
        given = show_inputs({"arrivals": arrivals, "services": services, "servers": servers})
        got = call(arrivals, services, servers)
        if isinstance(got, list | tuple) and len(got) == len(arrivals):
            note = "a list where an array is due: `np.array(...)` makes one of it"
            raise Wrong("`response_times` returns an array", given=given, got=kind(got), note=note)
        if not isinstance(got, np.ndarray) or got.shape != np.shape(arrivals):
            note = "a function without `return` gives back None" if got is None else ""
            due = f"an array of shape {np.shape(arrivals)}"
            raise Wrong(
                "there is one response time for each request", given=given, got=kind(got), due=due, note=note
            )
        return got

    def test(gaps: Any, services: Any, servers: int) -> None:
        size = min(len(gaps), len(services))
        arrivals, services = np.cumsum(gaps[:size]), services[:size]
        given = show_inputs({"arrivals": arrivals, "services": services, "servers": servers})
        due, got = _responses(arrivals, services, servers), play(arrivals, services, servers)
        if not np.allclose(got, due, rtol=1e-9, atol=1e-9):
            starts = due - services
            apart = np.array(
                [_responses(arrivals[n::servers], services[n::servers], 1) for n in range(servers)], object
            )
            note = ""
            if np.allclose(got, starts):
                note = "this is the wait alone; the service belongs to the response"
            elif np.allclose(got, due + arrivals):
                note = "these are the moments at which requests are done, not the time since they came"
            elif np.allclose(got, services) and not np.allclose(due, services):
                note = "nobody waits in this: a server that is busy cannot start the next"
            elif servers > 1 and all(
                np.allclose(got[n::servers], part.astype(float)) for n, part in enumerate(apart)
            ):
                note = "this deals requests out in turn; the server that is free first takes the next"
            raise Wrong(
                "each request is taken by the server that is free first, in order of arrival",
                given=given,
                got=show(got),
                due=show(due),
                note=note,
            )

    times = Number(1, 10)
    for_all(
        test,
        {"gaps": Several(Number(1, 10, zero=True), 6), "services": Several(times, 6), "servers": Whole(1, 3)},
        runs=120,
    )
    needed = answer.function("servers_needed", "arrivals", "services", "slo")
    for seed, (rate, slo) in enumerate([(8.0, 2.0), (8.0, 6.0), (20.0, 5.0), (3.0, 4.7)]):
        rng = np.random.default_rng(seed)
        size = 3000
        arrivals, services = (
            np.cumsum(rng.exponential(1 / rate, size)),
            np.minimum(rng.exponential(1.0, size), 0.9 * slo),
        )
        given = f"{size:,} requests, {rate:g} a second, 1 s of service each on average, slo={slo:g}"
        got = number(needed(arrivals, services, slo), "the answer is one whole number of servers", given)
        if got < 1 or got != int(got):
            raise Wrong("the answer is a whole number of servers, one or more", given=given, got=show(got))

        def late(servers: int, arrivals: Any = arrivals, services: Any = services, slo: float = slo) -> float:
            return float(np.mean(_responses(arrivals, services, servers) > slo))

        share = late(int(got))
        if share > 0.01:
            raise Wrong(
                "with that many servers at least 99 % of the requests are in time",
                given=given,
                got=f"{got:.0f} servers, with which {100 * share:.2f} % are late",
                due="1 % late at most",
                note="the mean may be in time while the tail is not" if share < 0.5 else "",
            )
        if got > 1 and late(int(got) - 1) <= 0.01:
            raise Wrong(
                "with one server fewer too many requests are late",
                given=given,
                got=f"{got:.0f} servers, and with one fewer {100 * late(int(got) - 1):.2f} % are late",
                due="more than 1 % late with one fewer",
            )
