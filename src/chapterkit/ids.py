"""Ids that last: every place of the book that a link can name, in one list that is kept with the book.

The build writes the list beside its pages, as ``ids.txt``: one line for each page, section, equation,
instrument, question and so on, and for what readers keep or share besides addresses: the options of
questions and the controls of instruments. ``python -m chapterkit.ids`` takes it into the book, where
tests compare it with the next build. What has been released is never lost: see `lost`.

Only ids that an author gave count. A heading without one is listed too, as ``nameless``, for a test to find.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from docutils import nodes

from chapterkit import errors
from chapterkit.assets import is_page_builder, write_if_changed
from chapterkit.exercise import exercises_by_page
from chapterkit.instrument import load
from chapterkit.panel import instrument_panel
from chapterkit.perpage import PerPage
from chapterkit.question import question, questions_by_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

HEAD = """\
# Every id of the book: page, kind, id. Written by `python -m chapterkit.ids` after a build; do not edit.
# An id in the released list beside this one is for ever: see CONTRIBUTING.md.
"""
NAMELESS = "nameless"
# Readers keep these or have them in links; no anchor stands for them, so they cannot be redirected.
INSIDE = ("option", "control")


class Entry(NamedTuple):
    """One line of the list."""

    page: str
    kind: str
    id: str

    @property
    def place(self) -> tuple[str, str]:
        """What a link to it names: an option or a control is found wherever its question or instrument stands."""
        return ("", self.id) if self.kind in INSIDE else (self.page, self.id)


def write(entries: Iterable[Entry]) -> str:
    """The list as text, in an order that does not depend on where things stand on a page."""
    return HEAD + "".join(f"{page} {kind} {id_}\n" for page, kind, id_ in sorted(set(entries)))


def read(text: str) -> set[Entry]:
    """The list from its text."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {Entry(*line.split(" ", 2)) for line in lines}


def lost(released: set[Entry], built: set[Entry]) -> list[Entry]:
    """What was released and is no more: neither in its place nor where a redirect leads from there."""
    there = {entry.place for entry in built}
    moved = {entry.page: entry.id for entry in built if entry.kind == "moved"}

    def found(entry: Entry) -> bool:
        if entry.kind == NAMELESS or entry.place in there:
            return True
        if entry.kind in INSIDE:
            return False
        if entry.kind in ("page", "moved"):
            return entry.page in moved or (entry.page, "-") in there
        # A page that moved takes its ids along.
        return (moved.get(entry.page, entry.page), entry.id) in there

    return sorted(entry for entry in released if not found(entry))


def advice(entry: Entry) -> str:
    """What to do about a lost id."""
    if entry.kind in INSIDE:
        return f"{entry.kind} {entry.id}: readers keep this name in answers and links, so bring it back as it was"
    if entry.kind in ("page", "moved"):
        return (
            f'page {entry.page}: say in redirects.toml which page has its content now: "{entry.page}" = "…"'
        )
    return (
        f"{entry.kind} {entry.id} of {entry.page}: bring it back, or say in redirects.toml"
        f' where its content is now: "{entry.page}#{entry.id}" = "…"'
    )


#: What authors named on each page, in the order it stands there.
ids_by_page: PerPage[list[Entry]] = PerPage("ids")


def anchors(env: BuildEnvironment) -> dict[str, list[str]]:
    """The pages on which an anchor of this name stands."""
    found: dict[str, list[str]] = {}
    for page, entries in sorted(ids_by_page(env).items()):
        for entry in entries:
            if entry.kind not in (*INSIDE, NAMELESS, "page"):
                found.setdefault(entry.id, []).append(page)
    return found


def given_ids(doctree: nodes.document) -> set[str | None]:
    """Ids that the author of a page gave, not docutils."""
    return {doctree.nameids.get(name) for name, explicit in doctree.nametypes.items() if explicit}


def _collect(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    given = given_ids(doctree)
    exercises = {exercise["id"] for exercise in exercises_by_page(app.env).get(page, ())}
    found = [Entry(page, "page", "-")]
    for node in doctree.findall(nodes.Element):
        if isinstance(node, nodes.section):
            named = [id_ for id_ in node["ids"] if id_ in given]
            found += [Entry(page, "exercise" if id_ in exercises else "section", id_) for id_ in named]
            if not named:
                title = next(node.findall(nodes.title), nodes.title()).astext()
                found.append(Entry(page, NAMELESS, " ".join(title.split())))
        elif isinstance(node, nodes.math_block) and node.get("label"):
            found += [Entry(page, "equation", id_) for id_ in node["ids"]]
        elif isinstance(node, instrument_panel):
            found.append(Entry(page, "instrument", node["ids"][0]))
            instrument = load(app.config.chapterkit_instruments, node["name"])
            found += [
                Entry(page, "control", f"{instrument.name}.{control.name}") for control in instrument.controls
            ]
        elif isinstance(node, question):
            found.append(Entry(page, "question", node["ids"][0]))
    for asked in questions_by_page(app.env).get(page, ()):
        found += [Entry(page, "option", f"{asked['id']}.{option}") for option in asked["options"]]
    ids_by_page(app.env)[page] = found


def emitted(app: Sphinx) -> set[Entry]:
    """Everything this build has: what authors named, and what redirects keep alive."""
    from chapterkit.moved import as_entries

    return {entry for found in ids_by_page(app.env).values() for entry in found} | as_entries(app)


def _emit(app: Sphinx, problem: Exception | None) -> None:
    if not problem and is_page_builder(app.builder):
        write_if_changed(Path(app.outdir, "ids.txt"), write(emitted(app)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Collect what authors named, and write the list beside the pages."""
    errors.setup(app)
    app.connect("doctree-read", _collect)
    ids_by_page.connect(app)
    app.connect("build-finished", _emit)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main(arguments: list[str] | None = None) -> int:
    """Take the list of the last build into the book; with ``--release``, also as what was released."""
    parser = argparse.ArgumentParser(prog="python -m chapterkit.ids", description=main.__doc__)
    parser.add_argument("built", nargs="?", type=Path, default=Path("build/html/ids.txt"))
    parser.add_argument("kept", nargs="?", type=Path, default=Path("book/ids.txt"))
    parser.add_argument("--release", action="store_true", help="what is there now is for ever from now on")
    asked = parser.parse_args(arguments)
    if not asked.built.is_file():
        parser.error(f"{asked.built} does not exist; build the site first")
    built = read(asked.built.read_text(encoding="utf-8"))
    released = released_of(asked.kept)
    before = read(released.read_text(encoding="utf-8")) if released.is_file() else set()
    problems = [advice(entry) for entry in lost(before, built)]
    problems += [
        f"{entry.page}: give the heading “{entry.id}” an id"
        for entry in sorted(built)
        if entry.kind == NAMELESS
    ]
    if problems:
        print("Nothing was written.", *problems, sep="\n", file=sys.stderr)
        return 1
    old = read(asked.kept.read_text(encoding="utf-8")) if asked.kept.is_file() else set()
    asked.kept.write_text(write(built), encoding="utf-8")
    for sign, entries in (("+", built - old), ("-", old - built)):
        for entry in sorted(entries):
            print(sign, *entry)
    if asked.release:
        released.write_text(write(built), encoding="utf-8")
    print(
        f"{asked.kept}: {len(built)} ids, {len(before) if not asked.release else len(built)} of them released"
    )
    return 0


def released_of(kept: Path) -> Path:
    """Where the list of the previous release stands, beside the list of ids."""
    return kept.with_name(f"{kept.stem}-released{kept.suffix}")


if __name__ == "__main__":
    sys.exit(main())
