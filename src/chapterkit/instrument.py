"""What an author writes to make an instrument: its controls, its numbers, its words, its pictures.

A file in the book declares ``INSTRUMENT = Instrument(...)`` around two plain functions: ``compute``
takes the controls in base units and returns a dict of numbers and words; each picture's ``figure``
takes that dict and returns a Plotly figure as a dict. Both run in CPython at build and, compiled,
in the page (see `compile` for what they may use). Templates hold fields such as ``{mtbf|h .2f}``.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chapterkit import quantity


class InstrumentError(Exception):
    """An instrument that is not declared as it must be, with words that say what is."""


@dataclass(frozen=True)
class Control:
    """One quantity the reader sets; `low`, `high`, `step` and `default` are in `unit`.

    `name` is the argument of ``compute``, which gets the value in base units. `also` names a unit in
    which the value is shown a second time. `more` puts the control under *More*. `button` offers a
    button with these words that moves the control one step on.
    """

    name: str
    label: str
    low: float
    high: float
    step: float
    default: float
    unit: str = ""
    symbol: str = ""
    also: str = ""
    whole: bool = False
    more: bool = False
    button: str = ""

    @property
    def unit_label(self) -> str:
        return quantity.UNITS[self.unit].label

    @property
    def factor(self) -> float:
        return quantity.UNITS[self.unit].factor


@dataclass(frozen=True)
class ReadOut:
    """One number (or word) the reader watches; `note` is a template shown small beneath it."""

    name: str
    label: str
    unit: str = ""
    spec: str = ""
    note: str = ""
    main: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure, its caption (a template) and how its table is formatted."""

    name: str
    title: str
    figure: Callable[[dict[str, Any]], dict[str, Any]]
    caption: str = ""
    ratio: float = 0.56
    narrow_ratio: float = 0.95
    table: bool = True


@dataclass(frozen=True)
class Instrument:
    """Everything a page needs of one instrument; see the module's first lines."""

    name: str
    title: str
    controls: Sequence[Control]
    compute: Callable[..., dict[str, Any]]
    readouts: Sequence[ReadOut]
    pictures: Sequence[Picture] = ()
    lines: Sequence[str] = ()
    sentences: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    version: int = 1

    def __post_init__(self) -> None:
        for control in self.controls:
            if control.unit not in quantity.UNITS:
                raise InstrumentError(f"{self.name}.{control.name}: unknown unit {control.unit!r}")
            if not control.low <= control.default <= control.high:
                raise InstrumentError(
                    f"{self.name}.{control.name}: default must be from {control.low} to {control.high}; "
                    f"got {control.default}"
                )

    def defaults(self) -> dict[str, float]:
        """Default of each control, in base units."""
        return {control.name: float(control.default) * control.factor for control in self.controls}

    def evaluate(self, values: Mapping[str, float] | None = None) -> State:
        """Run the instrument in CPython at `values` (base units), by default at its defaults."""
        given = self.defaults() | dict(values or {})
        results = self.compute(**given)
        for name, value in results.items():
            if isinstance(value, (int, float)) and not math.isfinite(value):
                raise InstrumentError(f"{self.name}: compute gave {name} = {value} at {given}")
        return State(self, {**given, **results})


@dataclass(frozen=True)
class State:
    """An instrument at one setting: numbers, and the words and figures made of them."""

    instrument: Instrument
    values: dict[str, Any]

    def readout(self, readout: ReadOut) -> tuple[str, str]:
        """The text of a read-out and of its note."""
        value = self.values[readout.name]
        text = value if isinstance(value, str) else quantity.show(value, readout.unit, readout.spec)
        return text, quantity.fill(readout.note, self.values)

    def lines(self) -> list[str]:
        return [quantity.fill(line, self.values) for line in self.instrument.lines]

    def sentences(self) -> dict[str, str]:
        return {
            name: quantity.fill(words[self.values[name]], self.values)
            for name, words in self.instrument.sentences.items()
        }

    def figure(self, picture: Picture) -> dict[str, Any]:
        return picture.figure(self.values)

    def caption(self, picture: Picture) -> str:
        return quantity.fill(picture.caption, self.values)


def load(package: str, name: str) -> Instrument:
    """The instrument `name` from the package that holds a book's instruments.

    Raises `InstrumentError` naming the file that is missing or lacks ``INSTRUMENT``.
    """
    module_name = f"{package}.{name.replace('-', '_')}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as problem:
        if problem.name and module_name.startswith(problem.name):
            where = f"{package.replace('.', '/')}/{name.replace('-', '_')}.py"
            raise InstrumentError(f"there is no instrument {name!r}: {where} does not exist") from None
        raise
    instrument = getattr(module, "INSTRUMENT", None)
    if not isinstance(instrument, Instrument) or instrument.name != name:
        raise InstrumentError(f"{module_name} must define INSTRUMENT = Instrument(name={name!r}, …)")
    return instrument
