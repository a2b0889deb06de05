"""Argument checks, in one decorator.

A public function names the domain of each argument once::

    @accepts(write_time="positive", mtbf="positive")
    def young_interval(write_time, mtbf): ...

The decorator checks and converts what comes in, so the body is arithmetic and nothing else.
It leaves the domains on the function (``__accepts__``, and ``__accepts_each__`` for arguments
that are lists), where other tools can read them.
"""

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import wraps
from inspect import Parameter, signature
from numbers import Real
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = float | Array

_KIND = "a number or an array of numbers"

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Domain:
    """The values an argument may take: an interval, perhaps of whole numbers only."""

    low: float
    low_open: bool
    high: float
    high_open: bool
    whole: bool
    words: str

    def holds(self, values: Numbers) -> Any:
        """Tell, element by element, whether the values are allowed; NaN never is."""
        above = values > self.low if self.low_open else values >= self.low
        below = values < self.high if self.high_open else values <= self.high
        inside = above & below
        return inside & (values == np.floor(values)) if self.whole else inside


DOMAINS: dict[str, Domain] = {
    "positive": Domain(0.0, True, np.inf, True, False, "a finite number above 0"),
    "non-negative": Domain(0.0, False, np.inf, True, False, "a finite number, 0 or more"),
    "count": Domain(1.0, False, np.inf, True, True, "a whole number, 1 or more"),
    "count-or-zero": Domain(0.0, False, np.inf, True, True, "a whole number, 0 or more"),
}


@dataclass(frozen=True)
class Each:
    """Marks an argument that is a list, each number of which must lie in the domain."""

    domain: str


def each(domain: str) -> Each:
    """Declare a list of numbers.

    The last axis of what is given is the list. The body receives the list as its first axis and
    goes through it with a plain ``for``. All lists of one call broadcast against each other.
    """
    return Each(domain)


def accepts(
    shape: Literal["arrays", "scalars"] = "arrays",
    relation: Callable[..., None] | None = None,
    /,
    **arguments: str | Each,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check and convert the named arguments before the function sees them.

    Numbers arrive as float64, arrays as float64 arrays. Where everything is a number, so is the
    result. With ``"scalars"`` arrays are refused and the body gets Python's own numbers. ``relation`` is
    called with the same arguments and raises where they do not go together.

    Raises
    ------
    TypeError
        An argument is not a number (text, None, a truth value, a complex number).
    ValueError
        A value outside its domain, or arrays whose shapes do not go together.
    """
    domains = {name: DOMAINS[key.domain if isinstance(key, Each) else key] for name, key in arguments.items()}
    lists = {name for name, key in arguments.items() if isinstance(key, Each)}

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        parameters = signature(function).parameters
        names = tuple(parameters)
        required = {name for name in names if parameters[name].default is Parameter.empty}
        if not domains.keys() <= parameters.keys():
            raise TypeError(f"{function.__name__} lacks some of the arguments {', '.join(domains)}")

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            given: dict[str, Any] = dict(zip(names, args, strict=False)) | kwargs
            for name, domain in domains.items():
                if name in given:
                    check = _checked_list if name in lists else _checked
                    given[name] = check(name, given[name], domain)
                    if shape == "scalars":
                        given[name] = _plain(name, given[name], name in lists, domain.whole)
            if shape == "arrays":
                _match_shapes(given, lists)
            # One argument too many, or an unknown name, is left to Python, which says so in its own words.
            positional: Any = [given[name] for name, _ in zip(names, args, strict=False)]
            positional += args[len(names) :]
            keywords: Any = {name: given[name] for name in kwargs}
            with np.errstate(all="ignore"):
                if relation and given.keys() <= set(names) and required <= given.keys():
                    relation(**given)
                result = function(*positional, **keywords)
            if isinstance(result, np.ndarray | np.generic) and result.ndim == 0:
                return cast("T", float(result))
            return result

        single = {name: domain for name, domain in domains.items() if name not in lists}
        many = {name: domain for name, domain in domains.items() if name in lists}
        checked.__accepts__ = single  # type: ignore[attr-defined]
        checked.__accepts_each__ = many  # type: ignore[attr-defined]
        return checked

    return decorate


def _checked(name: str, value: object, domain: Domain) -> Numbers:
    values = _as_floats(name, value)
    inside = domain.holds(values)
    if not np.all(inside):
        culprit = float(np.ravel(values)[np.argmin(np.ravel(inside))])
        raise ValueError(f"{name} must be {domain.words}; got {culprit!r}")
    return values


def _checked_list(name: str, value: object, domain: Domain) -> Array:
    values = np.atleast_1d(_checked(name, value, domain))
    if values.shape[-1] == 0:
        raise ValueError(f"{name} must hold at least one number; got none")
    return values


def _as_floats(name: str, value: object) -> Numbers:
    if type(value) is float:
        return np.float64(value)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be {_KIND}; got lists of unequal length") from None
    if array.dtype.kind == "O" and all(_is_number(item) for item in array.flat):
        array = np.reshape([_nearest_float(item) for item in array.flat], array.shape)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be {_KIND}; got {reprlib.repr(value)}")
    floats = array.astype(np.float64)
    return floats if floats.ndim else floats[()]


def _is_number(item: object) -> bool:
    return isinstance(item, Real | Decimal) and not isinstance(item, bool)


def _nearest_float(item: Any) -> float:
    try:
        return float(item)
    except OverflowError:
        return np.inf if item > 0 else -np.inf


def _plain(name: str, values: Any, is_list: bool, whole: bool) -> list[float] | float | int:
    if np.ndim(values) > is_list:
        wanted = "a list of numbers" if is_list else "a single number"
        raise TypeError(f"{name} must be {wanted}; got an array of shape {np.shape(values)}")
    return values.tolist() if is_list else int(values) if whole else float(values)


def _match_shapes(given: dict[str, Any], lists: set[str]) -> None:
    """Bring the lists of a call to one shape, list first, and see that all shapes go together."""
    arrays = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    shapes = {name: value.shape for name, value in arrays.items()}
    long = [name for name in given if name in lists]
    try:
        for name, values in zip(long, np.broadcast_arrays(*[arrays[name] for name in long]), strict=True):
            given[name] = np.moveaxis(values, -1, 0)
        np.broadcast_shapes(*[given[name].shape[1:] if name in lists else shapes[name] for name in shapes])
    except ValueError:
        told = " and ".join(f"{name} of shape {shape}" for name, shape in shapes.items())
        raise ValueError(f"{told} do not broadcast together") from None
