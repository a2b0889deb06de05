"""Bodies that fall from rest without air."""

GRAVITY = 9.81


def fall_time(height):
    """√(2h/g)."""
    return (2 * height / GRAVITY) ** 0.5


def rate(time):
    """Speed after `time`."""
    return GRAVITY * time
