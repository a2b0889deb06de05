"""What the checks of Part A say to answers that people give: the mistake by name, never just "wrong"."""

from __future__ import annotations

import pytest

PLAN = {
    "M, hours": "30000 / 4096",
    "a day without interruption": "np.exp(-24 * 4096 / 30000)",
    "Young's interval, minutes": "np.sqrt(2 * 30 * m) / 60",
    "best interval, minutes": "checkpoint.optimal_interval(30, m) / 60",
    "lost at the plan": "1 - checkpoint.goodput(3600, 30, m, 480)",
    "lost at the best interval": "1 - checkpoint.goodput(checkpoint.optimal_interval(30, m), 30, m, 480)",
    "dollars a day between the two": "8114",
}
SETUP = "import numpy as np, math\nfrom fault_tolerance import checkpoint\nm = 30_000 * 3600 / 4096\n"


def plan(**changed: str) -> str:
    entries = {**PLAN, **{key.replace("_", " "): value for key, value in changed.items()}}
    return SETUP + "answers = {" + ", ".join(f"{key!r}: {value}" for key, value in entries.items()) + "}"


def test_a_right_plan_passes(said) -> None:
    assert said("a1-plan", plan()).passed


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("Young's interval, minutes", "np.sqrt(2 * 30 * m)", "this is in seconds, and minutes are due"),
        ("best interval, minutes", "checkpoint.optimal_interval(30, m) / 3600", "this is in hours"),
        ("best interval, minutes", "np.sqrt(2 * 30 * m) / 60", "this is Young's interval"),
        ("lost at the plan", "9.17", "this is in percent, and a fraction is due"),
        ("lost at the plan", "checkpoint.goodput(3600, 30, m, 480)", "what is kept and what is lost"),
        ("lost at the plan", "checkpoint.waste(3600, 30, m, 480)", "this is the first-order waste"),
        ("lost at the plan", "1 - checkpoint.goodput(3600, 30, m)", "this leaves the restart out"),
        ("a day without interruption", "24 * 4096 / 30000", "not a chance"),
        ("M, hours", "30000", "the lifetime of one GPU"),
        ("M, hours", "'7.3'", "text: '7.3'"),
        ("M, hours", "[7.3]", "one number is due"),
        ("M, hours", "None", "to do"),
        ("M, hours", "8", "too large"),
        ("dollars a day between the two", "8114 / 24", "this is in dollars an hour"),
    ],
)
def test_a_wrong_number_of_the_plan_is_told_by_what_it_is(said, key, value, words) -> None:
    report = said("a1-plan", plan(**{key: value}))
    assert not report.passed
    assert words in str(report)
    assert key in str(report)
    assert report.due == ""  # what is right is not said


YOUNG = """
import numpy as np, math
estimate_off_from, interval_off_from, interval_fine_from = 0.0391, 0.3164, 2.695
def young_interval(write_time, mtbf):
    return np.sqrt(2 * write_time * mtbf)
"""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", "`young_interval` is not defined"),
        ("young_interval = 27.4", "`young_interval` is a number"),
        ("def young_interval(write_time): return 1", "called as `young_interval(write_time, mtbf)`"),
        ("def young_interval(w, m): return ...", "still the placeholder"),
        ("def young_interval(w, m): np.sqrt(2 * w * m)", "a function without `return` gives back None"),
        ("def young_interval(w, m): return str(w)", "text cannot be calculated with"),
        ("def young_interval(w, m): return [w, m]", "one number is due"),
        ("def young_interval(w, m): return w / 0", "ZeroDivisionError: float division by zero, in line"),
        ("def young_interval(w, m): return float('nan')", "no finite number"),
        ("def young_interval(w, m): return np.sqrt(w * m)", "the geometric mean of the two"),
        (
            "def young_interval(w, m): return np.sqrt(2 * w * m) / 60",
            "this is in minutes, and seconds are due",
        ),
        (
            "def young_interval(w, m): return np.sqrt(2 * w * m) / 3600",
            "this is in hours, and seconds are due",
        ),
        ("def young_interval(w, m): return np.sqrt(3 * w * m)", "misses by the same factor"),
        ("def young_interval(w, m): return math.sqrt(2 * w * m)", "`math` knows single numbers only"),
        (
            "def young_interval(w, m): return [math.sqrt(2 * x * m) for x in w] if np.ndim(w) else (2 * w * m) ** 0.5",
            "a list where an array is due",
        ),
    ],
)
def test_a_wrong_interval_is_told_by_what_it_is(said, code, words) -> None:
    report = said("a2-young", "import numpy as np, math\n" + code)
    assert not report.passed
    assert words in str(report)


def test_the_smallest_failing_input_is_small(said) -> None:
    """The answer is right up to an MTBF of 50,000 s; of all larger ones the simplest is shown."""
    report = said("a2-young", "def young_interval(w, m): return (2 * w * min(m, 50_000)) ** 0.5")
    assert report.given == "write_time=1, mtbf=100000"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("", "passed"),
        ("interval_off_from = 0.25", "less 1, is -"),
        ("interval_off_from = 31.6", "change of sign"),
        (
            "interval_off_from, interval_fine_from = interval_fine_from, interval_off_from",
            "crosses one point twice",
        ),
        ("estimate_off_from = None", "`estimate_off_from` has no value yet"),
        ("estimate_off_from = -1", "a ratio above zero"),
    ],
)
def test_a_threshold_is_judged_by_what_happens_on_both_sides(said, change, words) -> None:
    report = said("a2-young", YOUNG + change)
    assert words in str(report)
    assert report.passed == (change == "")


LOG = """
import numpy as np
def mtbf_estimate(failures, watched): return watched / failures
def quantile(probability, k):
    low, high = 0.0, 10.0 * k + 20
    for _ in range(60):
        mean = (low + high) / 2
        terms = np.cumprod(np.concatenate([[1.0], mean / np.arange(1, k + 1)]))
        low, high = (mean, high) if np.exp(-mean) * terms.sum() > probability else (low, mean)
    return low
"""
GOOD = "def mtbf_limits(k, t): return t / quantile({0}, k), t / quantile(1 - {0}, k - 1)\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (GOOD.format(0.05), "passed"),
        (GOOD.format(0.005), "is asked?"),
        (GOOD.format(0.2), "enclose the true M"),
        (
            "def mtbf_limits(k, t): return quantile(.95, k - 1), quantile(.05, k)",
            "limits of the count, not of M",
        ),
        ("def mtbf_limits(k, t): return t / quantile(.95, k - 1), t / quantile(.05, k)", "trade places"),
        ("def mtbf_limits(k, t): return t / k", "two numbers, the lower limit of M first"),
        ("def mtbf_limits(k, t): pass", "two numbers"),
        (
            "def mtbf_limits(k, t): return t / (k + 1.645 * k**.5), t / max(k - 1.645 * k**.5, .01)",
            "the normal curve is a poor likeness of small counts",
        ),
        ("def mtbf_estimate(failures, watched): return failures / watched", "a rate, failures per second"),
        ("def mtbf_estimate(failures, watched): return watched / failures / 3600", "this is in hours"),
        (
            "def mtbf_estimate(failures, watched): return watched / (failures + 1)",
            "Smallest case found: failures=1,",
        ),
    ],
)
def test_limits_are_judged_by_how_often_they_enclose_the_truth(said, code, words) -> None:
    report = said("a3-log", LOG + code)
    assert words in str(report)
    assert report.passed == (words == "passed")


def simulator(
    *, keep="interval", first="gap - restart_time", enough="interval + write_time", rest="", over="sum(gaps)"
):
    return f"""
def my_goodput(gaps, interval, write_time, restart_time):
    kept = 0.0
    for gap in gaps:
        left = {first}
        while left >= {enough}:
            left -= interval + write_time
            kept += {keep}
        {rest or "pass"}
    return kept / {over}
"""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (simulator(), "passed"),
        (simulator(keep="interval + write_time"), "the time of the writes is counted as work"),
        (simulator(first="gap"), "this leaves the restart out"),
        (simulator(enough="interval"), "before its write has ended"),
        (simulator(rest="kept += max(0, min(left, interval))"), "a failure cut short is counted as kept"),
        (simulator(over="sum(gaps) * 100"), "same factor"),
        (simulator(over="len(gaps)"), "the work whose write has ended, over all the time"),
        (simulator(rest="return kept / gap"), "gaps=["),
    ],
)
def test_a_simulator_is_told_which_work_it_counts_wrongly(said, code, words) -> None:
    report = said("a4-simulator", code)
    assert words in str(report)
    assert report.passed == (words == "passed")


def test_a_simulator_that_forgets_all_but_the_first_gap_is_shown_two_gaps(said) -> None:
    report = said("a4-simulator", simulator(rest="return kept / gap"))
    assert report.given.split("]")[0].count(",") == 1


GOODPUT = (
    "import numpy as np, math\ndef exact_goodput(interval, write_time, mtbf, restart_time):\n    return "
)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (
            "interval * np.exp(-restart_time / mtbf) / (mtbf * np.expm1((interval + write_time) / mtbf))",
            "passed",
        ),
        (
            "interval * np.exp(-restart_time / mtbf) / (mtbf * (np.exp((interval + write_time) / mtbf) - 1))",
            "throws their digits away",
        ),
        (
            "1 - write_time / interval - interval / 2 / mtbf - restart_time / mtbf",
            "one minus the first-order waste",
        ),
        ("interval / (mtbf * np.expm1((interval + write_time) / mtbf))", "this leaves the restart out"),
        (
            "interval / (mtbf + restart_time) / np.expm1((interval + write_time) / mtbf)",
            "if no failure strikes during a restart",
        ),
        (
            "interval * np.exp(-restart_time / mtbf) / (mtbf * np.expm1(interval / mtbf) + write_time)",
            "failures strike while the write runs",
        ),
        ("np.exp(-(interval + write_time) / mtbf)", "passes without a failure"),
        (
            "1 - interval * np.exp(-restart_time / mtbf) / (mtbf * np.expm1((interval + write_time) / mtbf))",
            "what is kept and what is lost",
        ),
        (
            "100 * interval * np.exp(-restart_time / mtbf) / (mtbf * np.expm1((interval + write_time) / mtbf))",
            "this is in percent",
        ),
        (
            "interval * math.exp(-restart_time / mtbf) / (mtbf * math.expm1((interval + write_time) / mtbf))",
            "single numbers only",
        ),
    ],
)
def test_a_goodput_is_told_what_it_leaves_out(said, formula, words) -> None:
    report = said("a5-goodput", GOODPUT + formula)
    assert words in str(report)
    assert report.passed == (words == "passed")
