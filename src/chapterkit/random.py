"""One seeded generator for build and page, so that both draw the same run.

L'Ecuyer's combined generator of 1988 (Communications of the ACM 31(6), 742-751): two multiplicative
generators whose products stay below 2**53, so a double holds them exactly and the same lines run in
CPython and, compiled, in the page. Its period is about 2.3e18. For pictures; statistics at build use NumPy.
"""

from __future__ import annotations

import numpy as np


def uniforms(seed: float, count: int) -> list[float]:
    """`count` numbers strictly between 0 and 1 from a whole `seed` ≥ 0."""
    first = (seed * 7919.0 + 12345.0) % 2147483562.0 + 1.0
    second = (seed * 104729.0 + 67890.0) % 2147483398.0 + 1.0
    numbers = []
    for turn in range(count + 8):
        first = (first * 40014.0) % 2147483563.0
        second = (second * 40692.0) % 2147483399.0
        mixed = first - second
        if mixed < 1.0:
            mixed = mixed + 2147483562.0
        # The first few still resemble the seed, so they are dropped.
        if turn >= 8:
            numbers.append(mixed / 2147483563.0)
    return numbers


def exponentials(seed: float, count: int) -> list[float]:
    """`count` exponential numbers of mean 1 from a whole `seed` ≥ 0."""
    numbers = []
    for uniform in uniforms(seed, count):
        numbers.append(-float(np.log(uniform)))
    return numbers
