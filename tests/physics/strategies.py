"""Where the property tests draw their numbers from."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

claim = settings(deadline=None, max_examples=80, database=None)


def magnitudes(low: int, high: int) -> st.SearchStrategy[float]:
    """Numbers from 10**low to 10**high, every order of magnitude alike."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


mtbfs = magnitudes(0, 7)
ratios = magnitudes(-6, 0)  # δ/M as pages meet it
wild_ratios = magnitudes(-12, 3)
factors = magnitudes(-3, 3)
whatever_positive = st.floats(5e-324, 1.7e308)
whatever_non_negative = st.floats(0.0, 1.7e308)
gaps = st.lists(st.floats(0.0, 6.0), min_size=1, max_size=25)


def arrays(shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray]:
    return hnp.arrays(np.float64, shape, elements=st.floats(1e-2, 1e4))


@st.composite
def arrays_that_broadcast(draw, number: int) -> list[np.ndarray]:
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=number, max_dims=3, max_side=3))
    return [draw(arrays(shape)) for shape in shapes.input_shapes]
