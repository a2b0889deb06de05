"""Tea that cools in a room."""

import math

__all__ = ["rate", "temperature"]


def temperature(time, start=90.0, room=20.0, time_constant=1200.0):
    """Newton's law."""
    return room + (start - room) * math.exp(-time / time_constant)


def rate(time, start=90.0, room=20.0, time_constant=1200.0):
    """Degrees lost per second."""
    return (temperature(time, start, room, time_constant) - room) / time_constant


def hidden():
    """Not exported."""
