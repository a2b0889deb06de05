"""Completion without Jedi: names as they are in memory, from the standard library.

IPython asks Jedi, which reads source code and is half as large as everything else it needs. A live
cell has run, so its names can be looked up.
"""

import rlcompleter
from types import SimpleNamespace

from . import api  # noqa: F401

settings = SimpleNamespace()


class _Completion:
    def __init__(self, name, typed):
        self.name = self.name_with_symbols = name
        self.complete = name[len(typed) :]
        self.type = ""


class Interpreter:
    """The two things IPython asks of Jedi's class of this name."""

    def __init__(self, text, namespaces):
        self._text = text
        self._names = {name: value for space in reversed(namespaces) for name, value in space.items()}

    def complete(self, line, column):
        before = self._text.split("\n")[line - 1][:column]
        start = len(before)
        while start and (before[start - 1].isalnum() or before[start - 1] in "._"):
            start -= 1
        word = before[start:]
        completer = rlcompleter.Completer(self._names)
        matches = completer.attr_matches(word) if "." in word else completer.global_matches(word)
        typed = word.rpartition(".")[2]
        names = sorted({match.rpartition(".")[2].rstrip("(): ") for match in matches})
        return [_Completion(name, typed) for name in names]
