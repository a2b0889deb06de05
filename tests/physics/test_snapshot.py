"""Pauses, drains and what is durable: against the tables, the chapter, a walk and each other."""

import json
import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault_tolerance import checkpoint, hardware, reliability, snapshot, storage

from .strategies import claim, factors, magnitudes, mtbfs, ratios, wild_ratios
from .tables import FOLDER, rows

MODEL = 2.45e12
NODES = 1_250
MTBF = 18_000.0  # 10,000 GPUs
PAUSE = 0.0196

even = st.integers(1, 300).map(lambda pairs: 2 * pairs)


def exact(value):
    return pytest.approx(float(value), rel=1e-12, abs=0)


def printed(value):
    """A number of the tables that has ten digits or a few more."""
    return pytest.approx(float(value), rel=1e-9, abs=0)


def plain(name):
    return json.loads((FOLDER / f"{name}.json").read_text())["rows"]


# The tables

async_table = pytest.mark.parametrize(
    "row", plain("C_async"), ids=lambda row: "{gpus}-{nvme_GBps_per_node}-{drain_GBps}".format(**row)
)


@async_table
def test_pause_drain_and_interval_are_those_of_the_table(row):
    pause = snapshot.pause(MODEL, row["nodes"], row["nvme_GBps_per_node"] * 1e9)
    drain_time = snapshot.drain_time(MODEL, row["drain_GBps"] * 1e9)
    mtbf = float(row["M_s"])
    free = snapshot.bandwidth_to_free(MODEL, pause, mtbf)

    assert pause == printed(row["pause_s"])
    assert drain_time == exact(row["T_drain_s"])
    assert snapshot.interval(pause, 0.0, mtbf) == printed(row["tau_unconstrained_exact"])
    assert snapshot.interval(pause, drain_time, mtbf) == printed(row["tau_used"])
    assert free / 1e9 == printed(row["required_drain_at_unconstrained_GBps"])
    assert (row["drain_GBps"] * 1e9 < free) == row["drain_limited"]


@async_table
def test_waste_is_that_of_the_table(row):
    pause = snapshot.pause(MODEL, row["nodes"], row["nvme_GBps_per_node"] * 1e9)
    drain_time = snapshot.drain_time(MODEL, row["drain_GBps"] * 1e9)
    mtbf = float(row["M_s"])
    interval = snapshot.interval(pause, drain_time, mtbf)
    times = interval, pause, drain_time, mtbf
    synchronous = checkpoint.goodput(checkpoint.optimal_interval(drain_time, mtbf), drain_time, mtbf)

    assert 1 - snapshot.goodput(*times) == exact(row["waste_durable_only_R0"])
    assert 1 - snapshot.goodput(*times, 300) == exact(row["waste_durable_only_R300"])
    assert 1 - snapshot.goodput(*times, 0, 0.4) == exact(row["waste_mix_q0p4_R0"])
    assert 1 - snapshot.goodput(*times, 0, 1) == exact(row["waste_all_local_survive_R0"])
    assert 1 - synchronous == exact(row["waste_sync_same_bw_exact"])
    assert snapshot.waste(*times) == printed(row["waste_first_order_durable"])


@async_table
def test_slots_and_room_are_those_of_the_table(row):
    pause = snapshot.pause(MODEL, row["nodes"], row["nvme_GBps_per_node"] * 1e9)
    drain_time = snapshot.drain_time(MODEL, row["drain_GBps"] * 1e9)
    interval = snapshot.interval(pause, drain_time, float(row["M_s"]))
    room = snapshot.slots(interval, pause, drain_time) * MODEL / row["nodes"]

    assert snapshot.slots(interval, pause, drain_time, keep_durable=False) == row["slots_needed"]
    assert snapshot.slots(interval, pause, drain_time) == row["slots_with_durable_copy"]
    assert room / 1e9 == pytest.approx(float(row["local_GB_3"]), rel=1e-7)  # printed with eight digits


@pytest.mark.parametrize("row", rows("C_two_level"), ids=lambda row: f"M={row['M_s']:g}")
def test_two_levels_cost_what_the_table_says(row):
    rates = [row["q_soft"] / row["M_s"], (1 - row["q_soft"]) / row["M_s"]]

    assert snapshot.two_level_overhead(rates, [row["C1"], row["C2"]]) == printed(row["H_two_level"])
    assert snapshot.two_level_overhead([1 / row["M_s"]], [row["C2"]]) == printed(row["H_one_level_C2"])


@pytest.mark.parametrize("row", rows("C_peer_replication"), ids=lambda row: f"{row['k']:g} of {row['N']:g}")
def test_pairs_survive_as_the_table_says(row):
    assert snapshot.peer_survival(row["N"], row["k"]) == printed(row["exact_pair_survival"])


# What the chapter says


def at(gigabytes, restart_time=0.0, local_survival=0.0):
    """Goodput of 10,000 GPUs drained with so much bandwidth, at the interval that allows."""
    drain_time = snapshot.drain_time(MODEL, gigabytes * 1e9)
    interval = snapshot.interval(PAUSE, drain_time, MTBF)
    return snapshot.goodput(interval, PAUSE, drain_time, MTBF, restart_time, local_survival)


def synchronous(gigabytes, restart_time=0.0):
    write_time = storage.write_time(MODEL, gigabytes * 1e9)
    best = checkpoint.optimal_interval(write_time, MTBF)
    return checkpoint.goodput(best, write_time, MTBF, restart_time)


def test_1250_nodes_pause_for_a_fiftieth_of_a_second():
    assert MODEL / NODES / 1e9 == 1.96
    assert snapshot.pause(MODEL, NODES, 100e9) == exact(PAUSE)


def test_32_nodes_pause_for_three_quarters_of_a_second():
    assert round(MODEL / 32 / 1e9, 1) == 76.6
    assert round(snapshot.pause(MODEL, 32, 100e9), 2) == 0.77


def test_the_drives_of_the_scenario_are_faster_than_the_links_of_eight():
    assert round(hardware.NODE.link_bandwidth / 1e9) == 63


def test_the_drain_sets_the_interval_unless_it_has_92_gigabytes_a_second():
    assert round(snapshot.interval(PAUSE, 0, MTBF), 1) == 26.6
    assert round(snapshot.bandwidth_to_free(MODEL, PAUSE, MTBF) / 1e9) == 92
    assert snapshot.drain_time(MODEL, 10e9) == 245
    assert round(snapshot.interval(PAUSE, 245, MTBF)) == 245


@pytest.mark.parametrize(
    ("gigabytes", "restart_time", "background", "blocking"),
    [(10, 0, "2.03", "15.6"), (1, 0, "18.5", "43.5"), (10, 300, "3.65", None), (1, 300, "19.9", "44.5")],
)
def test_like_with_like_the_losses_are_those_of_the_chapter(gigabytes, restart_time, background, blocking):
    assert f"{100 * (1 - at(gigabytes, restart_time)):.3g}" == background
    if blocking:
        assert f"{100 * (1 - synchronous(gigabytes, restart_time)):.3g}" == blocking


@pytest.mark.parametrize("gpus", [1_000, 10_000, 16_000, 25_000])
def test_immortal_local_snapshots_would_lose_a_seventh_of_a_per_cent_at_any_size(gpus):
    pause = snapshot.pause(MODEL, gpus / 8, 100e9)
    mtbf = reliability.system_mtbf(hardware.GPU_MTTF, gpus)
    interval = snapshot.interval(pause, 0.0, mtbf)

    assert f"{100 * (1 - snapshot.goodput(interval, pause, 0.0, mtbf)):.3g}" == "0.148"


def test_three_slots_are_the_usual_case_and_fit_the_drives_many_times():
    interval = snapshot.interval(PAUSE, 245, MTBF)

    assert snapshot.slots(interval, PAUSE, 245) == 3
    assert snapshot.slots(interval, PAUSE, 245, keep_durable=False) == 2
    assert round(hardware.NODE.local_bytes / (3 * MODEL / NODES), -3) == 5000


def test_two_of_sixteen_machines_spare_every_pair_fourteen_times_in_fifteen():
    assert round(100 * snapshot.peer_survival(16, 2), 1) == 93.3
    assert snapshot.peer_survival(16, 2) == exact(14 / 15)


def walk(failures, interval, pause, drain_time, mtbf, restart_time, local_survival, seed):
    """Goodput of one long run, drain by drain; some failures leave the local snapshots usable.

    What is still on the drives after a failure drains first, from the end of the restart.
    """
    rng = random.Random(seed)
    period = interval + pause
    durable = local = 0
    clock = 0.0
    for _ in range(failures):
        gap = rng.expovariate(1 / mtbf)
        clock += gap
        left = gap - restart_time
        taken = max(int(left // period), 0)
        free = 0.0  # when the drain is next free
        if local > durable:
            free = drain_time
            if free <= left:
                durable = local
        for number in range(1, taken + 1):
            free = max(free, number * period) + drain_time
            if free > left:
                break
            durable = local + number
        local += taken
        if rng.random() >= local_survival:
            local = durable
    return durable * interval / clock


@pytest.mark.parametrize(("local_survival", "walked", "formula"), [(0.5, 85.5, 86.0), (0.0, 80.1, 80.1)])
def test_the_mixture_is_a_little_too_good_as_the_chapter_says(local_survival, walked, formula):
    times = snapshot.interval(PAUSE, 2450, MTBF), PAUSE, 2450, MTBF, 300

    assert round(100 * snapshot.goodput(*times, local_survival), 1) == formula
    measured = [100 * walk(50_000, *times, local_survival, seed) for seed in range(6)]
    assert abs(np.mean(measured) - walked) < 0.12
    assert np.std(measured) < 0.2


# Claims


@given(mtbf=mtbfs, interval=ratios, pause=ratios, drain=st.floats(0, 3), restart=st.floats(0, 3))
@claim
def test_drain_time_acts_just_as_restart_time(mtbf, interval, pause, drain, restart):
    work, stop, late, down = interval * mtbf, pause * mtbf, drain * mtbf, restart * mtbf

    assert snapshot.goodput(work, stop, late, mtbf, down) == exact(
        checkpoint.goodput(work, stop, mtbf, down + late)
    )
    assert snapshot.waste(work, stop, late, mtbf, down) == exact(
        checkpoint.waste(work, stop, mtbf, down + late)
    )


@given(mtbf=mtbfs, interval=ratios, pause=ratios, drain=st.floats(0, 3), q=st.floats(0, 1))
@claim
def test_local_survival_lies_between_none_and_immortal(mtbf, interval, pause, drain, q):
    times = interval * mtbf, pause * mtbf, drain * mtbf, mtbf
    none, some, all_of_them = snapshot.goodput(*times, 0.0, np.array([0.0, q, 1.0]))

    assert none <= some * (1 + 1e-15)
    assert some <= all_of_them * (1 + 1e-15)
    assert all_of_them == checkpoint.goodput(times[0], times[1], mtbf)


@given(mtbf=mtbfs, ratio=wild_ratios, drain=magnitudes(-6, 1), factor=st.floats(1.0, 100))
@claim
def test_no_interval_that_the_drain_can_follow_beats_the_one_chosen(mtbf, ratio, drain, factor):
    pause, drain_time = ratio * mtbf, drain * mtbf
    chosen = snapshot.interval(pause, drain_time, mtbf)
    optimum = checkpoint.optimal_interval(pause, mtbf)
    shorter = max(chosen / factor, drain_time - pause, 1e-9 * chosen)
    goodput = snapshot.goodput(np.array([chosen, shorter, chosen * factor]), pause, drain_time, mtbf)

    assert chosen >= optimum
    assert chosen + pause >= drain_time * (1 - 1e-15)
    assert np.all(goodput[1:] <= goodput[0] * (1 + 1e-13))


@given(mtbf=mtbfs, ratio=magnitudes(-9, 0), less=st.floats(0.1, 0.999))
@claim
def test_just_the_freeing_bandwidth_frees_the_interval(mtbf, ratio, less):
    pause = ratio * mtbf
    optimum = checkpoint.optimal_interval(pause, mtbf)
    enough = snapshot.bandwidth_to_free(MODEL, pause, mtbf)

    assert snapshot.interval(pause, snapshot.drain_time(MODEL, enough), mtbf) == exact(optimum)
    assert snapshot.interval(pause, snapshot.drain_time(MODEL, enough * less), mtbf) > optimum


@given(mtbf=mtbfs, ratio=magnitudes(-9, -1), drain=magnitudes(-4, 0), more=st.floats(1.01, 10))
@claim
def test_more_drain_bandwidth_never_hurts(mtbf, ratio, drain, more):
    def best(drain_time):
        interval = snapshot.interval(ratio * mtbf, drain_time, mtbf)
        return snapshot.goodput(interval, ratio * mtbf, drain_time, mtbf)

    assert best(drain * mtbf / more) > best(drain * mtbf)


@given(mtbf=mtbfs, ratio=magnitudes(-5, -1))
@claim
def test_at_equal_bandwidth_background_beats_blocking(mtbf, ratio):
    drain_time = ratio * mtbf
    pause = 1e-3 * drain_time
    interval = snapshot.interval(pause, drain_time, mtbf)
    best = checkpoint.optimal_interval(drain_time, mtbf)

    assert snapshot.goodput(interval, pause, drain_time, mtbf) > checkpoint.goodput(best, drain_time, mtbf)


@given(mtbf=mtbfs, drain=magnitudes(-5, 2), pause=magnitudes(-9, 1))
@claim
def test_at_the_interval_chosen_three_slots_always_do(mtbf, drain, pause):
    interval = snapshot.interval(pause * mtbf, drain * mtbf, mtbf)

    assert snapshot.slots(interval, pause * mtbf, drain * mtbf) == 3


@pytest.mark.parametrize(("drain_time", "slots"), [(0, 2), (1, 3), (10, 3), (10.01, 4), (20, 4), (95, 12)])
def test_each_period_of_drain_takes_a_slot(drain_time, slots):
    assert snapshot.slots(9.0, 1.0, drain_time) == slots
    assert snapshot.slots(9.0, 1.0, drain_time, keep_durable=False) == slots - 1


@given(mtbf=mtbfs, ratio=ratios)
@claim
def test_one_level_costs_what_young_says(mtbf, ratio):
    write_time = ratio * mtbf
    least = checkpoint.waste(checkpoint.young_interval(write_time, mtbf), write_time, mtbf)

    assert snapshot.two_level_overhead([1 / mtbf], [write_time]) == exact(least)


@given(rates=st.lists(magnitudes(-6, 0), min_size=2, max_size=4), factor=factors)
@claim
def test_a_level_that_never_fails_costs_nothing_and_costs_scale_by_their_root(rates, factor):
    costs = np.arange(1, len(rates) + 1) * factor
    overhead = snapshot.two_level_overhead(rates, costs)

    assert snapshot.two_level_overhead([*rates, 0.0], [*costs, 5.0]) == exact(overhead)
    assert snapshot.two_level_overhead(rates, costs * 4) == exact(2 * overhead)


@pytest.mark.parametrize(("machines", "failed"), [(2, 1), (4, 2), (6, 2), (6, 3), (8, 3), (8, 4), (10, 2)])
def test_counting_every_way_to_fail_gives_the_same_chance_for_pairs(machines, failed):
    ways = list(combinations(range(machines), failed))
    good = sum(len({machine // 2 for machine in way}) == failed for way in ways)

    assert snapshot.peer_survival(machines, failed) == exact(good / len(ways))


@given(machines=even, failed=st.integers(0, 40))
@claim
def test_pairs_survive_by_the_formula_of_the_notes(machines, failed):
    right = math.comb(machines // 2, failed) * 2**failed / max(math.comb(machines, failed), 1)

    if failed <= machines:
        assert snapshot.peer_survival(machines, failed) == exact(right)


@given(machines=even, failed=st.integers(0, 300))
@claim
def test_a_further_failure_never_helps_the_pairs(machines, failed):
    failed = min(failed, machines - 1)
    before, after = snapshot.peer_survival(machines, [failed, failed + 1])

    assert 0 <= after <= before <= 1


def test_none_or_one_failed_machine_takes_no_pair_and_more_than_half_take_one_for_sure():
    np.testing.assert_array_equal(snapshot.peer_survival([[2], [1000]], [0, 1]), np.ones((2, 2)))
    np.testing.assert_array_equal(snapshot.peer_survival(16, [9, 12, 16]), np.zeros(3))


# What cannot be


def test_an_odd_machine_has_no_peer():
    with pytest.raises(ValueError, match="machines must be even, as they mirror each other in pairs; got 7"):
        snapshot.peer_survival([4, 7], 2)


def test_no_more_machines_fail_than_there_are():
    with pytest.raises(ValueError, match=r"failed must be at most machines, 4\.0; got 6\.0"):
        snapshot.peer_survival([8, 4], 6)


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_of_failures_lies_between_none_and_all(share):
    with pytest.raises(ValueError, match=f"^local_survival must be a number from 0 to 1; got {share}$"):
        snapshot.goodput(245, PAUSE, 245, MTBF, 0, share)
