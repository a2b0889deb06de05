"""Pendulums, for small and for large swings."""

from types import SimpleNamespace

import numpy as np

TERMS = 12


def accepts(**domains):
    """Say what a function takes; the page checks it, which is all this book needs."""

    def decorate(function):
        function.__accepts__ = domains
        return function

    return decorate


positive = SimpleNamespace(
    low=0.0, low_open=True, high=np.inf, high_open=True, whole=False, words="a length above 0"
)


@accepts(length=positive)
def period(length, gravity=9.81):
    """T = 2π √(l/g), for small swings."""
    return 2.0 * np.pi * np.sqrt(length / gravity)


def stretch(angle):
    """How much longer a swing from `angle` (radians) takes, by the arithmetic-geometric mean."""
    a = 1.0
    b = np.sqrt((1.0 + cosine(angle / 2.0)) * (1.0 - 0.0) / 2.0) ** 2 * 2.0 - 1.0
    for _ in range(8):
        mean = (a + b) / 2.0
        b = np.sqrt(a * b)
        a = mean
    return 1.0 / a


def cosine(x):
    """By its series, for the compiler knows no cosine."""
    total = 0.0
    term = 1.0
    for step in range(TERMS):
        total = total + term
        term = -term * x * x / ((2.0 * step + 1.0) * (2.0 * step + 2.0))
    return total
