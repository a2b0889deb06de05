"""Part A: how much of the time is lost at your checkpoint interval, and at the best one."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapterkit import table
from chapterkit.instrument import Control, Instrument, Picture, ReadOut
from fault_tolerance import checkpoint, reliability

SHORTEST, LONGEST = 60.0, 10_800.0  # the interval's own range, in seconds
POINTS = 80
BAND = 1.1  # the band is where the waste is within a tenth of the best


def lost(interval: float, write_time: float, mtbf: float, restart_time: float) -> float:
    return 1.0 - checkpoint.goodput(interval, write_time, mtbf, restart_time)


def band_edge(
    inside: float, outside: float, limit: float, write_time: float, mtbf: float, restart_time: float
) -> float:
    """The interval between `inside` and `outside` at which the waste passes `limit`, by halving."""
    for _ in range(60):
        middle = np.sqrt(inside * outside)
        if lost(middle, write_time, mtbf, restart_time) <= limit:
            inside = middle
        else:
            outside = middle
    return inside


def compute(
    gpus: float, write_time: float, interval: float, restart_time: float, mttf: float, price: float
) -> dict[str, Any]:
    mtbf = reliability.system_mtbf(mttf, gpus)
    young = checkpoint.young_interval(write_time, mtbf)
    best = checkpoint.optimal_interval(write_time, mtbf)
    waste = lost(interval, write_time, mtbf, restart_time)
    least = lost(best, write_time, mtbf, restart_time)
    first_order = checkpoint.waste(interval, write_time, mtbf, restart_time)
    low = band_edge(best, best / 1000.0, least * BAND, write_time, mtbf, restart_time)
    high = band_edge(best, best * 1000.0, least * BAND, write_time, mtbf, restart_time)
    verdict = "inside"
    if interval < low:
        verdict = "short"
    if interval > high:
        verdict = "long"
    gap = first_order - waste
    model = "close"
    if gap > 0.02:
        model = "off"
    if first_order > 1.0:
        model = "broken"
    bill = gpus * price
    return {
        "mtbf": mtbf,
        "young": young,
        "best": best,
        "waste": waste,
        "goodput": 1.0 - waste,
        "least": least,
        "extra": waste - least,
        "first_order": first_order,
        "first_order_best": checkpoint.waste(young, write_time, mtbf, restart_time),
        "gap": gap,
        "ratio": write_time / mtbf,
        "writing": write_time / interval,
        "rework": interval / mtbf / 2.0,
        "restarting": restart_time / mtbf,
        "low": low,
        "high": high,
        "factor": np.maximum(interval / best, best / interval),
        "bill": bill,
        "money": waste * bill,
        "saved": (waste - least) * bill,
        "verdict": verdict,
        "model": model,
    }


def figure(state: dict[str, Any]) -> dict[str, Any]:
    write_time, mtbf, restart_time = state["write_time"], state["mtbf"], state["restart_time"]
    minutes = []
    writing = []
    rework = []
    first_order = []
    exact = []
    top = np.minimum(100.0, np.maximum(np.maximum(300.0 * state["least"], 120.0 * state["waste"]), 20.0))
    for at in range(POINTS + 1):
        interval = 60.0 * table.spread(SHORTEST / 60.0, LONGEST / 60.0, at, POINTS)
        minutes.append(interval / 60.0)
        writing.append(100.0 * write_time / interval)
        rework.append(50.0 * interval / mtbf)
        first_order.append(100.0 * checkpoint.waste(interval, write_time, mtbf, restart_time))
        exact.append(100.0 * lost(interval, write_time, mtbf, restart_time))
    data = [
        curve("writing, δ/τ", minutes, writing, "var(--ck-2)", "dash", 2),
        curve("rework, τ/2M", minutes, rework, "var(--ck-4)", "dot", 2),
        curve("first order", minutes, first_order, "var(--ck-3)", "dashdot", 2),
        curve("exact", minutes, exact, "var(--ck-1)", "solid", 3),
        mark("best", state["best"], state["least"], "star", "var(--ck-5)", 16),
        mark("yours", state["interval"], state["waste"], "diamond", "var(--ck-6)", 12),
    ]
    low = np.maximum(state["low"], SHORTEST)
    high = np.minimum(state["high"], LONGEST)
    shapes = []
    if low < high:
        shapes.append({"type": "rect", "x0": low / 60.0, "x1": high / 60.0, "y0": 0, "y1": 1, "yref": "paper",
                       "fillcolor": "var(--ck-band)", "line": {"width": 0}, "layer": "below"})  # fmt: skip
    return {
        "data": data,
        "layout": {
            "xaxis": {"title": {"text": "interval between checkpoints, minutes"}, "type": "log", "range": [np.log10(0.95), np.log10(190.0)],
                      "tickvals": [1, 2, 5, 10, 20, 50, 100, 180]},
            "yaxis": {"title": {"text": "share of the time, %"}, "range": [0, top]},
            "shapes": shapes,
        },
    }  # fmt: skip


def curve(name: str, x: list[float], y: list[float], color: str, dash: str, width: float) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y,
            "line": {"color": color, "dash": dash, "width": width}, "hovertemplate": "%{x:.3g} min: %{y:.3g} %"}  # fmt: skip


def mark(name: str, interval: float, share: float, symbol: str, color: str, size: float) -> dict[str, Any]:
    return {"type": "scatter", "mode": "markers", "name": name, "x": [interval / 60.0], "y": [100.0 * share],
            "marker": {"symbol": symbol, "color": color, "size": size}, "hovertemplate": "%{x:.3g} min: %{y:.3g} %"}  # fmt: skip


INSTRUMENT = Instrument(
    name="young-daly",
    title="The checkpoint interval and what it costs",
    controls=[
        Control("gpus", "GPUs in the job", 1_000, 25_000, 1_000, 16_000, symbol="N", whole=True),
        Control("write_time", "Time of one write", 10, 300, 10, 120, unit="s", symbol="δ", also="time"),
        Control("interval", "Your interval", SHORTEST, LONGEST, 60, 600, unit="s", symbol="τ", also="time"),
        Control(
            "restart_time", "Restart time", 0, 1_800, 30, 0, unit="s", symbol="R", also="time", more=True
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
        Control("price", "Price of a GPU-hour", 0.5, 10, 0.1, 3, unit="$/h", more=True),
    ],
    compute=compute,
    readouts=[
        ReadOut("mtbf", "Mean time between failures", "time", ".3g", "that is {mtbf|s ,.0f}"),
        ReadOut("best", "Best interval, exact", "time", ".3g", "Young says {young|time .3g}", main=True),
        ReadOut(
            "waste", "Lost at your interval", "%", ".1f", "first order says {first_order|% .1f}", main=True
        ),
        ReadOut(
            "least", "Lost at the best", "%", ".1f", "first order says {first_order_best|% .1f}", main=True
        ),
        ReadOut("money", "Lost per day", "$/d", ",.0f", "of {bill|$/d ,.0f} spent"),
        ReadOut("saved", "The best would save, per day", "$/d", ",.0f", "{extra|points .1f}"),
    ],
    sentences={
        "verdict": {
            "short": "<b>You save too often.</b> Your interval is {factor|x .1f} shorter than the best and loses {extra|points .1f} more. "
            "Most of that goes into writing.",
            "inside": "<b>You are in the flat band.</b> Anything from {low|time .2g} to {high|time .2g} loses at most a tenth more than the best; "
            "yours loses {extra|points .2f} more.",
            "long": "<b>You save too rarely.</b> Your interval is {factor|x .1f} longer than the best and loses {extra|points .1f} more. "
            "Most of that is work done twice.",
        },
        "model": {
            "close": "The first-order rule and the exact model agree here to within two points: a write takes {ratio|% .2g} of the time between failures.",
            "off": "The first-order rule overstates the loss by {gap|points .1f}. It sets what is lost against useful work; the exact model sets it against all the time there is.",
            "broken": "The first-order rule claims that {first_order|% .0f} is lost, more than all the time there is. It has left the ground it was derived on.",
        },
    },
    lines=[
        "<i>M</i> = Θ / <i>N</i> = {mttf|h ,.6g} / {gpus| ,.0f} = {mtbf|s ,.0f}",
        "τ<sub>Y</sub> = √(2δ<i>M</i>) = √(2 · {write_time|s .4g} · {mtbf|s ,.0f}) = {young|s ,.0f}",
        "τ* = <i>M</i> [1 + W₀(−e<sup>−1−δ/<i>M</i></sup>)] with δ/<i>M</i> = {ratio| .3g} gives {best|s ,.0f}",
        "first order: δ/τ + τ/2<i>M</i> + <i>R</i>/<i>M</i> = {writing|% .1f} + {rework|% .1f} + {restarting|% .1f} = {first_order|% .1f}",
        "exact: 1 − τ / (<i>M</i> e<sup><i>R</i>/<i>M</i></sup> (e<sup>(τ+δ)/<i>M</i></sup> − 1)) = 1 − {goodput| .4f} = {waste|% .1f}",
        "{waste|% .1f} of {gpus| ,.0f} GPUs at {price|$/h .2f} an hour for 24 hours = {money|$/d ,.0f}",
    ],
    pictures=[
        Picture(
            "waste",
            "Time lost against the interval",
            figure,
            caption="The shaded band holds every interval that loses at most a tenth more than the best one: "
            "from {low|time .2g} to {high|time .2g}. The star is the best, the diamond is yours.",
        )
    ],
)
