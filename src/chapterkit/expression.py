"""Expressions that an author writes and the build computes, with a small set of names.

The limits guard against slips, not against attackers: authors can run any code in a cell. A typo
should be told by name, and a number on a page should depend on nothing but the physics.
"""

from __future__ import annotations

import ast
import difflib
import math
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

UNITS: Mapping[str, float] = {
    "us": 1e-6, "ms": 1e-3, "s": 1.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0, "day": 86_400.0,
    "week": 604_800.0, "year": 365.25 * 86_400.0,
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "GiB": 2.0**30, "TiB": 2.0**40,
    "percent": 0.01, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
}  # fmt: skip

FUNCTIONS: Mapping[str, Any] = {
    "sqrt": math.sqrt, "log": math.log, "log10": math.log10, "exp": math.exp, "pi": math.pi,
    "ceil": math.ceil, "floor": math.floor, "round": round, "min": min, "max": max, "abs": abs,
    "sum": sum, "len": len, "range": range, "int": int, "float": float,
}  # fmt: skip

_REFUSED: Mapping[type[ast.AST], str] = {
    ast.Lambda: "a lambda",
    ast.NamedExpr: "an assignment inside an expression",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.JoinedStr: "an f-string",
}
# Anything looser than these needs brackets when it takes the place of a name.
_TIGHT = (ast.Constant, ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Tuple)


class ExpressionError(ValueError):
    """An expression that cannot be read or computed; the message says why and what is allowed."""


@dataclass(frozen=True)
class Given:
    """A number named on a page: its value, and how the author wrote it."""

    value: Any
    source: str


@dataclass(frozen=True)
class Ambiguous:
    """A name that more than one module exports."""

    places: tuple[str, ...]


def module_names(modules: Iterable[types.ModuleType]) -> dict[str, Any]:
    """Names that `modules` give: their public functions and numbers, and each module by its last name.

    A name that two modules export belongs to neither: it must be written with its module.
    """
    names: dict[str, Any] = {}
    owners: dict[str, list[str]] = {}
    short = {module.__name__.rpartition(".")[2]: module for module in modules}
    for last, module in short.items():
        for name, value in public_names(module).items():
            owners.setdefault(name, []).append(f"{last}.{name}")
            names[name] = value if len(owners[name]) == 1 else Ambiguous(tuple(owners[name]))
    return names | short


def public_names(module: types.ModuleType) -> dict[str, Any]:
    """What a module exports: ``__all__``, else the functions and numbers that it defines itself."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return {name: getattr(module, name) for name in listed}
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (getattr(value, "__module__", None) == module.__name__ or type(value) in (int, float))
    }


def parse(text: str) -> ast.expr:
    """Read `text` as one expression."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        at = getattr(error, "offset", None)
        where = f" at character {at}" if at else ""
        raise ExpressionError(f"not a Python expression: {getattr(error, 'msg', error)}{where}") from error
    for node in ast.walk(tree):
        if type(node) in _REFUSED:
            raise ExpressionError(f"{_REFUSED[type(node)]} is not allowed here")
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name.startswith("_"):
            raise ExpressionError(f"names must not begin with an underscore; got {name!r}")
    return tree


def _bound(tree: ast.expr) -> set[str]:
    """Names that a comprehension inside the expression brings along."""
    return {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def evaluate(text: str, names: Mapping[str, Any], given: Mapping[str, Given]) -> Any:
    """Compute `text`; names of the page go before names of the book."""
    tree = parse(text)
    bound = _bound(tree)
    known = {**names, **{name: entry.value for name, entry in given.items()}}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node.id in bound:
            continue
        if node.id not in known:
            close = difflib.get_close_matches(node.id, known, 3)
            hint = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(sorted(known))}"
            raise ExpressionError(f"no name {node.id!r} here; {hint}")
        if isinstance(known[node.id], Ambiguous):
            places = known[node.id].places
            raise ExpressionError(f"{node.id!r} is in more than one module; write {' or '.join(places)}")
    try:
        return eval(compile(text.strip(), "<calc>", "eval"), {"__builtins__": {}, **known})
    except Exception as error:
        words = str(error) or "no reason given"
        raise ExpressionError(f"{type(error).__name__}: {words}") from error


def as_number(value: Any) -> float | int:
    """A finite real number out of `value`, or a sentence on why it is none."""
    if isinstance(value, (bool, str)) or callable(value):
        raise ExpressionError(f"must give a number; got {value!r}")
    if getattr(value, "shape", ()) != () or isinstance(value, (list, tuple, dict, set)):
        raise ExpressionError(f"must give one number; got {len(value)} in a {type(value).__name__}")
    try:
        number = value.item() if hasattr(value, "item") else value
        number = number if isinstance(number, int) else float(number)
    except (TypeError, ValueError) as error:
        raise ExpressionError(f"must give a number; got {value!r}") from error
    if not math.isfinite(number):
        raise ExpressionError(f"must give a finite number; got {number}")
    return number


def spell_out(text: str, given: Mapping[str, Given]) -> str:
    """Put what the author wrote for each given name in its place, so that the call stands on its own."""
    text = text.strip()
    tree = ast.parse(text, mode="eval").body
    bound = _bound(tree)
    free = {tree} | {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for part in (*node.args, *(keyword.value for keyword in node.keywords))
    }
    raw = text.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spots = sorted(
        (
            (starts[node.lineno - 1] + node.col_offset, node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and node.id in given and node.id not in bound
        ),
        key=lambda spot: -spot[0],
    )
    for at, node in spots:
        source = given[node.id].source
        if node not in free and not isinstance(ast.parse(source, mode="eval").body, _TIGHT):
            source = f"({source})"
        raw = raw[:at] + source.encode() + raw[at + len(node.id.encode()) :]
    return raw.decode()
