"""What an author writes to make an instrument: its controls, its numbers, its words, its pictures.

A file in the book declares ``INSTRUMENT = Instrument(...)`` around two plain functions: ``compute``
takes the controls in base units and returns a dict of numbers and words; each picture's ``figure``
takes that dict and returns a Plotly figure as a dict. Both run in CPython at build and, compiled,
in the page (see `compile` for what they may use). Templates hold fields such as ``{mtbf|h .2f}``.
"""

from __future__ import annotations

import importlib
import math
import re
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
    button with these words that moves the control one step on. With `multiple`, what is typed must be a
    multiple of it. With `reach`, what is typed may go up to it, and a second slider under *More* does too.
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
    multiple: int = 0
    reach: float = 0

    @property
    def highest(self) -> float:
        """The highest value there is, on show or under *More*."""
        return self.reach or self.high

    @property
    def unit_label(self) -> str:
        return quantity.UNITS[self.unit].label

    @property
    def factor(self) -> float:
        return quantity.UNITS[self.unit].factor

    def check(self, where: str) -> None:
        """Raise `InstrumentError` if a link or the slider could set what `readTyped` would refuse."""
        if self.unit not in quantity.UNITS:
            raise InstrumentError(f"{where}: unknown unit {self.unit!r}")
        if not self.low <= self.default <= self.high:
            raise InstrumentError(
                f"{where}: default must be from {self.low} to {self.high}; got {self.default}"
            )
        if self.reach and (self.reach <= self.high or self.more):
            raise InstrumentError(
                f"{where}: reach must be above {self.high} and the control on show; got {self.reach}"
            )
        if self.multiple:
            for what in ("low", "high", "step", "default", "highest"):
                if getattr(self, what) % self.multiple:
                    raise InstrumentError(
                        f"{where}: {what} must be a multiple of {self.multiple}; got {getattr(self, what)}"
                    )


@dataclass(frozen=True)
class Option:
    """One option of a `Choice`. Its `id` stands in people's links, so it never changes.

    Its number is `value`, in the unit of the choice, or whatever the reader sets in the `Control` named `control`.
    """

    id: str
    words: str
    value: float | None = None
    control: str = ""


@dataclass(frozen=True)
class Choice:
    """A quantity the reader picks by name; ``compute`` gets the option's number in base units as `name`.

    Templates may also name ``<name>_words``. A control that serves an option is no argument of
    ``compute``; to move it picks its option.
    """

    name: str
    label: str
    options: Sequence[Option]
    default: str
    unit: str = ""
    symbol: str = ""
    more: bool = False

    @property
    def factor(self) -> float:
        return quantity.UNITS[self.unit].factor

    def option(self, id_: str) -> Option:
        """The option of that id; raises `InstrumentError` with the ids there are."""
        for option in self.options:
            if option.id == id_:
                return option
        ids = ", ".join(option.id for option in self.options)
        raise InstrumentError(f"{self.name} must be one of {ids}; got {id_!r}")

    def check(self, where: str) -> None:
        """Raise `InstrumentError` for ids that cannot stand in a link and options without one number."""
        if self.unit not in quantity.UNITS:
            raise InstrumentError(f"{where}: unknown unit {self.unit!r}")
        ids = [option.id for option in self.options]
        if len(ids) < 2 or len(set(ids)) < len(ids):
            raise InstrumentError(
                f"{where}: needs two or more options with different ids; got {', '.join(ids) or 'none'}"
            )
        for option in self.options:
            if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", option.id):
                raise InstrumentError(
                    f"{where}: an option's id is made of lower-case letters, digits and single hyphens; got {option.id!r}"
                )
            if (option.value is None) == (option.control == ""):
                raise InstrumentError(f"{where}: option {option.id!r} needs either a value or a control")
        self.option(self.default)


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
    controls: Sequence[Control | Choice]
    compute: Callable[..., dict[str, Any]]
    readouts: Sequence[ReadOut]
    pictures: Sequence[Picture] = ()
    lines: Sequence[str] = ()
    sentences: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    version: int = 1

    def __post_init__(self) -> None:
        for control in self.controls:
            control.check(f"{self.name}.{control.name}")
        numbers = {control.name for control in self.numbers}
        for choice in self.choices:
            for option in choice.options:
                if option.control and option.control not in numbers:
                    raise InstrumentError(
                        f"{self.name}.{choice.name}: option {option.id!r} names the control {option.control!r}, which does not exist"
                    )

    @property
    def numbers(self) -> list[Control]:
        """The controls that are numbers, in order."""
        return [control for control in self.controls if isinstance(control, Control)]

    @property
    def choices(self) -> list[Choice]:
        """The controls that are choices, in order."""
        return [control for control in self.controls if isinstance(control, Choice)]

    @property
    def arguments(self) -> list[str]:
        """What ``compute`` takes, in order: every control but those that serve an option."""
        serving = {option.control for choice in self.choices for option in choice.options}
        return [control.name for control in self.controls if control.name not in serving]

    def defaults(self) -> dict[str, float | str]:
        """Default of each control: of a number in base units, of a choice the option's id."""
        return {
            control.name: control.default
            if isinstance(control, Choice)
            else float(control.default) * control.factor
            for control in self.controls
        }

    def given(self, settings: Mapping[str, float | str]) -> dict[str, Any]:
        """Settings with each choice's number and words in the place of its id."""
        given: dict[str, Any] = dict(settings)
        for choice in self.choices:
            option = choice.option(str(settings[choice.name]))
            given[choice.name] = (
                given[option.control] if option.value is None else float(option.value) * choice.factor
            )
            given[f"{choice.name}_words"] = option.words
        return given

    def evaluate(self, values: Mapping[str, float | str] | None = None) -> State:
        """Run the instrument in CPython at `values` (base units, ids of options), by default at its defaults."""
        given = self.given(self.defaults() | dict(values or {}))
        results = self.compute(**{name: given[name] for name in self.arguments})
        for name, value in results.items():
            if isinstance(value, (int, float)) and not math.isfinite(value):
                raise InstrumentError(f"{self.name}: compute gave {name} = {value} at {given}")
        return State(self, {**given, **results})


@dataclass(frozen=True)
class State:
    """An instrument at one setting: numbers, and the words and figures made of them."""

    instrument: Instrument
    values: dict[str, Any]

    def readout(self, readout: ReadOut, *, tell: bool = False) -> tuple[str, str]:
        """The text of a read-out and of its note; for `tell`, here and below, see `quantity.fill`."""
        value = self.values[readout.name]
        text = value if isinstance(value, str) else quantity.show(value, readout.unit, readout.spec)
        return text, quantity.fill(readout.note, self.values, tell=tell)

    def lines(self, *, tell: bool = False) -> list[str]:
        return [quantity.fill(line, self.values, tell=tell) for line in self.instrument.lines]

    def sentences(self, *, tell: bool = False) -> dict[str, str]:
        return {
            name: quantity.fill(words[self.values[name]], self.values, tell=tell)
            for name, words in self.instrument.sentences.items()
        }

    def figure(self, picture: Picture) -> dict[str, Any]:
        return picture.figure(self.values)

    def caption(self, picture: Picture, *, tell: bool = False) -> str:
        return quantity.fill(picture.caption, self.values, tell=tell)


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
