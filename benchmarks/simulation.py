"""``simulate.training_run`` against the same model written in SimPy.

Both play the same number of runs of the same work: exponential failures that strike work, write and
restart, an interval that is repeated until its write is through. They meet the same number of failures but
for chance, so times are compared per failure. Medians of several rounds, taken in turns.
"""

from statistics import median
from time import process_time

import numpy as np
import simpy

from fault_tolerance import checkpoint, simulate

MUST = 100.0
ROUNDS = 5

INTERVALS, RUNS = 1500, 100  # a month of work at the intervals below
WRITE_TIME, MTBF, RESTART_TIME = 120.0, 11_250.0, 600.0
INTERVAL = 1640.0


class Run:
    """One training run: a process that works and writes, and one that strikes it."""

    def __init__(self, environment: simpy.Environment, rng: np.random.Generator) -> None:
        self.environment, self.rng = environment, rng
        self.failures = 0
        self.job = environment.process(self.train())
        environment.process(self.strike())

    def train(self):
        done, restarting = 0, False
        while done < INTERVALS:
            try:
                if restarting:
                    yield self.environment.timeout(RESTART_TIME)
                    restarting = False
                yield self.environment.timeout(INTERVAL)
                yield self.environment.timeout(WRITE_TIME)
                done += 1
            except simpy.Interrupt:
                restarting = True

    def strike(self):
        while True:
            yield self.environment.timeout(self.rng.exponential(MTBF))
            if not self.job.is_alive:
                return
            self.failures += 1
            self.job.interrupt()


def with_simpy(seed: int) -> tuple[np.ndarray, int]:
    """Goodput of each run, and the failures of all."""
    rng = np.random.default_rng(seed)
    shares, failures = [], 0
    for _ in range(RUNS):
        environment = simpy.Environment()
        run = Run(environment, rng)
        environment.run(until=run.job)
        shares.append(INTERVALS * INTERVAL / environment.now)
        failures += run.failures
    return np.array(shares), failures


def with_numpy(seed: int) -> tuple[np.ndarray, float]:
    """The same from the book's own simulation; its failures are those of its wall time."""
    shares = simulate.training_run(
        INTERVALS * INTERVAL, INTERVAL, WRITE_TIME, MTBF, RESTART_TIME, runs=RUNS, seed=seed
    )
    return shares, float(np.sum(INTERVALS * INTERVAL / shares) / MTBF)


def measure() -> dict[str, float]:
    """Time per failure of both, their ratio, and how far each mean lies from the exact one."""
    with_numpy(0)  # the first call pays for imports and caches
    slow, quick, seen, own, met = [], [], [], [], []
    for turn in range(ROUNDS):
        start = process_time()
        shares, failures = with_simpy(turn)
        slow.append((process_time() - start) / failures)
        seen.append(shares)
        start = process_time()
        shares, expected = with_numpy(turn)
        quick.append((process_time() - start) / expected)
        own.append(shares)
        met.append(failures)
    exact = checkpoint.goodput(INTERVAL, WRITE_TIME, MTBF, RESTART_TIME)
    return {
        "times_simpy": median(slow) / median(quick),
        "must": MUST,
        "failures_per_round": median(met),
        "simpy_us_per_failure": median(slow) * 1e6,
        "training_run_us_per_failure": median(quick) * 1e6,
        "simpy_standard_errors_off": _standard_errors_off(seen, exact),
        "training_run_standard_errors_off": _standard_errors_off(own, exact),
    }


def _standard_errors_off(shares: list[np.ndarray], exact: float) -> float:
    """Distance of total time over total work from theory, in its own standard errors."""
    stretch = 1 / np.concatenate(shares)
    return float((stretch.mean() - 1 / exact) / (stretch.std(ddof=1) / np.sqrt(stretch.size)))


if __name__ == "__main__":
    figures = measure()
    print(f"simulation: {figures['times_simpy']:.0f}× SimPy (must ≥ {MUST:.0f})")
