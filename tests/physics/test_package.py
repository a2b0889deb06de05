"""The package as a whole: what it needs, what it promises, what it explains."""

import ast
import doctest
import inspect
import re
import sys
from pathlib import Path

import pytest

import fault_tolerance
from fault_tolerance import checkpoint, reliability, simulate
from fault_tolerance.simulate import history, runs

from .catalogue import FUNCTIONS

FOLDER = Path(fault_tolerance.__file__).parent
MODULES = [reliability, checkpoint, history, runs]

SIGNATURES = {
    reliability.system_mtbf: "(mttf, gpus)",
    reliability.survival: "(time, mtbf)",
    reliability.time_without_checkpoints: "(work, mtbf)",
    reliability.component_mtbf: "(counts, mttfs)",
    checkpoint.waste: "(interval, write_time, mtbf, restart_time=0.0)",
    checkpoint.young_interval: "(write_time, mtbf)",
    checkpoint.daly_interval: "(write_time, mtbf)",
    checkpoint.optimal_interval: "(write_time, mtbf)",
    checkpoint.goodput: "(interval, write_time, mtbf, restart_time=0.0, downtime=0.0)",
    checkpoint.checkpoint_rate: "(interval, write_time, mtbf, restart_time=0.0)",
    simulate.training_run: "(work, interval, write_time, mtbf, restart_time=0.0, *, runs, seed)",
    simulate.timeline: "(gaps, interval, write_time, mtbf, restart_time=0.0)",
    simulate.useful_work: "(gaps, elapsed, interval, write_time, mtbf, restart_time=0.0)",
}

every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)


def test_nothing_is_imported_but_numpy_and_the_standard_library():
    allowed = sys.stdlib_module_names | {"numpy", "fault_tolerance"}
    imported = set()
    for file in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or ".").split(".")[0])

    assert "numpy" in imported
    assert imported <= allowed


@every_function
def test_the_signature_is_the_one_that_was_promised(function):
    signature = inspect.signature(function)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()
    ]

    assert str(inspect.Signature(plain)) == SIGNATURES[function]


def test_every_public_function_is_in_the_catalogue():
    public = {
        value
        for module in (reliability, checkpoint, simulate)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and not name.startswith("_") and hasattr(value, "__accepts__")
    }

    # The simulations of Parts C and D make the same claims with their formulas, in test_storage_snapshot_serving.
    later = {simulate.snapshot_run, simulate.serving_fleet}
    assert public - later == set(FUNCTIONS) == set(SIGNATURES)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_examples_in_the_docstrings_are_true(module):
    outcome = doctest.testmod(module)

    assert outcome.attempted > 0
    assert outcome.failed == 0


@every_function
def test_a_docstring_says_what_where_and_how(function):
    text = inspect.getdoc(function)

    for part in ("Parameters", "Returns", "Raises", "Notes", "Examples", ".. math::", ":ref:`part-", ">>> "):
        assert part in text, part
    for name in FUNCTIONS[function]:
        assert name in text
    assert len(text.splitlines()[0]) <= 100


@every_function
def test_a_docstring_cites_an_entry_of_the_bibliography(function):
    bibliography = (FOLDER.parents[1] / "book" / "references.bib").read_text()
    keys = {line.split("{")[1].rstrip(",\n") for line in bibliography.splitlines() if line.startswith("@")}

    cited = re.findall(r":cite:[pt]:`([^`]+)`", inspect.getdoc(function))
    assert cited
    assert {key for group in cited for key in group.split(",")} <= keys
