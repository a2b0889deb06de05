"""The table of a picture: the same rows from Python and in the page."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from chapterkit import table
from chapterkit.compile import compile_functions


def trace(name, x, y, kind="scatter"):
    return {"type": kind, "name": name, "x": x, "y": y}


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
    "bars below their curve": figure(
        trace("a", many(20), many(20)),
        trace("good", many(20), many(20), "bar"),
        trace("late", [1], [1], "bar"),
    ),
    "bars alone": figure(trace("runs", many(3), many(3), "bar"), trace("star", [1.5], [2.5])),
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
    assert table.rows(FIGURES["curves and marks"])[-2:] == [["", "across", "up"], ["star", 1.5, 2.5]]
    assert table.rows(FIGURES["marks"]) == [
        ["", "across", "up"],
        ["star", 1.5, 2.5],
        ["pair", 1, 3],
        ["pair", 2, 4],
    ]


def test_every_row_has_as_many_cells_as_the_headings_above_it():
    for given in FIGURES.values():
        rows = table.rows(given)
        width = len(rows[0])
        for row in rows:
            width = len(row) if row[0] == "" else width
            assert len(row) == width


def test_steps_are_equal_up_to_the_last_and_a_few_points_are_all_shown():
    for count in range(1, 300):
        shown = [row[0] for row in table.rows(figure(trace("a", many(count), many(count), "bar")))[1:]]
        steps = {later - earlier for earlier, later in pairwise(shown[:-1])}
        assert (shown[0], shown[-1]) == (0, count - 1)
        assert len(steps) <= 1
        assert len(shown) == count if count <= table.FEW else len(shown) <= table.ROWS


def test_bars_have_rows_only_where_no_curve_tells_the_same():
    assert table.rows(FIGURES["bars below their curve"]) == table.rows(figure(trace("a", many(20), many(20))))
    assert table.rows(FIGURES["bars alone"])[:2] == [["across", "runs"], [0, 0]]


def test_what_has_no_name_has_no_row():
    rows = table.rows(FIGURES["outlines without a name"])
    assert rows[0] == ["across", "a"]
    assert len(rows) == 1 + 11


def test_points_of_a_logarithmic_axis_have_two_digits_and_keep_the_ends():
    for low, high, steps in ((1.0, 180.0, 80), (8.0, 1e6, 40), (5e8, 2e12, 60)):
        points = [table.spread(low, high, at, steps) for at in range(steps + 1)]
        assert points == [pytest.approx(float(f"{point:.1e}"), rel=1e-12) for point in points]
        assert points == sorted(points)
        assert (points[0], points[-1]) == (low, high)
        even = low * (high / low) ** (np.arange(steps + 1) / steps)
        assert np.abs(np.array(points) / even - 1).max() < 0.05


def test_points_are_the_same_in_the_page(v8):
    code = compile_functions([table.spread])
    theirs = json.loads(
        str(v8.eval(f"JSON.stringify([...Array(81).keys()].map(at => {code}.spread(1, 500, at, 80)))"))
    )
    assert theirs == pytest.approx([table.spread(1.0, 500.0, at, 80) for at in range(81)], rel=1e-12)
