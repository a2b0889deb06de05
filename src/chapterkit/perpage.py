"""What a part remembers of each page, from reading the page until the book is written.

Sphinx reads pages in several processes, reads only those that changed, and forgets those that went. So
whatever is remembered stands in the environment under the name of its page, is dropped with the page, and
is taken over from the other processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Set

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

T = TypeVar("T")


class PerPage(Generic[T]):
    """One thing remembered of each page; called with the environment, it is a dict by page."""

    def __init__(self, name: str) -> None:
        self.name = f"chapterkit_{name}"

    def __call__(self, env: BuildEnvironment) -> dict[str, T]:
        if not hasattr(env, self.name):
            setattr(env, self.name, {})
        found: dict[str, T] = getattr(env, self.name)
        return found

    def connect(self, app: Sphinx) -> None:
        """Drop a page that goes or is read again, and take over what other processes read."""
        app.connect("env-purge-doc", self._purge)
        app.connect("env-merge-info", self._merge)

    def _purge(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        self(env).pop(docname, None)

    def _merge(self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment) -> None:
        found = self(other)
        self(env).update({name: found[name] for name in docnames if name in found})


def changed(env: BuildEnvironment, name: str, now: Any) -> bool:
    """Whether `now` differs from what it was in the last build; in the first build nothing does."""
    name = f"chapterkit_{name}_saw"
    before = getattr(env, name, now)
    setattr(env, name, now)
    return bool(before != now)
