"""What the reader defined: asked for by name, called with care, told apart if it is of the wrong kind."""

from __future__ import annotations

import inspect
import linecache
import reprlib
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fault_tolerance_checks.report import Wrong

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80
_SHORT.maxlist = _SHORT.maxtuple = 8


def show(value: Any) -> str:
    """A value in a few characters, numbers with six digits."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, np.ndarray):
        if value.size <= 8:
            return "[" + ", ".join(show(item) for item in value.ravel()) + "]"
        return f"an array of shape {value.shape}"
    if isinstance(value, list | tuple) and len(value) <= 8:
        inner = ", ".join(show(item) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return _SHORT.repr(value)


def show_bytes(count: int) -> str:
    """A number of bytes, in words."""
    return "1 byte" if count == 1 else f"{count:,} bytes"


def show_inputs(given: Mapping[str, Any]) -> str:
    """Inputs as the arguments of a call."""
    return ", ".join(f"{name}={show(value)}" for name, value in given.items())


def kind(value: Any) -> str:
    """What something is, in words of a first course."""
    words = {
        bool: "a truth value", str: "text", list: "a list", tuple: "a tuple", dict: "a dictionary",
        set: "a set", complex: "a complex number", bytes: "bytes", float: "a number", int: "a number",
    }  # fmt: skip
    if value is None:
        return "None"
    if value is ...:
        return "still the placeholder `...`"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if callable(value):
        return "a function"
    return words.get(type(value), f"a {type(value).__name__}")


class Answer:
    """The names that a reader defined, and how many cases have been tried on them."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self.namespace = namespace
        self.tried = 0

    def value(self, name: str) -> Any:
        """What stands under a name; the placeholders of starter cells count as nothing."""
        found = self.namespace.get(name)
        if found is None or found is ...:
            where = "has no value yet" if name in self.namespace else "is not defined"
            raise Wrong(
                f"there is an answer under the name `{name}`",
                got=f"`{name}` {where}",
                note="run the cell that defines it, then check again" if where == "is not defined" else "",
            )
        return found

    def number(self, name: str) -> float:
        """A single number under a name."""
        self.tried += 1
        return number(self.value(name), f"`{name}` is one number")

    def function(self, name: str, *arguments: str) -> Callable[..., Any]:
        """A function under a name, which can be called with the named arguments, in this order."""
        found = self.value(name)
        wanted = f"{name}({', '.join(arguments)})"
        if not callable(found):
            raise Wrong(f"`{wanted}` is a function", got=f"`{name}` is {kind(found)}")
        try:
            inspect.signature(found).bind(*arguments)
        except TypeError as error:
            own = f"{name}{inspect.signature(found)}"
            raise Wrong(
                f"the function can be called as `{wanted}`", got=f"`{own}`", note=str(error)
            ) from None
        except ValueError:  # a built-in that does not tell its arguments
            pass

        def call(*values: Any) -> Any:
            self.tried += 1
            return attempt(
                found, f"`{wanted}`", *values, given=show_inputs(dict(zip(arguments, values, strict=False)))
            )

        return call


def attempt(function: Callable[..., Any], what: str, *values: Any, given: str = "", **named: Any) -> Any:
    """Call something of the reader's, on copies of arrays; an exception becomes a report with its line."""
    values = tuple(value.copy() if isinstance(value, np.ndarray | bytearray) else value for value in values)
    try:
        result = function(*values, **named)
    except (Exception, SystemExit) as error:
        raise Wrong(f"{what} ends without an exception", given=given, got=told(error)) from None
    if result is ...:
        raise Wrong(f"{what} returns an answer", given=given, got="still the placeholder `...`")
    return result


def told(error: BaseException) -> str:
    """An exception, with the line of the reader's own code where it came up."""
    where = ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        module = [
            name
            for name in ("fault_tolerance", "numpy", "contextlib", "tempfile")
            if f"/{name}" in frame.filename
        ]
        if not module and "importlib" not in frame.filename:
            line = (frame.line or linecache.getline(frame.filename, frame.lineno or 0)).strip()
            where = f", in line {frame.lineno}" + (f": `{line}`" if line else "")
            break
    text = str(error).strip().splitlines()
    message = f": {text[0]}" if text else ""
    return f"{type(error).__name__}{message}{where}"


def number(value: Any, sentence: str, given: str = "") -> float:
    """The value as a float, or what it is instead of a number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    note = ""
    if value is None:
        note = "a function without `return` gives back None" if given else ""
    elif isinstance(value, list | tuple | np.ndarray):
        note = "one number is due"
    elif isinstance(value, str):
        note = "text cannot be calculated with; return the number itself and format it when you print"
    elif isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        note = ""
    elif not np.isfinite(float(value)):
        raise Wrong(sentence, given=given, got=show(float(value)), note="this is no finite number")
    else:
        return float(value)
    got = kind(value) if value is None or value is ... else f"{kind(value)}: {show(value)}"
    raise Wrong(sentence, given=given, got=got, note=note)
