"""The table of a picture: the same rows from Python and in the page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from chapterkit import table
from chapterkit.compile import compile_functions


def trace(name, x, y):
    return {"name": name, "x": x, "y": y}


def figure(*traces):
    return {
        "data": list(traces),
        "layout": {"xaxis": {"title": {"text": "across"}}, "yaxis": {"title": {"text": "up"}}},
    }


def many(count, start=0.0):
    return [start + at for at in range(count)]


FIGURES = {
    "one curve": figure(trace("a", many(81), many(81, 0.5))),
    "curves side by side": figure(trace("a", many(20), many(20)), trace("b", many(20), many(20, 7.0))),
    "a curve of another length": figure(trace("a", many(20), many(20)), trace("b", many(7), many(7))),
    "marks": figure(trace("star", [1.5], [2.5]), trace("pair", [1, 2], [3, 4])),
    "curves and marks": figure(trace("a", many(11), many(11)), trace("star", [1.5], [2.5])),
    "outlines without a name": figure(
        trace("", many(11), many(11)), trace("a", many(11), many(11)), trace("", [1], [1])
    ),
    "exactly as many points as rows": figure(trace("a", many(9), many(9))),
    "fewer points than rows": figure(trace("a", many(4), many(4))),
    "nothing": figure(),
    "words and holes": figure(trace("a", ["w", "x", "y", "z"], [1, None, 3, 4])),
}


@pytest.mark.parametrize("what", FIGURES)
def test_rows_are_the_same_in_the_page(v8, what):
    code = compile_functions([table.rows], lists=[table.__name__])
    assert json.loads(
        str(v8.eval(f"JSON.stringify({code}.rows({json.dumps(FIGURES[what])}))"))
    ) == table.rows(FIGURES[what])


def test_rows_are_the_same_in_the_page_for_any_number_of_points(v8):
    code = compile_functions([table.rows], lists=[table.__name__])
    rng = np.random.default_rng(3)
    figures = [
        figure(trace("a", rng.normal(size=count).tolist(), rng.normal(size=count).tolist()))
        for count in range(1, 300)
    ]
    theirs = json.loads(str(v8.eval(f"JSON.stringify({json.dumps(figures)}.map({code}.rows))")))
    assert theirs == [table.rows(given) for given in figures]


def test_a_long_curve_is_sampled_evenly_from_end_to_end():
    rows = table.rows(FIGURES["one curve"])
    assert rows[0] == ["across", "a"]
    assert [row[0] for row in rows[1:]] == [0, 10, 20, 30, 40, 50, 60, 70, 80]
    assert rows[-1] == [80, 80.5]


def test_curves_share_their_rows_and_marks_have_their_own():
    rows = table.rows(FIGURES["curves side by side"])
    assert rows[0] == ["across", "a", "b"]
    assert rows[-1] == [19, 19, 26]
    assert table.rows(FIGURES["marks"]) == [
        ["across", "up"],
        ["star", 1.5, 2.5],
        ["pair", 1, 3],
        ["pair", 2, 4],
    ]


def test_what_has_no_name_has_no_row():
    rows = table.rows(FIGURES["outlines without a name"])
    assert rows[0] == ["across", "a"]
    assert len(rows) == 1 + table.ROWS


def test_a_half_is_rounded_up_in_both_languages(v8):
    code = compile_functions([table.np_round])
    values = [0.0, 0.49999999999999994, 0.5, 1.5, 2.5, 7.4, 1e6 + 0.5]
    theirs = json.loads(str(v8.eval(f"JSON.stringify({json.dumps(values)}.map({code}.np_round))")))
    assert theirs == [table.np_round(value) for value in values] == [0, 0, 1, 2, 3, 7, 1000001]
