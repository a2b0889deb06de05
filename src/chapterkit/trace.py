"""Where the numbers of an instrument come from: the expression in its ``compute`` behind each of them.

Read from the source, so that what a reader is told is what is run. Names that the reader can see, those of
controls and of other numbers, stay as they are; what only ``compute`` knows is put in their place.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

LONGEST = 180  # characters; what would be longer keeps the names that only `compute` knows


def expressions(compute: Callable[..., Any]) -> dict[str, str]:
    """For each number that ``compute`` returns, the expression that makes it, where there is one to show."""
    return dict(_expressions(compute))


@lru_cache(maxsize=64)
def _expressions(compute: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    try:
        function = ast.parse(textwrap.dedent(inspect.getsource(compute))).body[0]
        module = ast.parse(inspect.getsource(sys.modules[compute.__module__]))
    except (OSError, TypeError):
        return ()
    if not isinstance(function, ast.FunctionDef):
        return ()
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    results = returned[-1] if returned else None
    if not isinstance(results, ast.Dict):
        return ()
    made = {
        key.value: value
        for key, value in zip(results.keys, results.values, strict=True)
        if isinstance(key, ast.Constant)
    }
    seen = {argument.arg for argument in function.args.args} | {str(name) for name in made}
    expand = _Expand(seen, _assigned(function), _short_helpers(module))
    found = []
    for name, value in made.items():
        meanings = expand.meanings(value)
        text = _joined([expand.within(each, (str(name),)) for each in meanings])
        if len(text) > LONGEST:
            text = _joined(meanings)
        if not text.isidentifier():
            found.append((str(name), text))
    return tuple(found)


def _joined(expressions: Sequence[ast.AST]) -> str:
    return " or ".join(dict.fromkeys(ast.unparse(each) for each in expressions))


def _assigned(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """What each local name is set to, plain words and numbers left out."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not isinstance(value, ast.Constant):
                assigned.setdefault(name, []).append(value)
    return assigned


def _short_helpers(module: ast.Module) -> dict[str, tuple[list[str], ast.expr]]:
    """Functions beside ``compute`` that only return an expression: their arguments and that expression."""
    helpers = {}
    for node in module.body:
        match node:
            case ast.FunctionDef(name=name, body=[*_doc, ast.Return(value=ast.expr() as value)]) if all(
                isinstance(each, ast.Expr) for each in _doc
            ):
                helpers[name] = ([argument.arg for argument in node.args.args], value)
    return helpers


class _Expand(ast.NodeTransformer):
    """Puts meanings in the place of names that a reader does not see."""

    def __init__(
        self,
        seen: set[str],
        assigned: dict[str, list[ast.expr]],
        helpers: dict[str, tuple[list[str], ast.expr]],
    ) -> None:
        self.seen, self.assigned, self.helpers = seen, assigned, helpers
        self.open: tuple[str, ...] = ()  # names on the way, against going round in circles

    def within(self, node: ast.expr, names: tuple[str, ...]) -> ast.AST:
        before, self.open = self.open, (*self.open, *names)
        result = self.visit(deepcopy(node))
        self.open = before
        return result

    def meanings(self, value: ast.expr) -> list[ast.expr]:
        if isinstance(value, ast.Name) and value.id in self.assigned:
            return self.assigned[value.id]
        return [value]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        values = self.assigned.get(node.id, [])
        if node.id in self.seen or node.id in self.open or len(values) != 1:
            return node
        return self.within(values[0], (node.id,))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        arguments = [self.visit(argument) for argument in node.args]
        if name in self.helpers and name not in self.open and not node.keywords:
            names, value = self.helpers[name]
            given = dict(zip(names, arguments, strict=False))
            return self.within(_Put(given).visit(deepcopy(value)), (name,))
        node.args = arguments
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return node


class _Put(ast.NodeTransformer):
    """Arguments in the place of a helper's parameters."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return deepcopy(self.given.get(node.id, node))
