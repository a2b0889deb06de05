"""What every public function does with its arguments."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault_tolerance import checkpoint, reliability, simulate
from fault_tolerance._arguments import DOMAINS, accepts, each

from .catalogue import ELEMENTWISE, FUNCTIONS
from .strategies import arrays_that_broadcast, claim, whatever_non_negative, whatever_positive

POSITIVE, NON_NEGATIVE = DOMAINS["positive"], DOMAINS["non-negative"]
name_of = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
elementwise = pytest.mark.parametrize("function", ELEMENTWISE, ids=lambda function: function.__name__)

BAD = {
    "positive": ["0.0", "-3.0", "nan", "inf", "-inf"],
    "non-negative": ["-3.0", "-1e-300", "nan", "inf"],
    "count": ["0.0", "2.5", "-1.0", "nan", "inf"],
    "count-or-zero": ["0.5", "-1.0", "nan", "inf"],
}


def key_of(domain):
    return next(key for key, known in DOMAINS.items() if known == domain)


@name_of
def test_every_argument_has_a_domain(function):
    declared = function.__accepts__.keys() | function.__accepts_each__.keys()

    assert declared == FUNCTIONS[function].keys()


@name_of
def test_an_error_names_the_argument_what_is_allowed_and_what_came(function):
    domains = function.__accepts__ | function.__accepts_each__
    for name, domain in domains.items():
        for value in BAD[key_of(domain)]:
            bad = [float(value)] if name in function.__accepts_each__ else float(value)
            with pytest.raises(ValueError, match=name) as caught:
                function(**FUNCTIONS[function] | {name: bad})
            assert str(caught.value) == f"{name} must be {domain.words}; got {value}"


def test_the_words_of_an_error_are_these():
    with pytest.raises(ValueError, match="mtbf") as caught:
        checkpoint.young_interval(write_time=120, mtbf=-3)

    assert str(caught.value) == "mtbf must be a finite number above 0; got -3.0"


def test_of_many_values_the_first_bad_one_is_told():
    with pytest.raises(ValueError, match=r"^mtbf must be a finite number above 0; got -2\.0$"):
        checkpoint.young_interval(120, [[1, 5], [-2, math.nan]])


def test_of_two_bad_arguments_the_first_in_the_signature_is_told():
    with pytest.raises(ValueError, match=r"^write_time"):
        checkpoint.young_interval(mtbf=-1, write_time=-1)


@pytest.mark.parametrize(
    "value",
    ["3", None, b"3", 1j, True, {}, np.timedelta64(3, "s"), ["3"], [None, 1], [True, Decimal(1)]],
    ids=repr,
)
@name_of
def test_what_is_no_number_is_refused_by_name(function, value):
    for name in FUNCTIONS[function]:
        with pytest.raises(TypeError, match=f"^{name} must be a number or an array of numbers; got "):
            function(**FUNCTIONS[function] | {name: value})


def test_lists_of_unequal_length_are_refused_by_name():
    with pytest.raises(ValueError, match=r"^mtbf must be .* lists of unequal length"):
        checkpoint.young_interval(1, [[1], [1, 2]])


def test_shapes_that_do_not_go_together_are_told_with_their_names():
    with pytest.raises(
        ValueError, match=r"write_time of shape \(2,\) and mtbf of shape \(3,\) do not broadcast"
    ):
        checkpoint.young_interval([1, 2], [1, 2, 3])


def test_lists_of_different_lengths_are_told_with_their_names():
    with pytest.raises(ValueError, match=r"counts of shape \(2,\) and mttfs of shape \(3,\)"):
        reliability.component_mtbf([1, 2], [1, 2, 3])


def test_an_empty_list_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^gaps must hold at least one number"):
        simulate.timeline([], 1, 1, 1)


def test_a_simulation_takes_one_number_for_each_argument():
    with pytest.raises(TypeError, match=r"^interval must be a single number; got an array of shape \(1,\)"):
        simulate.training_run(10, [1], 1, 10, runs=1, seed=0)
    with pytest.raises(TypeError, match=r"^gaps must be a list of numbers; got an array of shape \(1, 1\)"):
        simulate.timeline([[1]], 1, 1, 1)


def test_missing_surplus_and_unknown_arguments_are_told_by_python_itself():
    with pytest.raises(TypeError, match=r"young_interval\(\) missing 1 required positional argument: 'mtbf'"):
        checkpoint.young_interval(1)
    with pytest.raises(TypeError, match=r"young_interval\(\) takes 2 positional arguments but 3 were given"):
        checkpoint.young_interval(1, 2, 3)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'delta'"):
        checkpoint.young_interval(1, delta=2)
    with pytest.raises(TypeError, match=r"timeline\(\) missing 3 required positional arguments"):
        simulate.timeline([1.0])


@pytest.mark.parametrize(
    "number",
    [4, 4.0, np.int64(4), np.float32(4), np.array(4), np.array(4, "u1"), Decimal(4), Fraction(8, 2)],
    ids=repr,
)
def test_any_kind_of_real_number_will_do_and_gives_a_python_float(number):
    result = checkpoint.young_interval(number, 2)

    assert type(result) is float
    assert result == 4.0


def test_a_whole_number_too_long_for_a_float_is_not_finite():
    with pytest.raises(ValueError, match="mtbf must be a finite number above 0; got inf"):
        checkpoint.young_interval(1, 10**400)


@name_of
def test_numbers_in_number_out(function):
    result = function(**FUNCTIONS[function])

    if function not in (simulate.training_run, simulate.timeline):
        assert type(result) is float


@elementwise
@given(data=st.data())
@claim
def test_arrays_broadcast_and_agree_with_numbers(function, data):
    arrays = data.draw(arrays_that_broadcast(len(FUNCTIONS[function])))
    result = function(*arrays)

    assert np.shape(result) == np.broadcast_shapes(*[array.shape for array in arrays])
    together = np.broadcast_arrays(*arrays)
    for place in np.ndindex(np.shape(result)):
        assert np.asarray(result)[place] == pytest.approx(
            function(*[array[place] for array in together]), rel=1e-13, abs=0
        )


def test_an_empty_array_gives_an_empty_array():
    assert checkpoint.goodput([], 1, 2).shape == (0,)


def test_the_arguments_are_left_as_they_were():
    interval = np.array([1.0, 2.0])
    checkpoint.goodput(interval, 1, 2)

    np.testing.assert_array_equal(interval, [1.0, 2.0])


@elementwise
@given(data=st.data())
@claim
def test_no_number_allowed_gives_nan(function, data):
    draw = {POSITIVE: whatever_positive, NON_NEGATIVE: whatever_non_negative}
    given_numbers = {name: data.draw(draw[domain]) for name, domain in function.__accepts__.items()}

    assert function(**given_numbers) >= 0.0


def test_the_undecorated_function_and_its_domains_can_be_read():
    assert checkpoint.young_interval.__wrapped__.__name__ == "young_interval"
    assert checkpoint.young_interval.__accepts__ == {"write_time": POSITIVE, "mtbf": POSITIVE}
    assert simulate.timeline.__accepts_each__ == {"gaps": NON_NEGATIVE}


def test_a_domain_for_an_argument_that_is_not_there_is_a_mistake():
    with pytest.raises(TypeError, match="lacks some of the arguments mtfb"):

        @accepts(mtfb="positive")
        def young(mtbf):
            return mtbf


def test_a_list_reaches_the_body_along_its_last_axis():
    seen = []

    @accepts(values=each("positive"), factor="positive")
    def collect(values, factor):
        for value in values:
            seen.append((np.shape(value), np.shape(factor)))
        return factor

    collect(np.ones((4, 3)), [1.0, 2.0, 3.0, 4.0])

    assert seen == [((4,), (4,))] * 3
