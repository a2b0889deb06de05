"""What tests of all folders share."""

from __future__ import annotations

import pytest
from py_mini_racer import MiniRacer


@pytest.fixture
def v8():
    """A V8 to run scripts in. One that is not closed can keep the interpreter from ending."""
    with MiniRacer() as engine:
        yield engine
