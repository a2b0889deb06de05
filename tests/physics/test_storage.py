"""Sizes, writes and storms: against the tables, published checkpoints, the chapter and each other."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mp, mpf

from fault_tolerance import checkpoint, hardware, reliability, storage

from .strategies import claim, factors, magnitudes, mtbfs, ratios
from .tables import FOLDER, rows

HOUR = 3600.0
MTTF = hardware.GPU_MTTF
MODEL = storage.checkpoint_bytes(175e9)  # 2.45 TB
WRITE = storage.write_time(MODEL, 1e9)  # 2,450 s

shares = st.floats(1e-4, 1 - 1e-4)


def exact(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def printed(value):
    """A number of the tables that has ten digits or a few more."""
    return pytest.approx(value, rel=1e-9, abs=0)


def best_goodput(write_time, mtbf, restart_time=0.0):
    return checkpoint.goodput(checkpoint.optimal_interval(write_time, mtbf), write_time, mtbf, restart_time)


# The tables


def plain(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


@pytest.mark.parametrize("row", plain("B_checkpoint_size")["rows"], ids=lambda row: row["scheme"])
def test_sizes_are_those_of_the_table(row):
    for billions in (7, 70, 175, 405, 1000):
        size = storage.checkpoint_bytes(billions * 1e9, row["B"])
        assert size == exact(row[f"{billions}B_TB"] * 1e12)


@pytest.mark.parametrize(
    "row", plain("B_storm")["rows"], ids=lambda row: "{params_B}B-{gpus}-{bw_GBps}".format(**row)
)
def test_a_write_and_what_it_costs_are_those_of_the_table(row):
    size = storage.checkpoint_bytes(row["params_B"] * 1e9)
    write_time = storage.write_time(size, row["bw_GBps"] * 1e9)
    mtbf = reliability.system_mtbf(MTTF, row["gpus"])
    best = best_goodput(write_time, mtbf)

    assert size == exact(float(row["C_GB"]) * 1e9)
    assert write_time == exact(float(row["T_write_s"]))
    assert mtbf == exact(float(row["M_s"]))
    assert checkpoint.optimal_interval(write_time, mtbf) == exact(float(row["tau_exact_s"]))
    assert 1 - best == exact(float(row["waste_exact_opt"]))
    assert (best < storage.STORM_GOODPUT) == row["best_case_half_lost"]
    assert (row["gpus"] > storage.gpus_for_goodput(0.5, write_time, MTTF)) == row["best_case_half_lost"]
    assert (row["gpus"] > storage.gpus_for_first_order_waste(2.0, write_time, MTTF)) == row[
        "lab_storm_T_gt_2M"
    ]
    longer_than_work = row["gpus"] > storage.gpus_for_goodput(
        storage.WRITE_EQUALS_WORK_GOODPUT, write_time, MTTF
    )
    assert longer_than_work == row["exact_T_gt_tau"]


def test_thresholds_are_those_of_the_table():
    young, half, ratio, waste = (float(row["v"]) for row in plain("B_storm")["thresholds"])

    assert storage.gpus_for_first_order_waste(2.0, WRITE, MTTF) == printed(young)
    assert storage.gpus_for_goodput(0.5, WRITE, MTTF) == printed(half)
    assert storage.write_time_for_goodput(0.5, 1.0) == exact(ratio)
    assert storage.write_time_for_goodput(1 - waste, 1.0) == exact(2.0)


@pytest.mark.parametrize("row", rows("B_waste_to_delta"), ids=lambda row: f"w={row['best_possible_waste']:g}")
def test_writes_and_bandwidths_for_a_waste_are_those_of_the_table(row):
    waste = row["best_possible_waste"]

    assert storage.write_time_for_goodput(1 - waste, 1.0) == exact(row["delta_over_M_exact"])
    for gpus, name in [
        (10_000, "BW_for_2450GB_at_10k_GPUs_GBps"),
        (16_384, "BW_at_16384"),
        (25_000, "BW_at_25000"),
    ]:
        bandwidth = storage.bandwidth_for_waste(MODEL, reliability.system_mtbf(MTTF, gpus), waste)
        assert bandwidth / 1e9 == printed(row[name])


# Published checkpoints


@pytest.mark.parametrize(("billions", "published"), [(8, 105), (70, 912), (405, 5290)])
def test_mlperf_checkpoints_come_back_to_fourteen_bytes_counted_in_binary(billions, published):
    assert published * 2**30 / (billions * 1e9) == pytest.approx(14, rel=0.01)
    assert storage.checkpoint_bytes(billions * 1e9) / 2**30 == pytest.approx(published, rel=0.01)


def test_the_largest_of_mlperf_does_with_the_parameters_of_its_own_weight_file():
    assert storage.checkpoint_bytes(2571 * 2**30 / 2) / 2**30 == pytest.approx(18_000, rel=0.001)


def test_blooms_checkpoint_comes_back_to_two_and_fourteen_bytes():
    parameters = 176.247e9

    assert storage.checkpoint_bytes(parameters, 2) / 2**30 == pytest.approx(329, rel=0.005)
    assert storage.checkpoint_bytes(parameters) / 2**40 == pytest.approx(2.3, rel=0.03)


# What the chapter says


def test_175_billion_parameters_take_forty_one_minutes_at_a_gigabyte_a_second():
    assert MODEL == 2.45e12
    assert WRITE == 2450
    assert round(WRITE / 60, 1) == 40.8


def test_on_a_thousand_gpus_that_is_uncomfortable_and_no_storm():
    mtbf = reliability.system_mtbf(MTTF, 1_000)

    assert mtbf / HOUR == exact(50)
    assert round(checkpoint.young_interval(WRITE, mtbf) / HOUR, 2) == 8.25
    assert round(checkpoint.optimal_interval(WRITE, mtbf) / HOUR, 2) == 7.80
    assert round(100 * checkpoint.waste(checkpoint.young_interval(WRITE, mtbf), WRITE, mtbf), 1) == 16.5
    assert round(100 * (1 - best_goodput(WRITE, mtbf)), 1) == 15.6


def test_on_ten_thousand_gpus_it_is_close_to_one():
    mtbf = reliability.system_mtbf(MTTF, 10_000)

    assert mtbf / HOUR == exact(5)
    assert round(checkpoint.young_interval(WRITE, mtbf) / 60, 1) == 156.5
    assert round(checkpoint.optimal_interval(WRITE, mtbf) / 60, 1) == 130.6
    assert round(100 * checkpoint.waste(checkpoint.young_interval(WRITE, mtbf), WRITE, mtbf)) == 52
    assert round(100 * (1 - best_goodput(WRITE, mtbf)), 1) == 43.5


@pytest.mark.parametrize(
    ("goodput", "gpus"),
    [(0.9, 394), (0.75, 2_769), (0.5, 14_191), (storage.WRITE_EQUALS_WORK_GOODPUT, 58_542)],
)
def test_a_threshold_is_passed_by_the_first_whole_gpu_that_the_chapter_names(goodput, gpus):
    assert math.ceil(storage.gpus_for_goodput(goodput, WRITE, MTTF)) == gpus
    at, before = best_goodput(WRITE, reliability.system_mtbf(MTTF, np.array([gpus, gpus - 1])))
    assert at < goodput < before


def test_first_order_calls_half_lost_too_early_and_the_textbook_rule_rings_far_too_late():
    assert math.ceil(storage.gpus_for_first_order_waste(0.5, WRITE, MTTF)) == 9_184
    assert math.ceil(storage.gpus_for_first_order_waste(2.0, WRITE, MTTF)) == 146_939
    assert round(100 * (1 - best_goodput(WRITE, reliability.system_mtbf(MTTF, 146_939)))) == 95


def test_the_storm_begins_at_a_write_of_a_fifth_of_the_mtbf():
    assert round(storage.write_time_for_goodput(storage.STORM_GOODPUT, 1.0), 4) == 0.1931
    assert storage.write_time_for_goodput(0.5, 1.0) == exact(math.log(2) - 0.5)


def test_a_write_is_as_long_as_work_at_four_fifths_of_the_mtbf():
    write_time = storage.write_time_for_goodput(storage.WRITE_EQUALS_WORK_GOODPUT, 1.0)

    assert round(write_time, 3) == 0.797
    assert checkpoint.optimal_interval(write_time, 1.0) == exact(write_time)


@pytest.mark.parametrize(("waste", "gigabytes"), [(0.1, "25.4"), (0.05, "105"), (0.5, "0.705")])
def test_ten_thousand_gpus_need_the_bandwidth_the_chapter_names(waste, gigabytes):
    assert f"{storage.bandwidth_for_waste(MODEL, 5 * HOUR, waste) / 1e9:.3g}" == gigabytes


def test_by_the_labs_own_rule_the_bandwidth_below_which_it_storms_is_a_tenth_of_that():
    assert f"{MODEL / (2 * 5 * HOUR) / 1e9:.2g}" == "0.068"


def test_llama_3_needs_a_restart_under_twenty_minutes_and_four_hundred_gigabytes_a_second_at_ten():
    size = storage.checkpoint_bytes(405e9)
    mtbf = 54 * 24 * HOUR / 419

    assert round(mtbf / HOUR, 4) == 3.0931
    assert round(storage.max_restart_time(0.1, mtbf) / 60, 1) == 19.6
    assert round(storage.bandwidth_for_waste(size, mtbf, 0.1, 600) / 1e9) == 391


# Claims


@given(mtbf=mtbfs, goodput=shares)
@claim
def test_the_longest_write_allows_just_the_goodput(mtbf, goodput):
    assert best_goodput(storage.write_time_for_goodput(goodput, mtbf), mtbf) == exact(goodput)


@given(mtbf=mtbfs, lost=magnitudes(-15, -0.01))
@claim
def test_the_longest_write_is_exact_however_little_is_lost(mtbf, lost):
    goodput = 1 - lost
    with mp.workdps(60):
        right = float(mpf(mtbf) * (-log(mpf(goodput)) - (1 - mpf(goodput))))

    assert storage.write_time_for_goodput(goodput, mtbf) == exact(right)


@given(goodput=shares, write_time=magnitudes(-1, 4), mttf=magnitudes(6, 10))
@claim
def test_at_the_number_of_gpus_the_best_goodput_is_just_this(goodput, write_time, mttf):
    gpus = storage.gpus_for_goodput(goodput, write_time, mttf)

    assert best_goodput(write_time, mttf / gpus) == exact(goodput)


@given(write_time=magnitudes(-1, 4), mttf=magnitudes(6, 10), waste=magnitudes(-3, 1))
@claim
def test_at_the_number_of_gpus_first_order_waste_is_just_this(write_time, mttf, waste):
    mtbf = mttf / storage.gpus_for_first_order_waste(waste, write_time, mttf)
    young = checkpoint.young_interval(write_time, mtbf)

    assert checkpoint.waste(young, write_time, mtbf) == exact(waste)


@given(mtbf=mtbfs, waste=shares, spent=st.floats(0, 0.99))
@claim
def test_with_the_bandwidth_the_best_interval_loses_just_the_waste(mtbf, waste, spent):
    restart_time = spent * storage.max_restart_time(waste, mtbf)
    bandwidth = storage.bandwidth_for_waste(MODEL, mtbf, waste, restart_time)
    goodput = best_goodput(storage.write_time(MODEL, bandwidth), mtbf, restart_time)

    assert goodput == pytest.approx(1 - waste, rel=1e-12)


@given(mtbf=mtbfs, waste=magnitudes(-9, -0.05))
@claim
def test_the_bandwidth_is_exact_however_little_may_be_lost(mtbf, waste):
    with mp.workdps(60):
        right = float(mpf(MODEL) / (mpf(mtbf) * (-log(1 - mpf(waste)) - mpf(waste))))

    assert storage.bandwidth_for_waste(MODEL, mtbf, waste) == exact(right)


@given(mtbf=mtbfs, waste=magnitudes(-8, -4))
@claim
def test_for_little_waste_the_bandwidth_is_two_over_its_square(mtbf, waste):
    bandwidth = storage.bandwidth_for_waste(MODEL, mtbf, waste)

    assert bandwidth == pytest.approx(2 * MODEL / mtbf / waste**2, rel=waste)


@given(mtbf=mtbfs, waste=shares, more=st.floats(1.001, 3))
@claim
def test_restarts_and_strict_targets_ask_for_more_bandwidth(mtbf, waste, more):
    plain_one = storage.bandwidth_for_waste(MODEL, mtbf, waste)
    restart_time = 0.5 * storage.max_restart_time(waste, mtbf)

    assert storage.bandwidth_for_waste(MODEL, mtbf, waste / more) > plain_one
    assert storage.bandwidth_for_waste(MODEL, mtbf, waste, restart_time) > plain_one


@given(waste=shares, mtbf=mtbfs)
@claim
def test_restarts_of_the_greatest_length_alone_cost_the_waste(waste, mtbf):
    goodput = reliability.survival(storage.max_restart_time(waste, mtbf), mtbf)

    assert 1 - goodput == pytest.approx(waste, rel=1e-11)


@given(
    size=magnitudes(9, 15),
    bandwidth=magnitudes(8, 13),
    nodes=st.integers(1, 4000),
    each_node=magnitudes(8, 12),
)
@claim
def test_the_slower_end_sets_the_write(size, bandwidth, nodes, each_node):
    both = storage.write_time(size, bandwidth, nodes, each_node)

    assert both == exact(
        max(storage.write_time(size, bandwidth), storage.write_time(size, nodes * each_node))
    )


@given(ratio=ratios, factor=factors)
@claim
def test_only_the_ratio_of_write_and_lifetime_counts(ratio, factor):
    assert storage.gpus_for_goodput(0.5, ratio * factor, factor) == exact(
        storage.gpus_for_goodput(0.5, ratio, 1.0)
    )


# What cannot be


def test_a_waste_that_restarts_alone_exceed_is_refused_in_words():
    with pytest.raises(ValueError, match="restart_time") as caught:
        storage.bandwidth_for_waste(MODEL, 18_000, 0.1, 2_000)

    assert str(caught.value) == (
        "restart_time must be below 1896.49 s, where restarts alone cost the waste of 0.1 and no bandwidth "
        "helps; got 2000.0"
    )


def test_of_many_the_first_impossible_one_is_told():
    with pytest.raises(ValueError, match=r"cost the waste of 0\.05 .*; got 1000\.0$"):
        storage.bandwidth_for_waste(MODEL, 18_000, [[0.1], [0.05]], [10.0, 1000.0])


def test_just_below_the_greatest_restart_time_there_is_a_bandwidth_and_at_it_none():
    most = storage.max_restart_time(0.1, 18_000)

    assert 0 < storage.bandwidth_for_waste(MODEL, 18_000, 0.1, most * (1 - 1e-9)) < math.inf
    with pytest.raises(ValueError, match="no bandwidth helps"):
        storage.bandwidth_for_waste(MODEL, 18_000, 0.1, most)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5])
def test_a_share_lies_between_none_and_all(share):
    with pytest.raises(ValueError, match=rf"^waste must be a number above 0 and below 1; got {share}$"):
        storage.max_restart_time(share, 1.0)


def test_nodes_and_what_one_sends_go_together():
    with pytest.raises(TypeError, match=r"^node_bandwidth must be a number"):
        storage.write_time(MODEL, 1e9, nodes=10)
    with pytest.raises(TypeError, match=r"^nodes must be a number"):
        storage.write_time(MODEL, 1e9, node_bandwidth=1e9)
    with pytest.raises(ValueError, match=r"^nodes must be a finite number above 0; got 0\.0"):
        storage.write_time(MODEL, 1e9, 0, 1e9)
    with pytest.raises(ValueError, match=r"nodes of shape \(3,\) and node_bandwidth of shape \(2,\)"):
        storage.write_time(MODEL, 1e9, [1, 2, 3], [1e9, 2e9])
