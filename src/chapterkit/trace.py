"""Where the numbers of an instrument come from: the expressions behind its results and its pictures.

Read from the source, so that what a reader is told is what is run. Names that the reader can see, those of
controls and of other numbers, stay as they are; what only the function knows is put in their place.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import lru_cache
from typing import Any

LONGEST = 180  # characters; what would be longer keeps more of the names that only the function knows
DEEPEST = 6  # names within names that are spelled out


def expressions(compute: Callable[..., Any]) -> dict[str, str]:
    """For each number that ``compute`` returns, the expression that makes it, where there is one to show."""
    return dict(_expressions(compute))


def definitions(compute: Callable[..., Any]) -> dict[str, str]:
    """What stands beside ``compute`` in its file: constants and helpers, by name, each in one line."""
    return dict(_definitions(compute))


def columns(figure: Callable[..., Any]) -> dict[str, str]:
    """For each curve and mark that ``figure`` draws under a name it states, the expression of its numbers.

    Of curves these are the heights; where their points stand has no name.
    """
    return dict(_columns(figure))


def calls(function: Callable[..., Any]) -> list[str]:
    """Functions of other modules that ``function`` calls, itself or through what stands beside it."""
    file = _File.of(function)
    if not file:
        return []
    found: dict[str, None] = {}
    left, done = [file.function], {file.function.name}
    while left:
        for node in ast.walk(left.pop(0)):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if (
                    module in file.modules
                ):
                    found[f"{module}.{name}"] = None
                case ast.Call(func=ast.Name(id=name)) if name in file.functions and name not in done:
                    done.add(name)
                    left.append(file.functions[name])
    return list(found)


class _File:
    """The file in which a function stands."""

    def __init__(self, function: ast.FunctionDef, module: ast.Module) -> None:
        self.function = function
        self.functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
        self.constants = dict(_constants(module))
        # NumPy is arithmetic, as signs are; who wants to know how a number is made asks for the rest.
        self.modules = {
            name.asname or name.name
            for node in module.body
            if isinstance(node, ast.ImportFrom) and node.module != "__future__"
            for name in node.names
        }

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _File | None:
        try:
            node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
            module = ast.parse(inspect.getsource(sys.modules[function.__module__]))
        except (OSError, TypeError):
            return None
        return cls(node, module) if isinstance(node, ast.FunctionDef) else None

    def short_helpers(self) -> dict[str, tuple[list[str], ast.expr]]:
        """Functions that only return an expression: their arguments and that expression."""
        helpers = {}
        for name, node in self.functions.items():
            match node.body:
                case [*doc, ast.Return(value=ast.expr() as value)] if all(
                    isinstance(each, ast.Expr) for each in doc
                ):
                    helpers[name] = (_arguments(node), value)
        return helpers


def _arguments(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in function.args.args]


def _constants(module: ast.Module) -> Iterable[tuple[str, ast.expr]]:
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                yield from (
                    (each.id, value)
                    for each, value in zip(names, values, strict=False)
                    if isinstance(each, ast.Name)
                )


@lru_cache(maxsize=64)
def _expressions(compute: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    file = _File.of(compute)
    results = _returned(file.function)[-1:] if file else []
    if not file or not results or not isinstance(results[0], ast.Dict):
        return ()
    made = {
        str(key.value): value
        for key, value in zip(results[0].keys, results[0].values, strict=True)
        if isinstance(key, ast.Constant)
    }
    assigned = _assigned(file.function)
    # A result may have the name of something else within: `unsaved` may be the lesser of that and a limit.
    seen = {name for name, value in made.items() if name not in assigned or _is_name(value, name)}
    found = []
    for name, value in made.items():
        text = _told(value, seen | set(_arguments(file.function)), assigned, file.short_helpers())
        if not text.isidentifier() or text in file.constants:
            found.append((name, text))
    return tuple(found)


@lru_cache(maxsize=64)
def _definitions(compute: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    file = _File.of(compute)
    if not file:
        return ()
    found = [(name, f"{name} = {ast.unparse(value)}") for name, value in file.constants.items()]
    for name, node in file.functions.items():
        arguments = _arguments(node)
        assigned = _assigned(node)
        for argument in arguments:
            assigned.pop(argument, None)  # its own from the start
        each = [_told(value, set(arguments), assigned, file.short_helpers()) for value in _returned(node)]
        text, doc = " or ".join(dict.fromkeys(each)), ast.get_docstring(node)
        if doc and (text.isidentifier() or len(text) > LONGEST):
            text = doc.partition("\n")[0].replace("`", "")
        found.append((name, f"{name}({', '.join(arguments)}) = {text}"))
    return tuple((name, text) for name, text in found if len(text) <= 3 * LONGEST and not text.endswith("= "))


@lru_cache(maxsize=64)
def _columns(figure: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    file = _File.of(figure)
    if not file:
        return ()
    assigned = _assigned(file.function)
    found: dict[str, str] = {}
    for node in ast.walk(file.function):
        drawn = None
        match node:
            case ast.Call(func=ast.Name(id=helper), args=[ast.Constant(value=str(name)), *_rest]) if (
                helper in file.functions
            ):
                drawn = _drawn(file.functions[helper], node.args)
            case ast.Dict():
                drawn = _entries(node)
                name = drawn["name"].value if isinstance(drawn.get("name"), ast.Constant) else ""  # type: ignore[attr-defined]
        if not drawn or not name or name in found or not {"x", "y"} <= drawn.keys():
            continue
        # A curve's heights are a list that a loop fills, a mark has both its numbers on the spot.
        mark = isinstance(drawn["y"], ast.List)
        wanted = [drawn["x"], drawn["y"]]
        wanted = [
            each.elts[0] if isinstance(each, ast.List) and len(each.elts) == 1 else each for each in wanted
        ]
        wanted = [_State().visit(deepcopy(value)) for value in wanted]
        texts = [_told(value, set(), assigned, file.short_helpers()) for value in wanted]
        across, up = texts
        # A name that is left stands for a list that is filled in more than one place.
        said = [
            hasattr(value, "shown") or not (text.isidentifier() or text == "[]")
            for value, text in zip(wanted, texts, strict=True)
        ]
        if said[1]:
            found[name] = f"{across}, {up}" if mark else up
            if not mark and said[0]:
                found.setdefault("", across)
    return tuple(found.items())


def _entries(node: ast.expr) -> dict[Any, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    return {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
    }


def _drawn(helper: ast.FunctionDef, arguments: list[ast.expr]) -> dict[Any, ast.expr]:
    """The trace that a helper returns, in terms of what it is called with."""
    names = _arguments(helper)
    inside = _Expand(set(names), _assigned(helper), {}, DEEPEST)
    given = _Put(dict(zip(names, arguments, strict=False)))
    entries = next((found for value in _returned(helper) if (found := _entries(value))), {})
    return {key: given.visit(inside.within(value, ())) for key, value in entries.items()}


def _told_already(node: ast.Name) -> ast.Name:
    """The name of a number that is on show, whatever the function itself means by it."""
    node.shown = True  # type: ignore[attr-defined]
    return node


class _State(ast.NodeTransformer):
    """``state["best"]`` is a number that the reader sees as ``best``."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id="state"), slice=ast.Constant(value=str(name))):
                return _told_already(ast.Name(name))
        return self.generic_visit(node)


def _told(
    value: ast.expr,
    seen: set[str],
    assigned: dict[str, list[ast.expr]],
    helpers: dict[str, tuple[list[str], ast.expr]],
) -> str:
    """An expression with the names that only its function knows spelled out, as far as it stays readable."""
    local = isinstance(value, ast.Name) and not hasattr(value, "shown")
    meanings = assigned.get(value.id, []) if local else []  # type: ignore[attr-defined]
    # Where a number is one thing or another, its value before either is known says nothing.
    meanings = [each for each in meanings if not isinstance(each, ast.Constant)] or meanings or [value]
    best = ""
    for depth in range(DEEPEST + 1):
        expand = _Expand(seen, assigned, helpers, depth)
        text = " or ".join(dict.fromkeys(ast.unparse(expand.within(each, ())) for each in meanings))
        if best and len(text) > LONGEST:
            break
        best = text
    return best


def _is_name(value: ast.expr, name: str) -> bool:
    return isinstance(value, ast.Name) and value.id == name


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]
    return [node.value for node in sorted(returns, key=lambda node: node.lineno) if node.value]


def _assigned(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """What each local name is set to, plain words left out; a list that a loop fills as a comprehension."""
    assigned: dict[str, list[ast.expr]] = {}
    filled = _filled(function)
    piecemeal: set[str] = set()  # no one expression gives these
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])) if name in filled:
                assigned.setdefault(name, []).append(filled[name])
            case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=str())):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned.setdefault(name, []).append(_State().visit(deepcopy(value)))
            case (
                ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)))
                | ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
            ):
                piecemeal.add(name)
    return {name: values for name, values in assigned.items() if name not in piecemeal}


def _filled(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Lists to which a loop appends one expression, as comprehensions."""
    found: dict[str, list[ast.expr]] = {}
    for loop in ast.walk(function):
        if not isinstance(loop, ast.For):
            continue
        for node in ast.walk(loop):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]):
                    each = ast.comprehension(target=loop.target, iter=loop.iter, ifs=[], is_async=0)
                    made = ast.ListComp(elt=_State().visit(deepcopy(value)), generators=[each])
                    found.setdefault(name, []).append(made)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


class _Expand(ast.NodeTransformer):
    """Puts meanings in the place of names that a reader does not see."""

    def __init__(
        self,
        seen: set[str],
        assigned: dict[str, list[ast.expr]],
        helpers: dict[str, tuple[list[str], ast.expr]],
        depth: int,
    ) -> None:
        self.seen, self.assigned, self.helpers, self.depth = seen, assigned, helpers, depth
        self.open: tuple[str, ...] = ()  # names on the way, against going round in circles
        self.bound: set[str] = set()  # names that a comprehension brings along

    def within(self, node: ast.expr, names: tuple[str, ...]) -> ast.AST:
        before, self.open = self.open, (*self.open, *names)
        result = self.visit(deepcopy(node))
        self.open = before
        return result

    def visit_Name(self, node: ast.Name) -> ast.AST:
        values = self.assigned.get(node.id, [])
        if (
            getattr(node, "shown", False)
            or node.id in self.seen
            or node.id in self.open
            or node.id in self.bound
        ):
            return node
        if len(values) != 1 or len(self.open) >= self.depth:
            return node
        return self.within(values[0], (node.id,))

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        names = {
            each.id
            for part in node.generators
            for each in ast.walk(part.target)
            if isinstance(each, ast.Name)
        }
        before, self.bound = self.bound, self.bound | names
        self.generic_visit(node)
        self.bound = before
        return node

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
