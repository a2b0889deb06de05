"""Numbers for people: one format for prose, pictures and sliders.

Everything inside is in base units; `show` turns a value into words such as ``27.4 min``.
`static/quantity.js` is the same formatter for the page; a test holds the two together, and
`UNITS` is handed to it as data, so that no factor stands twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

NARROW = "\u202f"  # narrow no-break space between a number and its unit
MINUS = "\u2212"


@dataclass(frozen=True)
class Unit:
    """How a value in base units is shown: divided by `factor`, then labelled."""

    factor: float = 1.0
    label: str = ""
    before: bool = False  # the label stands before the number, as in $3
    tight: bool = False  # no space, as in 3×


_MINUTE, _HOUR, _DAY, _YEAR = 60.0, 3600.0, 86_400.0, 365.25 * 86_400.0

UNITS: Mapping[str, Unit] = {
    "": Unit(),
    "x": Unit(1.0, "×", tight=True),
    "%": Unit(0.01, "%"),
    "points": Unit(0.01, "points"),
    "us": Unit(1e-6, "µs"),
    "ms": Unit(1e-3, "ms"),
    "s": Unit(1.0, "s"),
    "min": Unit(_MINUTE, "min"),
    "h": Unit(_HOUR, "h"),
    "d": Unit(_DAY, "d"),
    "y": Unit(_YEAR, "years"),
    "GPU-h": Unit(_HOUR, "GPU-h"),
    "B": Unit(1.0, "B"),
    "kB": Unit(1e3, "kB"),
    "MB": Unit(1e6, "MB"),
    "GB": Unit(1e9, "GB"),
    "TB": Unit(1e12, "TB"),
    "GiB": Unit(2.0**30, "GiB"),
    "TiB": Unit(2.0**40, "TiB"),
    "MB/s": Unit(1e6, "MB/s"),
    "GB/s": Unit(1e9, "GB/s"),
    "TB/s": Unit(1e12, "TB/s"),
    "/s": Unit(1.0, "/s", tight=True),
    "/h": Unit(1.0 / _HOUR, "per hour"),
    "/d": Unit(1.0 / _DAY, "per day"),
    "/y": Unit(1.0 / _YEAR, "per year"),
    "$": Unit(1.0, "$", before=True),
    "$/h": Unit(1.0 / _HOUR, "$", before=True),
    "$/d": Unit(1.0 / _DAY, "$", before=True),
    "B-params": Unit(1e9, "billion"),
    "TFLOP/s": Unit(1e12, "TFLOP/s"),
}

# A ladder picks the unit from the size of the value: the first rung whose limit is not reached.
LADDERS: Mapping[str, tuple[tuple[float, str], ...]] = {
    "time": ((1e-3, "us"), (1.0, "ms"), (120.0, "s"), (7200.0, "min"), (2 * _DAY, "h"), (math.inf, "d")),
    "bytes": ((1e3, "B"), (1e6, "kB"), (1e9, "MB"), (1e12, "GB"), (math.inf, "TB")),
    "rate": ((1e9, "MB/s"), (1e12, "GB/s"), (math.inf, "TB/s")),
}

_SPEC = re.compile(r"(?P<group>,?)(?:\.(?P<digits>\d{1,2}))?(?P<kind>[fg]?)\Z", re.ASCII)


class QuantityError(ValueError):
    """A unit or a format that `show` does not know."""


def known_units() -> list[str]:
    """Names that `show` takes, for messages."""
    return sorted(name for name in (*UNITS, *LADDERS) if name)


def show(value: float, unit: str = "", spec: str = "") -> str:
    """Write `value`, given in base units, in `unit`, formatted by the Python format `spec`.

    The spec is ``[,][.digits][f|g]``; without one, up to three significant digits are kept
    (``.3g``), without an exponent. `unit` is a name from `UNITS` or `LADDERS`.

    Raises `QuantityError` for an unknown unit or spec and for a value that is not finite.
    """
    value = float(value)
    if not math.isfinite(value):
        raise QuantityError(f"value must be finite to be shown; got {value}")
    if unit in LADDERS:
        unit = next((rung for limit, rung in LADDERS[unit] if abs(value) < limit))
        if value == 0.0 and unit == "us":
            unit = "s"
    if unit not in UNITS:
        raise QuantityError(f"unit must be one of {', '.join(known_units())}; got {unit!r}")
    entry = UNITS[unit]
    scaled = value / entry.factor
    if not math.isfinite(scaled):
        raise QuantityError(f"value is too large to be shown in {unit}; got {value}")
    digits = number(scaled, spec)
    if not entry.label:
        return digits
    if entry.before:
        sign = MINUS if digits.startswith(MINUS) else ""
        return f"{sign}{entry.label}{digits.removeprefix(MINUS)}"
    return f"{digits}{'' if entry.tight else NARROW}{entry.label}"


def number(value: float, spec: str = "") -> str:
    """Format a plain number; rounding is half-to-even on the exact binary value, as Python's."""
    match = _SPEC.match(spec)
    if match is None:
        raise QuantityError(f"format must look like ',.1f' or '.3g'; got {spec!r}")
    group, kind = match["group"], match["kind"]
    digits = int(match["digits"]) if match["digits"] else (0 if kind == "f" else 3)
    if kind != "f":
        # Significant digits without an exponent: find the decimals that `.{digits}e` would keep.
        digits = max(digits, 1)
        exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
        rounded = float(f"{value:.{digits - 1}e}")
        text = f"{rounded:{group}.{min(max(digits - 1 - exponent, 0), 20)}f}"
        if "." in text:
            text = text.rstrip("0").rstrip(".")
    else:
        text = f"{value:{group}.{digits}f}"
    if text.startswith("-"):
        text = text[1:]
        if any(digit in text for digit in "123456789"):
            text = MINUS + text
    return text


_FIELD = re.compile(r"\{([a-z_]\w*)(?:\|([^ }]*)(?: ([^}]*))?)?\}", re.ASCII)


def fill(template: str, values: Mapping[str, object], *, tell: bool = False) -> str:
    """Fill ``{name|unit spec}`` fields of `template` from `values`; strings go in as they are.

    With `tell`, each number stands in a ``span`` that says by what name its call is found.
    """

    def field(match: re.Match[str]) -> str:
        name, unit, spec = match[1], match[2] or "", match[3] or ""
        if name not in values:
            raise QuantityError(f"template names {name!r}; known are {', '.join(sorted(values))}")
        value = values[name]
        text = value if isinstance(value, str) else show(float(value), unit, spec)  # type: ignore[arg-type]
        return f'<span data-of="{name}">{text}</span>' if tell and re.search("[0-9]", text) else text

    return _FIELD.sub(field, template)


def fields(template: str) -> list[str]:
    """Names a template asks for, in order."""
    return [match[1] for match in _FIELD.finditer(template)]


def as_data() -> dict[str, object]:
    """Units and ladders as JSON-ready data for the page's formatter; no limit is written as null."""
    return {
        "units": {name: asdict(unit) for name, unit in UNITS.items()},
        "ladders": {
            name: [[None if math.isinf(limit) else limit, rung] for limit, rung in rungs]
            for name, rungs in LADDERS.items()
        },
    }
