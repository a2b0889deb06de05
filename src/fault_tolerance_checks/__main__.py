"""Check a folder of submissions: ``python -m fault_tolerance_checks exercises/part-a submissions/*.py``.

Submissions are Python files or notebooks. Each runs in a process of its own with a time limit, so that
one with an endless loop does not hold up the rest.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import linecache
import os
import re
import subprocess
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fault_tolerance_checks as checks
from fault_tolerance_checks.answer import told
from fault_tolerance_checks.registry import PARTS

_MARK = "\x1echecked "  # a submission is unlikely to print it
_COLUMNS = ("submission", "check", "passed", "fails", "smallest case", "got", "due", "note")


def cells(path: Path) -> list[str]:
    """The code of a submission: one piece for a file, one for each cell of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return [text]
    sources = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    # Commands to the notebook itself are no Python.
    return [re.sub(r"(?m)^\s*[%!].*$", "pass", source) for source in sources]


def run(path: Path) -> tuple[dict[str, Any], str]:
    """Run a submission. Where a piece raises, its mistake is kept and the next piece runs all the same."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.__file__ = str(path)
    mistake = ""
    for number, source in enumerate(cells(path), 1):
        name = f"<{path.name}, cell {number}>" if path.suffix == ".ipynb" else str(path)
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        try:
            exec(compile(source, name, "exec"), module.__dict__)
        except (Exception, SystemExit) as error:
            mistake = mistake or f"{name}: {told(error)}"
    return module.__dict__, mistake


def _one(path: Path, wanted: Sequence[str]) -> None:
    """In the process of one submission: write a line of JSON for each check."""
    out = sys.stdout
    # What a submission prints is not for the table, and what it asks for on the keyboard gets no answer.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        namespace, mistake = run(path)
    for id in wanted:
        report = checks.check(id, namespace)
        note = report.note
        if mistake and not report.passed and "not defined" in report.got:
            note = f"the submission stopped early: {mistake}"
        row = [path.name, id, report.passed, report.sentence, report.given, report.got, report.due, note]
        print(_MARK + json.dumps(row), file=out, flush=True)


def rows(path: Path, wanted: Sequence[str], seconds: float) -> list[list[Any]]:
    """What the checks say to one submission."""
    command = [sys.executable, "-m", "fault_tolerance_checks", "--one", str(path), *wanted]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            env=environment,
        )
        said, fault = done.stdout, "the submission ended the process"
    except subprocess.TimeoutExpired as late:
        said, fault = late.stdout or b"", f"no answer after {seconds:g} seconds: an endless loop?"
    lines = said.decode("utf-8", "replace").split("\n")
    found = {
        row[1]: row for row in (json.loads(line[len(_MARK) :]) for line in lines if line.startswith(_MARK))
    }
    missing = [path.name, "", False, "the check comes to an end", "", "", "", fault]
    return [found.get(id, [missing[0], id, *missing[2:]]) for id in wanted]


def table(found: Sequence[Sequence[Any]], wanted: Sequence[str]) -> str:
    """A row for each submission, then the words for each check that does not pass."""
    names = list(dict.fromkeys(row[0] for row in found))
    wide = max([len("submission"), *map(len, names)])
    lines = ["  ".join([f"{'submission':{wide}}", *wanted, "passed"])]
    for name in names:
        mine = {row[1]: row[2] for row in found if row[0] == name}
        marks = [f"{'yes' if mine[id] else 'no':{len(id)}}" for id in wanted]
        lines.append("  ".join([f"{name:{wide}}", *marks, f"{sum(mine.values())} of {len(wanted)}"]))
    for row in found:
        if not row[2]:
            words = [f"\n{row[0]}, {row[1]}: {row[3]}"]
            words += [f"  {label}: {text}" for label, text in zip(_COLUMNS[4:], row[4:], strict=True) if text]
            lines += words
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if every submission passes every check, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m fault_tolerance_checks",
        description="Check submissions to the exercises of one part. This runs the code of the submissions.",
    )
    parser.add_argument("part", help="the exercises, as in exercises/part-a, or one check, as in a2-young")
    parser.add_argument("submissions", nargs="+", type=Path, help="Python files or notebooks")
    parser.add_argument("--csv", action="store_true", help="one line for each submission and check, as CSV")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit for each submission (60)")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["--one"]:
        _one(Path(given[1]), given[2:])
        return 0
    options = parser.parse_args(given)
    name = Path(options.part).stem
    try:
        part = re.fullmatch(r"(?:part-)?([a-z])", name)
        wanted = (
            checks.ids(part[1])
            if part and part[1] in PARTS
            else [next(i for i in checks.ids() if name in (i, checks.exercise_of(i)))]
        )
    except StopIteration:
        parser.error(
            f"no exercises {options.part!r}; parts are part-a to part-{PARTS[-1]}, checks "
            f"{', '.join(checks.ids())}"
        )
    lost = [path for path in options.submissions if not path.is_file()]
    if lost:
        parser.error(f"no file {lost[0]}")
    found = [row for path in options.submissions for row in rows(path, wanted, options.seconds)]
    if options.csv:
        writer = csv.writer(sys.stdout)
        writer.writerow(_COLUMNS)
        writer.writerows(found)
    else:
        print(table(found, wanted))
    return 0 if all(row[2] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
