"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: A page that runs a check finds the outcome under this type, beside the words.
MIME = "application/vnd.chapterkit.check+json"


class Wrong(Exception):  # it ends a check, and is no error of the program
    """One property fails: which, for what input, what came and what was due."""

    def __init__(
        self, sentence: str, *, given: str = "", got: str = "", due: str = "", note: str = ""
    ) -> None:
        super().__init__(sentence)
        self.sentence, self.given, self.got, self.due, self.note = sentence, given, got, due, note


@dataclass(frozen=True)
class Report:
    """The outcome of one check; printing it says what matters.

    ``sentence`` is the property that fails, ``given`` the smallest input that was found to show it,
    ``got`` what the answer made of it and ``due`` what the property asks for there. ``note`` says what the
    mistake looks like, where it looks like something.
    """

    check: str
    exercise: str
    passed: bool
    tried: int = 0
    sentence: str = ""
    given: str = ""
    got: str = ""
    due: str = ""
    note: str = ""

    def __str__(self) -> str:
        if self.passed:
            return f"{self.check}: passed. Your answer holds for all {self.tried:,} cases that were tried."
        lines = [f"{self.check}: not yet. This fails: {_ended(self.sentence)}"]
        for label, text in (
            ("Smallest case found", self.given),
            ("Your answer", self.got),
            ("Due", self.due),
            ("Note", self.note),
        ):
            if text:
                lines.append(f"  {label}: {text}")
        return "\n".join(lines)

    __repr__ = __str__

    def __bool__(self) -> bool:
        return self.passed

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return {"text/plain": str(self), MIME: {"exercise": self.exercise, "passed": self.passed}}


class Failed(AssertionError):
    """Raised by `demand`; ``report`` is what the check said."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!")) else sentence + "."
