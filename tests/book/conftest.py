"""An instrument in V8 as a reader would see it at any setting."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chapterkit import panel, quantity
from chapterkit.instrument import Instrument

ROOT = Path(__file__).parents[2]
STATIC = Path(panel.__file__).parent / "static"
SEEN = """
function seen(values) {
  var ck = window.chapterkit, state = ck.evaluate(subject, values), figures = {}, odd = [];
  subject.pictures.forEach(function (p) { figures[p.name] = subject.functions[p.figure](state); });
  JSON.stringify([state, figures], function (key, value) {
    if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) odd.push(key);
    return value;
  });
  return Object.assign({ s: state, figures: figures, odd: odd }, ck.words(subject, state));
}; 0
"""


@pytest.fixture(scope="session")
def declared() -> Callable[[str], Instrument]:
    """The instrument of a file of the book, by the file's name."""

    def load(module: str) -> Instrument:
        sys.path.insert(0, str(ROOT))
        try:
            return importlib.import_module(f"book.instruments.{module}").INSTRUMENT
        finally:
            sys.path.remove(str(ROOT))

    return load


@pytest.fixture
def in_page(v8) -> Callable[[Instrument], Callable[[list[dict]], list[dict]]]:
    """Load an instrument; the answer takes settings and gives for each the state ``s``, its words,
    its figures and, as ``odd``, the names of values that cannot be shown.
    """

    def load(subject: Instrument) -> Callable[[list[dict]], list[dict]]:
        v8.eval("var window = {}; var subject; 0")
        for script in ("quantity.js", "controls.js", "state.js"):
            v8.eval((STATIC / script).read_text(encoding="utf-8") + "; 0")
        v8.eval(f"window.chapterkit.units = {json.dumps(quantity.as_data(), ensure_ascii=False)}; 0")
        v8.eval("window.chapterkit.define = function (d, f) { subject = d; subject.functions = f; }; 0")
        v8.eval(SEEN)
        v8.eval(panel.script_of(type("App", (), {})(), subject)[0])

        def run(settings: list[dict]) -> list[dict]:
            return json.loads(str(v8.eval(f"JSON.stringify({json.dumps(settings)}.map(seen))")))

        return run

    return load
