"""The same systems, played out failure by failure, to check the formulas.

``training_run`` draws many runs; ``timeline`` and ``useful_work`` tell what happened to one whose
failures are given, so that a page and a test can look at the same run. ``snapshot_run`` draws runs that save
in the background, ``serving_fleet`` the requests to a fleet that loses replicas.
"""

from fault_tolerance.simulate.fleet import FleetRun, serving_fleet
from fault_tolerance.simulate.history import timeline, useful_work
from fault_tolerance.simulate.runs import training_run
from fault_tolerance.simulate.snapshots import snapshot_run

__all__ = ["FleetRun", "serving_fleet", "snapshot_run", "timeline", "training_run", "useful_work"]
