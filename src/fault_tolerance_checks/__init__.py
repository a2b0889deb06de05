"""Checks that answer back: what an answer to an exercise must do, and the smallest input where it does not.

``check("a2-young")`` looks at the names that the calling cell or program has defined and returns a
`Report`. ``demand`` does the same and raises unless the answer passes. From a terminal,
``python -m fault_tolerance_checks exercises/part-a submissions/*.py`` goes through a folder.

Needs ``fault_tolerance`` and NumPy. Inputs are drawn with fixed seeds, so a report can be repeated.
"""

from fault_tolerance_checks.registry import asks, check, demand, exercise_of, ids
from fault_tolerance_checks.report import MIME, Failed, Report

__all__ = ["MIME", "Failed", "Report", "asks", "check", "demand", "exercise_of", "ids"]
