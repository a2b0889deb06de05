"""What an author declares: mistakes are said in words, and one declaration gives numbers, words and figures."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import dataclasses
import math
import sys

import pytest

from chapterkit import instrument as instruments
from chapterkit import picture
from chapterkit.instrument import Control, Instrument, InstrumentError, Picture, ReadOut, load
from chapterkit.instrument_check import check


def compute(length, mass):
    return {"weight": 9.81 * mass, "ratio": length / mass, "verdict": "light" if mass < 5.0 else "heavy"}


def figure(state):
    return {
        "data": [{"type": "scatter", "name": "a", "x": [0, 1, 2, 3], "y": [0, 1, 2, state["mass"]], "line": {"color": "var(--ck-1)"}}],
        "layout": {"xaxis": {"title": {"text": "x"}}, "yaxis": {"title": {"text": "y"}}},
    }  # fmt: skip


LENGTH = Control("length", "Length", 1, 100, 1, 10, unit="min", also="time")
MASS = Control("mass", "Mass", 0.5, 9.5, 0.5, 2)
GOOD = Instrument(
    name="scale",
    title="A scale",
    controls=[LENGTH, MASS],
    compute=compute,
    readouts=[
        ReadOut("weight", "Weight", "", ".1f", "of {mass| .1f}", main=True),
        ReadOut("verdict", "It is"),
    ],
    sentences={"verdict": {"light": "Light: {weight| .0f}.", "heavy": "Heavy: {weight| .0f}."}},
    lines=["{length|min .0f} and {ratio| .3g}"],
    pictures=[Picture("shape", "A shape", figure, caption="Up to {mass| .1f}.")],
)


def test_one_declaration_gives_numbers_words_and_figures():
    state = check(GOOD)
    assert state.values == {"length": 600.0, "mass": 2.0, "weight": 19.62, "ratio": 300.0, "verdict": "light"}
    assert state.readout(GOOD.readouts[0]) == ("19.6", "of 2.0")
    assert state.readout(GOOD.readouts[1]) == ("light", "")
    assert state.sentences() == {"verdict": "Light: 20."}
    assert state.lines() == ["10\u202fmin and 300"]
    assert state.caption(GOOD.pictures[0]) == "Up to 2.0."
    assert state.figure(GOOD.pictures[0])["data"][0]["y"] == [0, 1, 2, 2.0]


def test_settings_are_in_base_units_and_leave_the_rest_at_its_default():
    state = GOOD.evaluate({"mass": 6.0})
    assert (state.values["length"], state.values["verdict"]) == (600.0, "heavy")
    assert GOOD.defaults() == {"length": 600.0, "mass": 2.0}


@pytest.mark.parametrize(("control", "words"), [
    (dataclasses.replace(MASS, unit="stone"), "scale.mass: unknown unit 'stone'"),
    (dataclasses.replace(MASS, default=0.25), "scale.mass: default must be from 0.5 to 9.5; got 0.25"),
    (dataclasses.replace(MASS, default=10), "scale.mass: default must be from 0.5 to 9.5; got 10"),
    (dataclasses.replace(MASS, low=9, high=1), "scale.mass: default must be from 9 to 1; got 2"),
])  # fmt: skip
def test_a_control_that_cannot_work_is_refused_where_it_is_declared(control, words):
    with pytest.raises(InstrumentError) as problem:
        dataclasses.replace(GOOD, controls=[LENGTH, control])
    assert str(problem.value) == words


def changed(**changes) -> Instrument:
    return dataclasses.replace(GOOD, **changes)


def one(**values):
    """A compute that gives these values besides what it should."""

    def compute(length, mass):
        return {"weight": 1.0, "ratio": 2.0, "verdict": "light", **values}

    return compute


def drawing(**changes):
    def figure(state):
        return {**GOOD.pictures[0].figure(state), **changes}

    return [Picture("shape", "A shape", figure)]


LAYOUT = figure({"mass": 1.0})["layout"]
MISTAKES = {
    "a second unit": (changed(controls=[LENGTH, dataclasses.replace(MASS, also="stone")]), "scale: unit must be one of"),
    "a step of nothing": (changed(controls=[LENGTH, dataclasses.replace(MASS, step=0)]), "scale.mass: step must be above 0 and fit between 0.5 and 9.5; got 0"),
    "a step that is too large": (changed(controls=[LENGTH, dataclasses.replace(MASS, step=10)]), "scale.mass: step must be above 0"),
    "a whole control with halves": (changed(controls=[LENGTH, dataclasses.replace(MASS, whole=True)]), "scale.mass: a whole control needs whole limits"),
    "controls out of order": (changed(controls=[MASS, LENGTH]), "controls must be the arguments of compute in their order, length, mass; got mass, length"),
    "a control too few": (changed(controls=[LENGTH]), "length, mass; got length"),
    "a control of another name": (changed(controls=[LENGTH, dataclasses.replace(MASS, name="weight")]), "length, mass; got length, weight"),
    "a number that is none": (changed(compute=one(weight=math.nan)), "scale: compute gave weight = nan at {'length': 600.0, 'mass': 2.0}"),
    "an infinite number": (changed(compute=one(ratio=-math.inf)), "scale: compute gave ratio = -inf"),
    "a read-out of nothing": (changed(readouts=[ReadOut("height", "Height")]), "scale: compute gives no 'height' for its read-out"),
    "a read-out's unit": (changed(readouts=[ReadOut("weight", "Weight", "stone")]), "scale: unit must be one of .*; got 'stone'"),
    "a read-out's format": (changed(readouts=[ReadOut("weight", "Weight", "", "1f")]), "scale: format must look like .*; got '1f'"),
    "a note": (changed(readouts=[ReadOut("weight", "Weight", note="{height}")]), "scale: template names 'height'; known are length, mass, ratio, verdict, weight"),
    "a line": (changed(lines=["{height}"]), "scale: template names 'height'"),
    "a line's unit": (changed(lines=["{weight|stone}"]), "got 'stone'"),
    "a line's format": (changed(lines=["{weight| 1f}"]), "got '1f'"),
    "a caption": (changed(pictures=[Picture("shape", "A shape", figure, caption="{height}")]), "scale: template names 'height'"),
    "a sentence": (changed(sentences={"verdict": {"light": "{height}"}}), "scale: template names 'height'"),
    "a sentence for another state": (changed(sentences={"verdict": {"light": "", "heavy": "{height}"}}), "scale: template names 'height'"),
    "no sentence for this state": (changed(sentences={"verdict": {"heavy": ""}}), "scale: the sentences 'verdict' have words for heavy; got 'light'"),
    "sentences about nothing": (changed(sentences={"mood": {"good": ""}}), "scale: the sentences 'mood' have words for good; got None"),
    "a figure Plotly refuses": (changed(pictures=drawing(data=[{"type": "scatter", "name": "a", "mode": "dancing"}])), "scale: picture 'shape' is not a Plotly figure: "),
    "a name Plotly lacks": (changed(pictures=drawing(layout={**LAYOUT, "xaxys": {}})), "scale: picture 'shape' is not a Plotly figure: "),
    "a figure that cannot be drawn": (changed(pictures=drawing(data=[{"type": "pie", "name": "a", "values": [1]}])), "scale: picture 'shape': the trace 'a' uses 'values', which the static drawing does not know"),
    "a part that cannot be drawn": (changed(pictures=drawing(layout={**LAYOUT, "bargap": 0.1})), "scale: picture 'shape': the layout uses 'bargap', which the static drawing does not know"),
    "a hole in a table": (changed(pictures=drawing(data=[{"type": "scatter", "name": "a", "x": [0, 1, 2, 3], "y": [0, None, 2, 3], "line": {"color": "var(--ck-1)"}}])), "scale: picture 'shape' has gaps in its curves, so it needs table=False"),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_said_in_words_that_name_the_instrument(what):
    wrong, words = MISTAKES[what]
    with pytest.raises(InstrumentError, match=words):
        check(wrong)


def test_a_hole_is_fine_where_no_table_is_made():
    picture = dataclasses.replace(MISTAKES["a hole in a table"][0].pictures[0], table=False)
    check(changed(pictures=[picture]))


# Loading --------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of instruments, to be filled."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    folder = tmp_path / "dials_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == folder.name]:
        del sys.modules[name]


def test_an_unknown_instrument_names_the_file_that_is_missing(package):
    with pytest.raises(
        InstrumentError,
        match=r"there is no instrument 'big-wheel': dials_of_a_test/big_wheel.py does not exist",
    ):
        load(package.name, "big-wheel")


def test_an_unknown_package_is_said_too():
    with pytest.raises(InstrumentError, match=r"nowhere/big_wheel.py does not exist"):
        load("nowhere", "big-wheel")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "INSTRUMENT = 7",
        "from chapterkit.instrument import Instrument\nINSTRUMENT = Instrument('other', '', [], lambda: {}, [])",
    ],
)
def test_a_file_must_hold_the_instrument_of_its_name(package, text):
    (package / "big_wheel.py").write_text(text)
    with pytest.raises(
        InstrumentError,
        match=r"dials_of_a_test.big_wheel must define INSTRUMENT = Instrument\(name='big-wheel', …\)",
    ):
        load(package.name, "big-wheel")


def test_a_module_that_an_instrument_lacks_is_not_taken_for_the_instrument(package):
    (package / "big_wheel.py").write_text("import not_there")
    with pytest.raises(ModuleNotFoundError, match="not_there"):
        load(package.name, "big-wheel")


def test_an_instrument_is_found_by_its_name(package):
    (package / "big_wheel.py").write_text(
        "from chapterkit.instrument import Instrument\nINSTRUMENT = Instrument('big-wheel', 'A wheel', [], lambda: {}, [])"
    )
    assert load(package.name, "big-wheel").title == "A wheel"


def test_the_kit_knows_no_subject():
    for name in ("fault_tolerance", "book"):
        assert name not in vars(instruments)


def test_a_figure_that_passed_is_not_judged_again_and_another_one_is(tmp_path, monkeypatch):
    check(GOOD, tmp_path)
    monkeypatch.setattr(picture, "check", lambda figure: pytest.fail("judged twice"))
    check(GOOD, tmp_path)
    monkeypatch.undo()
    for _ in range(2):
        with pytest.raises(InstrumentError):
            check(changed(pictures=drawing(layout={**LAYOUT, "xaxys": {}})), tmp_path)
