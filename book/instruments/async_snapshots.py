"""Part C: snapshots on every node, a drain behind them, and what is lost all the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapterkit import table
from chapterkit.instrument import Control, Instrument, Picture, ReadOut
from fault_tolerance import checkpoint, hardware, reliability, snapshot, storage

GPUS_PER_NODE = float(hardware.NODE.gpus)
NODE_BYTES = hardware.NODE.local_bytes
LINKS = hardware.NODE.link_bandwidth  # of a node's eight drives, PCIe 4.0
SHARED = hardware.STORAGE["nfs"].bandwidth
SLOWEST, FASTEST = 1e9, 500e9  # the drains that the picture shows
POINTS = 80
STORM = 0.5
ROOM = 1e-9  # of rounding, when two bandwidths are compared
TICKS = [0.00001, 0.0001, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0]
TICK_WORDS = [
    "10 µs",
    "0.1 ms",
    "1 ms",
    "10 ms",
    "0.1 s",
    "1 s",
    "10 s",
    "100 s",
    "1,000 s",
    "10,000 s",
    "100,000 s",
]


def waiting(drain_time: float, mtbf: float, restart_time: float) -> float:
    """What is lost if the training waits for every write, at its best interval for that."""
    best = checkpoint.optimal_interval(drain_time, mtbf)
    return 1.0 - checkpoint.goodput(best, drain_time, mtbf, restart_time)


def draining(
    pause: float, drain_time: float, mtbf: float, restart_time: float, local_survival: float
) -> float:
    """What is lost with snapshots that drain in the background, at the best interval the drain allows."""
    interval = snapshot.interval(pause, drain_time, mtbf)
    return 1.0 - snapshot.goodput(interval, pause, drain_time, mtbf, restart_time, local_survival)


def compute(
    gpus: float,
    node_bandwidth: float,
    drain_bandwidth: float,
    local_survival: float,
    restart_time: float,
    parameters: float,
    mttf: float,
) -> dict[str, Any]:
    nodes = gpus / GPUS_PER_NODE
    mtbf = reliability.system_mtbf(mttf, gpus)
    size = storage.checkpoint_bytes(parameters)
    pause = snapshot.pause(size, nodes, node_bandwidth)
    drain_time = snapshot.drain_time(size, drain_bandwidth)
    wanted = checkpoint.optimal_interval(pause, mtbf)
    interval = snapshot.interval(pause, drain_time, mtbf)
    free = snapshot.bandwidth_to_free(size, pause, mtbf)
    waste = draining(pause, drain_time, mtbf, restart_time, local_survival)
    sync_waste = waiting(drain_time, mtbf, restart_time)
    slots = snapshot.slots(interval, pause, drain_time)
    undrained = (1.0 - local_survival) * drain_time
    before_restarts = draining(pause, drain_time, mtbf, 0.0, local_survival)
    # A snapshot that one failure spares must still drain before a failure that does not (part-c-spared).
    through = reliability.survival(restart_time + drain_time, mtbf)
    saved = np.minimum(local_survival * through / (1.0 - local_survival * (1.0 - through)), 1.0)
    setter = "optimum"
    setter_words = "set by the optimum"
    free_words = "the drain has that much"
    if drain_bandwidth < free * (1.0 - ROOM):
        setter = "drain"
        setter_words = "set by the drain"
        free_words = "more than the drain has"
    verdict = "better"
    if before_restarts >= STORM:
        verdict = "storm"
    if waste >= sync_waste:
        verdict = "worse"
    survival = "none"
    if local_survival > 0.0:
        survival = "some"
    if local_survival >= 1.0:
        survival = "all"
    largest = "interval"
    if undrained > interval / 2.0:
        largest = "latency"
    if restart_time > undrained + interval / 2.0:
        largest = "restart"
    if restart_time + interval + pause + undrained > mtbf:
        largest = "rare"
    first_order = pause / interval + (undrained + interval / 2.0 + restart_time) / mtbf
    first_words = first_order
    if first_order >= 1.0:
        first_words = "everything and more"
    return {
        "nodes": nodes,
        "mtbf": mtbf,
        "size": size,
        "shard": size / nodes,
        "pause": pause,
        "drain_time": drain_time,
        "wanted": wanted,
        "interval": interval,
        "floor": drain_time - pause,
        "ratio": pause / mtbf,
        "setter": setter,
        "setter_words": setter_words,
        "free_words": free_words,
        "busy": np.minimum(drain_time / (interval + pause), 1.0),
        "free": free,
        "waste": waste,
        "goodput": 1.0 - waste,
        "before_restarts": before_restarts,
        "counted": draining(pause, drain_time, mtbf, restart_time, saved),
        "sync_interval": checkpoint.optimal_interval(drain_time, mtbf),
        "sync_waste": sync_waste,
        "gained": np.abs(sync_waste - waste) * gpus,
        "immortal": draining(pause, pause, mtbf, restart_time, 1.0),
        "slots": slots,
        "in_drain": slots - 2.0,
        "local_bytes": slots * size / nodes,
        "local_share": slots * size / nodes / NODE_BYTES,
        "node_bytes": NODE_BYTES,
        "destroyed": drain_time + (interval + pause) / 2.0,
        "undrained": undrained,
        "half": interval / 2.0,
        "quiet": restart_time + interval + pause + drain_time,
        "quiet_times": (restart_time + interval + pause + drain_time) / mtbf,
        "pausing": pause / interval,
        "latency": undrained / mtbf,
        "rework": interval / mtbf / 2.0,
        "restarting": restart_time / mtbf,
        "first_order": first_words,
        "to_restarts": 1.0 - reliability.survival(restart_time, mtbf),
        "one_node": size / node_bandwidth,
        "shared_time": size / SHARED,
        "links": LINKS,
        "linked_pause": snapshot.pause(size, nodes, LINKS),
        "verdict": verdict,
        "survival": survival,
        "largest": largest,
    }


def pauses_figure(state: dict[str, Any]) -> dict[str, Any]:
    low = np.floor(np.log10(np.minimum(state["pause"], 0.01)) - 0.2)
    high = np.ceil(np.log10(np.maximum(state["shared_time"], 10.0)) + 0.1)
    ticks = []
    words = []
    for at in range(len(TICKS)):
        power = np.log10(TICKS[at])
        # Every second power of ten is enough, or the words touch on a phone.
        if power > low - 0.01 and power < high + 0.01 and np.abs((at % 2) - 1.0) < 0.5:
            ticks.append(TICKS[at])
            words.append(TICK_WORDS[at])
    return {
        "data": [
            reach(low, [state["shared_time"], state["drain_time"], state["one_node"], state["pause"]]),
            method("waiting for NFS", state["shared_time"], 3, "var(--ck-2)", "square"),
            method("waiting for this drain", state["drain_time"], 2, "var(--ck-2)", "square"),
            method("one node alone", state["one_node"], 1, "var(--ck-3)", "circle"),
            method("snapshot, all nodes", state["pause"], 0, "var(--ck-1)", "diamond"),
        ],
        "layout": {
            "xaxis": {"title": {"text": "how long the training stands still"}, "type": "log", "range": [low, high], "tickvals": ticks, "ticktext": words},
            "yaxis": {"title": {"text": ""}, "range": [-0.6, 3.6], "tickvals": [0, 1, 2, 3],
                      "ticktext": ["snapshot", "one node", "this drain", "NFS"], "showgrid": False},
            "showlegend": False,
        },
    }  # fmt: skip


def reach(low: float, seconds: list[float]) -> dict[str, Any]:
    """Lines from the left edge of the picture to each value, the last one lowest."""
    x = []
    y = []
    for at in range(len(seconds)):
        x.append(np.exp(low * np.log(10.0)))
        x.append(seconds[at])
        x.append(None)
        y.append(3.0 - at)
        y.append(3.0 - at)
        y.append(None)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "",
        "x": x,
        "y": y,
        "line": {"color": "var(--ck-muted)", "width": 2},
        "hoverinfo": "skip",
    }


def method(name: str, seconds: float, row: float, color: str, symbol: str) -> dict[str, Any]:
    return {"type": "scatter", "mode": "markers", "name": name, "x": [seconds], "y": [row],
            "marker": {"symbol": symbol, "color": color, "size": 13}, "hovertemplate": "%{x:.3g} s"}  # fmt: skip


def waste_figure(state: dict[str, Any]) -> dict[str, Any]:
    size, pause, mtbf = state["size"], state["pause"], state["mtbf"]
    restart_time, local_survival = state["restart_time"], state["local_survival"]
    rates = []
    sync = []
    async_ = []
    immortal = []
    never = 100.0 * state["immortal"]
    for at in range(POINTS + 1):
        bandwidth = table.spread(SLOWEST, FASTEST, at, POINTS)
        drain_time = snapshot.drain_time(size, bandwidth)
        rates.append(bandwidth / 1e9)
        sync.append(100.0 * waiting(drain_time, mtbf, restart_time))
        async_.append(100.0 * draining(pause, drain_time, mtbf, restart_time, local_survival))
        immortal.append(never)
    low = np.floor(np.log10(never) - 0.05)
    data = [
        line("the training waits", rates, sync, "var(--ck-2)", "dash", 2),
        line("snapshots with a drain", rates, async_, "var(--ck-1)", "solid", 3),
        line("snapshots that never die", rates, immortal, "var(--ck-4)", "dot", 2),
        mark("yours", state["drain_bandwidth"], state["waste"], "diamond", "var(--ck-6)", 13),
        mark("yours, waiting", state["drain_bandwidth"], state["sync_waste"], "square", "var(--ck-2)", 10),
    ]
    shapes = []
    notes = []
    if state["free"] > SLOWEST and state["free"] < FASTEST:
        at_knee = draining(
            pause, snapshot.drain_time(size, state["free"]), mtbf, restart_time, local_survival
        )
        data.append(mark("knee", state["free"], at_knee, "star", "var(--ck-5)", 15))
        shapes.append({"type": "line", "x0": state["free"] / 1e9, "x1": state["free"] / 1e9, "y0": 0, "y1": 1, "yref": "paper",
                       "line": {"color": "var(--ck-5)", "width": 1.5, "dash": "dot"}})  # fmt: skip
        notes.append({"x": np.log10(state["free"] / 1e9), "y": 0.98, "yref": "paper", "yanchor": "top", "showarrow": False,
                      "xanchor": "left" if state["free"] < 30e9 else "right",
                      "text": " optimum sets the interval →" if state["free"] < 30e9 else "← drain sets the interval "})  # fmt: skip
    ticks = [0.0001, 0.001, 0.01, 0.1, 1, 10, 100]
    shown = []
    for tick in ticks:
        if np.log10(tick) > low - 0.01:
            shown.append(tick)
    return {
        "data": data,
        "layout": {
            "xaxis": {"title": {"text": "drain bandwidth, GB/s"}, "type": "log", "range": [0, np.log10(500.0)],
                      "tickvals": [1, 2, 5, 10, 20, 50, 100, 200, 500]},
            "yaxis": {"title": {"text": "share of the time lost, %"}, "type": "log", "range": [low, 2.05], "tickvals": shown},
            "shapes": shapes,
            "annotations": notes,
        },
    }  # fmt: skip


def line(name: str, x: list[float], y: list[float], color: str, dash: str, width: float) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y,
            "line": {"color": color, "dash": dash, "width": width}, "hovertemplate": "%{x:.3g} GB/s: %{y:.3g} %"}  # fmt: skip


def mark(name: str, bandwidth: float, share: float, symbol: str, color: str, size: float) -> dict[str, Any]:
    return {"type": "scatter", "mode": "markers", "name": name, "x": [bandwidth / 1e9], "y": [100.0 * share],
            "marker": {"symbol": symbol, "color": color, "size": size}, "hovertemplate": "%{x:.3g} GB/s: %{y:.3g} %"}  # fmt: skip


def strip_figure(state: dict[str, Any]) -> dict[str, Any]:
    """Snapshots, their drains, and a failure that destroys as much as failures do on average."""
    period = state["interval"] + state["pause"]
    drain_time = state["drain_time"]
    failure = 2.0 * period + drain_time + period / 2.0
    unit = 1.0
    word = "seconds since a durable checkpoint"
    if failure > 600.0:
        unit = 60.0
        word = "minutes since a durable checkpoint"
    if failure > 36000.0:
        unit = 3600.0
        word = "hours since a durable checkpoint"
    durable = strip("work, durable", "var(--ck-1)", 16)
    at_risk = strip("work, not durable yet", "var(--ck-6)", 8)
    drain = strip("drain", "var(--ck-5)", 11)
    cut = strip("drain, cut off", "var(--ck-2)", 5)
    pauses = {"type": "scatter", "mode": "markers", "name": "snapshot", "x": [], "y": [],
              "marker": {"symbol": "line-ns-open", "color": "var(--ck-fg)", "size": 16}, "hovertemplate": "snapshot at %{x:.3g}"}  # fmt: skip
    count = int(np.floor(failure / period * (1.0 + 1e-9)))
    add(durable, 0.0, 2.0 * period, 4, unit)
    add(at_risk, 2.0 * period, failure, 4, unit)
    for at in range(count):
        taken = (at + 1.0) * period
        row = 3.0 - at % 2
        pauses["x"].append(taken / unit)
        pauses["y"].append(4)
        if at < 2:
            add(drain, taken, taken + drain_time, row, unit)
        else:
            add(cut, taken, failure, row, unit)
    add(at_risk, 2.0 * period, failure, 1, unit)
    add(at_risk, count * period, failure, 0, unit)
    return {
        "data": [
            durable,
            at_risk,
            drain,
            cut,
            pauses,
            {"type": "scatter", "mode": "markers", "name": "failure", "x": [failure / unit], "y": [4],
             "marker": {"symbol": "x", "color": "var(--ck-fg)", "size": 11}, "hovertemplate": "failure at %{x:.3g}"},
        ],
        "layout": {
            "xaxis": {"title": {"text": word}, "range": [0, failure * 1.04 / unit], "showgrid": False},
            "yaxis": {"title": {"text": ""}, "range": [-0.6, 4.7], "tickvals": [0, 1, 2, 3, 4],
                      "ticktext": ["node alive", "node dead", "slot 2", "slot 1", "training"], "showgrid": False},
        },
    }  # fmt: skip


def add(trace: dict[str, Any], start: float, end: float, row: float, unit: float) -> None:
    """Put one stretch of time on a row; an empty point ends the line."""
    trace["x"].append(start / unit)
    trace["x"].append(end / unit)
    trace["x"].append(None)
    trace["y"].append(row)
    trace["y"].append(row)
    trace["y"].append(None)


def strip(name: str, color: str, width: float) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [],
        "y": [],
        "line": {"color": color, "width": width},
        "hoverinfo": "name",
    }


INSTRUMENT = Instrument(
    name="async-snapshots",
    title="Snapshots, their drain, and what is still lost",
    controls=[
        Control("gpus", "GPUs in the job", 1_000, 25_000, 200, 10_000, symbol="N", whole=True, multiple=8),
        Control("node_bandwidth", "Local drives of one node", 10, 200, 10, 100, unit="GB/s"),
        Control("drain_bandwidth", "Drain, all nodes together", 1, 50, 1, 10, unit="GB/s", reach=500),
        Control("local_survival", "Failures that spare local snapshots", 0, 100, 5, 0, unit="%", symbol="q"),
        Control("restart_time", "Restart time", 0, 1_800, 30, 0, unit="s", symbol="R", also="time"),
        Control("parameters", "Parameters of the model", 1, 2_000, 1, 175, unit="B-params", more=True),
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
        ReadOut("shard", "Each node's part", "bytes", ".3g", "{size|bytes .3g} over {nodes| ,.0f} nodes"),
        ReadOut(
            "pause",
            "Pause",
            "time",
            ".3g",
            "the links of eight PCIe 4.0 drives allow {linked_pause|time .2g}",
            main=True,
        ),
        ReadOut(
            "drain_time",
            "Time to drain one snapshot",
            "time",
            ".3g",
            "{drain_time|s ,.3g} at {drain_bandwidth|rate .3g}",
        ),
        ReadOut("interval", "Interval used", "time", ".3g", "{setter_words}", main=True),
        ReadOut(
            "waste", "Lost, with snapshots", "%", ".3g", "first order says {first_order|% .3g}", main=True
        ),
        ReadOut(
            "sync_waste",
            "Lost, if the training waits instead",
            "%",
            ".3g",
            "same bandwidth, every {sync_interval|time .3g}",
            main=True,
        ),
        ReadOut("free", "Drain that would free the interval", "rate", ".3g", "{free_words}"),
        ReadOut(
            "local_bytes",
            "Room on each node",
            "bytes",
            ".3g",
            "{slots| .0f} snapshots, {local_share|% .2g} of {node_bytes|bytes .2g}",
        ),
    ],
    sentences={
        "setter": {
            "drain": "<b>The drain sets the interval.</b> After a pause this short the best interval would be {wanted|time .3g}. "
            "But a snapshot drains for {drain_time|time .3g}, and the next one must wait for that. From {free|rate .3g} on the optimum would set it.",
            "optimum": "<b>The optimum sets the interval.</b> Snapshots follow each other at {wanted|time .3g}, the best interval for this pause. "
            "The drain is busy {busy|% .0f} of the time. A faster one makes each snapshot durable sooner, but there will be no more of them.",
        },
        "verdict": {
            "better": "Writing at this bandwidth while the training waits would lose {sync_waste|% .3g}. In the background it loses {waste|% .3g}. "
            "The difference is the work of {gained| ,.0f} GPUs.",
            "storm": '<b class="ck-alert">A storm all the same.</b> {before_restarts|% .3g} is lost before any restart. A snapshot drains for {drain_time|time .3g}, '
            "and failures come every {mtbf|time .3g}. Only fewer bytes, a faster drain or fewer failures help. Waiting would lose {sync_waste|% .3g} in all, snapshots {waste|% .3g}.",
            "worse": '<b class="ck-alert">Worse than waiting.</b> Snapshots lose {waste|% .4g}, waiting would lose {sync_waste|% .4g}. A drain takes {drain_time|time .3g}, '
            "longer than the {mtbf|time .3g} between failures, and hardly a snapshot lives to be durable. Only fewer bytes, a faster drain or fewer failures help.",
        },
        "largest": {
            "interval": "A failure destroys half an interval on average, {half|time .3g}. The drain adds {undrained|time .3g} to that, the restart {restart_time|time .3g}.",
            "latency": "A failure destroys the {undrained|time .3g} that the last durable snapshot lies behind, and on average half an interval, {half|time .3g}, on top.",
            "restart": "Each failure costs {restart_time|time .3g} for the restart, more than the work it destroys. If nothing else were lost, restarts would still take {to_restarts|% .2g}. No drain and no pause changes that.",
            "rare": "To make one snapshot durable, nothing may fail for {quiet|time .3g}: the restart, one interval and the drain. That is {quiet_times|x .2g} the time between failures, so much of the work is done again and again.",
        },
        "survival": {
            "none": "Every failure is taken to destroy the snapshots on its node, so only drained ones count.",
            "some": "In {local_survival|% .0f} of the failures the job resumes from its local snapshots. A snapshot that one failure spares may die in the next. "
            "The formula forgets that; counted in full, {counted|% .3g} is lost.",
            "all": "No failure ever destroys a snapshot: only the pause and the interval cost. That holds for a crashed process, not for a dead node.",
        },
    },
    lines=[
        "<i>s</i> = (<i>C</i>/<i>n</i>) / <i>B</i><sub>node</sub> = ({size|bytes .4g} / {nodes| ,.0f}) / {node_bandwidth|rate .4g} = {pause|time .3g}",
        "<i>T</i><sub>d</sub> = <i>C</i> / <i>B</i><sub>drain</sub> = {size|bytes .4g} / {drain_bandwidth|rate .4g} = {drain_time|s ,.4g}",
        "τ* for <i>s</i>/<i>M</i> = {ratio| .3g} is {wanted|s ,.4g}; the drain needs <i>T</i><sub>d</sub> − <i>s</i> = {floor|s ,.4g}; the longer of the two is τ = {interval|s ,.4g}",
        "η = [<i>q</i> + (1 − <i>q</i>) e<sup>−<i>T</i><sub>d</sub>/<i>M</i></sup>] e<sup>−<i>R</i>/<i>M</i></sup> (τ/<i>M</i>) / (e<sup>(τ+<i>s</i>)/<i>M</i></sup> − 1) = {goodput| .4f}, so {waste|% .3g} is lost",
        "first order: <i>s</i>/τ + [(1 − <i>q</i>)<i>T</i><sub>d</sub> + τ/2 + <i>R</i>]/<i>M</i> = {pausing|% .2g} + {latency|% .2g} + {rework|% .2g} + {restarting|% .2g} = {first_order|% .3g}",
        "waiting: δ = <i>T</i><sub>d</sub>, at its best interval {sync_interval|s ,.4g}, loses {sync_waste|% .3g}",
        "room: 1 + ⌈<i>T</i><sub>d</sub>/(τ+<i>s</i>)⌉ + 1 = {slots| .0f} snapshots of {shard|bytes .3g} = {local_bytes|bytes .3g}",
    ],
    pictures=[
        Picture(
            "waste",
            "Time lost against the bandwidth of the drain",
            waste_figure,
            caption="While losses are small and restarts short, waiting loses less with the root of the bandwidth, snapshots with the bandwidth itself, until the optimum takes over at {free|rate .3g}. "
            "The dotted line would hold if snapshots could not die: {immortal|% .2g}. The diamond is yours.",
        ),
        Picture(
            "strip",
            "Two snapshots drained, one failure",
            strip_figure,
            caption="Each tick is a snapshot; the pause of {pause|time .3g} is too short to draw. Each drain holds one slot on the node's drives. If a node dies, the job does {destroyed|time .3g} "
            "of work again: here, and on average while failures are rare. If its snapshots survive, it does less.",
            ratio=0.38,
            narrow_ratio=0.85,
            table=False,
        ),
        Picture(
            "pauses",
            "How long the training stands still, by method",
            pauses_figure,
            caption="Writing to shared NFS at 1 GB/s takes {shared_time|time .3g}, at the bandwidth of this drain {drain_time|time .3g}. One node alone, at {node_bandwidth|rate .3g}, "
            "would need {one_node|time .3g}; {nodes| ,.0f} nodes share it in {pause|time .3g}. The axis is logarithmic.",
            ratio=0.3,
            narrow_ratio=0.6,
            table=False,
        ),
    ],
)
