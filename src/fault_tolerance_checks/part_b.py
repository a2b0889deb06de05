"""Checks of the exercises to Part B."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fault_tolerance import checkpoint, reliability, storage
from fault_tolerance_checks.answer import Answer, attempt, kind, number, show, show_bytes, show_inputs, told
from fault_tolerance_checks.disk import Disk, Killed
from fault_tolerance_checks.registry import checks
from fault_tolerance_checks.report import Wrong
from fault_tolerance_checks.trials import ENTRIES, SHARES, Asked, Number, agrees, for_all, numbers

MINUTE, HOUR = 60.0, 3600.0


@checks(
    "b1-storage",
    "exercise-b1",
    [
        ENTRIES,
        SHARES,
        "Losses are the exact ones. There are no restarts here.",
    ],
)
def b1_storage(answer: Answer) -> None:
    parameters, gpus, bandwidth, mttf = 400e9, 4_096, 5e9, 50_000 * HOUR
    size = storage.checkpoint_bytes(parameters)
    write = storage.write_time(size, bandwidth)
    mtbf = reliability.system_mtbf(mttf, gpus)
    best = checkpoint.optimal_interval(write, mtbf)
    lost = 1 - checkpoint.goodput(best, write, mtbf)
    young = checkpoint.young_interval(write, mtbf)
    needed = storage.bandwidth_for_waste(size, mtbf, 0.1)
    half_to_first_order = storage.gpus_for_first_order_waste(0.5, write, mttf)
    rule_of_two = storage.gpus_for_first_order_waste(2, write, mttf)
    numbers(
        answer,
        "answers",
        {
            "checkpoint, TB": Asked(
                size / 1e12,
                "TB",
                "a checkpoint holds the weights, the master copy and both moments of every parameter",
                {
                    "these are the 16-bit weights alone": 2 * parameters / 1e12,
                    "gradients are not saved": 16 * parameters / 1e12,
                },
            ),
            "write, minutes": Asked(
                write / MINUTE, "minutes", "the write takes as long as the storage needs for all the bytes"
            ),
            "M, hours": Asked(mtbf / HOUR, "hours", "M is the lifetime of one GPU over their number"),
            "best interval, minutes": Asked(
                best / MINUTE,
                "minutes",
                "at the best interval the exact loss is least",
                {"this is Young's interval, and the write is no longer short beside M": young / MINUTE},
            ),
            "lost at the best interval": Asked(
                lost,
                "a fraction",
                "the loss is one minus the exact goodput at the best interval",
                {
                    "this is the first-order waste; the exact loss is due": checkpoint.waste(
                        young, write, mtbf
                    ),
                },
            ),
            "GB/s for a loss of a tenth": Asked(
                needed / 1e9,
                "GB/s",
                "with this bandwidth the least loss is a tenth",
                {
                    "this is the first-order bandwidth; the exact one is lower": 2e-9 * size / mtbf / 0.01,
                },
            ),
            "GPUs at which half is lost": Asked(
                storage.gpus_for_goodput(0.5, write, mttf),
                "",
                "at this size the best goodput is one half",
                {
                    "this is where first order calls half lost, which is too early": half_to_first_order,
                    "this is where a write takes two mean times between failures": rule_of_two,
                },
            ),
        },
    )


@checks(
    "b2-bandwidth",
    "exercise-b2",
    [
        "`bandwidth_needed(checkpoint_bytes, mtbf, waste, restart_time)` is in bytes per second.",
        "At this bandwidth and the best interval, the exact loss is `waste`, restarts included.",
        "Where restarts alone lose more than `waste`, no bandwidth helps, and it returns None.",
        "Four digits are enough, so you may search for the root.",
    ],
)
def b2_bandwidth(answer: Answer) -> None:
    call = answer.function("bandwidth_needed", "checkpoint_bytes", "mtbf", "waste", "restart_time")
    inputs = {
        "checkpoint_bytes": Number(1e9, 1e13),
        "mtbf": Number(1000, 1e6),
        "waste": Number(0.02, 0.6),
        "restart_time": Number(10, 10_000, zero=True),
    }

    def left(mtbf: float, waste: float, restart_time: float) -> float:
        return (1 - waste) * math.exp(min(restart_time / mtbf, 50.0))

    def impossible(checkpoint_bytes: float, mtbf: float, waste: float, restart_time: float) -> None:
        given = show_inputs(
            {"checkpoint_bytes": checkpoint_bytes, "mtbf": mtbf, "waste": waste, "restart_time": restart_time}
        )
        got = call(checkpoint_bytes, mtbf, waste, restart_time)
        if got is not None:
            floor = 1 - reliability.survival(restart_time, mtbf)
            raise Wrong(
                "where no bandwidth helps, the answer is None",
                given=given,
                got=show(got),
                due="None",
                note=f"the restarts alone lose {floor:.3f}",
            )

    def possible(**given: float) -> bool:
        return left(given["mtbf"], given["waste"], given["restart_time"]) < 0.998

    def truth(**given: float) -> float:
        return float(storage.bandwidth_for_waste(**given))

    def first_order(checkpoint_bytes: float, mtbf: float, waste: float, restart_time: float) -> float:
        return 2 * checkpoint_bytes / (mtbf * waste**2)

    def no_restart(checkpoint_bytes: float, mtbf: float, waste: float, restart_time: float) -> float:
        return float(storage.bandwidth_for_waste(checkpoint_bytes, mtbf, waste))

    without = {**inputs, "restart_time": Number(1e-3, 1e-3, zero=True)}
    agrees(
        answer,
        call,
        truth,
        "without restarts, the best interval loses just `waste` at this bandwidth",
        without,
        unit="bytes per second",
        rel=2e-4,
        where=lambda **given: given["restart_time"] == 0,
        slips={
            "this is the first-order bandwidth, which is more than enough": first_order,
            "this is the write time, not a bandwidth": lambda **given: (
                given["checkpoint_bytes"] / truth(**given)
            ),
            "this writes a checkpoint in the lost share of the MTBF; rework costs as well": (
                lambda checkpoint_bytes, mtbf, waste, restart_time: checkpoint_bytes / (mtbf * waste)
            ),
        },
    )
    agrees(
        answer,
        call,
        truth,
        "with restarts, the best interval loses just `waste` in all at this bandwidth",
        inputs,
        unit="bytes per second",
        rel=2e-4,
        where=possible,
        slips={"this leaves the restarts out": no_restart},
    )
    for_all(
        impossible,
        inputs,
        where=lambda **given: left(given["mtbf"], given["waste"], given["restart_time"]) > 1.002,
    )


@checks(
    "b3-threshold",
    "exercise-b3",
    [
        "`largest_cluster(goodput, write_time, mttf)` returns a whole number of GPUs.",
        "With that many, the exact goodput at the best interval is at least `goodput`. With one more it is "
        "less.",
        "It holds from two GPUs to a billion.",
    ],
)
def b3_threshold(answer: Answer) -> None:
    call = answer.function("largest_cluster", "goodput", "write_time", "mttf")

    def best(gpus: float, write_time: float, mttf: float) -> float:
        mtbf = reliability.system_mtbf(mttf, gpus)
        return float(checkpoint.goodput(checkpoint.optimal_interval(write_time, mtbf), write_time, mtbf))

    def test(goodput: float, write_time: float, mttf: float) -> None:
        given = show_inputs({"goodput": goodput, "write_time": write_time, "mttf": mttf})
        got = number(call(goodput, write_time, mttf), "the answer is one number of GPUs", given)
        if got != int(got) or got < 1:
            raise Wrong("the answer is a whole number of GPUs, one or more", given=given, got=show(got))
        exactly = float(storage.gpus_for_goodput(goodput, write_time, mttf))
        slack = max(1e-6 * exactly, 1e-6)
        first = float(storage.gpus_for_first_order_waste(1 - goodput, write_time, mttf))
        if got > exactly + slack:
            note = "one GPU too many: the last that still fits is due" if got - exactly <= 1 else ""
            if not note and abs(got - first) <= 1:
                note = "this is the first-order threshold"
            raise Wrong(
                "with that many GPUs the best goodput is at least the target",
                given=given,
                got=f"{got:.0f} GPUs, whose best goodput is {best(got, write_time, mttf):.6f}",
                due=f"{goodput:g} or more",
                note=note,
            )
        if got + 1 < exactly - slack:
            note = "this is the first-order threshold, which rings too early" if abs(got - first) <= 1 else ""
            raise Wrong(
                "with one GPU more the best goodput is below the target",
                given=given,
                got=f"{got:.0f} GPUs, and with one more still {best(got + 1, write_time, mttf):.6f}",
                due=f"less than {goodput:g} with one more",
                note=note,
            )

    for_all(
        test,
        {"goodput": Number(0.05, 0.95), "write_time": Number(1, 10_000), "mttf": Number(1e6, 1e9)},
        where=lambda **given: 2 < storage.gpus_for_goodput(**given) < 1e9,
    )


_OLD, _NEW, _LATER = b"old", b"new!", b"later"


class _Trial:
    """One `save` in a folder of its own, cut off at a step, and what `load` makes of the rest."""

    def __init__(self, save: Callable[..., Any], load: Callable[..., Any], folder: Path) -> None:
        self.save, self.load, self.path = save, load, str(folder / "state")
        self.folder = folder

    def whole(self, state: bytes, when: str) -> None:
        attempt(self.save, "`save(path, state)`", self.path, state, given=when)

    def read(self, when: str) -> Any:
        try:
            return self.load(self.path)
        except (Exception, SystemExit) as error:
            raise Wrong("`load` never raises, whatever it finds", given=when, got=told(error)) from None

    def cut(self, state: bytes, stop_at: int) -> tuple[Disk, bool]:
        disk = Disk(self.folder, stop_at)
        with disk.watched():
            try:
                self.save(self.path, state)
            except Killed:
                return disk, True
            except (Exception, SystemExit) as error:
                if not disk.dead:
                    steps = "after: " + "; ".join(disk.steps)
                    raise Wrong("`save` ends without an exception", given=steps, got=told(error)) from None
            return disk, disk.dead


@checks(
    "b4-atomic",
    "exercise-b4",
    [
        "`save(path, state)` puts bytes under a path. `load(path)` returns them, or None if nothing was "
        "saved yet. Other files beside `path` are yours.",
        "The check kills `save` between any two of its steps: creating or emptying a file, each half of a "
        "write, fsync, rename, remove. After that `load` returns the old state or the new one, whole.",
        "It also cuts the power there. Then every file falls back to what it held at its last `os.fsync`.",
        "Once `save` has returned, `load` returns the new state, even after a power cut.",
        "After a crash the next `save` works as ever.",
    ],
)
def b4_atomic(answer: Answer) -> None:
    answer.function("save", "path", "state")
    answer.function("load", "path")
    save, load = answer.value("save"), answer.value("load")

    def trial(act: Callable[[_Trial], Any]) -> Any:
        answer.tried += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                return act(_Trial(save, load, Path(folder)))
            except Wrong as wrong:
                # The folder has another name each time, and a report should not.
                wrong.got = wrong.got.replace(f"{folder}{os.sep}", "")
                raise

    trial(_works_undisturbed)
    trial(_reads_the_disk)
    for old, new in (
        (None, _NEW),
        (_OLD, _NEW),
        (_NEW, _OLD),
        (_OLD, bytes(range(256)) * 80),
        (bytes(range(256)) * 80, _OLD),
    ):
        for power in (False, True):
            stop_at, killed = 1, True
            while killed:
                killed = trial(lambda it, at=stop_at, o=old, n=new, p=power: _cut_off(it, o, n, at, p))
                stop_at += 1
                if stop_at > 500:
                    raise Wrong("`save` takes fewer than 500 steps", got="more")


def _works_undisturbed(it: _Trial) -> None:
    sentence = "`load` returns None where nothing was ever saved"
    got = it.read("an empty folder")
    if got is not None:
        raise Wrong(sentence, given="an empty folder", got=show(got), due="None")
    for state in (_OLD, b"", _NEW):
        it.whole(state, f"state={state!r}")
        got = it.read(f"after save of {state!r}")
        if got != state or not isinstance(got, bytes | bytearray):
            what = "None" if got is None else f"{kind(got)}: {show(got)}"
            raise Wrong(
                "`load` returns what `save` was given", given=f"state={state!r}", got=what, due=repr(state)
            )


def _reads_the_disk(it: _Trial) -> None:
    # One save only: the file system of browsers still finds a file that was replaced and then removed.
    it.whole(_OLD, f"state={_OLD!r}")
    for path in sorted(it.folder.iterdir()):
        path.unlink()
    got = it.read("the folder was emptied")
    if got is not None:
        note = "does it keep the state in a variable? A process that is killed forgets those"
        raise Wrong(
            "`load` reads from the disk", given="all files were removed", got=show(got), due="None", note=note
        )


def _cut_off(it: _Trial, old: bytes | None, new: bytes, stop_at: int, power: bool) -> bool:
    """Save `new` over `old`, end at a step, and look; tell whether the end came before `save` was done."""
    before = "first save" if old is None else f"save of {_short(new)} over {_short(old)}"
    if old is not None:
        it.whole(old, f"state={_short(old)}")
    disk, killed = it.cut(new, stop_at)
    if power:
        disk.power_cut()
    end = "the power was cut" if power else "the process was killed"
    done = "; ".join(disk.steps) or "nothing"
    when = (
        f"{before}; {end} after: {done}"
        if killed
        else f"{before}, which ended; then {end}. Its steps: {done}"
    )
    got = it.read(when)
    if killed and got not in (old, new):
        raise Wrong(
            "whenever the end comes, `load` returns the old state or the new one, whole",
            given=when,
            got=_short(got),
            due=f"{_short(old)} or {_short(new)}",
            note=_hint(disk, power),
        )
    if not killed and got != new:
        raise Wrong(
            "once `save` has returned, the new state is safe",
            given=when,
            got=_short(got),
            due=_short(new),
            note=_hint(disk, power),
        )
    it.whole(_LATER, f"a later save, where before {end} after: {done}")
    got = it.read("after a later save")
    if got != _LATER:
        raise Wrong(
            "after a crash the next `save` works as ever",
            given=when + f"; then save of {_LATER!r}",
            got=_short(got),
            due=repr(_LATER),
        )
    return killed


def _hint(disk: Disk, power: bool) -> str:
    renamed = any(step.startswith("rename") for step in disk.steps)
    if power and renamed and not any(step.startswith("fsync") for step in disk.steps):
        return "the name arrived before the bytes: nothing made the bytes durable"
    if power and renamed:
        return "the name arrived before the bytes: what is still in Python's own buffer is not synced"
    if disk.steps and disk.steps[-1].startswith("remove"):
        return "between these two steps there is no file under the name that readers use"
    if not power and not renamed:
        return "a file being written is neither old nor new: readers must not find it under the name they use"
    return ""


def _short(state: Any) -> str:
    if isinstance(state, bytes | bytearray) and len(state) > 12:
        return show_bytes(len(state))
    return (
        "None"
        if state is None
        else repr(bytes(state))
        if isinstance(state, bytes | bytearray)
        else show(state)
    )
