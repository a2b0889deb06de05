"""The arithmetic of failure in machine-learning clusters.

Plain functions of numbers and arrays, in SI base units (seconds, bytes, bytes per second,
fractions). They need NumPy and nothing else, and they read and write nothing.

``reliability``
    From the parts to the system: how often does something break?
``checkpoint``
    How often to save, and what is lost at best.
``storage``
    What a checkpoint weighs, how long it takes to write, and when that is too long.
``snapshot``
    Checkpoints in the background: a short pause, then a drain while training goes on.
``serving``
    What a fleet of replicas loses when some fail.
``simulate``
    The same systems played out failure by failure, to check the formulas.
``hardware``
    A few machines and the published figures for them.
"""

from fault_tolerance import checkpoint, hardware, reliability, serving, simulate, snapshot, storage

__all__ = ["checkpoint", "hardware", "reliability", "serving", "simulate", "snapshot", "storage"]
__version__ = "0.1.0"
