"""Checks of the exercises to Part C."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fault_tolerance import checkpoint, reliability, snapshot, storage
from fault_tolerance_checks.answer import Answer, attempt, kind, number, show, show_bytes, show_inputs
from fault_tolerance_checks.registry import checks
from fault_tolerance_checks.report import Wrong
from fault_tolerance_checks.trials import ENTRIES, SHARES, Asked, Number, Whole, agrees, for_all, numbers

HOUR = 3600.0


@checks(
    "c1-background",
    "exercise-c1",
    [
        ENTRIES,
        SHARES,
        "Losses are the exact ones, with the restart in them. A snapshot counts once it is drained.",
    ],
)
def c1_background(answer: Answer) -> None:
    nodes, gpus, restart = 1_024, 8_192, 300.0
    size = storage.checkpoint_bytes(405e9)
    pause = snapshot.pause(size, nodes, 50e9)
    drain = snapshot.drain_time(size, 20e9)
    mtbf = reliability.system_mtbf(50_000 * HOUR, gpus)
    interval = snapshot.interval(pause, drain, mtbf)
    lost = 1 - snapshot.goodput(interval, pause, drain, mtbf, restart)
    best = checkpoint.optimal_interval(drain, mtbf)
    blocking = 1 - checkpoint.goodput(best, drain, mtbf, restart)
    free = checkpoint.optimal_interval(pause, mtbf)
    immortal = 1 - checkpoint.goodput(interval, pause, mtbf, restart)
    numbers(
        answer,
        "answers",
        {
            "pause, seconds": Asked(
                pause,
                "seconds",
                "every node writes its own share to its own drives, all at once",
                {
                    "this is one node writing the whole checkpoint": size / 50e9,
                    "a checkpoint lies on nodes, not on GPUs": size / gpus / 50e9,
                },
            ),
            "drain, seconds": Asked(drain, "seconds", "the drain is shared by all nodes"),
            "interval, seconds": Asked(
                interval,
                "seconds",
                "the next snapshot may not begin before the last one is drained",
                {"this is the best interval if the drain were free": free},
                rel=2e-3,
            ),
            "lost": Asked(
                lost,
                "a fraction",
                "a failure takes all work since the last snapshot that was drained",
                {
                    "this counts a snapshot as safe before it is drained": immortal,
                    "this leaves the restart out": 1 - snapshot.goodput(interval, pause, drain, mtbf),
                    "this is the first-order waste; the exact loss is due": snapshot.waste(
                        interval, pause, drain, mtbf, restart
                    ),
                },
                rel=2e-3,
            ),
            "lost if training waits for the same storage": Asked(
                blocking,
                "a fraction",
                "training that waits loses the write of every interval, at its own best interval",
                {
                    "this is the blocking write at the interval of the snapshots": 1
                    - checkpoint.goodput(interval, drain, mtbf, restart)
                },
            ),
            "GB/s that would free the interval": Asked(
                snapshot.bandwidth_to_free(size, pause, mtbf) / 1e9,
                "GB/s",
                "at this drain the best interval for the pause is just long enough to drain in",
            ),
            "GB on each node, three slots": Asked(
                3 * size / nodes / 1e9,
                "GB",
                "every slot holds one share of the checkpoint",
                {"this is one slot": size / nodes / 1e9},
            ),
        },
    )


@checks(
    "c2-durable",
    "exercise-c2",
    [
        "`work_lost(time, interval, pause, drain_time)` is the work, in seconds, that a failure at `time` "
        "undoes.",
        "The run starts at time 0 with work. Intervals and pauses take turns, and each snapshot begins to "
        "drain when its pause has ended.",
        "Only work that a drained snapshot holds is safe. The time in pauses is no work.",
        "The check asks at many moments, with drains shorter than the time between two snapshots.",
    ],
)
def c2_durable(answer: Answer) -> None:
    call = answer.function("work_lost", "time", "interval", "pause", "drain_time")

    def done(time: float, interval: float, pause: float) -> float:
        cycles = math.floor(time / (interval + pause))
        return cycles * interval + min(time - cycles * (interval + pause), interval)

    def truth(time: float, interval: float, pause: float, drain_time: float) -> float:
        safe = math.floor(max(time - drain_time, 0.0) / (interval + pause))
        return done(time, interval, pause) - safe * interval

    def no_drain(time: float, interval: float, pause: float, drain_time: float) -> float:
        return truth(time, interval, pause, 0.0)

    def pauses_too(time: float, interval: float, pause: float, drain_time: float) -> float:
        safe = math.floor(max(time - drain_time, 0.0) / (interval + pause))
        return time - safe * (interval + pause)

    def early(time: float, interval: float, pause: float, drain_time: float) -> float:
        safe = math.floor(max(time - drain_time + pause, 0.0) / (interval + pause))
        return done(time, interval, pause) - safe * interval

    def where(time: float, interval: float, pause: float, drain_time: float) -> bool:
        period = interval + pause
        moments = [time / period, (time - drain_time) / period, (time - drain_time + pause) / period]
        clear = all(abs(m - round(m)) > 1e-6 for m in moments)
        return clear and drain_time < period and abs(time % period - interval) > 1e-6

    agrees(
        answer,
        call,
        truth,
        "a failure undoes the work since the newest drained snapshot",
        {
            "time": Number(1, 2000),
            "interval": Number(10, 200),
            "pause": Number(1, 20),
            "drain_time": Number(1, 200),
        },
        unit="seconds",
        where=where,
        runs=150,
        slips={
            "this counts a snapshot as safe once its pause has ended": no_drain,
            "this counts the pauses as work": pauses_too,
            "the drain begins when the pause has ended, not with it": early,
            "this is the mean over all moments, not what one failure at this moment takes": (
                lambda time, interval, pause, drain_time: drain_time + interval / 2
            ),
        },
    )


@checks(
    "c3-drain",
    "exercise-c3",
    [
        "`drain_needed(waste, checkpoint_bytes, pause, mtbf, restart_time)` is in bytes per second.",
        "With this drain, at the interval it allows, no more than `waste` is lost. With a hundredth less "
        "drain, more is.",
        "Where even an instant drain loses more than `waste`, the answer is None.",
    ],
)
def c3_drain(answer: Answer) -> None:
    call = answer.function("drain_needed", "waste", "checkpoint_bytes", "pause", "mtbf", "restart_time")
    inputs = {
        "waste": Number(0.01, 0.5),
        "checkpoint_bytes": Number(1e11, 1e13),
        "pause": Number(0.01, 1),
        "mtbf": Number(1000, 100_000),
        "restart_time": Number(10, 1000, zero=True),
    }

    def lost(drain_time: float, pause: float, mtbf: float, restart_time: float) -> float:
        interval = snapshot.interval(pause, drain_time, mtbf)
        return float(1 - snapshot.goodput(interval, pause, drain_time, mtbf, restart_time))

    def least(pause: float, mtbf: float, restart_time: float) -> float:
        return lost(0.0, pause, mtbf, restart_time)

    def test(waste: float, checkpoint_bytes: float, pause: float, mtbf: float, restart_time: float) -> None:
        inputs = (waste, checkpoint_bytes, pause, mtbf, restart_time)
        names = ("waste", "checkpoint_bytes", "pause", "mtbf", "restart_time")
        given = show_inputs(dict(zip(names, inputs, strict=True)))
        got = call(*inputs)
        floor = least(pause, mtbf, restart_time)
        if floor > waste:
            if got is not None:
                raise Wrong(
                    "where even an instant drain loses more, the answer is None",
                    given=given,
                    got=show(got),
                    due="None",
                    note=f"pauses, rework and restarts alone lose {floor:.4f}",
                )
            return
        sentence = "the answer is one bandwidth in bytes per second"
        if got is None:
            raise Wrong(
                sentence, given=given, got="None", note=f"an instant drain would lose only {floor:.4f}"
            )
        bandwidth = number(got, sentence, given)
        if bandwidth <= 0:
            raise Wrong(sentence, given=given, got=show(bandwidth), due="a number above zero")
        at = lost(checkpoint_bytes / bandwidth, pause, mtbf, restart_time)
        shown = f"{show(bandwidth)} bytes per second, which loses {at:.5f}"
        if at > waste * 1.001:
            note = "are these GB/s? Bytes per second are due" if bandwidth < 1e6 else ""
            raise Wrong(
                "with this drain no more than `waste` is lost",
                given=given,
                got=shown,
                due=f"{waste:g}",
                note=note,
            )
        less = lost(checkpoint_bytes / (bandwidth * 0.99), pause, mtbf, restart_time)
        if less <= waste:
            raise Wrong(
                "with a hundredth less drain, more than `waste` is lost",
                given=given,
                got=shown + f", and with a hundredth less {less:.5f}",
                due=f"more than {waste:g} with less drain",
                note="a slower drain would do",
            )

    def clear(waste: float, checkpoint_bytes: float, pause: float, mtbf: float, restart_time: float) -> bool:
        floor = least(pause, mtbf, restart_time)
        # Near the edge rounding decides; far beyond it the drain no longer matters.
        return abs(waste / floor - 1) > 0.05

    for_all(test, inputs, where=clear, runs=60)


@dataclass(frozen=True)
class Ops:
    """What happens to a checkpointer: snapshots of so many bytes, training steps, ticks of so many bytes."""

    most: int

    def draw(self, rng: np.random.Generator) -> tuple[tuple[str, int], ...]:
        length = int(rng.integers(1, self.most + 1))
        kinds = rng.choice(["snapshot", "tick", "train"], length, p=[0.4, 0.45, 0.15])
        sizes = rng.integers(1, 9, length)
        return tuple((str(kind), int(size)) for kind, size in zip(kinds, sizes, strict=True))

    def simpler(self, value: tuple[tuple[str, int], ...]) -> Iterator[tuple[tuple[str, int], ...]]:
        half = len(value) // 2
        if half:
            yield value[:half]
            yield value[half:]
        for at in range(len(value)):
            yield value[:at] + value[at + 1 :]
        for at, (what, size) in enumerate(value):
            for less in sorted({1, size // 2, size - 1} & set(range(1, size))):
                yield (*value[:at], (what, less), *value[at + 1 :])


class _Watch:
    """One run of a checkpointer beside a list that does the same by hand."""

    def __init__(self, make: Callable[..., Any], most: int) -> None:
        self.arrived: dict[Any, bytearray] = {}
        self.order: list[tuple[Any, bytes]] = []
        self.said: list[str] = []
        self.flying: list[tuple[int, bytes]] = []
        self.whole: dict[int, bytes] = {}
        self.sent = 0
        self.durable: int | None = None
        self.most, self.step, self.state = most, 0, bytearray()
        self.it = attempt(make, "`Checkpointer(send, most)`", self.send, most, given=f"most={most}")
        for name in ("snapshot", "tick"):
            if not callable(getattr(self.it, name, None)):
                raise Wrong(
                    f"a Checkpointer has a method `{name}`", got=f"none of that name in {kind(self.it)}"
                )

    def send(self, step: Any, chunk: Any) -> None:
        if not isinstance(chunk, bytes | bytearray | memoryview):
            raise Wrong("`send` is given a step and bytes", given=self.given(), got=kind(chunk))
        self.order.append((step, bytes(chunk)))

    def given(self) -> str:
        return f"most={self.most}: " + "; ".join(self.said)

    def wrong(self, sentence: str, got: str, due: str = "", note: str = "") -> Wrong:
        return Wrong(sentence, given=self.given(), got=got, due=due, note=note)

    def snapshot(self, size: int) -> None:
        self.step += 1
        if len(self.state) != size:
            self.state = bytearray((self.step * 7 + n) % 251 for n in range(size))
        taken = len(self.flying) < self.most
        self.said.append(f"snapshot({self.step}, {show_bytes(size)})")
        got = attempt(
            lambda: self.it.snapshot(self.step, self.state), "`snapshot(step, state)`", given=self.given()
        )
        if got is not True and got is not False:
            note = "a method without `return` gives back None" if got is None else ""
            raise self.wrong("`snapshot` returns True or False", show(got), str(taken), note)
        if got is not taken:
            flying = f"{len(self.flying)} in flight, {self.most} allowed"
            sentence = "a snapshot is taken when fewer than `most` are in flight, and refused otherwise"
            raise self.wrong(sentence, str(got), f"{taken}: {flying}")
        if taken:
            self.flying.append((self.step, bytes(self.state)))
            self.whole[self.step] = bytes(self.state)

    def train(self, _size: int) -> None:
        self.said.append("training changes the state")
        for at in range(len(self.state)):
            self.state[at] = (self.state[at] + 100) % 251

    def tick(self, budget: int) -> None:
        self.said.append(f"tick({budget})")
        self.order = []
        attempt(lambda: self.it.tick(budget), "`tick(budget)`", given=self.given())
        used = sum(len(chunk) for _, chunk in self.order)
        waiting = sum(len(data) for _, data in self.flying) - self.sent
        if used > budget:
            raise self.wrong(
                "a tick sends no more bytes than its budget", show_bytes(used), f"{budget} at most"
            )
        for step, chunk in self.order:
            self._arrive(step, chunk)
        if used < min(budget, waiting):
            raise self.wrong(
                "a tick uses its budget as long as bytes are waiting",
                show_bytes(used),
                f"{min(budget, waiting)}",
                "what is left of a budget goes to the next snapshot" if used else "",
            )

    def _arrive(self, step: Any, chunk: bytes) -> None:
        while chunk:
            if not self.flying:
                raise self.wrong(
                    "every byte is sent once", f"{show_bytes(len(chunk))} more for step {show(step)}"
                )
            first, data = self.flying[0]
            if step != first:
                if step in self.whole:
                    raise self.wrong(
                        "the oldest snapshot in flight is sent first", f"step {show(step)}", f"step {first}"
                    )
                raise self.wrong(
                    "only snapshots that were taken are sent", f"step {show(step)}", f"step {first}"
                )
            due = data[self.sent : self.sent + len(chunk)]
            if chunk[: len(due)] != due:
                changed = "; training changes the state" in self.given()
                note = "the state changed after the snapshot, and so did what you kept" if changed else ""
                raise self.wrong(
                    "what arrives is the state as it was at the snapshot", repr(chunk), repr(bytes(due)), note
                )
            if not due:
                raise self.wrong("every byte is sent once", f"{show_bytes(len(chunk))} more for step {first}")
            self.sent += len(due)
            chunk = chunk[len(due) :]
            if self.sent == len(data):
                self.flying.pop(0)
                self.sent, self.durable = 0, first

    def look(self) -> None:
        got = getattr(self.it, "durable", ...)
        if got is ...:
            raise Wrong(
                "a Checkpointer has an attribute `durable`", given=self.given(), got="none of that name"
            )
        if got != self.durable or isinstance(got, bool):
            claimed = isinstance(got, int) and (self.durable is None or got > self.durable)
            note = (
                "it claims a snapshot before all its bytes were sent: a crash now would lose it"
                if claimed
                else ""
            )
            sentence = "`durable` is the newest step all of whose bytes were sent, or None"
            raise self.wrong(sentence, show(got) if got is not None else "None", str(self.durable), note)


@checks(
    "c4-checkpointer",
    "exercise-c4",
    [
        "`Checkpointer(send, most)` has the methods `snapshot(step, state)` and `tick(budget)` and the "
        "attribute `durable`.",
        "`snapshot` returns True and keeps the state as it is now, or returns False if `most` snapshots are "
        "in flight. What training does to the state later does not matter.",
        "`tick` calls `send(step, chunk)` with `budget` bytes in all, or with all that are left, oldest "
        "snapshot first.",
        "`durable` is the newest step all of whose bytes were sent, or None. A snapshot that is durable is "
        "no longer in flight.",
        "The check tries short histories of snapshots, training and ticks, and shows the shortest that "
        "fails.",
    ],
)
def c4_checkpointer(answer: Answer) -> None:
    make = answer.function("Checkpointer", "send", "most")

    def test(most: int, ops: tuple[tuple[str, int], ...]) -> None:
        watch = _Watch(make, most)
        watch.look()
        for what, size in ops:
            getattr(watch, what)(size)
            watch.look()

    for_all(test, {"most": Whole(1, 3), "ops": Ops(14)}, runs=200)
