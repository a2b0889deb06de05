"""Part B: what a checkpoint weighs, how long shared storage takes for it, and when that is a storm."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapterkit import table
from chapterkit.instrument import Choice, Control, Instrument, Option, Picture, ReadOut
from fault_tolerance import checkpoint, hardware, reliability, storage

NFS = hardware.STORAGE["nfs"].bandwidth
PARALLEL = hardware.STORAGE["parallel"].bandwidth
NVME = hardware.STORAGE["nvme"].bandwidth
GPUS_PER_NODE = hardware.NODE.gpus
FINE = 0.1  # the most that may be lost where all is well, and the target of the bandwidth
SLOWEST, FASTEST = 0.5e9, 2000e9  # storage of the reader's own, bytes per second
FEWEST, MOST = 100.0, 1_000_000.0  # GPUs on the axis
SLIDER_END = 25_000.0
ABSURD = 1e15  # bytes per second above which only this bound is shown
POINTS = 60


def best_goodput(write_time: float, mtbf: float, restart_time: float) -> float:
    return checkpoint.goodput(checkpoint.optimal_interval(write_time, mtbf), write_time, mtbf, restart_time)


def first_past(gpus: float) -> float:
    """The first whole number of GPUs past a threshold."""
    return np.floor(gpus) + 1.0


def compute(
    parameters: float, gpus: float, bandwidth: float, restart_time: float, mttf: float, price: float
) -> dict[str, Any]:
    size = storage.checkpoint_bytes(parameters)
    write_time = storage.write_time(size, bandwidth)
    mtbf = reliability.system_mtbf(mttf, gpus)
    best = checkpoint.optimal_interval(write_time, mtbf)
    kept = best_goodput(write_time, mtbf, 0.0)
    kept_restarts = best_goodput(write_time, mtbf, restart_time)
    first_order = np.sqrt(2.0 * write_time / mtbf)
    state = "strained"
    if 1.0 - kept < FINE:
        state = "fine"
    if kept < storage.STORM_GOODPUT:
        state = "storm"
    rule = "quiet"
    if first_order >= 1.0 - storage.STORM_GOODPUT:
        rule = "early"
    if state == "storm":
        rule = "late"
    if write_time > 2.0 * mtbf:
        rule = "rings"
    restart_limit = storage.max_restart_time(FINE, mtbf)
    needed = "impossible"
    target = "impossible"
    factor = 0.0
    if restart_time < restart_limit:
        needed = storage.bandwidth_for_waste(size, mtbf, FINE, restart_time)
        factor = needed / bandwidth
        target = "possible"
        if needed > FASTEST:
            target = "beyond"
        if needed > ABSURD:
            needed = "over 1,000 TB/s"
        if factor <= 1.0:
            target = "met"
    completed = checkpoint.checkpoint_rate(best, write_time, mtbf, restart_time)
    return {
        "size": size,
        "bytes_each": size / parameters,
        "write_time": write_time,
        "mtbf": mtbf,
        "best": best,
        "young": checkpoint.young_interval(write_time, mtbf),
        "ratio": write_time / mtbf,
        "share": write_time / best,
        "kept": kept,
        "lost": 1.0 - kept,
        "kept_restarts": kept_restarts,
        "restarts": kept - kept_restarts,
        "useful": gpus * kept_restarts,
        "restart_factor": np.exp(-restart_time / mtbf),
        "restarts_alone": -np.expm1(-restart_time / mtbf),
        "first_order": first_order,
        "completed": completed,
        "money": completed * write_time * gpus * price,
        "bill": gpus * price,
        "restart_limit": restart_limit,
        "left": 1.0 - (1.0 - FINE) * np.exp(restart_time / mtbf),
        "needed": needed,
        "factor": factor,
        "needed_half": size / storage.write_time_for_goodput(storage.STORM_GOODPUT, mtbf),
        "nodes": gpus / GPUS_PER_NODE,
        "each": bandwidth / (gpus / GPUS_PER_NODE),
        "at_tenth": first_past(storage.gpus_for_goodput(1.0 - FINE, write_time, mttf)),
        "at_quarter": first_past(storage.gpus_for_goodput(0.75, write_time, mttf)),
        "at_half": first_past(storage.gpus_for_goodput(storage.STORM_GOODPUT, write_time, mttf)),
        "at_equal": first_past(storage.gpus_for_goodput(storage.WRITE_EQUALS_WORK_GOODPUT, write_time, mttf)),
        "at_estimate": first_past(storage.gpus_for_first_order_waste(0.5, write_time, mttf)),
        "at_rule": first_past(storage.gpus_for_first_order_waste(2.0, write_time, mttf)),
        "rule_lost": 1.0 - best_goodput(2.0, 1.0, 0.0),
        "state": state,
        "rule": rule,
        "target": target,
    }


def times(state: dict[str, Any]) -> dict[str, Any]:
    """Write time and best interval against the bandwidth of the storage."""
    size, mtbf, bandwidth = state["size"], state["mtbf"], state["bandwidth"]
    x = []
    write = []
    interval = []
    failures = []
    for at in range(POINTS + 1):
        speed = table.spread(SLOWEST, FASTEST, at, POINTS)
        x.append(speed / 1e9)
        write.append(storage.write_time(size, speed) / 60.0)
        interval.append(checkpoint.optimal_interval(storage.write_time(size, speed), mtbf) / 60.0)
        failures.append(mtbf / 60.0)
    tiers = [NFS, PARALLEL, NVME]
    tier_x = []
    tier_write = []
    tier_interval = []
    for speed in tiers:
        tier_x.append(speed / 1e9)
        tier_write.append(storage.write_time(size, speed) / 60.0)
        tier_interval.append(checkpoint.optimal_interval(storage.write_time(size, speed), mtbf) / 60.0)
    low = np.log10(write[POINTS] / 2.0)
    high = np.log10(np.maximum(mtbf / 60.0, write[0]) * 3.0)
    data = [
        curve("write δ, min", x, write, "var(--ck-2)", "dash", "%{x:.3g} GB/s: %{y:.3g} min"),
        curve("interval τ*, min", x, interval, "var(--ck-1)", "solid", "%{x:.3g} GB/s: %{y:.3g} min"),
        curve("MTBF M, min", x, failures, "var(--ck-3)", "dot", "%{x:.3g} GB/s: %{y:.3g} min"),
        unnamed(marks("write of a tier", tier_x, tier_write, "circle", "var(--ck-2)", 9)),
        unnamed(marks("interval of a tier", tier_x, tier_interval, "square", "var(--ck-1)", 9)),
        marks("your storage", [bandwidth / 1e9, bandwidth / 1e9], [state["write_time"] / 60.0, state["best"] / 60.0], "diamond", "var(--ck-6)", 12),
    ]  # fmt: skip
    shapes = []
    annotations = []
    edge = np.minimum(state["needed_half"], FASTEST)
    if edge > SLOWEST:
        shapes.append({"type": "rect", "x0": SLOWEST / 1e9, "x1": edge / 1e9, "y0": 0, "y1": 1, "yref": "paper",
                       "fillcolor": "var(--ck-band)", "line": {"width": 0}, "layer": "below"})  # fmt: skip
        if edge > 1.5 * SLOWEST:
            annotations.append(
                {
                    "x": np.log10(SLOWEST / 1e9 * 1.1),
                    "y": 0.04,
                    "yref": "paper",
                    "xanchor": "left",
                    "showarrow": False,
                    "text": "storm",
                }
            )
    tick_values = []
    tick_words = []
    words = ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "1 min", "10 min", "1 h", "10 h", "100 h", "1,000 h"]
    for at, minutes in enumerate([1 / 60000, 1 / 6000, 1 / 600, 1 / 60, 1 / 6, 1, 10, 60, 600, 6000, 60000]):
        if np.log10(minutes) >= low and np.log10(minutes) <= high:
            tick_values.append(minutes)
            tick_words.append(words[at])
    return {
        "data": data,
        "layout": {
            "xaxis": {"title": {"text": "storage bandwidth, GB/s"}, "type": "log", "range": [np.log10(SLOWEST / 1e9), np.log10(FASTEST / 1e9)],
                      "tickvals": [1, 10, 100, 1000], "ticktext": ["1 (NFS)", "10 (parallel)", "100 (NVMe)", "1,000"]},
            "yaxis": {"title": {"text": "time"}, "type": "log", "range": [low, high], "tickvals": tick_values, "ticktext": tick_words},
            "shapes": shapes,
            "annotations": annotations,
        },
    }  # fmt: skip


def sizes(state: dict[str, Any]) -> dict[str, Any]:
    """Best goodput against the number of GPUs, for each tier and for the reader's storage."""
    size, mttf = state["size"], state["mttf"]
    x = []
    for at in range(POINTS + 1):
        x.append(table.spread(FEWEST, MOST, at, POINTS))
    data = [
        line("your storage", x, state["write_time"], mttf, "var(--ck-3)", "solid", 5),
        line("NFS, 1 GB/s", x, storage.write_time(size, NFS), mttf, "var(--ck-2)", "dash", 2),
        line("parallel, 10 GB/s", x, storage.write_time(size, PARALLEL), mttf, "var(--ck-1)", "dashdot", 2),
        line("NVMe, 100 GB/s", x, storage.write_time(size, NVME), mttf, "var(--ck-5)", "dot", 2),
        marks("your job", [state["gpus"]], [100.0 * state["kept"]], "diamond", "var(--ck-6)", 13),
    ]
    annotations = [
        {
            "x": np.log10(FEWEST * 1.15),
            "y": 1,
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "text": "storm",
        },
        {
            "x": np.log10(SLIDER_END),
            "y": 102,
            "xanchor": "center",
            "yanchor": "bottom",
            "showarrow": False,
            "text": "the slider ends here",
        },
    ]
    at_gpus = [state["at_tenth"], state["at_quarter"], state["at_half"], state["at_equal"], state["at_rule"]]
    names = ["a tenth lost", "a quarter lost", "half lost", "write = work", "textbook rule"]
    labels = ["a tenth", "a quarter", "half lost", "write = work", "rule"]
    for at, gpus in enumerate(at_gpus):
        if gpus >= FEWEST and gpus <= MOST:
            there = 100.0 * best_goodput(state["write_time"], mttf / gpus, 0.0)
            data.append({"type": "scatter", "mode": "markers", "name": names[at], "x": [gpus], "y": [there], "showlegend": False,
                         "marker": {"symbol": "x", "color": "var(--ck-fg)", "size": 9}, "hovertemplate": "%{x:,.0f} GPUs: %{y:.3g} %"})  # fmt: skip
            # The curve falls, so there is room above to the right and below to the left of it.
            label = {
                "x": np.log10(gpus * 1.12),
                "y": there,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "text": labels[at],
            }
            if gpus > 0.5 * MOST:
                label = {
                    "x": np.log10(gpus / 1.12),
                    "y": there,
                    "xanchor": "right",
                    "yanchor": "top",
                    "showarrow": False,
                    "text": labels[at],
                }
            annotations.append(label)
    half = 100.0 * storage.STORM_GOODPUT
    return {
        "data": data,
        "layout": {
            "xaxis": {"title": {"text": "GPUs in the job"}, "type": "log", "range": [np.log10(FEWEST), np.log10(MOST)],
                      "tickvals": [100, 1_000, 10_000, 100_000, 1_000_000], "ticktext": ["100", "1,000", "10,000", "100,000", "1 million"]},
            "yaxis": {"title": {"text": "useful share at best, %"}, "range": [0, 110], "tickvals": [0, 25, 50, 75, 100]},
            "shapes": [
                {"type": "rect", "x0": 0, "x1": 1, "xref": "paper", "y0": 0, "y1": half, "fillcolor": "var(--ck-band)", "line": {"width": 0}, "layer": "below"},
                {"type": "line", "x0": SLIDER_END, "x1": SLIDER_END, "y0": 0, "y1": 100, "line": {"color": "var(--ck-muted)", "dash": "dot", "width": 1.5}},
            ],
            "annotations": annotations,
        },
    }  # fmt: skip


def curve(name: str, x: list[float], y: list[float], color: str, dash: str, hover: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": color, "dash": dash, "width": 2.5},
        "hovertemplate": hover,
    }


def line(
    name: str, x: list[float], write_time: float, mttf: float, color: str, dash: str, width: float
) -> dict[str, Any]:
    y = []
    for gpus in x:
        y.append(100.0 * best_goodput(write_time, mttf / gpus, 0.0))
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y,
            "line": {"color": color, "dash": dash, "width": width}, "hovertemplate": "%{x:,.0f} GPUs: %{y:.3g} %"}  # fmt: skip


def marks(name: str, x: list[float], y: list[float], symbol: str, color: str, size: float) -> dict[str, Any]:
    return {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y,
            "marker": {"symbol": symbol, "color": color, "size": size}, "hovertemplate": "%{x:,.4g}: %{y:.3g}"}  # fmt: skip


def unnamed(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace without its line in the legend; in the table it keeps its name."""
    trace["showlegend"] = False
    return trace


INSTRUMENT = Instrument(
    name="storm",
    title="Storage, size and the storm",
    controls=[
        Control(
            "parameters", "Parameters of the model", 1, 175, 1, 175, unit="B-params", symbol="P", reach=2_000
        ),
        Control(
            "gpus", "GPUs in the job", 200, 25_000, 200, 1_000, symbol="N", whole=True, multiple=GPUS_PER_NODE
        ),
        Choice(
            "bandwidth",
            "Shared storage, for the whole job",
            [
                Option("nfs", "shared NFS", NFS / 1e9),
                Option("parallel", "parallel file system", PARALLEL / 1e9),
                Option("nvme", "NVMe tier", NVME / 1e9),
                Option("custom", "custom, set under More", control="own_bandwidth"),
            ],
            "nfs",
            unit="GB/s",
            symbol="B",
        ),
        Control(
            "own_bandwidth", "Custom storage", SLOWEST / 1e9, FASTEST / 1e9, 0.5, 25, unit="GB/s", more=True
        ),
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
        ReadOut("size", "One checkpoint", "bytes", ".3g", "{bytes_each| .3g} bytes per parameter"),
        ReadOut("write_time", "Time of one write", "time", ".3g", "that is {write_time|s ,.4g}", main=True),
        ReadOut("mtbf", "Mean time between failures", "time", ".3g", "that is {mtbf|s ,.0f}"),
        ReadOut("best", "Best interval, exact", "time", ".3g", "Young says {young|time .3g}", main=True),
        ReadOut("share", "Write over best interval", "", ".3g", "writing against work"),
        ReadOut(
            "kept",
            "Useful at best, without restarts",
            "%",
            ".1f",
            "{state}; restarts take {restarts|points .1f} more",
            main=True,
        ),
        ReadOut("money", "Spent on checkpoints, per day", "$/d", ",.0f", "{completed|/d .2g} completed"),
        ReadOut("needed", "Bandwidth to lose a tenth", "rate", ".3g", "restarts included"),
    ],
    sentences={
        "state": {
            "fine": "<b>Fine.</b> At its best interval the job loses {lost|% .1f} to writing and rework, less than a tenth. "
            "On this storage that lasts until {at_tenth| ,.0f} GPUs; the storm begins at {at_half| ,.0f}.",
            "strained": "<b>Strained, no storm.</b> Even at its best interval the job loses {lost|% .1f} to writing and rework. "
            "On this storage half is lost from {at_half| ,.0f} GPUs on.",
            "storm": '<b class="ck-alert">Checkpoint storm.</b> Even at its best interval the job loses {lost|% .1f} to writing and rework: '
            "a write takes {write_time|time .3g}, and a failure comes every {mtbf|time .3g}. The storm ends below {at_half| ,.0f} GPUs on this storage, "
            "or with more than {needed_half|rate .3g} for this job.",
        },
        "rule": {
            "quiet": "First order calls half lost from {at_estimate| ,.0f} GPUs on. The textbook rule, <i>a write longer than Young’s interval</i>, would ring at {at_rule| ,.0f}.",
            "early": "First order says {first_order|% .0f} lost and so calls half lost already. That is too early: in truth it is {lost|% .1f}.",
            "late": "The textbook rule, <i>a write longer than Young’s interval</i>, is still silent. It rings at {at_rule| ,.0f} GPUs, when {rule_lost|% .0f} is lost.",
            "rings": "Now even the textbook rule rings: a write takes longer than Young’s interval. It rang at {at_rule| ,.0f} GPUs; the storm began at {at_half| ,.0f}.",
        },
        "target": {
            "met": "For a loss of a tenth, restarts included, this job needs {needed|rate .3g}. This storage has it.",
            "possible": "To lose no more than a tenth, restarts included, this job needs {needed|rate .3g}: {factor|x .3g} what this storage takes.",
            "beyond": "To lose no more than a tenth, restarts included, this job would need {needed|rate .3g}, more than the sliders offer. Shorten the restart, or use fewer GPUs.",
            "impossible": "<b>No bandwidth keeps the loss to a tenth.</b> Restarts alone cost {restarts_alone|% .1f}. Bring the restart under {restart_limit|time .3g}, or use fewer GPUs.",
        },
    },
    lines=[
        "<i>C</i> = β · <i>P</i> = {bytes_each| .3g} B · {parameters|B-params ,.6g} = {size|bytes .4g}",
        "δ = <i>C</i> / <i>B</i> = {size|bytes .4g} / {bandwidth|rate .4g} = {write_time|s ,.4g}; each of {nodes| ,.6g} nodes sends {each|rate .3g}",
        "<i>M</i> = Θ / <i>N</i> = {mttf|h ,.6g} / {gpus| ,.0f} = {mtbf|s ,.0f}",
        "τ* = <i>M</i> [1 + W₀(−e<sup>−1−δ/<i>M</i></sup>)] with δ/<i>M</i> = {ratio| .3g} gives {best|s ,.4g}",
        "η* = 1 − τ*/<i>M</i> = {kept|% .1f}, and with restarts e<sup>−<i>R</i>/<i>M</i></sup> η* = {restart_factor| .4g} · {kept|% .1f} = {kept_restarts|% .1f}: the work of {useful| ,.0f} GPUs",
        "completed per day: 86,400 s · η/τ* = {completed|/d .3g}; each costs {write_time|s ,.4g} of {gpus| ,.0f} GPUs at {price|$/h .2f} an hour",
        "<i>B</i> = <i>C</i> / (<i>M</i> [−ln(1 − <i>w</i>) − <i>w</i>]) with <i>w</i> = 1 − (1 − 10 %) e<sup><i>R</i>/<i>M</i></sup> = {left|% .2f}: {needed|rate .3g}",
    ],
    pictures=[
        Picture(
            "times",
            "A write against its own best interval",
            times,
            caption="Dots mark the three tiers, diamonds your storage. The table gives minutes. Ten times the bandwidth makes the write ten times shorter and the best interval about three times. "
            "Below {needed_half|rate .3g} half is lost even at best; that part is shaded where the axis reaches it.",
        ),
        Picture(
            "sizes",
            "What is left at the best interval",
            sizes,
            caption="On your storage a tenth is lost from {at_tenth| ,.0f} GPUs on, a quarter from {at_quarter| ,.0f}, half from {at_half| ,.0f}. "
            "A write takes longer than the work before it from {at_equal| ,.0f}; the textbook rule rings at {at_rule| ,.0f}.",
        ),
    ],
)
