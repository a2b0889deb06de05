"""The expression behind each number of an instrument, read from the source of its ``compute``."""

from __future__ import annotations

import math

from chapterkit import trace

GRAVITY = 9.81


def period(length: float) -> float:
    """Once there and back."""
    return 2.0 * math.pi * math.sqrt(length / GRAVITY)


def settle(length: float) -> float:
    for _ in range(3):
        length = length / 2.0
    return length


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
    return {
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


def test_a_function_without_source_tells_nothing():
    assert trace.expressions(eval("lambda length: {}")) == {}
