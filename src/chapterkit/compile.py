"""Python to JavaScript: the functions an instrument needs, from the book's own source.

`compile_functions` follows every name an entry function uses to the Python function or constant
behind it, rewrites each into the subset that PScript takes, and returns one small script. Imports,
decorators, annotations and docstrings go; ``np`` becomes a shim over ``Math``; keyword arguments
become positions. Argument checks come along: a function that carries ``__accepts__`` (a mapping
from argument to an object with ``low``, ``low_open``, ``high``, ``high_open``, ``whole`` and
``words``) makes the same checks, with the same words, in the page; ``__accepts_each__`` does the
same for arguments that are lists.

The rules of the subset: plain functions of numbers, strings, lists and dicts; loops over ``range``
or a list; no f-strings (the formatter is `quantity.show`), classes, ``with``, ``try`` or lambdas.
Anything else stops the build with its file and line. What cannot be seen here and differs in the
page: an index from the end is written as a number (``x[-1]``), ``len`` is not asked of a dict.
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

from chapterkit.javascript import SHIM, TAKEN, runtime

_BUILTINS = {"abs", "enumerate", "float", "int", "len", "list", "max", "min", "range", "str"}
_REFUSED: dict[type[ast.AST], str] = {
    ast.JoinedStr: "an f-string; let a template or a read-out format the number",
    ast.Lambda: "a lambda; write a function",
    ast.ClassDef: "a class",
    ast.With: "a with statement",
    ast.Try: "a try statement",
    ast.TryStar: "a try statement",
    ast.Raise: "a raise statement; argument checks belong into the decorator",
    ast.Import: "an import inside a function",
    ast.ImportFrom: "an import inside a function",
    ast.Global: "a global statement",
    ast.Nonlocal: "a nonlocal statement",
    ast.Yield: "a generator",
    ast.YieldFrom: "a generator",
    ast.AsyncFunctionDef: "an async function",
    ast.AsyncFor: "an async loop",
    ast.AsyncWith: "a with statement",
    ast.Await: "an await expression",
    ast.GeneratorExp: "a generator expression; write a list comprehension",
    ast.Set: "a set",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dict comprehension; write a loop",
    ast.Starred: "a starred expression",
    ast.Slice: "a slice",
    ast.NamedExpr: "an assignment expression",
    ast.MatMult: "a matrix product",
    ast.FloorDiv: "the operator `//`; write np.floor(a / b)",
    ast.In: "the operator `in`",
    ast.NotIn: "the operator `not in`",
    ast.Match: "a match statement",
}

# What a value made inside a function may be asked to do; anything else would be `undefined` in the page.
_METHODS = {
    "append", "copy", "count", "endswith", "extend", "get", "index", "insert", "items", "join", "keys",
    "lower", "pop", "replace", "reverse", "split", "startswith", "strip", "upper", "values",
}  # fmt: skip


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

    def error(self, node: ast.AST, words: str) -> CompileError:
        return CompileError(
            self.file, getattr(node, "lineno", self.first), f"in {self.inner.__name__}: {words}"
        )


class _Rewrite(ast.NodeTransformer):
    """Resolve names, turn keywords into positions and refuse what the subset lacks."""

    def __init__(self, unit: _Unit, found: Callable[[_Unit, ast.AST, object], str], plain: bool) -> None:
        self.unit, self.found, self.plain = unit, found, plain
        names = {arg.arg for arg in ast.walk(unit.tree) if isinstance(arg, ast.arg)}
        names |= {
            n.id for n in ast.walk(unit.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        self.local = names

    def visit(self, node: ast.AST) -> Any:
        # An operator has no line of its own; the expression around it has.
        for part in (node, getattr(node, "op", None), *getattr(node, "ops", [])):
            if type(part) in _REFUSED:
                raise self.unit.error(node, f"cannot compile {_REFUSED[type(part)]}")  # type: ignore[index]
        name = getattr(node, "arg", None) if isinstance(node, ast.arg) else getattr(node, "id", None)
        if name in TAKEN and name in self.local:
            raise self.unit.error(
                node, f"the name {name!r} means something else in JavaScript; choose another"
            )
        return super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node is not self.unit.tree:
            raise self.unit.error(node, "cannot compile a function inside a function")
        if node.args.vararg or node.args.kwarg:
            raise self.unit.error(node, "cannot compile an argument with a star")
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        fits = isinstance(node.value, (str, float, bool, type(None))) or (
            isinstance(node.value, int) and abs(node.value) <= 2**53
        )
        if not fits:
            raise self.unit.error(
                node, f"cannot compile {ast.unparse(node)}; known are numbers, strings, True, False and None"
            )
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if len(node.ops) > 1:
            raise self.unit.error(node, "cannot compile a chained comparison; join two with `and`")
        self._refuse_lists(node, node.left, *node.comparators)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self._refuse_lists(node, node.left, node.right)
        if not isinstance(node.op, ast.Mod):
            return self.generic_visit(node)
        if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            raise self.unit.error(
                node,
                "cannot compile the formatting of a string; let a template or a read-out format the number",
            )
        return ast.copy_location(
            ast.Call(ast.Name("_mod", ast.Load()), [self.visit(node.left), self.visit(node.right)], []), node
        )

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.op, ast.Mod):
            raise self.unit.error(node, "cannot compile the operator `%=`; write x = x % y")
        return self.generic_visit(node)

    def _refuse_lists(self, node: ast.AST, *operands: ast.expr) -> None:
        if self.plain and any(
            isinstance(operand, (ast.List, ast.ListComp, ast.Dict, ast.Tuple)) for operand in operands
        ):
            raise self.unit.error(
                node,
                "cannot compile an operator between lists in a module of plain arithmetic; append in a loop",
            )

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
            if node.attr not in _METHODS:
                raise self.unit.error(
                    node, f"cannot compile .{node.attr} of a value; known are {', '.join(sorted(_METHODS))}"
                )
            return self.generic_visit(node)
        if isinstance(owner, ModuleType) and owner.__name__ in ("numpy", "math"):
            if node.attr not in SHIM:
                raise self.unit.error(
                    node, f"np.{node.attr} has no counterpart; known are {', '.join(sorted(SHIM))}"
                )
            return ast.copy_location(ast.Attribute(ast.Name("np", ast.Load()), node.attr, ast.Load()), node)
        return ast.copy_location(
            ast.Name(self.found(self.unit, node, self._value(node)[1]), ast.Load()), node
        )

    def visit_Call(self, node: ast.Call) -> ast.AST:
        known, function = self._value(node.func)
        if known and isinstance(inspect.unwrap(function) if callable(function) else None, FunctionType):
            self._positions(node, inspect.signature(function))
        elif node.keywords:
            raise self.unit.error(node, "keyword arguments work only in calls of functions known at build")
        elif function is str and not (
            isinstance(node.args[0], ast.Call) and ast.unparse(node.args[0].func) == "int"
        ):
            raise self.unit.error(
                node,
                "str of a number reads differently in the page; write str(int(…)) or leave it to a template",
            )
        return self.generic_visit(node)

    def _positions(self, node: ast.Call, signature: inspect.Signature) -> None:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        names = list(signature.parameters)
        words = ast.unparse(node.func)
        if None in given:
            raise self.unit.error(node, "cannot compile an argument with two stars")
        if len(node.args) > len(names):
            raise self.unit.error(
                node, f"the call of {words} gives {len(node.args)} arguments; it takes {len(names)}"
            )
        for name in given:
            if name not in names:
                raise self.unit.error(node, f"{words} has no argument {name!r}")
            if names.index(str(name)) < len(node.args):
                raise self.unit.error(node, f"the call of {words} gives {name!r} twice")
        last = max([names.index(str(name)) for name in given], default=len(node.args) - 1)
        for at in range(len(node.args), len(names)):
            default = signature.parameters[names[at]].default
            if names[at] not in given and default is inspect.Parameter.empty:
                raise self.unit.error(node, f"the call of {words} leaves out {names[at]!r}")
            if at <= last:
                node.args.append(given.get(names[at]) or self._default(node, words, names[at], default))
        node.keywords = []

    def _default(self, node: ast.Call, words: str, name: str, value: object) -> ast.expr:
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise self.unit.error(
                node, f"the call of {words} must give {name!r}: its default is not a plain number or string"
            )
        return ast.copy_location(ast.Constant(value), node)


def _checks(unit: _Unit) -> list[ast.stmt]:
    """Statements that check arguments as the decorator does, in the order of the arguments."""
    single, many = getattr(unit.outer, "__accepts__", {}), getattr(unit.outer, "__accepts_each__", {})
    lines = []
    for name in inspect.signature(unit.inner).parameters:
        if name in single or name in many:
            domain = single.get(name) or many[name]
            low = "-np.inf" if domain.low == -math.inf else repr(float(domain.low))
            high = "np.inf" if domain.high == math.inf else repr(float(domain.high))
            call = (
                f"({name!r}, {name}, {low}, {bool(domain.low_open)}, {high}, {bool(domain.high_open)}, "
                f"{bool(domain.whole)}, {domain.words!r})"
            )
            lines.append(f"{name} = _each{call}" if name in many else f"_check{call}")
    if len(many) > 1:
        names = ", ".join(many)
        lines.append(f"{names} = _match({list(many)!r}, [{names}])")
    return ast.parse("\n".join(lines)).body


def _bare(tree: ast.FunctionDef) -> None:
    """Drop what only Python needs: decorators, annotations, the docstring, marks between arguments."""
    tree.decorator_list, tree.returns = [], None
    arguments = tree.args
    arguments.args = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    if any(defaults):
        # From the first default on, each argument needs one; calls are known to give what Python asks for.
        first_one = next(at for at, default in enumerate(defaults) if default)
        arguments.defaults = [default or ast.Constant(None) for default in defaults[first_one:]]
    arguments.posonlyargs, arguments.kwonlyargs, arguments.kw_defaults = [], [], []
    for arg in arguments.args:
        arg.annotation = None
    first = tree.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
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


def _to_javascript(pieces: list[tuple[_Unit, ast.FunctionDef, str]]) -> str:
    try:
        return str(pscript.py2js("\n\n".join(source for _unit, _tree, source in pieces)))
    except (
        Exception
    ):  # PScript raises several kinds, all with words, the last line without a place of its own
        for unit, tree, source in pieces:
            try:
                pscript.py2js(source)
            except Exception as problem:
                words = str(problem).splitlines()[-1]
                raise unit.error(_culprit(tree), f"cannot compile this: {words}") from problem
        raise


def _culprit(tree: ast.FunctionDef) -> ast.AST:
    """The innermost statement that PScript refuses."""
    found: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node is not tree:
            try:
                pscript.py2js(ast.unparse(node))
            except Exception:
                found = node
    return found


def compile_functions(
    entries: Iterable[Callable[..., Any]], *, lists: Iterable[str] = (), files: set[str] | None = None
) -> str:
    """Compile `entries` and all they call; the script is an expression giving ``{name: function}``.

    `lists` names modules whose functions join or compare lists; elsewhere operators are those of numbers.
    The files in which the functions are written are added to `files`.

    Raises `CompileError` with file and line for code outside the subset.
    """
    entries, listed = list(entries), set(lists)
    units: dict[FunctionType, _Unit] = {}
    constants: dict[str, str] = {}
    queue: list[_Unit] = []

    def want(function: Callable[..., Any]) -> _Unit:
        inner = inspect.unwrap(function)
        if inner not in units:
            unit = _Unit(function)
            taken = next((u for u in units.values() if u.name == unit.name), None)
            if taken:
                raise unit.error(unit.tree, f"has the same name as {taken.file}:{taken.first} in the page")
            units[inner] = unit
            queue.append(unit)
        return units[inner]

    def found(unit: _Unit, node: ast.AST, value: object) -> str:
        if callable(value) and isinstance(inspect.unwrap(value), FunctionType):
            return want(value).name
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise unit.error(node, f"{ast.unparse(node)} is neither a function nor plain data") from None
        name = re.sub(r"\W", "_", f"{unit.inner.__module__}__{ast.unparse(node)}", flags=re.ASCII)
        while constants.get(name, text) != text:  # `a.b` and `a_b` would be one name
            name += "_"
        constants[name] = text
        return name

    for entry in entries:
        want(entry)
    pieces: list[tuple[_Unit, ast.FunctionDef, str]] = []
    while queue:
        unit = queue.pop(0)
        if files is not None:
            files.add(unit.file)
        _bare(unit.tree)
        _PlainAssignments().visit(unit.tree)
        plain = unit.inner.__module__ not in listed
        tree = _Rewrite(unit, found, plain).visit(unit.tree)
        pieces.append((unit, tree, _source(unit, tree, plain)))
    script = _to_javascript(pieces)
    script = re.sub(r"^\s*//.*\n|[ \t]+$", "", script, flags=re.M)
    script = re.sub(r"^(?: {4})+", lambda m: " " * (len(m[0]) // 4), script, flags=re.M)
    data = "".join(f"var {name} = {text};\n" for name, text in sorted(constants.items()))
    exports = ", ".join(f"{e.__name__}: {want(e).name}" for e in entries)
    return f"(function () {{\n{runtime(script)}{data}{script}\nreturn {{{exports}}};\n}})()"
