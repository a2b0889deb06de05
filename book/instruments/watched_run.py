"""Part A: one simulated run as a timeline, and the spread over many."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapterkit import random
from chapterkit.instrument import Control, Instrument, Picture, ReadOut
from fault_tolerance import checkpoint, reliability, simulate

HOUR = 3600.0
RUNS = 200
ROWS = 4  # the timeline is wrapped like lines of text
MANY = 200  # beyond this many intervals, single writes are about as thin as a pixel


def draws_per_run(mean_failures: float) -> int:
    """Enough gaps for all but one run in a billion; a run that needs more sees no failure in its rest."""
    return int(mean_failures + 7.0 * np.sqrt(mean_failures) + 20.0)


def run_gaps(draws: list[float], run: int, count: int, needed: float) -> list[float]:
    """The gaps of one run, until they cover `needed`; the last one reaches past it."""
    gaps = []
    total = 0.0
    for at in range(count):
        if total <= needed:
            gaps.append(draws[run * count + at])
            total = total + draws[run * count + at]
    if total <= needed:
        gaps.append(needed - total + 1.0)
    return gaps


def compute(
    gpus: float,
    write_time: float,
    interval: float,
    hours: float,
    seed: float,
    restart_time: float,
    mttf: float,
) -> dict[str, Any]:
    mtbf = reliability.system_mtbf(mttf, gpus)
    elapsed = hours
    predicted = checkpoint.goodput(interval, write_time, mtbf, restart_time)
    count = draws_per_run(elapsed / mtbf)
    draws = random.exponentials(seed, count * RUNS)
    measured = []
    mean = 0.0
    lowest = 1.0
    highest = 0.0
    for run in range(RUNS):
        gaps = run_gaps(draws, run, count, elapsed / mtbf)
        share = simulate.useful_work(gaps, elapsed, interval, write_time, mtbf, restart_time) / elapsed
        measured.append(share)
        mean = mean + share / RUNS
        lowest = np.minimum(lowest, share)
        highest = np.maximum(highest, share)
    mine = run_gaps(draws, 0, count, elapsed / mtbf)
    verdict = "close"
    if measured[0] > predicted + 0.03:
        verdict = "lucky"
    if measured[0] < predicted - 0.03:
        verdict = "unlucky"
    return {
        "mtbf": mtbf,
        "predicted": predicted,
        "failures": len(mine) - 1.0,
        "expected": elapsed / mtbf,
        "gaps": mine,
        "measured": measured[0],
        "many": measured,
        "mean": mean,
        "lowest": lowest,
        "highest": highest,
        "verdict": verdict,
    }


# Half the height of a bar, in rows: what is kept is tall, what is lost is not, so that colour is never alone.
KEPT = 0.2
LOST = 0.1
RESTART = 0.045


def add(trace: dict[str, Any], start: float, end: float, row_time: float, half: float) -> None:
    """Put one stretch of time as a bar on the rows it covers; an empty point ends each bar."""
    for row in range(ROWS):
        first = np.maximum(start, row * row_time)
        last = np.minimum(end, (row + 1) * row_time)
        if last > first:
            left = (first - row * row_time) / HOUR
            right = (last - row * row_time) / HOUR
            middle = ROWS - 1 - row
            trace["x"].extend([left, left, right, right, None])
            trace["y"].extend([middle - half, middle + half, middle + half, middle - half, None])


def strip(name: str, color: str) -> dict[str, Any]:
    """One kind of time; all its bars are one outline, which a browser draws faster than a line a bar."""
    return {"type": "scatter", "mode": "none", "name": name, "x": [], "y": [], "fill": "toself", "fillcolor": color,
            "hoverinfo": "name"}  # fmt: skip


def timeline_figure(state: dict[str, Any]) -> dict[str, Any]:
    elapsed = state["hours"]
    row_time = elapsed / ROWS
    events = simulate.timeline(
        state["gaps"], state["interval"], state["write_time"], state["mtbf"], state["restart_time"]
    )
    merge = elapsed / (state["interval"] + state["write_time"]) > MANY
    work = strip("work, kept", "var(--ck-1)")
    write = strip("writing", "var(--ck-2)")
    lost = strip("lost", "var(--ck-6)")
    restart = strip("restart", "var(--ck-3)")
    failures = {"type": "scatter", "mode": "markers", "name": "failure", "x": [], "y": [],
                "marker": {"symbol": "x", "color": "var(--ck-fg)", "size": 9}, "hovertemplate": "failure at %{x:.2f} h"}  # fmt: skip
    kept_from = -1.0
    kept_to = -1.0
    for event in events:
        kind = event[0]
        start = event[1]
        end = np.minimum(event[2], elapsed)
        if start < elapsed:
            if kind == "work" or kind == "write":
                if merge:
                    if kept_from < 0.0:
                        kept_from = start
                    kept_to = end
                else:
                    # An interval that the end of the picture cuts off was still under way.
                    add(work if kind == "work" else write, start, end, row_time, KEPT)
            else:
                if kept_from >= 0.0:
                    add(work, kept_from, kept_to, row_time, KEPT)
                    kept_from = -1.0
                if kind == "lost":
                    if event[2] <= elapsed:
                        add(lost, start, end, row_time, LOST)
                    else:
                        add(work, start, end, row_time, KEPT)
                if kind == "restart":
                    add(restart, start, end, row_time, RESTART)
                if kind == "failure":
                    row = np.floor(start / row_time)
                    failures["x"].append((start - row * row_time) / HOUR)
                    failures["y"].append(ROWS - 1 - row)
    if kept_from >= 0.0:
        add(work, kept_from, kept_to, row_time, KEPT)
    return {
        "data": [work, write, lost, restart, failures],
        "layout": {
            "xaxis": {"title": {"text": "hours since the start of the row"}, "range": [0, row_time / HOUR], "showgrid": False},
            "yaxis": {"title": {"text": ""}, "range": [-0.6, ROWS - 0.4], "tickvals": [0, 1, 2, 3], "ticktext": row_labels(row_time), "showgrid": False},
        },
    }  # fmt: skip


def row_labels(row_time: float) -> list[str]:
    """From the lowest row up: the hour at which each row starts."""
    labels = []
    for row in range(ROWS):
        labels.append("from " + str(int((ROWS - 1 - row) * row_time / HOUR)) + " h")
    return labels


def spread_figure(state: dict[str, Any]) -> dict[str, Any]:
    width = 1.0  # of a bar, in points of goodput
    if state["highest"] - state["lowest"] > 0.2:
        width = 2.0
    if state["highest"] - state["lowest"] < 0.04:
        width = 0.25
    low = np.floor(100.0 * state["lowest"] / width) * width
    high = np.ceil(100.0 * state["highest"] / width) * width
    bins = int((np.maximum(high, low + width) - low) / width)
    middles = []
    counts = []
    for at in range(bins):
        middles.append(low + (at + 0.5) * width)
        counts.append(0)
    for share in state["many"]:
        at = int(np.minimum((100.0 * share - low) / width, bins - 1.0))
        counts[at] = counts[at] + 1
    tallest = 0
    for count in counts:
        if count > tallest:
            tallest = count
    left = np.minimum(low, np.floor(100.0 * state["predicted"] / width) * width) - width
    right = np.maximum(high, np.ceil(100.0 * state["predicted"] / width) * width) + width
    return {
        "data": [
            {"type": "bar", "name": "runs", "x": middles, "y": counts, "width": width * 0.92, "marker": {"color": "var(--ck-1)"},
             "hovertemplate": "around %{x} %: %{y} runs"},
            {"type": "scatter", "mode": "lines", "name": "", "x": [100.0 * state["predicted"], 100.0 * state["predicted"]],
             "y": [0, tallest * 1.15], "line": {"color": "var(--ck-fg)", "width": 3, "dash": "dash"}, "hovertemplate": "predicted %{x:.1f} %"},
            {"type": "scatter", "mode": "markers", "name": "", "x": [100.0 * state["measured"]], "y": [tallest * 0.06],
             "marker": {"symbol": "diamond", "color": "var(--ck-6)", "size": 12}, "hovertemplate": "this run %{x:.1f} %"},
        ],
        "layout": {
            "xaxis": {"title": {"text": "goodput of one run, %"}, "range": [left, right]},
            "yaxis": {"title": {"text": "runs"}, "range": [0, tallest * 1.2]},
            "showlegend": False,  # the caption names its three parts, and the chart redraws sooner
        },
    }  # fmt: skip


INSTRUMENT = Instrument(
    name="watched-run",
    title="One run, and two hundred like it",
    controls=[
        Control("gpus", "GPUs in the job", 1_000, 25_000, 1_000, 16_000, symbol="N", whole=True),
        Control("write_time", "Time of one write", 10, 300, 10, 120, unit="s", symbol="δ", also="time"),
        Control("interval", "Your interval", 60, 10_800, 60, 600, unit="s", symbol="τ", also="time"),
        Control("hours", "Length of the run", 24, 240, 24, 24, unit="h"),
        Control("seed", "Seed of the failures", 1, 9_999, 1, 1, whole=True, button="Another run"),
        Control(
            "restart_time", "Restart time", 0, 1_800, 30, 300, unit="s", symbol="R", also="time", more=True
        ),
        Control(
            "mttf",
            "GPU-hours per interruption",
            10_000,
            100_000,
            1_000,
            50_000,
            unit="h",
            symbol="Θ",
            more=True,
        ),
    ],
    compute=compute,
    readouts=[
        ReadOut("measured", "Goodput of this run", "%", ".1f", main=True),
        ReadOut("predicted", "Goodput predicted, exact", "%", ".1f", main=True),
        ReadOut("mean", "Mean of 200 runs", "%", ".1f", "from {lowest|% .1f} to {highest|% .1f}"),
        ReadOut("failures", "Failures in this run", "", ",.0f", "{expected| .3g} expected"),
    ],
    sentences={
        "verdict": {
            "close": "<b>An ordinary run.</b> It kept {measured|% .1f} of its time as finished work; the formula predicts {predicted|% .1f} on average.",
            "lucky": "<b>A lucky run.</b> It kept {measured|% .1f} where {predicted|% .1f} is the average. The next one may not.",
            "unlucky": "<b>An unlucky run.</b> It kept {measured|% .1f} where {predicted|% .1f} is the average. Nothing is wrong with it: this is what chance looks like.",
        }
    },
    pictures=[
        Picture(
            "timeline",
            "One run, hour by hour",
            timeline_figure,
            caption="Thick bars are kept: work, and the writes that kept it. Thinner bars are work that a failure undid, the thinnest are restarts; a cross marks each failure. "
            "This run met {failures| ,.0f} of them.",
            ratio=0.36,
            narrow_ratio=0.85,
            table=False,
        ),
        Picture(
            "spread",
            "Two hundred runs with the same settings",
            spread_figure,
            caption="Every bar counts runs by their goodput. The dashed line is the prediction, the diamond is the run above. The runs spread from {lowest|% .1f} to {highest|% .1f}.",
            ratio=0.42,
            narrow_ratio=0.8,
        ),
    ],
)
