"""Mistakes of an author: all of them are listed with file and line, then the build stops.

A Sphinx warning stops nothing without ``-W``, and an exception hides the mistakes after the first.
So each one is logged where it stands and kept, and the build ends once all pages are read. It ends
before the environment is saved: a second build must not find the faulty page up to date.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.errors import SphinxError
from sphinx.util import logging

from chapterkit.perpage import PerPage

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)


class BookError(SphinxError):
    """The book has mistakes that were listed one by one."""

    category = "chapterkit"


mistakes: PerPage[list[str]] = PerPage("errors")


def report(env: BuildEnvironment, message: str, source: str, line: int | None, docname: str = "") -> None:
    """Log a mistake at `source`:`line` and remember that the build must stop."""
    place = f"{source}:{line}" if line else source
    logger.error(message, location=place, type="chapterkit")
    mistakes(env).setdefault(docname or env.docname, []).append(f"{place}: {message}")


def placeholder(text: str) -> nodes.problematic:
    """What stands in the page for something faulty; it is never written."""
    return nodes.problematic(text, text)


def _stop(app: Sphinx, env: BuildEnvironment) -> None:
    found = [text for name in sorted(mistakes(env)) for text in mistakes(env)[name]]
    if found:
        raise BookError("the build stops here:\n" + "\n".join(f"  {text}" for text in found))


def setup(app: Sphinx) -> None:
    """Connect once, however many parts ask; `_stop` runs after whoever checks the whole book."""
    if getattr(app, "_chapterkit_errors", False):
        return
    app._chapterkit_errors = True  # type: ignore[attr-defined]
    mistakes.connect(app)
    app.connect("env-updated", _stop, priority=990)
