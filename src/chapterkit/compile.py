"""Python to JavaScript: the functions an instrument needs, from the book's own source.

`compile_functions` follows every name an entry function uses to the Python function or constant
behind it, rewrites each into the subset that PScript takes, and returns one small script. Imports,
decorators, annotations and docstrings go; ``np`` becomes a shim over ``Math``; keyword arguments
become positions. Argument checks come along: a function that carries ``__accepts__`` (a mapping
from argument to an object with ``low``, ``low_open``, ``high``, ``high_open``, ``whole`` and
``words``) makes the same checks, with the same words, in the page.

The rules of the subset: plain functions of numbers, strings, lists and dicts; loops over ``range``
or a list; no f-strings (the formatter is `quantity.show`), classes, ``with``, ``try`` or lambdas.
Anything else stops the build with its file and line.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import math
import re
import textwrap
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

import pscript

SHIM = {
    "sqrt": "Math.sqrt", "exp": "Math.exp", "expm1": "Math.expm1", "log": "Math.log", "log1p": "Math.log1p",
    "log10": "Math.log10", "abs": "Math.abs", "floor": "Math.floor", "ceil": "Math.ceil", "maximum": "Math.max",
    "minimum": "Math.min", "where": "function (c, a, b) { return c ? a : b; }", "pi": "Math.PI", "e": "Math.E",
    "inf": "Infinity", "isfinite": "Number.isFinite",
}  # fmt: skip
_BUILTINS = {"abs", "enumerate", "float", "int", "len", "list", "max", "min", "range", "str", "sum", "True", "False", "None"}
_REFUSED: dict[type[ast.AST], str] = {
    ast.JoinedStr: "an f-string; let a template or a read-out format the number",
    ast.Lambda: "a lambda; write a function",
    ast.ClassDef: "a class",
    ast.With: "a with statement",
    ast.Try: "a try statement",
    ast.Raise: "a raise statement; argument checks belong into the decorator",
    ast.Import: "an import inside a function",
    ast.ImportFrom: "an import inside a function",
    ast.Global: "a global statement",
    ast.Yield: "a generator",
    ast.GeneratorExp: "a generator expression; write a list comprehension",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dict comprehension; write a loop",
    ast.Starred: "a starred expression",
    ast.Slice: "a slice",
    ast.NamedExpr: "an assignment expression",
    ast.MatMult: "a matrix product",
    ast.In: "the operator `in`",
    ast.NotIn: "the operator `not in`",
    ast.Match: "a match statement",
}

RUNTIME = """\
var np = {%s};
var _show = function (x) { return Number.isInteger(x) ? x.toFixed(1) : String(x); };
var _check = function (name, x, low, lowOpen, high, highOpen, whole, words) {
  if (typeof x !== "number" || !(lowOpen ? x > low : x >= low) || !(highOpen ? x < high : x <= high) || (whole && x !== Math.floor(x)))
    throw new RangeError(name + " must be " + words + "; got " + (typeof x === "number" ? _show(x) : x));
};
""" % ", ".join(f"{name}: {code}" for name, code in SHIM.items())


class CompileError(Exception):
    """Code outside the subset, with where it stands."""

    def __init__(self, file: str, line: int, words: str) -> None:
        super().__init__(f"{file}:{line}: {words}")
        self.file, self.line, self.words = file, line, words


class _Unit:
    """One Python function on its way to JavaScript."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.outer = function
        self.inner = inspect.unwrap(function)
        if not isinstance(self.inner, FunctionType):
            raise TypeError(f"only plain functions can be compiled; got {function!r}")
        self.file = inspect.getsourcefile(self.inner) or "?"
        lines, self.first = inspect.getsourcelines(self.inner)
        parsed = ast.parse(textwrap.dedent("".join(lines))).body[0]
        if not isinstance(parsed, ast.FunctionDef):
            raise CompileError(self.file, self.first, "only a function written with `def` can be compiled")
        ast.increment_lineno(parsed, self.first - 1)
        self.tree = parsed
        module = self.inner.__module__.rsplit(".", 1)[-1].lstrip("_")
        self.name = f"{module}__{self.inner.__name__}"
        self.key = (self.inner.__module__, self.inner.__qualname__)

    def error(self, node: ast.AST, words: str) -> CompileError:
        return CompileError(self.file, getattr(node, "lineno", self.first), f"in {self.inner.__name__}: {words}")


class _Rewrite(ast.NodeTransformer):
    """Resolve names, turn keywords into positions and refuse what the subset lacks."""

    def __init__(self, unit: _Unit, found: Callable[[_Unit, ast.AST, object], str]) -> None:
        self.unit, self.found = unit, found
        names = {arg.arg for arg in ast.walk(unit.tree) if isinstance(arg, ast.arg)}
        names |= {n.id for n in ast.walk(unit.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.local = names

    def visit(self, node: ast.AST) -> Any:
        reason = _REFUSED.get(type(node))
        if reason:
            raise self.unit.error(node, f"cannot compile {reason}")
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            raise self.unit.error(node, "cannot compile a chained comparison; join two with `and`")
        return super().visit(node)

    def _value(self, node: ast.expr) -> tuple[bool, object]:
        """What a global name or a dotted path from one stands for in Python."""
        if isinstance(node, ast.Name) and node.id not in self.local:
            scope = self.unit.inner.__globals__
            if node.id in scope:
                return True, scope[node.id]
            if node.id in _BUILTINS:
                return True, getattr(builtins, node.id, None)
            raise self.unit.error(node, f"the name {node.id!r} cannot be compiled")
        if isinstance(node, ast.Attribute):
            known, owner = self._value(node.value)
            if known and not hasattr(owner, node.attr):
                raise self.unit.error(node, f"{ast.unparse(node)} does not exist")
            if known:
                return True, getattr(owner, node.attr)
        return False, None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.local or (node.id in _BUILTINS and node.id not in self.unit.inner.__globals__):
            return node
        return ast.copy_location(ast.Name(self.found(self.unit, node, self._value(node)[1]), node.ctx), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        known, owner = self._value(node.value)
        if not known:
            return self.generic_visit(node)
        if isinstance(owner, ModuleType) and owner.__name__ in ("numpy", "math"):
            if node.attr not in SHIM:
                raise self.unit.error(node, f"np.{node.attr} has no counterpart; known are {', '.join(sorted(SHIM))}")
            return ast.copy_location(ast.Attribute(ast.Name("np", ast.Load()), node.attr, ast.Load()), node)
        return ast.copy_location(ast.Name(self.found(self.unit, node, self._value(node)[1]), ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if node.keywords:
            known, function = self._value(node.func)
            if not known or not callable(function):
                raise self.unit.error(node, "keyword arguments work only in calls of functions known at build")
            self._positions(node, inspect.signature(function))
        return self.generic_visit(node)

    def _positions(self, node: ast.Call, signature: inspect.Signature) -> None:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        names = list(signature.parameters)
        unknown = [name for name in given if name not in names]
        if unknown:
            raise self.unit.error(node, f"{ast.unparse(node.func)} has no argument {unknown[0]!r}")
        last = max(names.index(name) for name in given if name)
        for name in names[len(node.args) : last + 1]:
            default = signature.parameters[name].default
            if name not in given and default is inspect.Parameter.empty:
                raise self.unit.error(node, f"the call of {ast.unparse(node.func)} leaves out {name!r}")
            node.args.append(given.get(name, ast.Constant(default)))
        node.keywords = []


def _checks(unit: _Unit) -> list[ast.stmt]:
    lines = []
    for name, domain in getattr(unit.outer, "__accepts__", {}).items():
        low = "-np.inf" if domain.low == -math.inf else repr(float(domain.low))
        high = "np.inf" if domain.high == math.inf else repr(float(domain.high))
        lines.append(
            f"_check({name!r}, {name}, {low}, {bool(domain.low_open)}, {high}, {bool(domain.high_open)}, "
            f"{bool(domain.whole)}, {domain.words!r})"
        )
    return ast.parse("\n".join(lines)).body


def _bare(tree: ast.FunctionDef) -> None:
    """Drop what only Python needs: decorators, annotations, the docstring, the keyword-only mark."""
    tree.decorator_list, tree.returns = [], None
    tree.args.args += tree.args.kwonlyargs
    tree.args.defaults += [default for default in tree.args.kw_defaults if default is not None]
    tree.args.kwonlyargs, tree.args.kw_defaults = [], []
    for arg in tree.args.args:
        arg.annotation = None
    first = tree.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        tree.body = tree.body[1:] or [ast.copy_location(ast.Pass(), first)]


class _PlainAssignments(ast.NodeTransformer):
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return ast.copy_location(ast.Assign([node.target], node.value), node) if node.value else None


def _source(unit: _Unit, tree: ast.FunctionDef, plain: bool) -> str:
    """The rewritten function as Python source for PScript."""
    tree.name = unit.name
    # Physics is arithmetic on numbers; without operators for lists its code is a third of the size.
    switch = ast.parse("PSCRIPT_OVERLOAD = False").body if plain else []
    tree.body = [*switch, *_checks(unit), *tree.body]
    ast.fix_missing_locations(tree)
    return ast.unparse(tree)


def compile_functions(entries: Iterable[Callable[..., Any]], *, lists: Iterable[str] = ()) -> str:
    """Compile `entries` and all they call; the script is an expression giving ``{name: function}``.

    `lists` names modules whose functions join or compare lists; elsewhere operators are those of numbers.

    Raises `CompileError` with file and line for code outside the subset.
    """
    entries = list(entries)
    units: dict[tuple[str, str], _Unit] = {}
    constants: dict[str, str] = {}
    queue: list[_Unit] = []

    def want(function: Callable[..., Any]) -> _Unit:
        unit = _Unit(function)
        if unit.key not in units:
            taken = next((u for u in units.values() if u.name == unit.name), None)
            if taken:
                raise unit.error(unit.tree, f"has the same name as {taken.file}:{taken.first} in the page")
            units[unit.key] = unit
            queue.append(unit)
        return units[unit.key]

    def found(unit: _Unit, node: ast.AST, value: object) -> str:
        if callable(value) and isinstance(inspect.unwrap(value), FunctionType):
            return want(value).name
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise unit.error(node, f"{ast.unparse(node)} is neither a function nor plain data") from None
        name = f"{re.sub(r'[^A-Za-z0-9]', '_', unit.inner.__module__)}__{re.sub(r'[^A-Za-z0-9]', '_', ast.unparse(node))}"
        constants[name] = text
        return name

    for entry in entries:
        want(entry)
    pieces: list[str] = []
    while queue:
        unit = queue.pop(0)
        _bare(unit.tree)
        _PlainAssignments().visit(unit.tree)
        tree = _Rewrite(unit, found).visit(unit.tree)
        source = _source(unit, tree, plain=unit.inner.__module__ not in set(lists))
        try:
            pscript.py2js(source)
        except Exception as problem:  # PScript raises several kinds, all with words
            raise CompileError(unit.file, unit.first, f"in {unit.inner.__name__}: {problem}") from problem
        pieces.append(source)
    script = pscript.py2js("\n\n".join(pieces))
    script = re.sub(r"^\s*//.*\n|[ \t]+$", "", script, flags=re.M)
    script = re.sub(r"^(?: {4})+", lambda m: " " * (len(m[0]) // 4), script, flags=re.M)
    data = "".join(f"var {name} = {text};\n" for name, text in sorted(constants.items()))
    exports = ", ".join(f"{e.__name__}: {units[_Unit(e).key].name}" for e in entries)
    return f"(function () {{\n{RUNTIME}{data}{script}\nreturn {{{exports}}};\n}})()"
