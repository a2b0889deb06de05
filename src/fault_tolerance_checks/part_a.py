"""Checks of the exercises to Part A."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fault_tolerance import checkpoint, reliability
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
    takes_arrays,
    threshold,
)

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


@checks(
    "a1-plan",
    "exercise-a1",
    [
        ENTRIES,
        SHARES,
        "Losses are the exact ones, with the restart in them.",
    ],
)
def a1_plan(answer: Answer) -> None:
    mtbf = reliability.system_mtbf(30_000 * HOUR, 4_096)
    young = checkpoint.young_interval(30, mtbf)
    best = checkpoint.optimal_interval(30, mtbf)
    plan = 1 * HOUR
    bill = 4_096 * 3 / HOUR * DAY

    def lost(interval: float, restart_time: float = 480.0) -> Any:
        return 1 - checkpoint.goodput(interval, 30, mtbf, restart_time)

    first_order = "this is the first-order waste; the exact loss is due"
    no_restart = "this leaves the restart out"
    numbers(
        answer,
        "answers",
        {
            "M, hours": Asked(
                mtbf / HOUR,
                "hours",
                "the time between interruptions is that of one GPU, divided by the number of GPUs",
                {"this is the lifetime of one GPU; all of them must survive": 30_000.0},
            ),
            "a day without interruption": Asked(
                reliability.survival(DAY, mtbf),
                "a fraction",
                "the chance of a day without interruption falls by the same factor each hour",
                {"this is the expected number of failures in a day, not a chance": DAY / mtbf},
            ),
            "Young's interval, minutes": Asked(
                young / MINUTE, "minutes", "Young's interval is where the first-order waste is least"
            ),
            "best interval, minutes": Asked(
                best / MINUTE,
                "minutes",
                "at the best interval the exact loss is least: shorter or longer loses more",
                {"this is Young's interval; the exact optimum is a little shorter": young / MINUTE},
                rel=2e-3,
            ),
            "lost at the plan": Asked(
                lost(plan),
                "a fraction",
                "the loss at the plan is one minus the exact goodput there",
                {first_order: checkpoint.waste(plan, 30, mtbf, 480), no_restart: lost(plan, 0.0)},
            ),
            "lost at the best interval": Asked(
                lost(best),
                "a fraction",
                "the loss at the best interval is one minus the exact goodput there",
                {first_order: checkpoint.waste(best, 30, mtbf, 480), no_restart: lost(best, 0.0)},
                rel=2e-3,
            ),
            "dollars a day between the two": Asked(
                (lost(plan) - lost(best)) * bill,
                "dollars a day",
                "the difference in money is the difference of the losses, times the whole bill of a day",
                {
                    "this is the whole bill of a day": bill,
                    "this is what the plan loses; its difference to the best is due": lost(plan) * bill,
                },
                rel=2e-2,
            ),
        },
    )


@checks(
    "a2-young",
    "exercise-a2",
    [
        "`young_interval(write_time, mtbf)` is where the first-order waste is least, in seconds, for numbers "
        "and arrays.",
        "`estimate_off_from` is the ratio of write to $M$ from which Young's least waste is a tenth above "
        "the exact one.",
        "`interval_off_from` is the ratio from which Young's interval costs a full point more than the best.",
        "`interval_fine_from` is the ratio from which it costs less than a point again.",
        "The ratios may be off by a fiftieth.",
    ],
)
def a2_young(answer: Answer) -> None:
    young = answer.function("young_interval", "write_time", "mtbf")
    agrees(
        answer,
        young,
        checkpoint.young_interval,
        "at Young's interval the first-order waste is least",
        {"write_time": Number(1, 1000), "mtbf": Number(1000, 1e6)},
        unit="seconds",
        slips={
            "this is the geometric mean of the two. Compute the first-order waste there and a little beyond: "
            "which is less?": lambda write_time, mtbf: math.sqrt(write_time * mtbf),
            "this is Daly's formula; Young's has one term": checkpoint.daly_interval,
            "this is the exact optimum, not Young's approximation": checkpoint.optimal_interval,
        },
    )
    takes_arrays(young, "young_interval", np.array([10.0, 20.0, 40.0]), 5000.0)

    def cost(ratio: float) -> float:
        best = checkpoint.goodput(checkpoint.optimal_interval(ratio, 1.0), ratio, 1.0)
        return float(best - checkpoint.goodput(checkpoint.young_interval(ratio, 1.0), ratio, 1.0))

    def overstated(ratio: float) -> float:
        best = checkpoint.optimal_interval(ratio, 1.0)
        exact = 1 - checkpoint.goodput(best, ratio, 1.0)
        return float(checkpoint.waste(checkpoint.young_interval(ratio, 1.0), ratio, 1.0) / exact) - 1.1

    threshold(
        answer, "estimate_off_from", overstated,
        "from this ratio on, Young's waste is a tenth above the exact least waste",
        words="Young's waste over the exact one, less 1.1,",
    )  # fmt: skip
    threshold(
        answer, "interval_off_from", lambda ratio: 100 * cost(ratio) - 1,
        "from this ratio on, Young's interval costs a full point more than the best",
        words="the cost of Young's interval in points, less 1,",
    )  # fmt: skip
    threshold(
        answer, "interval_fine_from", lambda ratio: 100 * cost(ratio) - 1,
        "from this ratio on, Young's interval costs less than a point again",
        words="the cost of Young's interval in points, less 1,",
    )  # fmt: skip
    if not answer.number("interval_off_from") < answer.number("interval_fine_from"):
        raise Wrong(
            "the cost rises above a point first and falls below it later",
            got=f"from {show(answer.number('interval_off_from'))} to "
            f"{show(answer.number('interval_fine_from'))}",
            note="the cost crosses one point twice; a method of halving finds one crossing, so search "
            "on both sides",
        )


def _poisson(mean: float, most: int) -> Any:
    counts = np.arange(most + 1)
    logs = (
        counts * math.log(mean) - mean - np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, most + 1)))))
    )
    return np.exp(logs)


def _limits(answer: Answer, call: Callable[..., Any], failures: int, watched: float) -> tuple[float, float]:
    given = show_inputs({"failures": failures, "watched": watched})
    got = call(failures, watched)
    sentence = "`mtbf_limits` returns two numbers, the lower limit of M first"
    if not isinstance(got, tuple | list | np.ndarray) or len(got) != 2:
        raise Wrong(sentence, given=given, got=f"{kind(got)}: {show(got)}" if got is not None else "None")
    low = number(got[0], sentence, given)
    high = math.inf if got[1] == math.inf else number(got[1], sentence, given)
    if low > high:
        note = "a large mean count is a small M, so the limits trade places"
        raise Wrong(sentence, given=given, got=f"({show(low)}, {show(high)})", note=note)
    return low, high


@checks(
    "a3-log",
    "exercise-a3",
    [
        "`mtbf_estimate(failures, watched)` is an MTBF in seconds, from a count of failures and the seconds "
        "watched.",
        "`mtbf_limits(failures, watched)` returns two numbers in seconds, the lower one first. With one "
        "failure or more both are finite.",
        "Whatever the true $M$, the limits enclose it in at least nine logs of ten. The check adds up the "
        "chances of all counts, so luck plays no part.",
        "They are not much wider than they must be.",
    ],
)
def a3_log(answer: Answer) -> None:
    estimate = answer.function("mtbf_estimate", "failures", "watched")
    agrees(
        answer,
        estimate,
        lambda failures, watched: watched / failures,
        "the estimate is the time watched, shared out over the failures",
        {"failures": Whole(1, 200), "watched": Number(1e4, 1e7)},
        unit="seconds",
        slips={"this is a rate, failures per second": lambda failures, watched: failures / watched},
    )
    call = answer.function("mtbf_limits", "failures", "watched")
    watched = 1e6

    def scales(failures: int, watched: float) -> None:
        low, high = _limits(answer, call, failures, watched)
        if not low <= watched / failures <= high:
            sentence = "the limits enclose the estimate"
            note = (
                "these look like limits of the count, not of M" if low > 0 and low <= failures <= high else ""
            )
            raise Wrong(
                sentence,
                got=f"({show(low)}, {show(high)})",
                due=f"{show(watched / failures)} between them",
                note=note,
            )

    for_all(scales, {"failures": Whole(1, 60), "watched": Number(1e5, 1e7)}, runs=12)
    kept: dict[int, tuple[float, float]] = {}

    def limits(failures: int) -> tuple[float, float]:
        if failures not in kept:
            kept[failures] = _limits(answer, call, failures, watched)
        return kept[failures]

    # A log without any failure has no estimate, so its limits are free: it counts as enclosing.
    for mean in (2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 80.0):
        most = int(mean + 8 * math.sqrt(mean) + 5)
        chances = _poisson(mean, most)
        inside = np.array(
            [True] + [limits(n)[0] <= watched / mean <= limits(n)[1] for n in range(1, most + 1)]
        )
        covered = float(chances[inside].sum())
        if covered < 0.893:
            raise Wrong(
                "the limits enclose the true M in at least nine logs of ten",
                given=f"an M so long that {show(mean)} failures are expected in the time watched",
                got=f"enclosed in {100 * covered:.1f} % of all logs",
                due="90 % or more",
                note="the normal curve is a poor likeness of small counts"
                if mean < 12 and covered > 0.8
                else "",
            )
    for failures in (2, 5, 10, 20, 40):
        low, high = limits(failures)
        wide = math.log(high / low) if low > 0 and high < math.inf else math.inf
        need = 2 * 1.645 / math.sqrt(failures) * (1 + 1.1 / failures)
        if wide > 1.35 * need:
            raise Wrong(
                "the limits are not much wider than they must be",
                given=show_inputs({"failures": failures, "watched": watched}),
                got=f"({show(low)}, {show(high)})"
                + (f", a factor of {math.exp(wide):.2f} apart" if wide < 50 else ""),
                due=f"a factor of about {math.exp(need):.2f}, at most a third more in its logarithm",
                note="do they hold for 99 % where 90 % is asked?" if wide < 2 * need else "",
            )


def _periods(gaps: Any, interval: float, write_time: float, restart_time: float) -> Any:
    """Whole periods, work and its write, that fit into each gap after its restart."""
    return np.floor(np.maximum(gaps - restart_time, 0.0) / (interval + write_time))


def _played(gaps: Any, interval: float, write_time: float, restart_time: float) -> float:
    kept = _periods(gaps, interval, write_time, restart_time) * interval
    return float(kept.sum() / gaps.sum())


@checks(
    "a4-simulator",
    "exercise-a4",
    [
        "`my_goodput(gaps, interval, write_time, restart_time)` returns one number, the share of the time "
        "that is kept work.",
        "Every gap begins with a restart. A gap too short for its restart keeps nothing.",
        "Only work whose write has ended counts, and a write is no work.",
        "The check plays out short runs of a few gaps and compares each with a count by hand.",
    ],
)
def a4_simulator(answer: Answer) -> None:
    call = answer.function("my_goodput", "gaps", "interval", "write_time", "restart_time")

    def no_tie(gaps: Any, interval: float, write_time: float, restart_time: float) -> bool:
        # Where a write ends at the very moment of a failure, rounding would decide.
        periods = (gaps - restart_time) / (interval + write_time)
        return bool(np.all(np.abs(periods - np.round(periods)) > 1e-6)) and bool(np.all(gaps != restart_time))

    def write_counted(gaps: Any, interval: float, write_time: float, restart_time: float) -> float:
        kept = _periods(gaps, interval, write_time, restart_time)
        return float(kept.sum() * (interval + write_time) / gaps.sum())

    def part_kept(gaps: Any, interval: float, write_time: float, restart_time: float) -> float:
        kept = _periods(gaps, interval, write_time, restart_time)
        rest = np.maximum(gaps - restart_time, 0.0) - kept * (interval + write_time)
        return float((kept * interval + np.minimum(rest, interval)).sum() / gaps.sum())

    def unwritten(gaps: Any, interval: float, write_time: float, restart_time: float) -> float:
        left = np.maximum(gaps - restart_time, 0.0)
        whole = np.floor((left + write_time) / (interval + write_time))
        return float((whole * interval).sum() / gaps.sum())

    def mean_of_shares(gaps: Any, interval: float, write_time: float, restart_time: float) -> float:
        kept = _periods(gaps, interval, write_time, restart_time)
        return float(np.mean(kept * interval / gaps))

    agrees(
        answer,
        call,
        _played,
        "the goodput is the work whose write has ended, over all the time",
        {
            "gaps": Several(Number(10, 10_000), 6),
            "interval": Number(10, 1000),
            "write_time": Number(1, 100),
            "restart_time": Number(1, 1000, zero=True),
        },
        where=no_tie,
        runs=120,
        slips={
            "the time of the writes is counted as work": write_counted,
            "the part of an interval that a failure cut short is counted as kept": part_kept,
            "work is counted as kept before its write has ended": unwritten,
            "this leaves the restart out": lambda gaps, interval, write_time, restart_time: _played(
                gaps, interval, write_time, 0.0
            ),
            "this is the mean of the shares of single gaps, in which a short gap counts as much as a "
            "long one; the share of the whole time is due": mean_of_shares,
            "this is what is lost, not what is kept": lambda **given: 1 - _played(**given),
        },
    )


@checks(
    "a5-goodput",
    "exercise-a5",
    [
        "`exact_goodput(interval, write_time, mtbf, restart_time)` returns the useful share of the time, a "
        "fraction.",
        "It holds where a simulation of failures that may strike work, write and restart would find it.",
        "It takes arrays.",
        "It keeps nine digits even where the interval is a millionth of $M$ or less.",
    ],
)
def a5_goodput(answer: Answer) -> None:
    call = answer.function("exact_goodput", "interval", "write_time", "mtbf", "restart_time")

    def expected(interval: float, write_time: float, mtbf: float, restart_time: float) -> float:
        return float(checkpoint.goodput(interval, write_time, mtbf, restart_time))

    def restart_as_downtime(interval: float, write_time: float, mtbf: float, restart_time: float) -> float:
        return float(checkpoint.goodput(interval, write_time, mtbf, 0.0, restart_time))

    def write_counted(interval: float, write_time: float, mtbf: float, restart_time: float) -> float:
        return expected(interval, write_time, mtbf, restart_time) * (interval + write_time) / interval

    def unharmed(interval: float, write_time: float, mtbf: float, restart_time: float) -> float:
        return float(reliability.survival(interval + write_time, mtbf))

    agrees(
        answer,
        call,
        expected,
        "the goodput is the work of an interval over the time it takes on average, failures included",
        {
            "interval": Number(100, 10_000),
            "write_time": Number(10, 1000),
            "mtbf": Number(1000, 100_000),
            "restart_time": Number(10, 1000, zero=True),
        },
        unit="a fraction",
        where=lambda interval, write_time, mtbf, restart_time: interval + write_time < 8 * mtbf,
        slips={
            "this is one minus the first-order waste": lambda interval, write_time, mtbf, restart_time: (
                1 - checkpoint.waste(interval, write_time, mtbf, restart_time)
            ),
            "this holds if no failure strikes during a restart": restart_as_downtime,
            "this leaves the restart out": lambda interval, write_time, mtbf, restart_time: expected(
                interval, write_time, mtbf, 0.0
            ),
            "failures strike while the write runs, too": lambda interval, write_time, mtbf, restart_time: (
                interval * math.exp(-restart_time / mtbf) / (mtbf * math.expm1(interval / mtbf) + write_time)
            ),
            "the useful work of an interval is the interval alone, without its write": write_counted,
            "this is the chance that an interval passes without a failure": unharmed,
        },
    )
    takes_arrays(call, "exact_goodput", np.array([500.0, 1000.0, 2000.0]), 60.0, 10_000.0, 300.0)

    def digits(interval: float, mtbf: float) -> None:
        given = show_inputs(
            {"interval": interval, "write_time": interval / 10, "mtbf": mtbf, "restart_time": 0}
        )
        got = number(call(interval, interval / 10, mtbf, 0.0), "the goodput is one number", given)
        due = expected(interval, interval / 10, mtbf, 0.0)
        if not math.isclose(got, due, rel_tol=1e-9):
            raise Wrong(
                "nine digits are right even where the interval is tiny beside M",
                given=given,
                got=f"{got:.12f}",
                due=f"{due:.12f}",
                note="subtracting two numbers that are nearly equal throws their digits away; "
                "NumPy and `math` have a function that takes this difference in one step",
            )

    for_all(digits, {"interval": Number(1, 100), "mtbf": Number(1e8, 1e12)}, runs=20)
