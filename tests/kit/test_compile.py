"""The compiler: what it takes means the same in V8, and what it refuses it refuses with file and line."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chapterkit.compile import CompileError, compile_functions
from chapterkit.javascript import SHIM

HEAD = """\
import functools
import math
from math import inf, sqrt
from types import SimpleNamespace

import numpy as np

TABLE = {"tea": [90.0, 20.0], "ice": [0.0, -5.0]}
ROOM = 20.0
cup = SimpleNamespace(height=1.25, parts=["lid", "handle"])
cup_height = 7.0
strange = object()


def two(x, y, z=3.0):
    return x + 10.0 * y + 100.0 * z


"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write source to a file, import it under a name, and answer with the module."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(text: str, name: str = "subject"):
        path = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD + text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        found = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, found)
        spec.loader.exec_module(found)
        return found

    return load


@pytest.fixture
def call(v8):
    """Compile a function and call it in V8; answers with its JSON value, or with the words of what it threw."""

    def run(function, *arguments, lists=()):
        code = compile_functions([function], lists=lists)
        given = json.dumps(arguments)
        answer = v8.eval(
            f"(function () {{ try {{ return JSON.stringify({{ value: {code}.{function.__name__}.apply(null, {given}) }}); }}"
            f" catch (problem) {{ return JSON.stringify({{ raised: problem.message }}); }} }})()"
        )
        answer = json.loads(str(answer))
        return answer["raised"] if "raised" in answer else answer.get("value")

    return run


# What is refused ------------------------------------------------------------------------------

REFUSED = {
    "f-string": ('return f"{a}"', "an f-string"),
    "percent formatting": ('return "%.2f" % a', "the formatting of a string"),
    "format method": ('b = "x"\nreturn b.format(a)  #!', "cannot compile .format of a value"),
    "lambda": ("g = lambda x: x\nreturn a", "a lambda"),
    "class": ("class C:\n    pass\nreturn a", "a class"),
    "with": ("with a:\n    return 1", "a with statement"),
    "try": ("try:\n    return a\nexcept ValueError:\n    return 2", "a try statement"),
    "try star": ("try:\n    b = a\nexcept* ValueError:\n    b = 2\nreturn b", "a try statement"),
    "raise": ("if a > 1:\n    raise ValueError  #!\nreturn a", "a raise statement"),
    "import": ("import math\nreturn a", "an import inside"),
    "import from": ("from math import pi\nreturn a", "an import inside"),
    "global": ("global ROOM\nreturn a", "a global statement"),
    "generator": ("yield a", "a generator"),
    "yield from": ("yield from [a]", "a generator"),
    "generator expression": ("return max(x for x in [a])", "a generator expression"),
    "set": ("return {1, a}", "a set"),
    "set comprehension": ("return {x for x in [a]}", "a set comprehension"),
    "dict comprehension": ("return {x: x for x in [a]}", "a dict comprehension"),
    "starred": ("return max(*[a])", "a starred expression"),
    "two stars": ("return two(**{})", "two stars"),
    "slice": ("b = [a]\nreturn b[0:1]  #!", "a slice"),
    "walrus": ("return (b := a)", "an assignment expression"),
    "matrix product": ("return a @ a", "a matrix product"),
    "floor division": ("return a // 2", "the operator `//`"),
    "in": ("return a in [1]", "the operator `in`"),
    "not in": ("return a not in [1]", "the operator `not in`"),
    "match": ("match a:\n    case 1:\n        return 2", "a match statement"),
    "chain": ("if a > 0:\n    return 0 < a < 2  #!\nreturn a", "a chained comparison"),
    "inner function": ("def g(x):\n    return x\nreturn a", "a function inside a function"),
    "ellipsis": ("return ...", "known are numbers"),
    "bytes": ("return b'x'", "known are numbers"),
    "complex": ("return a + 1j", "known are numbers"),
    "inexact whole number": ("return a + 9007199254740993", "known are numbers"),
    "unknown name": ("return a + nowhere", "the name 'nowhere'"),
    "built-in that differs": ("return round(a)", "the name 'round'"),
    "sum": ("return sum([a])", "the name 'sum'"),
    "str of a float": ("return str(a)", "str of a number"),
    "name of JavaScript": ("new = a\nreturn new", "the name 'new'"),
    "name of the shim": ("np = a\nreturn np", "the name 'np'"),
    "np function": ("return np.sinc(a)", "np.sinc has no counterpart"),
    "math function": ("b = a\nreturn math.gamma(b)  #!", "np.gamma has no counterpart"),
    "missing attribute": ("return cup.weight", "cup.weight does not exist"),
    "array attribute": ("return a.shape", "cannot compile .shape of a value"),
    "built-in by name": ("return sqrt(a)", "sqrt is neither a function nor plain data"),
    "infinity by name": ("return min(a, inf)", "inf is neither a function nor plain data"),
    "object": ("return strange", "strange is neither a function nor plain data"),
    "unknown keyword": ("return two(a, w=1)", "two has no argument 'w'"),
    "argument twice": ("return two(a, 1, x=1)", "gives 'x' twice"),
    "missing argument": ("return two(a)", "leaves out 'y'"),
    "missing before a keyword": ("return two(a, z=1)", "leaves out 'y'"),
    "too many arguments": ("return two(a, 1, 2, 3)", "gives 4 arguments; it takes 3"),
    "keyword of a built-in": ("return max([a], default=1)", "keyword arguments work only"),
    "keyword of np": ("return np.maximum(a, x2=1)", "keyword arguments work only"),
    "keyword of a method": ("b = [a]\nreturn b.index(x=a)  #!", "keyword arguments work only"),
    "list arithmetic in physics": ("return [a] + [a]", "an operator between lists"),
    "list comparison in physics": ("return [a] == [a]", "an operator between lists"),
    "augmented remainder": ("a %= 2\nreturn a", "the operator `%=`"),
    "what only PScript refuses": ("b = a\nfor i, x in enumerate([b], 1):  #!\n    b = b + x\nreturn b", "enumerate needs"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_code_outside_the_subset_stops_with_its_file_and_line(module, what):
    code, words = REFUSED[what]
    found = module("def f(a):\n    c = 1\n" + "".join(f"    {line}\n" for line in code.splitlines()))
    lines = Path(found.__file__).read_text().splitlines()
    marked = next((at for at, line in enumerate(lines, 1) if line.endswith("#!")), None)
    first = lines.index("    c = 1") + 2
    with pytest.raises(CompileError) as problem:
        compile_functions([found.f])
    assert words in problem.value.words
    assert (problem.value.file, problem.value.line) == (found.__file__, marked or first)
    assert str(problem.value).startswith(f"{found.__file__}:{marked or first}: in f: ")


def test_a_mistake_in_a_function_that_is_called_is_placed_in_its_own_file(module):
    helper = module("def inner(a):\n    return f'{a}'\n", "helper")
    found = module("import helper\n\n\ndef f(a):\n    return helper.inner(a)\n")
    with pytest.raises(CompileError) as problem:
        compile_functions([found.f])
    assert problem.value.file == helper.__file__
    assert "in inner" in problem.value.words


@pytest.mark.parametrize("signature", ["*a", "**a"])
def test_arguments_with_stars_are_refused(module, signature):
    with pytest.raises(CompileError, match="argument with a star"):
        compile_functions([module(f"def f({signature}):\n    return 1\n").f])


def test_a_lambda_cannot_be_an_entry(module):
    with pytest.raises(CompileError, match="only a function written with `def`"):
        compile_functions([module("f = lambda a: a\n").f])


@pytest.mark.parametrize("entry", [len, "text", int])
def test_only_functions_can_be_entries(entry):
    with pytest.raises(TypeError, match="only plain functions"):
        compile_functions([entry])


def test_two_functions_of_one_name_are_refused_in_words(module):
    first = module("def f(a):\n    return a\n", "north.tools")
    second = module("from north.tools import f as other\n\n\ndef f(a):\n    return other(a)\n", "south.tools")
    with pytest.raises(CompileError) as problem:
        compile_functions([second.f])
    line = Path(first.__file__).read_text().splitlines().index("def f(a):") + 1
    assert f"has the same name as {second.__file__}" in problem.value.words
    assert (problem.value.file, problem.value.line) == (first.__file__, line)


def test_two_inner_functions_of_one_name_are_refused_too(module):
    found = module(
        "def make(n):\n    if n:\n        def f(a):\n            return a\n    else:\n        def f(a):\n            return -a\n    return f\n"
    )
    with pytest.raises(CompileError, match="has the same name as"):
        compile_functions([found.make(0), found.make(1)])


# What is taken --------------------------------------------------------------------------------

TAKEN = {
    "arithmetic": ("return (a + 2.5) * a - a / 3.0 + a ** 2 + -a", [[1.5], [-2.0], [1e150]]),
    "remainder has the divisor's sign": ("return [a % 3.0, a % -3.0, (a % 2.5) % 1.0]", [[7.0], [-7.0], [0.0], [6.0], [-6.0], [1e15]]),
    "np": ("return [np.sqrt(a), np.exp(-a), np.expm1(a), np.log(a), np.log1p(a), np.log10(a), np.floor(a), np.ceil(a)]", [[1.0], [0.25]]),
    "np of two": ("return [np.maximum(a, 2.0), np.minimum(a, 2.0), np.where(a > 2.0, 1.0, a), np.abs(-a), np.pi, np.e]", [[1.0], [3.0]]),
    "math is np": ("return [math.sqrt(a), math.pi]", [[2.0]]),
    "infinity": ("return np.minimum(a, np.inf) + 0.0 * np.where(np.isfinite(a), 1.0, 0.0)", [[2.0]]),
    "constants": ("return [ROOM, TABLE['tea'][0], cup.height, cup.parts[1], a]", [[1.0]]),
    "constants that look alike": ("return cup.height * 10.0 + cup_height + a", [[0.0]]),
    "nothing": ("b = None\nif a is None:\n    b = 1\nreturn [b, b is None, b is not None]", [[None], [2.0]]),
    "truth": ("return [a > 1 and a < 3, a > 1 or a == 0, not a > 1, True, False]", [[0], [2], [5]]),
    "one or the other": ("return 1 if a > 2 else a", [[1], [3]]),
    "loops": ("n = 0\nfor i in range(2, 12, 3):\n    if i == 8:\n        continue\n    n = n + i\nwhile n < a:\n    n += 5\n    if n > 40:\n        break\nreturn n", [[20.0], [100.0]]),
    "else of a loop": ("for i in range(int(a)):\n    if i > 2:\n        break\nelse:\n    return -1\nreturn i", [[2.0], [9.0]]),
    "a loop backwards": ("return [i for i in range(5, 0, -2)]", [[0]]),
    "lists": ("b = [1.0, a]\nb.append(3.0)\nb[0] = 9.0\nb.extend([4.0])\nreturn [b, b[-1], len(b), b.pop(), b.index(a), b.copy(), min(b), max(b)]", [[5.0]]),
    "list comprehensions": ("return [x * y for x in [1, 2, 3] for y in [a, 1] if x < 3]", [[2.0]]),
    "unpacking": ("x, y = a, 2.0\nx, y = y, x\nz = w = x\nz = z + 1\nreturn [x, y, z, w]", [[1.0]]),
    "dicts": ("d = {'a': a, 'b': 2.0}\nd['c'] = 3.0\nd['a'] += 1.0\nout = []\nfor k in d:\n    out.append(k)\nfor k, v in d.items():\n    out.append(v)\nreturn [out, d.get('x', 7), d]", [[1.0]]),
    "enumerate": ("out = []\nfor at, x in enumerate([a, a]):\n    out.append(at * x)\nreturn out", [[3.0]]),
    "whole numbers": ("return [int(a), int(-a), float(3), 'from ' + str(int(a)) + ' h']", [[2.7], [0.2]]),
    "strings": ("return [a + 'b', a == 'x', a < 'y', ', '.join([a, a])]", [["x"]]),
    "annotations": ("b: float = a\nc: float\nreturn b", [[1.0]]),
    "docstring and comments": ('"""Words."""\nreturn a  # more', [[1.0]]),
    "keywords in any order": ("return [two(y=1, x=a), two(a, z=0.5, y=2), two(a, 1), two(a, 1, 2)]", [[4.0]]),
    "a name of PScript's own": ("stub1_ = a\nfor x in [1, 2]:\n    stub1_ = stub1_ + x\nreturn stub1_", [[1.0]]),
}  # fmt: skip


def _same(ours, theirs) -> bool:
    """Alike, but for the last digit of a number; tuples are lists, and -0 is 0."""
    if isinstance(ours, dict):
        return list(ours) == list(theirs) and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all(_same(a, b) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, (str, bool, np.bool_, type(None))):
        return type(theirs) is type(ours if not isinstance(ours, np.bool_) else True) and ours == theirs
    return theirs == pytest.approx(float(ours), rel=4e-16, abs=0)


@pytest.mark.parametrize("what", TAKEN)
def test_what_the_subset_holds_means_the_same_in_v8(module, call, what):
    code, arguments = TAKEN[what]
    found = module("def f(a):\n" + "".join(f"    {line}\n" for line in code.splitlines()))
    for given in arguments:
        ours, theirs = found.f(*given), call(found.f, *given)
        assert _same(ours, theirs), (ours, theirs)


def test_every_function_of_the_shim_is_numpys(module, call):
    for name in SHIM:
        if name in ("pi", "e", "inf"):
            continue
        count = 3 if name == "where" else 2 if name in ("maximum", "minimum") else 1
        names = ["a", "b", "c"][:count]
        found = module(
            f"def f({', '.join(names)}):\n    return np.{name}({', '.join(names)})\n", f"shim_{name}"
        )
        for given in [(0.5, 2.0, 3.0), (4.0, -1.0, 7.0), (1e-9, 0.0, 1.0)]:
            assert call(found.f, *given[:count]) == pytest.approx(
                getattr(np, name)(*given[:count]), rel=1e-15, abs=0
            )


def test_lists_are_joined_and_compared_where_a_module_says_so(module, call):
    found = module(
        "def f(a):\n    return [a + [3], a == [1, 2], [0] * 3, 1 if a else 2, 1 if [] else 2, not a]\n"
    )
    assert call(found.f, [1, 2], lists=["subject"]) == found.f([1, 2])


def test_functions_of_other_modules_come_along_with_their_own_constants(module, call):
    module(
        "LIMIT = 5.0\n\n\ndef clip(x, low=0.0):\n    return np.minimum(np.maximum(x, low), LIMIT)\n",
        "north.limits",
    )
    found = module(
        "from north import limits\nfrom north.limits import clip as cut\n\nLIMIT = 7.0\n\n\n"
        "def f(a):\n    return [limits.clip(a), cut(a, low=2.0), LIMIT, limits.LIMIT]\n"
    )
    for a in (-1.0, 3.0, 9.0):
        assert call(found.f, a) == [float(number) for number in found.f(a)]


def test_functions_call_themselves_and_each_other(module, call):
    found = module("def even(n):\n    return True if n == 0 else odd(n - 1)\n\n\ndef odd(n):\n    return False if n == 0 else even(n - 1)\n\n\n"
                   "def f(n):\n    return [1 if n == 0 else n * f(n - 1)[0], even(n)]\n")  # fmt: skip
    assert call(found.f, 6) == [720, True]


def test_defaults_hold_in_every_kind_of_signature(module, call):
    found = module(
        "BASE = 4.0\n\n\ndef g(a, b=BASE, /, c=2.0, *, d, e=None, f=1.5):\n"
        "    return [a, b, c, d, e is None, f]\n\n\ndef f(a):\n    return [g(a, d=9.0), g(a, 1.0, f=0.0, d=8.0)]\n"
    )
    assert call(found.f, 3.0) == [[3.0, 4.0, 2.0, 9.0, True, 1.5], [3.0, 1.0, 2.0, 8.0, True, 0.0]]
    # Called from the page by position, as instruments are.
    assert call(found.g, 3.0) == [3.0, 4.0, 2.0, None, True, 1.5]


def test_a_default_that_is_a_list_must_be_given(module, call):
    found = module(
        "def g(a, b=[1.0], c=2.0):\n    return [a, b, c]\n\n\ndef f(a):\n    return g(a)\n\n\ndef h(a):\n    return g(a, c=1.0)\n"
    )
    assert call(found.f, 3.0) == [3.0, [1.0], 2.0]
    with pytest.raises(CompileError, match="must give 'b'"):
        compile_functions([found.h])


def test_a_decorator_is_left_to_python(module, call):
    found = module("def loud(function):\n    @functools.wraps(function)\n    def inner(*a):\n        return function(*a)\n    return inner\n\n\n"
                   "@loud\n@functools.cache\ndef f(a):\n    return a + 1.0\n")  # fmt: skip
    assert call(found.f, 1.0) == 2.0


# Argument checks ------------------------------------------------------------------------------

CHECKED = """
def accepts(singles, many):
    def decorate(function):
        function.__accepts__, function.__accepts_each__ = singles, many
        return function
    return decorate


def domain(low, low_open, high, high_open, whole, words):
    return SimpleNamespace(low=low, low_open=low_open, high=high, high_open=high_open, whole=whole, words=words)


positive = domain(0.0, True, np.inf, True, False, "above 0")
share = domain(0.0, False, 1.0, False, False, "from 0 to 1")
count = domain(1.0, False, np.inf, True, True, "a whole number, 1 or more")
below = domain(-np.inf, True, -1.0, True, False, "below -1")


@accepts({"a": positive, "b": share}, {})
def f(a, b=0.5):
    return a * b


@accepts({"n": count}, {})
def g(n):
    return n


@accepts({"x": below}, {})
def h(x):
    return x


@accepts({"z": positive}, {"xs": positive, "ys": share})
def each(xs, ys, z=1.0):
    out = []
    for at, x in enumerate(xs):
        out.append(x * ys[at] * z)
    return out


def outer(a):
    return [f(a, b=1.0), g(2)]
"""


@pytest.mark.parametrize(("name", "given", "answer"), [
    ("f", [2.0], 1.0),
    ("f", [0.0], "a must be above 0; got 0.0"),
    ("f", [-0.0], "a must be above 0; got -0.0"),
    ("f", [float("nan")], "a must be above 0; got nan"),
    ("f", [float("inf")], "a must be above 0; got inf"),
    ("f", [float("-inf")], "a must be above 0; got -inf"),
    ("f", [-1e-5], "a must be above 0; got -1e-05"),
    ("f", [-2.5e22], "a must be above 0; got -2.5e+22"),
    ("f", [1.0, 1.0], 1.0),
    ("f", [1.0, 0.0], 0.0),
    ("f", [1.0, 1.0000000000000002], "b must be from 0 to 1; got 1.0000000000000002"),
    ("f", [1.0, -5e-324], "b must be from 0 to 1; got -5e-324"),
    ("f", [-1.0, 2.0], "a must be above 0; got -1.0"),
    ("f", [None], "a must be above 0; got null"),
    ("f", ["2"], "a must be above 0; got 2"),
    ("f", [True], "a must be above 0; got true"),
    ("g", [3], 3),
    ("g", [2.5], "n must be a whole number, 1 or more; got 2.5"),
    ("g", [0], "n must be a whole number, 1 or more; got 0.0"),
    ("h", [-2.0], -2.0),
    ("h", [-1.0], "x must be below -1; got -1.0"),
    ("each", [[1.0, 2.0], [0.5, 1.0]], [0.5, 2.0]),
    ("each", [[1.0, -2.0, -3.0], [0.5, 9.0, 1.0], -1.0], "xs must be above 0; got -2.0"),
    ("each", [[1.0, 2.0], [0.5, 9.0], -1.0], "ys must be from 0 to 1; got 9.0"),
    ("each", [[1.0, 2.0], [0.5, 1.0], -1.0], "z must be above 0; got -1.0"),
    ("each", [[1.0, 2.0], [0.5, float("nan")]], "ys must be from 0 to 1; got nan"),
    ("each", [[], [0.5]], "xs must hold at least one number; got none"),
    ("each", [[1.0, 2.0, 3.0], [0.5]], [0.5, 1.0, 1.5]),
    ("each", [[4.0], [0.5, 1.0]], [2.0, 4.0]),
    ("each", [4.0, 0.5], [2.0]),
    ("each", [[1.0, 2.0, 3.0], [0.5, 1.0]], "xs of shape (3,) and ys of shape (2,) do not broadcast together"),
    ("each", [[1.0, 2.0], [0.5, 1.0, 1.0]], "xs of shape (2,) and ys of shape (3,) do not broadcast together"),
    ("outer", [-1.0], "a must be above 0; got -1.0"),
])  # fmt: skip
def test_argument_checks_come_along_with_their_words(module, call, name, given, answer):
    assert call(getattr(module(CHECKED), name), *given) == answer


def test_a_number_in_a_message_reads_as_python_writes_it(module, v8):
    rng = np.random.default_rng(1)
    values = [
        *(float(10.0**power) for power in range(-30, 31)), 0.0, -0.0, 5e-324, 1.7976931348623157e308, 123456789012345680.0, 0.0001, 9999999999999998.0,
        *rng.uniform(-1e6, 1e6, 500).tolist(), *(10.0 ** rng.uniform(-320, 308, 2000)).tolist(), *rng.integers(-(2**53), 2**53, 500).astype(float).tolist(),
    ]  # fmt: skip
    found = module(CHECKED.replace("domain(-np.inf, True, -1.0, True", "domain(1.0, True, -1.0, True"))
    code = compile_functions([found.h])
    said = json.loads(
        str(
            v8.eval(
                f"JSON.stringify({json.dumps(values)}.map(function (x) {{ try {{ {code}.h(x); }} catch (e) {{ return e.message; }} }}))"
            )
        )
    )
    assert said == [f"x must be below -1; got {value!r}" for value in values]


# The script -----------------------------------------------------------------------------------


def test_a_script_holds_only_what_its_entries_call(module):
    found = module(CHECKED + "\n\nUNUSED = 7.25\n\n\ndef plain(a):\n    return a + ROOM\n")
    plain = compile_functions([found.plain])
    assert re.findall(r"var ([\w$]+)", plain) == ["subject__ROOM", "subject__plain"]
    checked = compile_functions([found.g])
    assert set(re.findall(r"^var ([\w$]+)", checked, re.MULTILINE)) == {"np", "_show", "_check", "subject__g"}
    assert "_match" in compile_functions([found.each])


def test_entries_are_exported_by_their_names_and_helpers_are_not(module, v8):
    found = module(CHECKED)
    names = v8.eval(f"Object.keys({compile_functions([found.outer, found.h])}).join()")
    assert names == "outer,h"


def test_nothing_is_left_outside_the_script(module, v8):
    before = v8.eval("Object.getOwnPropertyNames(globalThis).join()")
    v8.eval(compile_functions([module(CHECKED).outer]))
    assert v8.eval("Object.getOwnPropertyNames(globalThis).join()") == before


def test_two_compilations_are_equal_in_any_process(module, tmp_path):
    found = module(
        CHECKED
        + "\n\ndef many(a):\n    return [two(a, 1), outer(a), TABLE, cup.height, cup_height, ROOM, cup.parts]\n"
    )
    here = compile_functions([found.many, found.each])
    assert compile_functions([found.many, found.each]) == here
    program = "import subject; from chapterkit.compile import compile_functions; print(compile_functions([subject.many, subject.each]), end='')"
    for seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True, timeout=60, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert there.stdout == here


def test_a_script_names_no_place_of_the_machine_that_made_it(module, tmp_path):
    script = compile_functions([module(CHECKED).outer])
    for place in (str(tmp_path), str(Path.home()), sys.prefix, str(Path.cwd()), ".py"):
        assert place not in script
