"""The expression behind each number of an instrument, read from the source of its ``compute``."""

from __future__ import annotations

import math

from chapterkit import quantity, trace

GRAVITY = 9.81


def period(length: float) -> float:
    """Once there and back."""
    return 2.0 * math.pi * math.sqrt(length / GRAVITY)


def settle(length: float) -> float:
    for _ in range(3):
        length = length / 2.0
    return length


TIMES, LONGEST = 5, 60.0


def middle(low: float, high: float) -> float:
    """Halves the way from `low` to `high` until nothing changes."""
    for _ in range(60):
        low = (low + high) / 2.0
    return low


def compute(length: float, swings: float) -> dict[str, float | str]:
    once = period(length)
    hidden = once * swings
    if swings > 1.0:
        total = hidden + 1.0
    else:
        total = math.hypot(hidden, 1.0)
    word = "slow"
    if once < 1.0:
        word = "fast"
    shorter = settle(length)
    many = []
    for at in range(TIMES):
        many.append(once * at)
    limited = math.sqrt(hidden)
    parts = 1.0
    if swings > 3.0:
        parts = swings / 3.0
    return {
        "third": many[3],
        "limited": min(limited, LONGEST),
        "limit": LONGEST,
        "part": once / parts,
        "once": once,
        "total": total,
        "word": word,
        "length_twice": length * 2.0,
        "same": length,
        "shorter": shorter,
        "rate": 1.0 / hidden,
    }


def test_a_number_is_traced_through_names_that_only_compute_knows():
    made = trace.expressions(compute)

    assert made["rate"] == "1.0 / (once * swings)"
    assert made["length_twice"] == "length * 2.0"


def test_a_helper_of_one_line_is_written_out_and_a_longer_one_is_named():
    made = trace.expressions(compute)

    assert made["once"] == "2.0 * math.pi * math.sqrt(length / GRAVITY)"
    assert made["shorter"] == "settle(length)"


def test_both_ways_to_a_number_are_told():
    assert trace.expressions(compute)["total"] == "once * swings + 1.0 or math.hypot(once * swings, 1.0)"


def test_words_and_controls_that_pass_through_have_no_call():
    assert trace.expressions(compute).keys().isdisjoint({"word", "same"})


def test_what_is_told_is_what_is_computed():
    state = {"length": 2.0, "swings": 0.5}
    state |= compute(**state)
    made = trace.expressions(compute)
    for name in ("once", "rate", "length_twice", "shorter"):
        assert eval(made[name], globals(), dict(state)) == state[name]


def test_a_list_that_a_loop_fills_is_told_as_one():
    assert trace.expressions(compute)["third"] == "[once * at for at in range(TIMES)][3]"


def test_a_result_may_have_the_name_of_something_else_within():
    assert trace.expressions(compute)["limited"] == "min(math.sqrt(once * swings), LONGEST)"


def test_a_name_with_two_meanings_stays_a_name():
    assert trace.expressions(compute)["part"] == "once / parts"


def test_constants_and_helpers_are_told_and_a_long_helper_by_its_first_line():
    assert trace.expressions(compute)["limit"] == "LONGEST"
    beside = trace.definitions(compute)
    assert beside["LONGEST"] == "LONGEST = 60.0"
    assert beside["TIMES"] == "TIMES = 5"
    assert beside["period"] == "period(length) = 2.0 * math.pi * math.sqrt(length / GRAVITY)"
    assert beside["middle"] == "middle(low, high) = Halves the way from low to high until nothing changes."


def drawn(name, x, y):
    lower = [value / 2.0 for value in y]
    return {"name": name, "x": x, "y": lower}


def figure(state):
    length = 0.0
    lengths = []
    times = []
    counts = []
    for at in range(TIMES):
        length = state["once"] * at
        lengths.append(length)
        times.append(period(state["length"]) * at)
        counts.append(0)
    counts[0] += 1
    return {
        "data": [
            {"name": "long", "x": lengths, "y": times},
            drawn("half", lengths, times),
            {"name": "yours", "x": [state["length"]], "y": [state["once"] * 2.0]},
            {"name": "counts", "x": lengths, "y": counts},
        ]
    }


def test_curves_and_marks_are_traced_to_what_the_loop_appends():
    made = trace.columns(figure)

    assert made["long"] == "[2.0 * math.pi * math.sqrt(length / GRAVITY) * at for at in range(TIMES)]"
    assert made["half"].startswith("[value / 2.0 for value in [2.0 * math.pi")
    assert made["yours"] == "length, once * 2.0"
    assert "counts" not in made, "no one expression gives them"


def test_what_a_figure_calls_is_told_with_its_module():
    assert trace.calls(instruments_like) == ["trace.columns", "quantity.show"]


def instruments_like(state):
    return other(trace.columns(state["a"]), math.sqrt(4.0))


def other(*given):
    return [quantity.show(each) for each in given]


def test_a_function_without_source_tells_nothing():
    assert trace.expressions(eval("lambda length: {}")) == {}
