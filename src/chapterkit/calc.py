"""Numbers in prose: ``{calc}`` computes them at build, ``{given}`` names a page's inputs.

``{calc}`young_interval(2 * minute, 3.125 * h) | min .1f` `` prints 27.4 min. After the bar stand a
unit and a format, either of which may be missing. The expression may use

* what the modules named in ``chapterkit_calc_modules`` export, and those modules by their last name;
* units as factors (``minute``, ``h``, ``GB``) and the functions in `expression.FUNCTIONS`;
* names that a ``{given}`` above it on the page assigns, one ``name = expression`` a line;
* ``record("key")``, a row of the published records.

Hover or focus shows the call, with given names spelled out, and its value in base units.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.errors import ConfigError
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.nodes import get_node_line, get_node_source

from chapterkit import errors, expression, quantity, shelf
from chapterkit.expression import ExpressionError, Given
from chapterkit.render import Elsewhere, OnPages, close, replace, tag

if TYPE_CHECKING:
    from docutils.nodes import Node, system_message
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")

GIVEN = "chapterkit:given"  # where the page's names are kept while it is read


class calc(nodes.inline):  # docutils names its nodes in lower case
    """A computed number. As a kind of ``inline`` it may stand in headings, which tables of contents copy."""


def _modules(names: list[str]) -> list[Any]:
    modules = []
    for name in names:
        try:
            modules.append(importlib.import_module(name))
        except ImportError as error:
            raise ConfigError(f"chapterkit_calc_modules: cannot import {name!r}: {error}") from error
    return modules


def _names(env: BuildEnvironment) -> dict[str, Any]:
    """All names that any page may use."""
    exported = expression.module_names(_modules(env.config.chapterkit_calc_modules))
    return {**expression.FUNCTIONS, **expression.UNITS, **exported, "record": lambda key: _record(env, key)}


def _record(env: BuildEnvironment, key: str) -> Any:
    from chapterkit import records

    if not env.config.chapterkit_records:
        raise ExpressionError("no file of records: set chapterkit_records in conf.py")
    path = Path(env.srcdir) / env.config.chapterkit_records
    env.note_dependency(str(path))
    return records.load(path)[key]


def _given(env: BuildEnvironment) -> dict[str, Given]:
    return env.current_document.setdefault(GIVEN, {})  # type: ignore[no-any-return]


def compute(env: BuildEnvironment, text: str) -> tuple[str, str, str]:
    """Answer ``EXPR | UNIT SPEC`` with the expression, the number in words, and the call that gives it."""
    source, bar, form = text.rpartition("|")
    source = source.strip() if bar else text.strip()
    unit, spec = _form(form) if bar else ("", "")
    given = _given(env)
    value = expression.as_number(expression.evaluate(source, _names(env), given))
    words = quantity.show(value, unit, spec)
    return source, words, _call(source, expression.spell_out(source, given), value)


def _call(source: str, spelled: str, value: float | int) -> str:
    """What hover shows: the call with its inputs and its value in base units, nothing said twice."""
    parts = [spelled] if source == spelled or "(" in source else [source, spelled]
    if not re.fullmatch(r"[\d_.]+", spelled):
        parts.append(str(value) if isinstance(value, int) else f"{value:.7g}")
    return " = ".join(parts)


def _form(form: str) -> tuple[str, str]:
    first, _space, rest = form.strip().partition(" ")
    if first in quantity.UNITS or first in quantity.LADDERS:
        return first, rest.strip()
    if rest or not first.startswith((",", ".")):
        known = ", ".join(quantity.known_units())
        raise ExpressionError(f"unknown unit {first!r}; known are {known}; a format looks like ',.1f'")
    return "", first


class CalcRole(SphinxRole):
    """``{calc}`EXPR | UNIT SPEC` ``."""

    def run(self) -> tuple[list[Node], list[system_message]]:
        source, line = self.get_source_info()
        try:
            written, words, call = compute(self.env, self.text)
        except (ExpressionError, quantity.QuantityError) as error:
            errors.report(self.env, f"{{calc}} {self.text!r}: {error}", source, line)
            return [errors.placeholder(self.rawtext)], []
        node = calc(self.rawtext, words, expression=written, call=call, classes=["ck-calc"])
        self.set_source_info(node)
        return [node], []


class GivenDirective(SphinxDirective):
    """``{given}``: one ``name = expression`` a line, for every ``{calc}`` below it on the page."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"hidden": directives.flag}

    def run(self) -> list[Node]:
        text = "\n".join(self.content)
        source, line = self.get_source_info()
        try:
            statements = ast.parse(text).body
        except SyntaxError as error:
            self._report(error.lineno or 1, f"not Python: {error.msg}")
            return []
        if not statements:
            errors.report(self.env, "{given} needs a line such as: mass = 3 * kg", source, line)
        for statement in statements:
            try:
                self._assign(statement, text)
            except ExpressionError as error:
                self._report(statement.lineno, str(error))
        if "hidden" in self.options or not statements:
            return []
        title = nodes.paragraph("", _("The numbers of this page"), classes=["ck-given-title"])
        code = nodes.literal_block(text, text, language="python")
        box = nodes.container("", title, code, classes=["ck-given"])
        for node in (box, title, code):
            self.set_source_info(node)
        return [box]

    def _assign(self, statement: ast.stmt, text: str) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case _:
                raise ExpressionError("write one `name = expression` a line")
        names = _names(self.env)
        if name in expression.FUNCTIONS or name in expression.UNITS or inspect.ismodule(names.get(name)):
            raise ExpressionError(f"{name!r} is taken by a unit, a function or a module; choose another name")
        source = ast.get_source_segment(text, value) or ""
        given = _given(self.env)
        result = expression.as_number(expression.evaluate(f"({source})", names, given))
        one_line = source if "\n" not in source else ast.unparse(value)
        given[name] = Given(result, expression.spell_out(one_line, given))

    def _report(self, row: int, message: str) -> None:
        source, line = self.get_source_info()
        # MyST counts the content's lines from the directive, docutils from the top of the page.
        start = line if type(self.state).__module__.startswith("myst_parser") else 0
        errors.report(self.env, f"{{given}}: {message}", source, start + self.content_offset + row)


class CalcToHtml(OnPages):
    """A span that shows its call on hover and focus, by CSS alone."""

    default_priority = 200

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(calc)):
            call = node["call"]
            # A focusable span inside a link or a label would be a control within a control.
            alone = not _inside_control(node)
            start = tag(
                "span",
                class_="ck-calc",
                tabindex="0" if alone else None,
                data_call=call,
                aria_description=call,
            )
            replace(node, [start, *node.children, close("span")])


def _inside_control(node: Node) -> bool:
    while node := node.parent:
        if isinstance(node, (nodes.reference, addnodes.pending_xref)) or "ck-label" in node.get(
            "classes", ()
        ):
            return True
    return False


class CalcToText(Elsewhere):
    """Everywhere else it is plain text."""

    default_priority = 200

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(calc)):
            replace(node, node.children)


def _find_unread(app: Sphinx, document: nodes.document) -> None:
    """A bar ends a table's cell and cuts a role in two, which Markdown then takes for words."""
    for text in document.findall(nodes.Text):
        if "{calc}`" in text and not isinstance(text.parent, (nodes.literal, nodes.literal_block)):
            message = f"{text.astext()!r} is not read as {{calc}}; in a table write \\| for the bar"
            errors.report(app.env, message, get_node_source(text) or "", get_node_line(text))


def fingerprint(modules: list[Any], folder: Path | None = None) -> str:
    """A hash of the code behind the numbers: packages with all their files, and the formatter.

    Comments and docstrings make no number: who edits one need not wait until the whole book is read again.
    `folder` keeps what was found of each file, since to parse them all takes longer than to read a page.
    """
    digest = sha256()
    files: set[Path] = set()
    for module in (*modules, expression, quantity):
        path = Path(inspect.getsourcefile(module) or "")
        # A module leans on its neighbours, so the whole package around it counts.
        neighbours = path.parent.rglob("*.py") if module in modules and module.__package__ else [path]
        files.update(neighbours)
    for path in sorted(files, key=lambda path: path.as_posix()):
        text = path.read_bytes()
        code = shelf.kept(folder, (sys.version, sha256(text).hexdigest()), partial(_code, text))
        digest.update(path.name.encode() + b"\0" + code + b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=256)
def _code(text: bytes) -> bytes:
    """What of a file is run, as one word."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        match node:
            case (
                ast.Module(body=[ast.Expr(value=ast.Constant(value=str())), *_rest])
                | ast.ClassDef(body=[ast.Expr(value=ast.Constant(value=str())), *_rest])
                | ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())), *_rest])
            ):
                del node.body[0]
    return sha256(ast.dump(tree).encode()).hexdigest().encode()


def _note_fingerprint(app: Sphinx, config: Config) -> None:
    modules = [*config.chapterkit_calc_modules, getattr(config, "chapterkit_checks", "")]
    found = fingerprint(_modules([name for name in modules if name]), Path(app.doctreedir) / "code")
    config.chapterkit_calc_fingerprint = found
    # myst-nb keeps a cell's output as long as its text stays, whatever it imports; so each state of the
    # modules gets a cache of its own.
    if "nb_execution_cache_path" in config and not config.nb_execution_cache_path:
        config.nb_execution_cache_path = str(Path(app.doctreedir).parent / "cells" / found[:16])


def setup(app: Sphinx) -> dict[str, Any]:
    """Settings: ``chapterkit_calc_modules``, modules whose public names expressions may use."""
    errors.setup(app)
    app.add_config_value("chapterkit_calc_modules", [], "env", types=frozenset({list}))
    # Computed, not set: when the physics changes, every page is read again.
    app.add_config_value("chapterkit_calc_fingerprint", "", "env", types=frozenset({str}))
    app.add_node(calc)  # no writer is named: this only lets headings with it be copied into contents
    app.add_role("calc", CalcRole())
    app.add_directive("given", GivenDirective)
    app.add_post_transform(CalcToHtml)
    app.add_post_transform(CalcToText)
    app.connect("config-inited", _note_fingerprint)
    app.connect("doctree-read", _find_unread)
    app.add_css_file("questions.css")
    app.add_js_file("calc.js", priority=509, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
