"""Queues and fleets: against the tables, high precision, the chapter, and each other."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import binomial, exp, mp, mpf

from fault_tolerance import hardware, serving

from .strategies import claim, factors, magnitudes
from .tables import FOLDER, rows

# The scenario of the chapter: ten replicas of 130 requests a second, of which 1,000 arrive.
LOAD, RATE, FLEET = 1000.0, 130.0, 10
MONTH = 30 * 86_400.0

rates = magnitudes(-3, 5)
small_fleets = st.integers(1, 60)
fleets = magnitudes(0, 3.5).map(math.floor)
reserves = magnitudes(-6, -0.01)  # 1 − ρ
quantiles = st.one_of(st.sampled_from([0.5, 0.95, 0.99, 0.999]), st.floats(0.01, 0.9999))


def exact(value):
    return pytest.approx(float(value), rel=1e-12, abs=0)


def close(value):
    return pytest.approx(float(value), rel=1e-9, abs=0)


def plain(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def each_its_own(failed, quantile=0.99):
    """Quantile of the scenario's response time with a queue each and some replicas down."""
    return serving.response_quantile(1, serving.load_per_survivor(LOAD, FLEET, failed), RATE, quantile)


def shared(failed, quantile=0.99):
    return serving.response_quantile(FLEET - failed, LOAD, RATE, quantile)


# High precision, in the form of the textbooks


def erlang(servers, arrival_rate, service_rate):
    load = mpf(arrival_rate) / mpf(service_rate)
    busy = mpf(1)
    for server in range(1, servers + 1):
        busy = load * busy / (server + load * busy)
    return busy / (1 - load / servers * (1 - busy))


def tail(servers, arrival_rate, service_rate, time):
    wait, mu, t = erlang(servers, arrival_rate, service_rate), mpf(service_rate), mpf(time)
    nu = servers * mu - mpf(arrival_rate)
    if nu == mu:
        return exp(-mu * t) * (1 + wait * mu * t)
    return (1 - wait) * exp(-mu * t) + wait * (nu * exp(-mu * t) - mu * exp(-nu * t)) / (nu - mu)


# The tables

erlang_table = pytest.mark.parametrize(
    "row", plain("D_erlang_c")["rows"], ids=lambda row: "c={c},lam={lam},mu={mu}".format(**row)
)


@erlang_table
def test_waits_and_quantiles_are_those_of_the_table(row):
    queue = row["c"], float(row["lam"]), float(row["mu"])
    surplus = queue[0] * queue[2] - queue[1]
    wait = serving.erlang_c(*queue)

    assert wait == exact(row["erlang_c"])
    assert wait / surplus == exact(row["mean_wait"])
    assert math.log(wait / 0.01) / surplus == close(row["p99_wait"]) or wait < 0.01
    for quantile, name in [(0.5, "p50_response"), (0.95, "p95_response"), (0.99, "p99_response")]:
        time = float(row[name])
        assert serving.response_quantile(*queue, quantile) == exact(time)
        assert serving.response_tail(*queue, time) == pytest.approx(1 - quantile, rel=1e-11)


def test_erlangs_worked_example_comes_out():
    published = plain("D_erlang_c")["published"][0]
    wait = serving.erlang_c(published["c"], published["a"], 1)
    calls_of_four_minutes = published["c"] - published["a"]

    assert wait == close(published["E_C"])
    assert wait / calls_of_four_minutes * 240 == close(published["ASA_s"])
    assert 1 - wait * math.exp(-calls_of_four_minutes * 15 / 240) == close(published["service_level_15s"])


@pytest.mark.parametrize("row", plain("D_mm1_ps")["rows"], ids=lambda row: f"rho={row['rho']:g}")
def test_a_queue_of_ones_own_is_that_of_the_table(row):
    assert serving.response_quantile(1, row["rho"], 1.0) == close(row["p99_mm1_fcfs_times_mu"])


@pytest.mark.parametrize(
    "row", plain("D_failure_window")["rows"], ids=lambda row: "N={N},k={k},mu={mu}".format(**row)
)
def test_a_failure_window_is_that_of_the_table(row):
    replicas, failed, load, rate = row["N"], row["k"], row["lam"], float(row["mu"])
    window = load, rate, replicas, failed, 90

    assert serving.headroom(replicas, failed) == close(row["headroom_needed"])
    assert serving.load_per_survivor(load, replicas, failed) / rate == close(row["rho_k"])
    if row["stable"]:
        one_each = serving.response_quantile(1, serving.load_per_survivor(load, replicas, failed), rate)
        together = serving.response_quantile(replicas - failed, load, rate)
        assert 1000 * one_each == close(row["p99_mm1_ms"])
        assert 1000 * together == close(row["p99_pooled_mmc_ms"])
        assert serving.backlog(*window) == 0
    else:
        # Rates with fourteen digits leave a billionth of a request where the table has none.
        backlog = serving.backlog(*window)
        assert backlog == pytest.approx(float(row["backlog_after_90s"]), rel=1e-9, abs=1e-8)
        assert serving.backlog_drain_time(*window, pooled=True) == pytest.approx(
            float(row["drain_s"]), rel=1e-9, abs=1e-8
        )
        assert serving.requests_touched(*window, pooled=True) == close(row["requests_touched"])


@pytest.mark.parametrize(
    "row", rows("D_slo_capacity"), ids=lambda row: f"mu={row['mu']:g},slo={row['slo_s']:g}"
)
def test_safe_loads_are_those_of_the_table(row):
    assert serving.safe_load(row["mu"], row["slo_s"]) == close(row["lam_safe"])
    needed = serving.replicas_needed(LOAD, row["mu"], row["slo_s"], failed=0)
    assert needed == row["survivors_needed_for_1000qps"]


@pytest.mark.parametrize("row", rows("D_availability"), ids=lambda row: f"N={row['N']:g},M={row['mtbf_s']:g}")
def test_replicas_down_are_those_of_the_table(row):
    times = row["mtbf_s"], row["mttr_s"]
    for failed in (1, 2, 3):
        share = serving.probability_down(row["N"], failed, *times)
        assert share == exact(row[f"P_at_least_{failed}_down"])
        assert share * serving.YEAR == close(row[f"sec_per_year_at_least_{failed}_down"])

    # The table counts failures of replicas that run and recover in turn.
    assert serving.failures_per_year(row["N"], sum(times)) == close(row["failures_per_year"])


@pytest.mark.parametrize(
    ("share", "name"),
    [(1e-3, "spares_for_three_nines"), (1e-5, "spares_for_five_nines"), (1e-7, "spares_for_seven_nines")],
)
@pytest.mark.parametrize("row", rows("D_availability"), ids=lambda row: f"N={row['N']:g},M={row['mtbf_s']:g}")
def test_so_many_spares_keep_the_rest_available_as_the_table_says(row, share, name):
    spares = row[name]
    times = row["mtbf_s"], row["mttr_s"]

    assert serving.probability_down(row["N"], spares + 1, *times) <= share
    assert spares == 0 or serving.probability_down(row["N"], spares, *times) > share


@pytest.mark.parametrize(
    "row", plain("D_kv_recompute")["rows"], ids=lambda row: f"{row['model']}-{row['tokens']}"
)
def test_caches_and_their_recomputation_are_those_of_the_table(row):
    layers, kv_heads, width, parameters = {
        "70B": (80, 8, 8192, 70.55e9),
        "8B ": (32, 8, 4096, 8.03e9),
        "405": (126, 8, 16384, 405.85e9),
        "175": (96, 96, 12288, 175e9),
    }[row["model"][:3]]
    tokens = row["tokens"]
    attention = 2 * layers * tokens**2 * width / (8 * 989e12 * 0.4)
    time = serving.recompute_time(tokens, parameters, 8, 989e12, 0.4)

    assert serving.kv_cache_bytes(1, layers, kv_heads, 128) == row["kv_bytes_per_token"]
    assert serving.kv_cache_bytes(tokens, layers, kv_heads, 128) == exact(row["kv_GB"] * 1e9)
    assert time + attention == close(row["prefill_s_8xH100_40pct"])


# What the chapter says


def test_nine_of_ten_need_a_ninth_of_headroom():
    assert round(100 * serving.headroom(10, 1), 1) == 11.1
    assert round(serving.load_per_survivor(LOAD, 10, 1), 1) == 111.1


def test_queues_of_ones_own_survive_one_loss_and_not_two():
    assert [round(1000 * each_its_own(failed)) for failed in (0, 1, 2)] == [154, 244, 921]
    assert round(serving.safe_load(RATE, 0.5), 1) == 120.8


def test_a_shared_queue_survives_two_with_ease():
    assert [round(1000 * shared(failed)) for failed in (0, 1, 2)] == [37, 42, 121]


def test_pooling_beats_a_spare():
    spare = serving.response_quantile(1, serving.load_per_survivor(LOAD, 11, 1), RATE)

    assert shared(1) < spare
    assert shared(2) < spare


def test_no_spare_beats_serving_alone():
    floor = serving.response_floor(RATE)

    assert floor == exact(math.log(100) / RATE)
    assert serving.response_quantile(1000, LOAD, RATE) == exact(floor)
    assert each_its_own(0) > floor


def test_at_the_defaults_no_spare_is_needed_and_with_two_down_one_is():
    needed = serving.replicas_needed(LOAD, RATE, 0.5, [1, 2], pooled=False)

    np.testing.assert_array_equal(needed - FLEET, [0, 1])
    np.testing.assert_array_equal(serving.replicas_needed(LOAD, RATE, 0.5, [1, 2], pooled=True), [9, 10])


def test_a_spare_costs_576_dollars_a_day():
    assert hardware.NODE.gpus * hardware.GPU_PRICE * 86_400 == exact(576)


def test_three_down_pile_up_a_backlog_that_a_shared_queue_works_off_sooner():
    window = LOAD, RATE, FLEET, 3, 90

    assert serving.backlog(*window) == 8100
    assert serving.backlog_drain_time(*window, pooled=True) == exact(27)
    assert round(serving.backlog_drain_time(*window), 1) == 38.6
    assert serving.requests_touched(*window, pooled=True) == exact(117_000)


def test_the_limit_that_sliders_reach_is_the_limit():
    wait = serving.erlang_c(9, 1000, 125)
    time = np.array([0.0, 0.01, 0.05, 0.5])
    limit = (1 - wait) * np.exp(-125 * time) + wait * (1 + 125 * time) * np.exp(-125 * time)

    assert serving.response_tail(9, 1000, 125, time) == pytest.approx(limit, rel=1e-14)


def test_ten_replicas_fail_122_times_a_year_and_two_at_once_hardly_ever():
    assert round(serving.failures_per_year(10, MONTH)) == 122
    assert f"{90 / (MONTH + 90):.3g}" == "3.47e-05"
    assert serving.probability_down(1, 1, MONTH, 90) == exact(90 / (MONTH + 90))
    assert round(serving.probability_down(10, 1, MONTH, 90) * serving.YEAR / 3600, 2) == 3.04
    assert round(serving.probability_down(10, 2, MONTH, 90) * serving.YEAR, 1) == 1.7


def test_a_token_leaves_a_third_of_a_megabyte():
    assert serving.kv_cache_bytes(1, 80, 8, 128) == 327_680
    assert round(serving.kv_cache_bytes(1000, 80, 8, 128) / 1e9, 2) == 0.33
    assert round(serving.kv_cache_bytes(8000, 80, 8, 128) / 1e9, 1) == 2.6


@pytest.mark.parametrize(("gpu", "digits", "seconds"), [("H100", 2, 0.35), ("A100", 1, 1.1)])
def test_eight_thousand_tokens_are_computed_again_in_a_moment(gpu, digits, seconds):
    time = serving.recompute_time(8000, 70e9, 8, hardware.GPUS[gpu].peak_flops, 0.4)

    assert round(time, digits) == seconds


def test_reloading_a_70b_model_in_ninety_seconds_takes_a_gigabyte_and_a_half_a_second():
    assert round(140e9 / 90 / 1e9, 2) == 1.56


def test_requests_lost_are_those_sent_to_the_dead_and_those_in_flight():
    load = LOAD / (FLEET * RATE)

    assert serving.requests_lost(LOAD, RATE, FLEET, 2, 5) == exact(2 * (100 * 5 + load / (1 - load)))
    assert serving.requests_lost(LOAD, RATE, FLEET, 2, 5, pooled=True) == exact(2 * (100 * 5 + load))


# Claims about queues


@given(servers=fleets, reserve=reserves, rate=rates)
@claim
def test_erlangs_formula_holds_to_the_last_digits_without_factorials(servers, reserve, rate):
    load = servers * rate * (1 - reserve)
    assume(load < servers * rate)
    with mp.workdps(40):
        right = erlang(servers, load, rate)
        assume(right > 1e-280)

    assert serving.erlang_c(servers, load, rate) == pytest.approx(float(right), rel=1e-13)


@pytest.mark.parametrize("reserve", [0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-9])
def test_ten_thousand_servers_work_up_to_the_brim(reserve):
    load = 10_000 * (1 - reserve)
    with mp.workdps(40):
        wait = erlang(10_000, load, 1.0)
    time = serving.response_quantile(10_000, load, 1.0)
    with mp.workdps(60):
        left = tail(10_000, load, 1.0, time)

    assert serving.erlang_c(10_000, load, 1.0) == exact(wait)
    assert left == pytest.approx(0.01, rel=1e-12)
    assert serving.response_tail(10_000, load, 1.0, time) == exact(left)


@given(servers=fleets, reserve=reserves, rate=rates, factor=factors)
@claim
def test_a_wait_is_a_probability_between_the_bounds_of_queueing(servers, reserve, rate, factor):
    load = servers * rate * (1 - reserve)
    assume(load < servers * rate)
    wait = serving.erlang_c(servers, load, rate)

    # At most the utilisation, and at least what a load of one server more would leave.
    assert wait <= (1 - reserve) * (1 + 1e-12)
    assert wait >= 1 - servers * reserve - 1e-9
    assert serving.erlang_c(servers, load * factor, rate * factor) == pytest.approx(
        wait, rel=1e-15 / reserve + 1e-12
    )


@given(servers=small_fleets, reserve=reserves, rate=rates)
@claim
def test_more_servers_make_fewer_wait_and_more_load_makes_more(servers, reserve, rate):
    load = servers * rate * (1 - reserve)
    assume(load < servers * rate)
    wait = serving.erlang_c([servers, servers + 1, servers], [load, load, load * 0.9], rate)

    assert wait[1] < wait[0]
    assert wait[2] < wait[0]


@given(reserve=reserves, rate=rates, quantile=quantiles, time=magnitudes(-2, 1.5))
@claim
def test_one_server_is_the_simple_queue(reserve, rate, quantile, time):
    load = rate * (1 - reserve)
    moment = time / (rate - load)

    assert serving.erlang_c(1, load, rate) == exact(load / rate)
    assert serving.response_tail(1, load, rate, moment) == exact(math.exp(-(rate - load) * moment))
    assert serving.response_quantile(1, load, rate, quantile) == pytest.approx(
        -math.log1p(-quantile) / (rate - load), rel=1e-12
    )


@given(servers=fleets, reserve=reserves, rate=rates, time=magnitudes(-3, 2))
@claim
def test_the_tail_is_the_formula_of_the_textbooks(servers, reserve, rate, time):
    load = servers * rate * (1 - reserve)
    assume(load < servers * rate)
    with mp.workdps(60):
        right = tail(servers, load, rate, time / rate)

    assert serving.response_tail(servers, load, rate, time / rate) == exact(right)


@given(
    servers=st.integers(2, 200),
    rate=rates,
    time=magnitudes(-2, 1.5),
    off=magnitudes(-17, -3),
    sign=st.sampled_from([-1, 1]),
)
@claim
def test_nothing_is_lost_where_the_two_exponentials_meet(servers, rate, time, off, sign):
    load = rate * (servers - 1) * (1 + sign * off / servers)
    with mp.workdps(80):
        right = tail(servers, load, rate, time / rate)

    assert serving.response_tail(servers, load, rate, time / rate) == exact(right)


@given(servers=fleets, reserve=st.one_of(reserves, magnitudes(-13, -6)), rate=rates, quantile=quantiles)
@claim
def test_a_quantile_leaves_just_the_rest_in_the_tail(servers, reserve, rate, quantile):
    load = servers * rate * (1 - reserve)
    assume(load < servers * rate)
    time = serving.response_quantile(servers, load, rate, quantile)
    with mp.workdps(60):
        left = tail(servers, load, rate, time)
        slope = (tail(servers, load, rate, time * (1 + mpf(10) ** -20)) - left) * mpf(10) ** 20
        error = abs((left - (1 - mpf(quantile))) / slope)

    assert error < 1e-12


@given(quantile=magnitudes(-12, -2), servers=small_fleets, reserve=reserves)
@claim
def test_small_quantiles_are_found_too(quantile, servers, reserve):
    load = servers * (1 - reserve)
    time = serving.response_quantile(servers, load, 1.0, quantile)

    assert 1 - serving.response_tail(servers, load, 1.0, time) == pytest.approx(quantile, rel=1e-9, abs=4e-16)


@given(servers=small_fleets, reserve=reserves, rate=rates, quantile=quantiles)
@claim
def test_quantiles_order_as_they_should(servers, reserve, rate, quantile):
    load = servers * rate * (1 - reserve)
    assume(load < servers * rate)
    base = serving.response_quantile(servers, load, rate, quantile)

    assert base >= serving.response_floor(rate, quantile)
    assert serving.response_quantile(servers, load, rate, (1 + quantile) / 2) > base
    assert serving.response_quantile(servers + 1, load, rate, quantile) <= base
    assert serving.response_quantile(servers, load * 0.9, rate, quantile) <= base


@given(servers=st.integers(2, 60), reserve=reserves, rate=rates, quantile=quantiles)
@claim
def test_a_shared_queue_is_never_slower_than_one_each(servers, reserve, rate, quantile):
    load = servers * rate * (1 - reserve)
    assume(load < servers * rate)
    together = serving.response_quantile(servers, load, rate, quantile)

    assert together <= serving.response_quantile(1, load / servers, rate, quantile) * (1 + 1e-9)


def test_without_requests_nobody_waits():
    assert serving.erlang_c(3, 0, 7) == 0
    assert serving.response_quantile(3, 0, 7) == exact(math.log(100) / 7)
    assert serving.response_tail(3, 0, 7, 0.5) == exact(math.exp(-3.5))
    assert serving.response_tail([1, 9], [100, 1000], 130, 0.0) == pytest.approx([1, 1], abs=0)


def test_a_chance_too_small_for_a_float_is_none():
    assert serving.erlang_c(10_000, 10, 1) == 0
    assert serving.response_quantile(10_000, 10, 1) == exact(math.log(100))


# Claims about fleets


@given(rate=rates, slo=magnitudes(0.1, 4), quantile=quantiles)
@claim
def test_at_the_safe_load_the_quantile_is_the_target(rate, slo, quantile):
    target = slo * serving.response_floor(rate, quantile)
    load = serving.safe_load(rate, target, quantile)

    assert serving.response_quantile(1, load, rate, quantile) == pytest.approx(target, rel=1e-10)


@given(
    load=rates,
    busy=magnitudes(-1, 2.5),
    slo=magnitudes(0.02, 2),
    failed=st.integers(0, 3),
    pooled=st.booleans(),
)
@claim
def test_the_replicas_needed_keep_the_target_and_one_less_does_not(load, busy, slo, failed, pooled):
    rate = load / busy
    target = slo * serving.response_floor(rate)

    def misses(survivors):
        if survivors == 0 or load >= survivors * rate:
            return True
        if pooled:
            return serving.response_quantile(survivors, load, rate) > target
        return serving.response_quantile(1, load / survivors, rate) > target

    survivors = serving.replicas_needed(load, rate, target, failed, pooled) - failed

    assert survivors >= 1
    assert not misses(survivors)
    assert misses(survivors - 1)


@given(load=rates, busy=magnitudes(-1, 2.5), slo=magnitudes(0.02, 2))
@claim
def test_pooling_never_needs_more_replicas(load, busy, slo):
    rate = load / busy
    target = slo * serving.response_floor(rate)

    together = serving.replicas_needed(load, rate, target, 1, pooled=True)
    assert together <= serving.replicas_needed(load, rate, target, 1, pooled=False)


def test_even_without_requests_one_replica_survives():
    assert serving.replicas_needed(0, RATE, 0.5, 2) == 3
    assert serving.replicas_needed(0, RATE, 0.5, 2, pooled=True) == 3


def test_a_great_fleet_with_one_queue_is_sized_at_once():
    needed = serving.replicas_needed(99_000 * RATE, RATE, 0.04, 1, pooled=True)

    assert 99_000 < needed < 99_500


@given(load=rates, rate=rates, replicas=st.integers(2, 1000), failed=st.integers(0, 9))
@claim
def test_survivors_carry_all_of_the_load(load, rate, replicas, failed):
    failed = min(failed, replicas - 1)

    assert serving.load_per_survivor(load, replicas, failed) * (replicas - failed) == exact(load)
    assert serving.load_per_survivor(load, replicas, failed) == pytest.approx(
        load / replicas * (1 + serving.headroom(replicas, failed)), rel=1e-12
    )


@given(
    reserve=magnitudes(-3, -0.1),
    rate=rates,
    replicas=st.integers(2, 60),
    failed=st.integers(0, 30),
    window=magnitudes(0, 3),
)
@claim
def test_a_backlog_is_what_arrives_over_what_is_served_and_drains_with_the_surplus(
    reserve, rate, replicas, failed, window
):
    failed = min(failed, replicas - 1)
    load = replicas * rate * (1 - reserve)
    times = load, rate, replicas, failed, window
    backlog = serving.backlog(*times)
    together = serving.backlog_drain_time(*times, pooled=True)
    apart = serving.backlog_drain_time(*times)

    assert backlog == pytest.approx(
        max(load - (replicas - failed) * rate, 0) * window, rel=1e-9, abs=1e-9 * load * window
    )
    assert together * (replicas * rate - load) == pytest.approx(backlog, rel=1e-9)
    assert apart == pytest.approx(together * replicas / (replicas - failed), rel=1e-12)
    assert serving.requests_touched(*times) >= serving.requests_touched(*times, pooled=True)
    assert serving.requests_touched(*times, pooled=True) >= load * window
    if failed == 0:
        assert backlog == together == apart == 0


def test_when_all_are_down_everything_piles_up():
    assert serving.backlog(LOAD, RATE, FLEET, FLEET, 90) == 90_000
    assert serving.backlog_drain_time(LOAD, RATE, FLEET, FLEET, 90, pooled=True) == 300


@given(replicas=st.integers(1, 400), failed=st.integers(0, 400), odds=magnitudes(-7, 2))
@claim
def test_the_chance_that_so_many_are_down_is_the_binomial_sum(replicas, failed, odds):
    failed = min(failed, replicas)
    with mp.workdps(40):
        down = mpf(odds) / (1 + mpf(odds))
        right = sum(
            binomial(replicas, more) * down**more * (1 - down) ** (replicas - more)
            for more in range(failed, replicas + 1)
        )
        assume(right > 1e-280)

    assert serving.probability_down(replicas, failed, 1.0, odds) == exact(right)


@given(replicas=st.integers(1, 400), failed=st.integers(0, 399), odds=magnitudes(-7, 2))
@claim
def test_more_down_at_once_is_rarer(replicas, failed, odds):
    failed = min(failed, replicas - 1)
    fewer, more = serving.probability_down(replicas, [failed, failed + 1], 1.0, odds)

    assert 0 <= more <= fewer <= 1


def test_none_at_least_is_sure_and_what_recovers_at_once_is_never_down():
    assert serving.probability_down(10, 0, MONTH, 90) == 1
    assert serving.probability_down(10, 1, MONTH, 0) == 0
    assert serving.probability_down(100_000, 60_000, 1.0, 1.0) == 0
    assert serving.probability_down(100_000, 50_000, 1.0, 1.0) == pytest.approx(0.501, abs=1e-3)
    assert serving.probability_down(3, 2, 1e-300, 1e300) == 1


@given(tokens=st.integers(0, 10**6), more=st.integers(1, 9))
@claim
def test_caches_and_recomputation_grow_with_the_tokens(tokens, more):
    assert serving.kv_cache_bytes(tokens * more, 80, 8, 128) == more * serving.kv_cache_bytes(
        tokens, 80, 8, 128
    )
    assert serving.recompute_time(tokens * more, 7e9, 8, 1e15, 0.4) == exact(
        more * serving.recompute_time(tokens, 7e9, 8, 1e15, 0.4)
    )


# What cannot be

queues = pytest.mark.parametrize(
    ("function", "more"),
    [(serving.erlang_c, ()), (serving.response_tail, (0.1,)), (serving.response_quantile, (0.9,))],
    ids=lambda part: getattr(part, "__name__", ""),
)


@queues
def test_a_queue_that_grows_for_ever_is_refused_in_words(function, more):
    with pytest.raises(ValueError, match="arrival_rate") as caught:
        function(8, 1000, 125, *more)

    assert str(caught.value) == (
        "arrival_rate must be below servers times service_rate, 1000.0, or the queue grows for ever; "
        "got 1000.0"
    )
    with pytest.raises(ValueError, match=r"service_rate, 300\.0, .* got 500\.0$"):
        function([1, 3], [10, 500], [[200], [100]], *more)


@queues
def test_just_below_full_a_queue_is_a_queue(function, more):
    assert math.isfinite(function(8, math.nextafter(1000, 0), 125, *more))


@queues
def test_servers_are_counted_and_not_without_end(function, more):
    for servers in (0, 1.5, 100_001):
        with pytest.raises(
            ValueError, match=rf"^servers must be a whole number from 1 to 100,000; got {float(servers)}$"
        ):
            function(servers, 1, 2, *more)


@pytest.mark.parametrize(
    "ask", [serving.safe_load, lambda rate, slo: serving.replicas_needed(1000, rate, slo)]
)
def test_a_target_that_serving_alone_misses_is_refused_in_words(ask):
    with pytest.raises(ValueError, match="slo") as caught:
        ask(20, [0.5, 0.1])

    assert str(caught.value) == (
        "slo must be at least 0.230259 s, ln(1/(1 − quantile)) over service_rate, which serving alone takes "
        "without any load; got 0.1"
    )


def test_a_queue_for_more_servers_than_there_can_be_is_refused():
    with pytest.raises(
        ValueError, match=r"^survivors must be a whole number from 1 to 100,000; got 1000001\.0"
    ):
        serving.replicas_needed(1e6, 1.0, 10.0, pooled=True)


def test_somebody_must_survive_to_carry_the_load():
    for call in (
        lambda: serving.load_per_survivor(LOAD, 10, 10),
        lambda: serving.headroom(10, 10),
        lambda: serving.backlog_drain_time(LOAD, RATE, 10, 10, 90),
        lambda: serving.requests_touched(LOAD, RATE, 10, 10, 90),
        lambda: serving.requests_lost(LOAD, RATE, 10, 10, 1),
    ):
        with pytest.raises(ValueError, match=r"^failed must be below replicas: 10\.0; got 10\.0$"):
            call()


def test_no_more_fail_than_there_are():
    for call in (
        lambda: serving.backlog(LOAD, RATE, 10, 11, 90),
        lambda: serving.probability_down(10, 11, MONTH, 90),
        lambda: serving.backlog_drain_time(LOAD, RATE, 10, 11, 90, pooled=True),
    ):
        with pytest.raises(ValueError, match=r"^failed must be at most replicas: 10\.0; got 11\.0$"):
            call()


def test_a_fleet_that_never_kept_up_never_recovers():
    for function in (serving.backlog_drain_time, serving.requests_touched, serving.requests_lost):
        with pytest.raises(
            ValueError, match=r"^arrival_rate must be below replicas times .*: 1300\.0; got 1300\.0$"
        ):
            function(1300, RATE, 10, 1, 90)


@pytest.mark.parametrize("share", [0.0, 1.0, math.nan])
def test_a_quantile_lies_between_none_and_all(share):
    with pytest.raises(ValueError, match=rf"^quantile must be a number above 0 and below 1; got {share}$"):
        serving.response_quantile(1, 1, 2, share)


def test_nothing_runs_above_its_peak():
    with pytest.raises(ValueError, match=r"^utilisation must be a number above 0, at most 1; got 1\.1$"):
        serving.recompute_time(1, 1, 1, 1, 1.1)


def test_no_replica_lost_is_no_request_lost_however_late_it_is_noticed() -> None:
    assert serving.requests_lost(4.0, 5.0, replicas=1, failed=0, detection_time=4.5e307) == 0.0
    assert serving.requests_lost(4.0, 5.0, replicas=1, failed=0, detection_time=4.5e307, pooled=True) == 0.0
