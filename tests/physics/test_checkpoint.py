"""Intervals, waste and goodput: against the tables, the literature and each other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, expm1, lambertw, mp, mpf

from fault_tolerance import checkpoint, reliability

from .strategies import claim, factors, magnitudes, mtbfs, ratios, wild_ratios
from .tables import rows

HOUR = 3600.0
EXACT = 1e-12

table = pytest.mark.parametrize(
    "row", rows("A_young_daly"), ids=lambda row: f"d={row['delta_s']:g},M={row['M_s']:g},R={row['R_s']:g}"
)


def exact(value):
    return pytest.approx(value, rel=EXACT, abs=0)


@table
def test_intervals_are_those_of_the_table(row):
    arguments = row["delta_s"], row["M_s"]

    assert checkpoint.young_interval(*arguments) == exact(row["tau_young"])
    assert checkpoint.daly_interval(*arguments) == exact(row["tau_daly_ho"])
    assert checkpoint.optimal_interval(*arguments) == exact(row["tau_exact"])


@table
def test_goodput_is_that_of_the_table(row):
    arguments = row["delta_s"], row["M_s"], row["R_s"]

    assert checkpoint.goodput(row["tau_young"], *arguments) == exact(row["eff_exact_at_young"])
    assert checkpoint.goodput(row["tau_daly_ho"], *arguments) == exact(row["eff_exact_at_daly"])
    assert checkpoint.goodput(row["tau_exact"], *arguments) == exact(row["eff_exact_at_exact"])


@table
def test_waste_is_that_of_the_table(row):
    write_time, mtbf, restart_time = row["delta_s"], row["M_s"], row["R_s"]
    best = checkpoint.optimal_interval(write_time, mtbf)
    young = checkpoint.young_interval(write_time, mtbf)

    assert checkpoint.waste(young, write_time, mtbf) == exact(row["waste_first_order_noR"])
    assert checkpoint.waste(young, write_time, mtbf, restart_time) == exact(row["waste_first_order_with_R"])
    assert 1 - checkpoint.goodput(best, write_time, mtbf, restart_time) == exact(row["waste_exact_opt"])
    assert 1 - checkpoint.goodput(best, write_time, mtbf) == exact(row["waste_exact_opt_R0"])


@pytest.mark.parametrize("row", rows("A_daly2006_published"), ids=lambda row: f"M={row['M_min']:g}min")
def test_daly_and_exact_give_the_intervals_daly_printed_and_young_does_not(row):
    write_time, mtbf, printed = row["delta_min"] * 60, row["M_min"] * 60, row["published_tau_min"]
    digits = 1 if printed < 10 else 0  # 117, 57 and 9.1 minutes
    unit = 10**-digits
    daly = checkpoint.daly_interval(write_time, mtbf) / 60
    best = checkpoint.optimal_interval(write_time, mtbf) / 60
    young = checkpoint.young_interval(write_time, mtbf) / 60

    assert round(daly, digits) == printed
    assert abs(best - printed) < unit
    assert abs(young - printed) > 2 * unit
    assert (daly, best, young) == pytest.approx((row["daly"], row["exact"], row["young"]), rel=1e-11)


@pytest.mark.parametrize("row", rows("A_flatness"), ids=lambda row: f"d/M={row['x']:g},k={row['k']:g}")
def test_missing_the_best_interval_costs_what_the_table_says(row):
    mtbf = 10_800.0
    write_time, factor = row["x"] * mtbf, row["k"]
    young = checkpoint.young_interval(write_time, mtbf)
    best = checkpoint.optimal_interval(write_time, mtbf)
    first_order = checkpoint.waste(factor * young, write_time, mtbf) / checkpoint.waste(
        young, write_time, mtbf
    )
    lost = 1 - checkpoint.goodput([factor * best, best], write_time, mtbf)

    assert first_order == exact(row["first_order_ratio"])
    assert lost[0] / lost[1] == exact(row["exact_ratio"])


@pytest.mark.parametrize(
    ("ratio", "first_order", "exactly"),
    [
        (0.001, "4.47", "4.41"),
        (0.01, "14.1", "13.5"),
        (0.1, "44.7", "38.3"),
        (0.5, "100", "69.8"),
        (2, "200", "94.8"),
    ],
)
def test_first_order_waste_breaks_where_the_chapter_says(ratio, first_order, exactly):
    estimate = 100 * checkpoint.waste(checkpoint.young_interval(ratio, 1), ratio, 1)
    truth = 100 * (1 - checkpoint.goodput(checkpoint.optimal_interval(ratio, 1), ratio, 1))

    assert f"{estimate:.3g}" == first_order
    assert f"{truth:.3g}" == exactly


def test_youngs_interval_is_good_long_after_his_waste_is_not():
    at_young, at_best = checkpoint.goodput(
        [checkpoint.young_interval(0.5, 1), checkpoint.optimal_interval(0.5, 1)], 0.5, 1
    )

    assert round(100 * (at_best - at_young), 1) == 1.4


def test_ten_minutes_lose_nineteen_per_cent_where_fourteen_would_do():
    mtbf = reliability.system_mtbf(50_000 * HOUR, 16_000)
    best = checkpoint.optimal_interval(120, mtbf)
    yours, least = 1 - checkpoint.goodput([600, best], 120, mtbf)

    assert round(100 * yours, 1) == 19.3
    assert round(100 * least, 1) == 13.9
    assert round((yours - least) * 16_000 * 24 * 3, -3) == 62_000


def test_a_ten_minute_restart_costs_five_per_cent_that_no_faster_write_saves():
    at_once = checkpoint.goodput(1e-3, 1e-9, 11_250.0, 600.0)

    assert round(100 * (1 - at_once), 1) == 5.2
    assert round(100 * checkpoint.waste(1e-3, 1e-9, 11_250.0, 600.0), 1) == 5.3


def test_checkpoints_are_counted_as_completed():
    best = checkpoint.optimal_interval(2450, 5 * HOUR)

    assert round(86_400 * checkpoint.checkpoint_rate(best, 2450, 5 * HOUR), 1) == 6.2
    assert round(86_400 / (best + 2450), 1) == 8.4


@given(mtbf=mtbfs, ratio=wild_ratios)
@claim
def test_the_best_interval_is_the_lambert_formula_to_the_last_digits(mtbf, ratio):
    write_time = ratio * mtbf
    with mp.workdps(40):
        right = float(mpf(mtbf) * (1 + lambertw(-exp(-1 - mpf(write_time) / mpf(mtbf))).real))

    assert checkpoint.optimal_interval(write_time, mtbf) == pytest.approx(right, rel=2e-15)


@given(mtbf=mtbfs, ratio=magnitudes(-25, -14))
@claim
def test_a_write_of_no_length_wants_youngs_interval(mtbf, ratio):
    write_time = ratio * mtbf

    assert checkpoint.optimal_interval(write_time, mtbf) == pytest.approx(
        checkpoint.young_interval(write_time, mtbf), rel=1e-7
    )
    assert checkpoint.optimal_interval(write_time, mtbf) < checkpoint.young_interval(write_time, mtbf)


@given(
    mtbf=mtbfs,
    interval=magnitudes(-9, 1),
    write=wild_ratios,
    restart=magnitudes(-6, 1),
    down=magnitudes(-6, 1),
)
@claim
def test_goodput_is_the_formula_to_the_last_digits(mtbf, interval, write, restart, down):
    arguments = [part * mtbf for part in (interval, write, restart, down)]
    with mp.workdps(40):
        tau, delta, repeat, idle = map(mpf, arguments)
        m = mpf(mtbf)
        right = float(tau / (exp(repeat / m) * (m + idle) * expm1((tau + delta) / m)))

    result = checkpoint.goodput(arguments[0], arguments[1], mtbf, arguments[2], arguments[3])
    assert result == pytest.approx(right, rel=EXACT, abs=1e-290)


@given(mtbf=mtbfs, interval=wild_ratios, write=wild_ratios, restart=st.floats(0, 10), down=st.floats(0, 10))
@claim
def test_goodput_is_a_share_and_first_order_waste_is_never_negative(mtbf, interval, write, restart, down):
    tau, delta, repeat, idle = (part * mtbf for part in (interval, write, restart, down))

    assert 0 <= checkpoint.goodput(tau, delta, mtbf, repeat, idle) <= 1
    assert checkpoint.waste(tau, delta, mtbf, repeat) > 0


@given(mtbf=mtbfs, ratio=wild_ratios, factor=factors, restart=st.floats(0, 3))
@claim
def test_no_interval_beats_the_best(mtbf, ratio, factor, restart):
    write_time, restart_time = ratio * mtbf, restart * mtbf
    best = checkpoint.optimal_interval(write_time, mtbf)
    at_best = checkpoint.goodput(best, write_time, mtbf, restart_time)

    assert checkpoint.goodput(factor * best, write_time, mtbf, restart_time) <= at_best * (1 + 1e-13)


@given(mtbf=mtbfs, ratio=magnitudes(-4, 0))
@claim
def test_either_side_of_the_best_interval_is_worse(mtbf, ratio):
    write_time = ratio * mtbf
    best = checkpoint.optimal_interval(write_time, mtbf)
    less, least, more = 1 - checkpoint.goodput(best * np.array([0.99, 1.0, 1.01]), write_time, mtbf)

    assert less > least
    assert more > least


@given(mtbf=mtbfs, ratio=wild_ratios, factor=factors)
@claim
def test_no_interval_beats_youngs_to_first_order(mtbf, ratio, factor):
    young = checkpoint.young_interval(ratio * mtbf, mtbf)
    at_young = checkpoint.waste(young, ratio * mtbf, mtbf)

    assert checkpoint.waste(factor * young, ratio * mtbf, mtbf) >= at_young * (1 - 1e-14)
    assert at_young == exact(young / mtbf)


@given(mtbf=mtbfs, ratio=magnitudes(-9, 0), restart=st.floats(0, 3))
@claim
def test_at_the_best_interval_the_loss_is_the_interval_over_the_mtbf(mtbf, ratio, restart):
    best = checkpoint.optimal_interval(ratio * mtbf, mtbf)
    goodput = checkpoint.goodput(best, ratio * mtbf, mtbf, restart * mtbf)

    assert goodput == exact(math.exp(-restart) * (1 - best / mtbf))


@given(mtbf=mtbfs, ratio=ratios, factor=factors)
@claim
def test_first_order_flatness_is_k_plus_one_over_k_halved(mtbf, ratio, factor):
    write_time = ratio * mtbf
    young = checkpoint.young_interval(write_time, mtbf)
    times = checkpoint.waste(factor * young, write_time, mtbf) / checkpoint.waste(young, write_time, mtbf)

    assert times == exact((factor + 1 / factor) / 2)


@given(mtbf=mtbfs, ratio=magnitudes(-6, 0), factor=st.floats(1.05, 4))
@claim
def test_around_its_own_best_the_exact_curve_is_flatter_still(mtbf, ratio, factor):
    write_time = ratio * mtbf
    best = checkpoint.optimal_interval(write_time, mtbf)
    shorter, least, longer = 1 - checkpoint.goodput(
        best * np.array([1 / factor, 1, factor]), write_time, mtbf
    )

    assert shorter / least < (factor + 1 / factor) / 2
    assert longer / least < (factor + 1 / factor) / 2


@given(mtbf=mtbfs, ratio=wild_ratios, interval=magnitudes(-6, 1), factor=factors, restart=st.floats(0, 3))
@claim
def test_only_ratios_of_times_matter(mtbf, ratio, interval, factor, restart):
    times = np.array([interval, min(ratio, 10), 1, restart]) * mtbf
    scaled = times * factor

    assert checkpoint.goodput(*scaled) == pytest.approx(checkpoint.goodput(*times), rel=1e-13)
    assert checkpoint.waste(*scaled) == pytest.approx(checkpoint.waste(*times), rel=1e-13)
    assert checkpoint.checkpoint_rate(*scaled) * factor == pytest.approx(
        checkpoint.checkpoint_rate(*times), rel=1e-13
    )
    for rule in (checkpoint.young_interval, checkpoint.daly_interval, checkpoint.optimal_interval):
        assert rule(*scaled[1:3]) == pytest.approx(factor * rule(*times[1:3]), rel=1e-13)


@given(mtbf=mtbfs, ratio=ratios)
@claim
def test_halving_the_write_and_doubling_the_mtbf_are_the_same_to_the_loss(mtbf, ratio):
    def least(write_time, mean):
        return 1 - checkpoint.goodput(checkpoint.optimal_interval(write_time, mean), write_time, mean)

    assert least(ratio * mtbf / 2, mtbf) == exact(least(ratio * mtbf, 2 * mtbf))


@given(mtbf=mtbfs, ratio=magnitudes(-6, -2))
@claim
def test_dalys_formula_lies_between_young_and_a_thousandth_of_the_best(mtbf, ratio):
    write_time = ratio * mtbf
    daly = checkpoint.daly_interval(write_time, mtbf)

    assert daly < checkpoint.young_interval(write_time, mtbf)
    assert daly == pytest.approx(checkpoint.optimal_interval(write_time, mtbf), rel=1e-4)


def test_dalys_formula_ends_at_a_write_of_two_mtbfs():
    below, at, above = checkpoint.daly_interval([2 - 1e-12, 2, 3], 1)

    assert below == pytest.approx(8 / 9, rel=1e-9)
    assert (at, above) == (1, 1)


def test_half_of_the_machine_is_lost_at_a_write_of_a_fifth_of_the_mtbf():
    write_time = math.log(2) - 0.5

    assert checkpoint.goodput(checkpoint.optimal_interval(write_time, 1), write_time, 1) == exact(0.5)


def test_a_downtime_as_long_as_the_mtbf_halves_the_goodput():
    assert checkpoint.goodput(100, 10, 1000, 50, 1000) == exact(checkpoint.goodput(100, 10, 1000, 50) / 2)


@given(mtbf=mtbfs, interval=ratios, write=ratios, restart=st.floats(0, 3))
@claim
def test_no_more_checkpoints_are_completed_than_there_are_periods(mtbf, interval, write, restart):
    tau, delta = interval * mtbf, write * mtbf
    rate = checkpoint.checkpoint_rate(tau, delta, mtbf, restart * mtbf)

    assert rate <= (1 + 1e-15) / (tau + delta)
    assert rate * tau == exact(checkpoint.goodput(tau, delta, mtbf, restart * mtbf))


@pytest.mark.parametrize(
    ("write_time", "mtbf"),
    [(1e200, 1e200), (1e-200, 1e-200), (1e-160, 1e-160), (1e308, 1e300), (5e-324, 1e308)],
)
def test_youngs_interval_does_not_leave_a_floats_reach_before_it_must(write_time, mtbf):
    with mp.workdps(40):
        right = float(mp.sqrt(2 * mpf(write_time) * mpf(mtbf)))

    assert checkpoint.young_interval(write_time, mtbf) == exact(right)
