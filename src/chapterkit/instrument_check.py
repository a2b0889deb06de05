"""What an author can get wrong in an instrument, found at its defaults while pages are read.

In the page, a name that does not exist is nothing worse than ``undefined``, and words for a state that
the defaults do not reach are first filled by a reader. So every template is filled, every figure is
validated by Plotly and composed for the static drawing, and every table is made, before anything is written.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from chapterkit import picture, quantity, shelf, table
from chapterkit.instrument import Instrument, InstrumentError, Picture, State


def check(instrument: Instrument, folder: Path | None = None) -> State:
    """The state at the defaults. Raises `InstrumentError` with words for whatever does not work.

    `folder` keeps which figures have passed, so that a small rebuild need not load what judges them.
    """
    try:
        _controls(instrument)
        state = instrument.evaluate()
        _words(instrument, state)
        for part in instrument.pictures:
            _figure(state, part, folder)
    except (quantity.QuantityError, picture.PictureError) as problem:
        raise InstrumentError(f"{instrument.name}: {problem}") from problem
    return state


def _controls(instrument: Instrument) -> None:
    for control in instrument.numbers:
        where = f"{instrument.name}.{control.name}"
        if control.also:
            quantity.show(control.default * control.factor, control.also)
        if not 0 < control.step <= control.high - control.low:
            raise InstrumentError(
                f"{where}: step must be above 0 and fit between {control.low} and {control.high}; "
                f"got {control.step}"
            )
        if control.whole and any(
            value != int(value) for value in (control.low, control.high, control.step, control.default)
        ):
            raise InstrumentError(f"{where}: a whole control needs whole limits, step and default")
    # The page hands them over by position, the build by name.
    wanted, given = list(inspect.signature(instrument.compute).parameters), list(instrument.arguments)
    if given != wanted:
        raise InstrumentError(
            f"{instrument.name}: controls must be the arguments of {instrument.compute.__name__} "
            f"in their order, {', '.join(wanted)}; got {', '.join(given)}"
        )


def _words(instrument: Instrument, state: State) -> None:
    for readout in instrument.readouts:
        if readout.name not in state.values:
            raise InstrumentError(
                f"{instrument.name}: {instrument.compute.__name__} gives no {readout.name!r} for its read-out"
            )
        state.readout(readout)
    for name, words in instrument.sentences.items():
        if state.values.get(name) not in words:
            raise InstrumentError(
                f"{instrument.name}: the sentences {name!r} have words for {', '.join(words)}; "
                f"got {state.values.get(name)!r}"
            )
    templates = [text for words in instrument.sentences.values() for text in words.values()]
    templates += [*instrument.lines, *(part.caption for part in instrument.pictures)]
    for text in templates:
        quantity.fill(text, state.values)


def _figure(state: State, part: Picture, folder: Path | None) -> None:
    figure, where = state.figure(part), f"{state.instrument.name}: picture {part.name!r}"

    def judged() -> bytes:
        import plotly.graph_objects as go

        try:
            go.Figure(picture.strip_colours(figure))
        except ValueError as problem:
            words = str(problem).strip().splitlines()[0]
            raise InstrumentError(f"{where} is not a Plotly figure: {words}") from None
        try:
            picture.check(figure)
        except picture.PictureError as problem:
            raise InstrumentError(f"{where}: {problem}") from None
        return b""

    shelf.kept(folder, picture.key(figure), judged)
    if part.table and any(cell is None for row in table.rows(figure) for cell in row):
        raise InstrumentError(f"{where} has gaps in its curves, so it needs table=False")
