"""Answers as a reader writes them: code in, what the check says out."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from fault_tolerance_checks import Report, check


@pytest.fixture
def said() -> Callable[[str, str], Report]:
    def run(id: str, code: str) -> Report:
        namespace: dict[str, object] = {"__name__": "__main__"}
        exec(textwrap.dedent(code), namespace)
        return check(id, namespace)

    return run
