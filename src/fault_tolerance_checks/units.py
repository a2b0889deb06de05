"""Which unit a number is in that is wrong by a whole unit."""

from __future__ import annotations

import math
from collections.abc import Sequence

_TIMES = {
    "seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86_400.0, "milliseconds": 1e-3,
}  # fmt: skip
_BYTES = {
    "bytes": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "GiB": 2.0**30, "TiB": 2.0**40,
    "bits": 1 / 8, "gigabits": 1e9 / 8,
}  # fmt: skip
_SHARES = {"a fraction": 1.0, "percent": 0.01}
_DOLLARS = {"dollars a day": 1.0, "dollars an hour": 24.0, "dollars a year": 1 / 365}
_SPEEDS = {
    "bytes per second" if name == "bytes" else f"{name}/s": size for name, size in _BYTES.items()
}  # fmt: skip
FAMILIES = (_TIMES, _BYTES, _SHARES, _DOLLARS, _SPEEDS)


def family(unit: str) -> dict[str, float]:
    """The units that are taken for this one."""
    return next((units for units in FAMILIES if unit in units), {})


def other_unit(got: Sequence[float], due: Sequence[float], unit: str, rel: float) -> str:
    """A sentence, if all of `got` are what is due in another unit."""
    units = family(unit)
    for name, size in units.items():
        factor = units[unit] / size
        if name != unit and all(
            math.isclose(g, d * factor, rel_tol=rel) for g, d in zip(got, due, strict=True)
        ):
            return f"this is in {name}, and {unit} {'is' if unit == 'a fraction' else 'are'} due"
    if unit == "a fraction" and all(
        math.isclose(g, 1 - d, rel_tol=rel, abs_tol=rel * 1e-3) for g, d in zip(got, due, strict=True)
    ):
        return "this is one minus what is due: what is kept and what is lost are mixed up"
    return ""


def constant_factor(got: Sequence[float], due: Sequence[float]) -> str:
    """A sentence, if all of `got` miss what is due by one and the same factor."""
    ratios = [g / d for g, d in zip(got, due, strict=True) if d]
    if len(ratios) > 3 and min(ratios) != 0 and max(ratios) - min(ratios) <= 1e-6 * abs(max(ratios)):
        return "every answer misses by the same factor: the shape is right, a constant is not"
    return ""
