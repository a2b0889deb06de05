"""What the checks of Part B say to answers that people give."""

from __future__ import annotations

import pytest

B1 = """
from fault_tolerance import checkpoint, storage
size = 14 * 400e9
write, m = size / 5e9, 50_000 * 3600 / 4096
best = checkpoint.optimal_interval(write, m)
answers = {
    "checkpoint, TB": 5.6,
    "write, minutes": write / 60,
    "M, hours": 12.207,
    "best interval, minutes": best / 60,
    "lost at the best interval": 1 - checkpoint.goodput(best, write, m),
    "GB/s for a loss of a tenth": storage.bandwidth_for_waste(size, m, 0.1) / 1e9,
    "GPUs at which half is lost": 31_040,
}
"""


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("checkpoint, TB", "5600", "this is in GB, and TB are due"),
        ("checkpoint, TB", "0.8", "the 16-bit weights alone"),
        ("checkpoint, TB", "6.4", "gradients are not saved"),
        ("write, minutes", "1120", "this is in seconds"),
        ("best interval, minutes", "(2 * write * m) ** 0.5 / 60", "this is Young's interval"),
        ("lost at the best interval", "20.91", "this is in percent"),
        ("lost at the best interval", "(2 * write / m) ** 0.5", "this is the first-order waste"),
        ("GB/s for a loss of a tenth", "2 * 5600 / m / 0.01", "the first-order bandwidth"),
        ("GB/s for a loss of a tenth", "2 * 23.77e9", "too large"),
        ("GPUs at which half is lost", "50_000 * 3600 / 8 / write", "first order calls half lost"),
        ("GPUs at which half is lost", "50_000 * 3600 * 2 / write", "two mean times between failures"),
    ],
)
def test_a_wrong_number_of_the_plan_is_told_by_what_it_is(said, key, value, words) -> None:
    assert said("b1-storage", B1).passed
    report = said("b1-storage", f"{B1}\nanswers[{key!r}] = {value}")
    assert words in str(report)
    assert report.due == ""


def bandwidth(body: str) -> str:
    head = "import math\ndef bandwidth_needed(checkpoint_bytes, mtbf, waste, restart_time):\n"
    return head + "".join(f"    {line}\n" for line in body.splitlines())


RIGHT = "w = 1 - (1 - waste) * math.exp(restart_time / mtbf)\n{}return checkpoint_bytes / mtbf / (-math.log(1 - w) - w)"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (RIGHT.format("if w <= 0: return None\n"), "passed"),
        (RIGHT.format(""), "where no bandwidth helps, the answer is None"),
        (RIGHT.format("if w <= 0: raise ValueError('impossible')\n"), "ValueError: impossible, in line"),
        ("return 2 * checkpoint_bytes / mtbf / waste**2", "first-order bandwidth"),
        ("return checkpoint_bytes / mtbf / (-math.log(1 - waste) - waste)", "this leaves the restarts out"),
        ("return checkpoint_bytes / mtbf / waste", "rework costs as well"),
        (
            RIGHT.format("").replace("return ", "return 1e-9 * "),
            "this is in GB/s, and bytes per second are due",
        ),
        ("return None", "one number for one set of numbers"),
    ],
)
def test_a_bandwidth_is_told_what_it_leaves_out(said, body, words) -> None:
    report = said("b2-bandwidth", bandwidth(body))
    assert words in str(report)
    assert report.passed == (words == "passed")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("math.floor(t / d * (-math.log(g) - 1 + g))", "passed"),
        ("math.ceil(t / d * (-math.log(g) - 1 + g))", "one GPU too many"),
        ("t / d * (-math.log(g) - 1 + g)", "a whole number of GPUs"),
        ("round((1 - g) ** 2 * t / 2 / d)", "first-order threshold"),
        ("math.floor(t / d * (-math.log(g) - 1 + g) / 2)", "with one GPU more the best goodput is below"),
        ("[1]", "one number is due"),
    ],
)
def test_a_threshold_is_told_on_which_side_it_errs(said, body, words) -> None:
    report = said("b3-threshold", f"import math\ndef largest_cluster(g, d, t): return {body}")
    assert words in str(report)
    assert report.passed == (words == "passed")


LOAD = """
import os, json, pickle, tempfile, zlib
from pathlib import Path
def load(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()
"""
GOOD = """
def save(path, state):
    with open(path + ".tmp", "wb") as file:
        file.write(state)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)
"""
SLOTS = """
def read(path):
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return -1, None
    number, body = int.from_bytes(data[4:12], "big"), data[12:]
    return (number, body) if len(data) >= 12 and zlib.crc32(data[4:]).to_bytes(4, "big") == data[:4] else (-1, None)
def load(path):
    return max(read(path + ".0"), read(path + ".1"), key=lambda found: found[0])[1]
def save(path, state):
    newest = max(read(path + ".0")[0], read(path + ".1")[0]) + 1
    data = newest.to_bytes(8, "big") + state
    fd = os.open(f"{path}.{newest % 2}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(fd, zlib.crc32(data).to_bytes(4, "big") + data)
    os.fsync(fd)
    os.close(fd)
"""


@pytest.mark.parametrize(
    "save",
    [
        GOOD,
        SLOTS,
        "def save(path, state):\n"
        "    draft = Path(path + '.new')\n    draft.write_bytes(state)\n    fd = os.open(draft, os.O_RDWR)\n"
        "    os.fsync(fd)\n    os.close(fd)\n    draft.replace(path)\n",
        "def save(path, state):\n"
        "    fd, name = tempfile.mkstemp(dir=os.path.dirname(path))\n    with os.fdopen(fd, 'wb') as file:\n"
        "        file.write(state)\n        file.flush()\n        os.fsync(fd)\n    os.rename(name, path)\n",
        "def save(path, state):\n"
        "    with open(path + '.t', 'w') as file:\n        json.dump(list(state), file)\n        file.flush()\n"
        "        os.fsync(file.fileno())\n    os.replace(path + '.t', path)\n"
        "def load(path):\n    return bytes(json.loads(Path(path).read_text())) if os.path.exists(path) else None\n",
    ],
    ids=["draft", "two slots with checksums", "pathlib", "tempfile", "text"],
)
def test_every_way_that_is_atomic_passes(said, save) -> None:
    report = said("b4-atomic", LOAD + save)
    assert report.passed, str(report)


@pytest.mark.parametrize(
    ("save", "sentence", "given"),
    [
        (
            "def save(path, state):\n    with open(path, 'wb') as file: file.write(state)",
            "returns the old state or the new one, whole",
            "first save; the process was killed after: create state",
        ),
        (
            GOOD.replace("        os.fsync(file.fileno())\n", ""),
            "once `save` has returned, the new state is safe",
            "the power was cut",
        ),
        (GOOD.replace("        file.flush()\n", ""), "once `save` has returned", "fsync state.tmp; write"),
        (
            GOOD.replace("    os.replace(", "    if os.path.exists(path): os.remove(path)\n    os.replace("),
            "whole",
            "remove state",
        ),
        (GOOD.replace('"wb"', '"xb"'), "`save(path, state)` ends without an exception", "a later save"),
        (GOOD.replace("open(path + \".tmp\"", "open(path").replace("    os.replace", "    # "), "whole", "create"),
        ("memory = None\ndef save(path, state):\n    global memory\n    memory = state\n"
         "def load(path): return memory", "`load` reads from the disk", "all files were removed"),
        (GOOD + "def load(path): return open(path, 'rb').read()", "`load` never raises", "an empty folder"),
        (GOOD + "def load(path): return open(path).read() if os.path.exists(path) else None",
         "`load` returns what `save` was given", "b'old'"),
        ("def save(path, state): pass", "`load` returns what `save` was given", "b'old'"),
    ],
)  # fmt: skip
def test_a_checkpointer_is_killed_at_its_weakest_step(said, save, sentence, given) -> None:
    report = said("b4-atomic", LOAD + save)
    assert not report.passed
    assert sentence in report.sentence
    assert given in report.given
    assert report == said("b4-atomic", LOAD + save)


def test_the_file_system_is_as_before_when_the_check_is_over(said) -> None:
    import builtins
    import io
    import os

    before = builtins.open, io.open, os.replace, os.write, os.open
    said("b4-atomic", LOAD + "def save(path, state): 1 / 0")
    said("b4-atomic", LOAD + GOOD)
    assert before == (builtins.open, io.open, os.replace, os.write, os.open)


def test_a_notebook_with_an_open_of_its_own_is_killed_at_as_many_steps(said) -> None:
    notebook = "from IPython.core.interactiveshell import _modified_open as open\n"
    in_place = "def save(path, state):\n    with open(path, 'wb') as file: file.write(state)"
    assert said("b4-atomic", notebook + LOAD + GOOD) == said("b4-atomic", LOAD + GOOD)
    assert said("b4-atomic", notebook + LOAD + in_place) == said("b4-atomic", LOAD + in_place)
