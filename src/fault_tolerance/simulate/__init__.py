"""The same systems, played out failure by failure, to check the formulas.

``training_run`` draws many runs; ``timeline`` and ``useful_work`` tell what happened to one whose
failures are given, so that a page and a test can look at the same run.
"""

from fault_tolerance.simulate.history import timeline, useful_work
from fault_tolerance.simulate.runs import training_run

__all__ = ["timeline", "training_run", "useful_work"]
