"""Published records: numbers other people printed, one TOML row each, always with their source.

A row of the file named by ``chapterkit_records`` reads::

    [apollo-1969]
    group = "missions"                  # optional, for {published-table}'s :group:
    what = "Apollo 11"
    who = "NASA"
    year = 1969
    cite = "nasa1969"                   # a key of the bibliography
    where = "§2"                        # section, table or page of the source
    caveat = "MyST text, {calc} too."   # optional

    [apollo-1969.values]
    crew = { label = "Crew", value = 3 }
    flight = { label = "Flight time", value = 195.3, unit = "h", bound = "over", where = "Table 1" }

``load(path)`` gives `Record` objects whose attributes are the values in base units
(``records["apollo-1969"].flight`` is in seconds). Pages print one number with
``{published}`apollo-1969.flight | d .1f` `` and rows with ``{published-table}``.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ConfigError
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective, SphinxRole

from chapterkit import errors
from chapterkit.calc import calc
from chapterkit.quantity import LADDERS, UNITS, QuantityError, known_units, show

if TYPE_CHECKING:
    from docutils.nodes import Node, system_message
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")

ROW_KEYS = {"group", "what", "who", "year", "cite", "where", "caveat", "values"}
FIELD_KEYS = {"label", "value", "unit", "bound", "where", "note", "share"}
BOUNDS = ("about", "at least", "at most", "over", "under", "up to")


class RecordsError(ValueError):
    """The file of records, or a question to it, is wrong; the message says what and where."""


@dataclass(frozen=True)
class Field:
    """One published number, with exactly the digits that were printed."""

    name: str
    label: str
    value: Decimal
    unit: str = ""
    bound: str = ""  # one of BOUNDS, where the source says no more than that
    where: str = ""  # where this number stands, if elsewhere than the rest of its row
    note: str = ""
    beside: str = ""  # a share stands in the row of the value of this name

    @property
    def si(self) -> float:
        """The value in base units; a whole number without a unit stays an `int`."""
        factor = UNITS[self.unit].factor
        if factor == 1.0 and self.value == self.value.to_integral_value():
            return int(self.value)
        return float(self.value) * factor

    @property
    def printed(self) -> str:
        """The number as the source prints it, with thousands separated."""
        digits = max(-int(self.value.as_tuple().exponent), 0)
        return show(self.si, self.unit, f",.{digits}f")


@dataclass(frozen=True)
class Record:
    """A row. Its values are attributes in base units: ``record.gpus``, ``record.duration``."""

    key: str
    what: str
    who: str
    year: int
    cite: str
    where: str
    caveat: str
    group: str
    fields: Mapping[str, Field]

    def __getattr__(self, name: str) -> float:
        fields: Mapping[str, Field] = object.__getattribute__(self, "fields")
        if name in fields:
            return fields[name].si
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"record {self.key!r} has no value {name!r}; it has {', '.join(fields)}")

    def field(self, name: str) -> Field:
        """The value called `name` with everything the row says about it."""
        if name not in self.fields:
            raise RecordsError(f"record {self.key!r} has no value {name!r}; it has {', '.join(self.fields)}")
        return self.fields[name]

    @property
    def numbers(self) -> tuple[float, ...]:
        """All values in base units, printed shares left out; `sum` of a table of counts is its total."""
        return tuple(field.si for field in self.fields.values() if not field.beside)

    @property
    def shares(self) -> tuple[float, ...]:
        """All printed shares, as fractions."""
        return tuple(field.si for field in self.fields.values() if field.beside)

    def source(self, field: Field) -> str:
        """Who printed `field`, when and where, and what was printed."""
        bound = f"{field.bound} " if field.bound else ""
        return f"{self.who} {self.year}, {field.where or self.where}: {field.label}, {bound}{field.printed}"


class Records(dict[str, Record]):
    """All rows by key; a missing key is answered with the keys there are."""

    def __missing__(self, key: str) -> Record:
        raise RecordsError(f"no published record {key!r}; known are {', '.join(self)}")


def load(path: str | Path) -> Records:
    """Read and check a file of records; an unchanged file is read once.

    Raises `RecordsError`, naming file and row, for whatever a reader could not trust: a row
    without citation key, a key used twice, an unknown unit, a value that is not a number.
    """
    path = Path(path)
    try:
        stamp = path.stat().st_mtime_ns
    except OSError as error:
        raise RecordsError(f"{path}: cannot be read ({error.strerror})") from None
    return _load(path, stamp)


@lru_cache(maxsize=8)
def _load(path: Path, _stamp: int) -> Records:
    try:
        with path.open("rb") as file:
            table = tomllib.load(file, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        # A key that stands twice arrives here, as "Cannot declare ('key',) twice (at line …)".
        raise RecordsError(f"{path.name}: {error}") from None
    records = Records()
    for key, row in table.items():
        records[key] = _record(f"{path.name}: [{key}]", key, row)
    return records


def _record(at: str, key: str, row: Any) -> Record:
    if not isinstance(row, dict):
        raise RecordsError(f"{at} is not a table of a record")
    if unknown := row.keys() - ROW_KEYS:
        raise RecordsError(f"{at} has unknown keys: {', '.join(sorted(unknown))}")
    for name, what in (("cite", "citation key"), ("what", "name"), ("who", "author"), ("where", "place")):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise RecordsError(f'{at} has no {what}: add {name} = "…"')
    year = row.get("year")
    if not isinstance(year, int) or isinstance(year, bool):
        raise RecordsError(f"{at} has no year: add year = 2024")
    values = row.get("values")
    if not isinstance(values, dict) or not values:
        raise RecordsError(f"{at} has no [{key}.values]")
    fields: dict[str, Field] = {}
    for name, entry in values.items():
        for field in _fields(f"{at} {name}", name, entry):
            if field.name in fields:
                raise RecordsError(f"{at}: the value {field.name!r} stands twice")
            fields[field.name] = field
    return Record(
        key=key,
        what=row["what"],
        who=row["who"],
        year=year,
        cite=row["cite"],
        where=row["where"],
        caveat=row.get("caveat", ""),
        group=row.get("group", ""),
        fields=MappingProxyType(fields),
    )


def _fields(at: str, name: str, entry: Any) -> list[Field]:
    """The value called `name` and, where the source prints a share beside it, ``{name}_share``."""
    if not name.isidentifier() or hasattr(Record, name) or name in Record.__dataclass_fields__:
        raise RecordsError(f"{at}: a value needs a name that Python can use and the row itself does not")
    if not isinstance(entry, dict):
        raise RecordsError(f'{at} must be written {{ label = "…", value = … }}')
    if unknown := entry.keys() - FIELD_KEYS:
        raise RecordsError(f"{at} has unknown keys: {', '.join(sorted(unknown))}")
    if not entry.get("label"):
        raise RecordsError(f'{at} has no label: add label = "…"')
    unit = entry.get("unit", "")
    if unit not in UNITS:
        raise RecordsError(f"{at} has the unknown unit {unit!r}; known are {', '.join(known_units())}")
    bound = entry.get("bound", "")
    if bound and bound not in BOUNDS:
        raise RecordsError(f"{at} has the unknown bound {bound!r}; known are {', '.join(BOUNDS)}")
    label, where, note = entry["label"], entry.get("where", ""), entry.get("note", "")
    fields = [Field(name, label, _number(at, "value", entry.get("value")), unit, bound, where, note)]
    if "share" in entry:
        share = _number(at, "share", entry["share"])
        fields.append(Field(f"{name}_share", f"{label}, share", share, "%", where=where, beside=name))
    return fields


def _number(at: str, what: str, value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not math.isfinite(value):
        raise RecordsError(f"{at} must have a number as {what}; got {value!r}")
    return Decimal(value)


# Sphinx ------------------------------------------------------------------------------------


class PublishedRole(SphinxRole):
    """``{published}`key.field | UNIT SPEC` ``: a published number; hover or focus shows its source."""

    def run(self) -> tuple[list[Node], list[system_message]]:
        source, line = self.get_source_info()
        try:
            record, field, words = lookup(_records(self.env), self.text)
        except (RecordsError, QuantityError) as error:
            errors.report(self.env, f"{{published}} {self.text!r}: {error}", source, line)
            return [errors.placeholder(self.rawtext)], []
        # On every builder it behaves as a computed number does, so it holds that kind of node.
        number = calc(self.rawtext, words, call=record.source(field))
        node = nodes.inline(self.rawtext, "", number, classes=["ck-published"])
        self.set_source_info(node)
        return [node], []


def _records(env: BuildEnvironment) -> Records:
    if not env.config.chapterkit_records:
        raise RecordsError("no file of records: set chapterkit_records in conf.py")
    path = Path(env.srcdir) / env.config.chapterkit_records
    env.note_dependency(str(path))
    return load(path)


def lookup(records: Records, text: str) -> tuple[Record, Field, str]:
    """Answer ``key.field | UNIT SPEC`` with the record, its field and the number in words."""
    target, _bar, form = (part.strip() for part in text.partition("|"))
    key, dot, name = target.rpartition(".")
    if not dot:
        raise RecordsError(f"write key.field, for instance {next(iter(records), 'key')}.…; got {target!r}")
    record = records[key]
    field = record.field(name)
    if not form:
        return record, field, field.printed
    first, _space, rest = form.partition(" ")
    if first in UNITS or first in LADDERS:
        return record, field, show(field.si, first, rest.strip())
    if rest:
        raise RecordsError(f"unknown unit {first!r}; known are {', '.join(known_units())}")
    return record, field, show(field.si, "", first)


def _names(argument: str) -> list[str]:
    return argument.replace(",", " ").split()


class PublishedTable(SphinxDirective):
    """Rows of the file as a table, each with its citation; all of them unless chosen."""

    has_content = False
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "keys": _names,
        "group": directives.unchanged_required,
        "fields": _names,
        "anchors": directives.flag,
        "class": directives.class_option,
    }

    def run(self) -> list[Node]:
        try:
            rows = [row for record in self.chosen(_records(self.env)) for row in self.rows(record)]
        except RecordsError as error:
            errors.report(self.env, f"{{published-table}}: {error}", *self.get_source_info())
            return []
        table = nodes.table(classes=["ck-records", *self.options.get("class", [])])
        self.set_source_info(table)
        if self.arguments:
            table += nodes.title("", "", *self.parse_inline(self.arguments[0], lineno=self.lineno)[0])
        group = nodes.tgroup(cols=2)
        group += nodes.colspec(colwidth=40, stub=1)  # the label heads its row
        group += nodes.colspec(colwidth=60)
        head = nodes.thead()
        head += _row(nodes.paragraph("", _("Quantity")), nodes.paragraph("", _("As published")))
        group += [head, nodes.tbody("", *rows)]
        table += group
        return [table]

    def chosen(self, records: Records) -> list[Record]:
        """The records the options ask for, in the order asked for."""
        if "keys" in self.options:
            return [records[key] for key in self.options["keys"]]
        if "group" in self.options:
            name = self.options["group"].strip()
            rows = [record for record in records.values() if record.group == name]
            if not rows:
                known = sorted({record.group for record in records.values()} - {""})
                raise RecordsError(f"no record is of group {name!r}; known are {', '.join(known)}")
            return rows
        return list(records.values())

    def rows(self, record: Record) -> list[nodes.row]:
        fields = [field for field in record.fields.values() if not field.beside]
        if "fields" in self.options:
            fields = [record.field(name) for name in self.options["fields"]]
        heading = nodes.paragraph()
        if "anchors" in self.options:
            name = f"record-{record.key}"
            target = nodes.target("", "", ids=[nodes.make_id(name)], names=[name])
            self.state.document.note_explicit_target(target, target)
            heading += target
        heading += nodes.strong("", record.what)
        source = nodes.paragraph(
            "", f"{record.who} {record.year}, {record.where} ", *self.citation(record.cite)
        )
        rows = [_row(heading, source, classes=["ck-record-head"])]
        for field in fields:
            value = nodes.paragraph("", f"{_(field.bound)} " if field.bound else "")
            number = calc("", field.printed, call=record.source(field))
            value += nodes.inline("", "", number, classes=["ck-number"])
            shares = [other.printed for other in record.fields.values() if other.beside == field.name]
            aside = ", ".join(part for part in (*shares, field.where, field.note) if part)
            if aside:
                value += nodes.Text(" ")
                value += nodes.inline("", f"({aside})", classes=["ck-aside"])
            rows.append(_row(nodes.paragraph("", field.label), value))
        if record.caveat and "fields" not in self.options:
            caveat = self.parse_text_to_nodes(record.caveat)
            rows.append(_row(nodes.paragraph("", _("Caveat")), *caveat, classes=["ck-record-caveat"]))
        return rows

    def citation(self, key: str) -> list[Node]:
        """What ``{cite:p}`key` `` makes, in whatever markup the page is written."""
        if "cite" not in self.env.domains or (role := self.env.get_domain("cite").role("p")) is None:
            return [nodes.Text(f"[{key}]")]
        made, problems = role("cite:p", f":cite:p:`{key}`", key, self.lineno, self.state.inliner, {}, [])
        return [*made, *problems]


def _row(first: Node, *rest: Node, classes: list[str] | None = None) -> nodes.row:
    return nodes.row("", nodes.entry("", first), nodes.entry("", *rest), classes=classes or [])


def check(app: Sphinx) -> None:
    """Stop before reading if the file is wrong or cites what the bibliography lacks."""
    if not app.config.chapterkit_records:
        return
    try:
        records = load(Path(app.srcdir) / app.config.chapterkit_records)
    except RecordsError as error:
        raise ConfigError(str(error)) from None
    if "cite" not in app.env.domains:
        return
    known = app.env.get_domain("cite").bibdata.data.entries  # type: ignore[attr-defined]
    for key, record in records.items():
        if record.cite not in known:
            name = Path(app.config.chapterkit_records).name
            raise ConfigError(f"{name}: [{key}] cites {record.cite!r}, which no bibliography file has")


def setup(app: Sphinx) -> dict[str, Any]:
    """Setting: ``chapterkit_records``, the file of records, relative to the source directory."""
    errors.setup(app)
    app.add_config_value("chapterkit_records", "", "env", types=frozenset({str}))
    app.add_role("published", PublishedRole())
    app.add_directive("published-table", PublishedTable)
    app.add_css_file("records.css")
    app.connect("builder-inited", check, priority=900)  # when the bibliography has been read
    return {"parallel_read_safe": True, "parallel_write_safe": True}
