"""What is kept on disk is given again, and made anew when it was made from something else."""

from __future__ import annotations

import pytest

from chapterkit import picture, shelf

FIGURE = {
    "data": [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "y",
            "x": [1, 2],
            "y": [3, 4],
            "line": {"color": "var(--ck-1)"},
        }
    ],
    "layout": {"xaxis": {"title": {"text": "x"}}, "yaxis": {"title": {"text": "y"}}},
}


def test_what_was_made_once_is_not_made_again(tmp_path):
    shelf.kept(tmp_path / "new", ["tea"], lambda: b"made")
    assert shelf.kept(tmp_path / "new", ["tea"], lambda: pytest.fail("made twice")) == b"made"


@pytest.mark.parametrize("other", [["milk"], ["tea", "milk"], ["te", "a"]])
def test_another_origin_gives_another_result(tmp_path, other):
    shelf.kept(tmp_path, ["tea"], lambda: b"first")
    assert shelf.kept(tmp_path, other, lambda: b"second") == b"second"


def test_what_cannot_be_made_leaves_nothing_behind(tmp_path):
    with pytest.raises(ZeroDivisionError):
        shelf.kept(tmp_path, ["tea"], lambda: bytes(1 // 0))
    assert list(tmp_path.iterdir()) == []


def test_a_kept_drawing_is_the_drawing(tmp_path):
    drawn = [
        picture.draw(FIGURE, 720, 400, themed=True, salt="a", folder=where)
        for where in (None, tmp_path, tmp_path)
    ]
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_changed_figure_size_or_name_is_drawn_anew(tmp_path):
    changed = {**FIGURE, "layout": {**FIGURE["layout"], "showlegend": False}}
    drawings = {
        picture.draw(figure, width, 400, themed=True, salt=salt, folder=tmp_path)
        for figure, width, salt in [
            (FIGURE, 720, "a"),
            (changed, 720, "a"),
            (FIGURE, 360, "a"),
            (FIGURE, 720, "b"),
        ]
    }
    assert len(list(tmp_path.iterdir())) == 4
    assert len(drawings) >= 3
