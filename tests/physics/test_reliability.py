"""From parts to a system."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import expm1, mp, mpf

from fault_tolerance import reliability

from .strategies import claim, factors, magnitudes, mtbfs

HOUR = 3600.0


def test_sixteen_thousand_gpus_of_fifty_thousand_hours_fail_every_three_hours():
    assert reliability.system_mtbf(50_000 * HOUR, 16_000) == 3.125 * HOUR == 11_250.0


@pytest.mark.parametrize(
    ("gpus", "minutes"), [(100_000, 30), (1_000_000, 3), (1_000, 50 * 60), (10_000, 5 * 60)]
)
def test_mtbf_is_as_published_for_large_clusters(gpus, minutes):
    assert reliability.system_mtbf(50_000 * HOUR, gpus) / 60 == pytest.approx(minutes, rel=1e-15)


def test_llama_3_had_fifty_thousand_gpu_hours_per_interruption():
    days, interruptions, gpus = 54, 419, 16_384
    mtbf = days * 24 * HOUR / interruptions

    assert round(mtbf / HOUR, 4) == 3.0931
    assert reliability.system_mtbf(50_677 * HOUR, gpus) == pytest.approx(mtbf, rel=1e-4)


def test_half_a_gpu_can_be_asked_for():
    assert reliability.system_mtbf(10, 0.5) == 20.0


@given(mtbf=mtbfs, time=magnitudes(-3, 3), more=magnitudes(-3, 3))
@claim
def test_surviving_twice_is_surviving_both_times(mtbf, time, more):
    both = reliability.survival((time + more) * mtbf, mtbf)

    assert both == pytest.approx(
        reliability.survival(time * mtbf, mtbf) * reliability.survival(more * mtbf, mtbf),
        rel=1e-11,
        abs=1e-300,
    )


def test_one_mtbf_is_survived_with_probability_one_over_e():
    assert reliability.survival([0, 7, 14], 7) == pytest.approx([1, math.exp(-1), math.exp(-2)], rel=1e-15)


@given(mtbf=mtbfs, ratio=magnitudes(-9, 2))
@claim
def test_time_without_checkpoints_is_exact_for_short_and_long_jobs(mtbf, ratio):
    work = ratio * mtbf
    with mp.workdps(40):
        right = float(mpf(mtbf) * expm1(mpf(work) / mpf(mtbf)))

    assert reliability.time_without_checkpoints(work, mtbf) == pytest.approx(right, rel=1e-12)


def test_a_job_that_outlives_every_float_takes_for_ever():
    assert reliability.time_without_checkpoints(1e6, 1.0) == math.inf


@given(
    counts=st.lists(st.floats(0.0, 1e5), min_size=1, max_size=6),
    mttf=magnitudes(3, 9),
    factor=factors,
)
@claim
def test_a_part_twice_as_sturdy_counts_half(counts, mttf, factor):
    mttfs = [mttf * (1 + place) for place in range(len(counts))]
    plain = reliability.component_mtbf(counts, mttfs)
    scaled = reliability.component_mtbf([count * factor for count in counts], [m * factor for m in mttfs])

    assert scaled == pytest.approx(plain, rel=1e-12)


def test_equal_parts_are_the_simple_case():
    assert reliability.component_mtbf([6_000, 10_000], [1.8e8, 1.8e8]) == pytest.approx(
        reliability.system_mtbf(1.8e8, 16_000), rel=1e-15
    )


def test_rates_add_up():
    assert reliability.component_mtbf([2, 1], [8.0, 4.0]) == 2.0


def test_nothing_to_fail_never_fails():
    assert reliability.component_mtbf([0, 0], [1.0, 2.0]) == math.inf


def test_the_last_axis_runs_over_the_parts():
    result = reliability.component_mtbf([2, 1], [[8.0, 4.0], [16.0, 8.0], [2.0, 1.0]])

    np.testing.assert_array_equal(result, [2.0, 4.0, 0.5])
