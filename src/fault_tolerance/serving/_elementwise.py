"""Algorithms whose number of steps depends on a count, for arrays too."""

from collections.abc import Callable
from functools import wraps
from typing import cast

import numpy as np

from fault_tolerance._arguments import Numbers


def elementwise(function: Callable[..., float]) -> Callable[..., Numbers]:
    """Let a function of Python numbers take arrays: it is called once for each element.

    A sum over servers has as many terms as there are servers, so in an array each element wants its own loop.
    """
    together = np.vectorize(function, otypes=[np.float64])

    @wraps(function)
    def called(*args: Numbers) -> Numbers:
        if all(np.ndim(value) == 0 for value in args):
            return function(*map(float, args))
        return cast("Numbers", together(*args))

    return called
