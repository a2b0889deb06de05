"""What the checks of Part C say to answers that people give."""

from __future__ import annotations

import pytest

C1 = """
from fault_tolerance import checkpoint, snapshot
size, m = 14 * 405e9, 50_000 * 3600 / 8192
s, d = size / 1024 / 50e9, size / 20e9
tau = d - s
answers = {
    "pause, seconds": s,
    "drain, seconds": d,
    "interval, seconds": tau,
    "lost": 1 - snapshot.goodput(tau, s, d, m, 300),
    "lost if training waits for the same storage":
        1 - checkpoint.goodput(checkpoint.optimal_interval(d, m), d, m, 300),
    "GB/s that would free the interval": snapshot.bandwidth_to_free(size, s, m) / 1e9,
    "GB on each node, three slots": 3 * size / 1024 / 1e9,
}
"""


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("pause, seconds", "size / 50e9", "one node writing the whole checkpoint"),
        ("pause, seconds", "1000 * s", "this is in milliseconds"),
        ("drain, seconds", "d / 60", "this is in minutes"),
        ("interval, seconds", "checkpoint.optimal_interval(s, m)", "if the drain were free"),
        ("lost", "1 - checkpoint.goodput(tau, s, m, 300)", "before it is drained"),
        ("lost", "1 - snapshot.goodput(tau, s, d, m)", "this leaves the restart out"),
        ("lost", "snapshot.goodput(tau, s, d, m, 300)", "what is kept and what is lost"),
        (
            "lost if training waits for the same storage",
            "1 - checkpoint.goodput(tau, d, m, 300)",
            "blocking write",
        ),
        ("GB on each node, three slots", "size / 1024 / 1e9", "this is one slot"),
    ],
)
def test_a_wrong_number_of_the_plan_is_told_by_what_it_is(said, key, value, words) -> None:
    assert said("c1-background", C1).passed
    report = said("c1-background", f"{C1}\nanswers[{key!r}] = {value}")
    assert words in str(report)
    assert report.due == ""


LOST = """
import math
def work_lost(time, interval, pause, drain_time):
    period = interval + pause
    whole = math.floor(time / period)
    done = whole * interval + min(time - whole * period, interval)
    return {}
"""


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("done - interval * math.floor(max(time - drain_time, 0) / period)", "passed"),
        ("done - interval * math.floor(time / period)", "safe once its pause has ended"),
        ("time - period * math.floor(max(time - drain_time, 0) / period)", "counts the pauses as work"),
        ("done - interval * math.floor(max(time - drain_time + pause, 0) / period)", "not with it"),
        (
            "drain_time + interval / 2",
            "this is the mean over all moments, not what one failure at this moment takes",
        ),
        ("done - interval * math.floor((time - drain_time) / period)", "Smallest case found: time=1"),
        ("(done - interval * math.floor(max(time - drain_time, 0) / period)) / 60", "this is in minutes"),
    ],
)
def test_lost_work_is_told_what_it_counts_wrongly(said, result, words) -> None:
    report = said("c2-durable", LOST.format(result))
    assert words in str(report)
    assert report.passed == (words == "passed")


DRAIN = """
import math
from fault_tolerance import snapshot
def drain_needed(waste, size, s, m, r):
    def lost(d): return 1 - snapshot.goodput(snapshot.interval(s, d, m), s, d, m, {restart})
    low, high = 1e3, 1e20
    {first}
    for _ in range(90):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if lost(size / middle) > waste else (low, middle)
    return high {after}
"""
FIRST = "if lost(0) > waste: return None"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "passed"),
        ({"first": "pass"}, "even an instant drain loses more"),
        ({"restart": "0"}, "with this drain no more than `waste` is lost"),
        ({"after": "* 2"}, "a slower drain would do"),
        ({"after": "/ 1e9"}, "are these GB/s?"),
        ({"first": "return None"}, "an instant drain would lose"),
    ],
)
def test_a_drain_is_told_on_which_side_it_errs(said, parts, words) -> None:
    report = said("c3-drain", DRAIN.format(**{"restart": "r", "first": FIRST, "after": "", **parts}))
    assert words in str(report)
    assert report.passed == (words == "passed")


SAVER = """
class Checkpointer:
    def __init__(self, send, most):
        self.send, self.most, self.durable, self.flying = send, most, None, []
    def snapshot(self, step, state):
        if len(self.flying) >= self.most:
            return False
        self.flying.append([step, bytes(state), 0])
        return True
    def tick(self, budget):
        while budget > 0 and self.flying:
            step, data, sent = self.flying[0]
            chunk = data[sent : sent + budget]
            self.send(step, chunk)
            budget -= len(chunk)
            self.flying[0][2] += len(chunk)
            if self.flying[0][2] == len(data):
                self.flying.pop(0)
                self.durable = step
"""


@pytest.mark.parametrize(
    ("old", "new", "words", "given"),
    [
        ("", "", "passed", ""),
        (
            "bytes(state)",
            "state",
            "you kept",
            "most=1: snapshot(1, 1 byte); training changes the state; tick(1)",
        ),
        (
            ">= self.most",
            "> self.most",
            "fewer than `most` are in flight",
            "snapshot(1, 1 byte); snapshot(2, 1 byte)",
        ),
        (
            "return True",
            "self.durable = step; return True",
            "it claims a snapshot before",
            "most=1: snapshot(1, 1 byte)",
        ),
        ("sent + budget", "sent + 99", "no more bytes than its budget", "snapshot(1, 2 bytes); tick(1)"),
        ("while budget > 0 and", "if", "goes to the next snapshot", "snapshot(2, 1 byte); tick(2)"),
        ("self.flying[0]\n", "self.flying[-1]\n", "the oldest snapshot in flight is sent first", "tick(1)"),
        ("self.durable = step\n", "pass\n", "newest step all of whose bytes", "snapshot(1, 1 byte); tick(1)"),
        ("        return True\n", "", "a method without `return` gives back None", "snapshot(1, 1 byte)"),
        ("def tick", "def tock", "a Checkpointer has a method `tick`", ""),
        ("self.send(step, chunk)", "1 / 0", "ZeroDivisionError: division by zero, in line", "tick(1)"),
        (
            "self.send(step, chunk)",
            "self.send(step, list(chunk))",
            "`send` is given a step and bytes",
            "tick(1)",
        ),
    ],
)
def test_the_shortest_history_that_fails_is_shown(said, old, new, words, given) -> None:
    assert old in SAVER
    report = said("c4-checkpointer", SAVER.replace(old, new, 1) if old else SAVER)
    assert words in str(report)
    assert given in report.given
    assert report.passed == (words == "passed")
