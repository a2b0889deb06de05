"""Builds of the example book, and snapshots of what they wrote.

`CHAPTERKIT_REGENERATE=1` writes the snapshots anew instead of comparing; read the diff before you commit it.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from sphinx.config import Config
from sphinx.testing.util import SphinxTestApp

HERE = Path(__file__).parent
SNAPSHOTS = HERE / "snapshots"


@pytest.fixture(autouse=True)
def _suffixes_of_one_build_only():
    """Sphinx keeps what an extension says of ``.md`` in a default that all builds of a process share."""
    yield
    default = Config.config_values["source_suffix"].default
    default.clear()
    default[".rst"] = "restructuredtext"


class Book:
    """A copy of an example book that can be changed and built."""

    def __init__(self, folder: Path, root: str = "tea") -> None:
        shutil.copytree(HERE / "roots" / root, folder, ignore=shutil.ignore_patterns("__pycache__", "_build"))
        self.folder = folder

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def only(self, text: str, **pages: str) -> None:
        """Leave the book with one page of `text`, and further pages by name."""
        for page in self.folder.glob("*.md"):
            page.unlink()
        listed = "\n".join(pages)
        self.write(
            "index.md", f"# Book\n\n```{{toctree}}\n{listed}\n```\n\n{text}" if pages else f"# Book\n\n{text}"
        )
        for name, content in pages.items():
            self.write(f"{name}.md", f"# {name}\n\n{content}")

    def build(self, builder: str = "html", *, out: str = "_build", parallel: int = 0) -> Built:
        """Build; a second build into the same folder goes on from the first."""
        path = list(sys.path)
        app = None
        try:
            app = SphinxTestApp(
                builder, srcdir=self.folder, builddir=self.folder / out, freshenv=False, parallel=parallel
            )
            app.build()
            return Built(app)
        finally:
            if app:
                app.cleanup()
            sys.path[:] = path
            # The next book brings modules of the same names.
            for name, module in list(sys.modules.items()):
                if Path(getattr(module, "__file__", None) or "/").is_relative_to(self.folder):
                    del sys.modules[name]


class Built:
    """What a build left: files, doctrees, the environment and what Sphinx said."""

    def __init__(self, app: SphinxTestApp) -> None:
        self.app, self.env, self.outdir = app, app.env, Path(app.outdir)
        self.warnings = re.sub(r"\x1b\[[0-9;]*m", "", app.warning.getvalue())
        self.status = app.status.getvalue()

    def read(self, name: str) -> str:
        return (self.outdir / name).read_text(encoding="utf-8")

    def body(self, name: str) -> str:
        """The page without what the theme puts around it."""
        page = self.read(name)
        match = re.search(r'<div class="body" role="main">\s*(.*?)\s*<div class="clearer">', page, re.DOTALL)
        assert match, f"{name} has no body"
        # One tag a line, so that a diff shows where a change is.
        return re.sub(
            r"(</(?:p|li|div|label|legend|fieldset|summary|details|button|ul)>)(?=<)", r"\1\n", match[1]
        )


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "book")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory):
    """The example book as it is, built once for each builder."""
    done: dict[str, Built] = {}

    def build(builder: str) -> Built:
        if builder not in done:
            done[builder] = Book(tmp_path_factory.mktemp("built") / "book").build(builder)
            assert not done[builder].warnings
        return done[builder]

    return build


@pytest.fixture
def snapshot():
    """Compare `text` with the file of that name and show what differs."""

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / name
        text = "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
        if os.environ.get("CHAPTERKIT_REGENERATE"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no snapshot {name}; CHAPTERKIT_REGENERATE=1 writes it"
        kept = path.read_text(encoding="utf-8")
        if kept != text:
            diff = difflib.unified_diff(kept.splitlines(), text.splitlines(), "kept", "now", lineterm="")
            pytest.fail(f"{name} differs:\n" + "\n".join(diff), pytrace=False)

    return compare


@pytest.fixture
def stopped(book: Book):
    """Build one page that must stop the build; answers with all that was said."""
    from chapterkit.errors import BookError

    def check(text: str, words: str, place: str, before: str = "", **pages: str) -> str:
        book.only(f"{before}\n\n{text}" if before else text, **pages)
        with pytest.raises(BookError) as error:
            book.build()
        said = str(error.value)
        mine = [line for line in said.splitlines() if words in line]
        assert mine, said
        assert any(place in line for line in mine), said
        return said

    return check


@pytest.fixture
def atlas(tmp_path: Path) -> Book:
    """The example book of places to link to; its instrument is that of the book about pendulums."""
    return _atlas(tmp_path / "atlas")


def _atlas(folder: Path) -> Book:
    made = Book(folder, "atlas")
    shutil.copytree(
        HERE / "roots" / "pendulum" / "dials", folder / "dials", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(HERE / "roots" / "pendulum" / "swinging.py", folder)
    return made


@pytest.fixture(scope="session")
def mapped(tmp_path_factory: pytest.TempPathFactory):
    """The book of places as it is, built once for each builder."""
    done: dict[str, Built] = {}

    def build(builder: str) -> Built:
        if builder not in done:
            done[builder] = _atlas(tmp_path_factory.mktemp("mapped") / "book").build(builder)
            assert not done[builder].warnings
        return done[builder]

    return build
