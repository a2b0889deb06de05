"""Part A: how often a cluster is interrupted, against its size, with the published fleets beside the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from chapterkit import records, table
from chapterkit.instrument import Control, Instrument, Picture, ReadOut
from fault_tolerance import reliability

_RECORDS = records.load(Path(__file__).parent.parent / "records.toml")
_RSC, _LLAMA, _RULE = _RECORDS["meta-rsc1"], _RECORDS["llama3-405b"], _RECORDS["mlcommons"]
HOUR = 3600.0
DAY = 86_400.0
CENTURY = 36_525.0 * DAY
# GPUs and hours between failures, as published or as the published counts give them.
FLEETS = {
    "Llama 3 405B": [[_LLAMA.gpus], [_LLAMA.duration / _LLAMA.unplanned / HOUR]],
    "RSC-1, measured": [[_RSC.gpus_1, _RSC.gpus_2], [_RSC.mttf_1 / HOUR, _RSC.mttf_2 / HOUR]],
    "RSC-1, projected": [[_RSC.gpus_3, _RSC.gpus_4], [_RSC.mttf_3 / HOUR, _RSC.mttf_4 / HOUR]],
    "MLCommons example": [[_RULE.gpus_1, _RULE.gpus_2], [_RULE.mtbf_1 / HOUR, _RULE.mtbf_2 / HOUR]],
}
SMALLEST, LARGEST = 8.0, 1_000_000.0


def compute(gpus: float, mttf: float) -> dict[str, Any]:
    mtbf = reliability.system_mtbf(mttf, gpus)
    unsaved = reliability.time_without_checkpoints(DAY, mtbf)
    verdict = "fine"
    if unsaved > 2.0 * DAY:
        verdict = "slow"
    if unsaved > CENTURY:
        verdict = "never"
    return {
        "mtbf": mtbf,
        "per_day": DAY / mtbf,
        "quiet": reliability.survival(DAY, mtbf),
        "unsaved": np.minimum(unsaved, CENTURY),
        "verdict": verdict,
    }


def fleet_figure(state: dict[str, Any]) -> dict[str, Any]:
    sizes = []
    hours = []
    for at in range(41):
        gpus = table.spread(SMALLEST, LARGEST, at, 40)
        sizes.append(gpus)
        hours.append(reliability.system_mtbf(state["mttf"], gpus) / HOUR)
    return {
        "data": [
            {"type": "scatter", "mode": "lines", "name": "Θ/N", "x": sizes, "y": hours,
             "line": {"color": "var(--ck-1)", "width": 3}, "hovertemplate": "%{x:.3s} GPUs: %{y:.3g} h"},
            fleet("Llama 3 405B", "diamond", "var(--ck-2)", 12),
            fleet("RSC-1, measured", "circle", "var(--ck-4)", 11),
            fleet("RSC-1, projected", "triangle-up", "var(--ck-4)", 11),
            fleet("MLCommons example", "square", "var(--ck-3)", 10),
            {"type": "scatter", "mode": "markers", "name": "yours", "x": [state["gpus"]], "y": [state["mtbf"] / HOUR],
             "marker": {"symbol": "star", "color": "var(--ck-5)", "size": 16}, "hovertemplate": "%{x:,} GPUs: %{y:.3g} h"},
        ],
        "layout": {
            "xaxis": {"title": {"text": "GPUs in the job"}, "type": "log", "range": [np.log10(6.0), np.log10(1.4e6)],
                      "tickvals": [10, 100, 1000, 10000, 100000, 1000000], "ticktext": ["10", "100", "1,000", "10,000", "100,000", "1 million"]},
            "yaxis": {"title": {"text": "time between failures"}, "type": "log", "range": [np.log10(0.005), np.log10(20000.0)],
                      "tickvals": [0.016666666666666666, 0.16666666666666666, 1, 24, 168, 720, 8766],
                      "ticktext": ["1 min", "10 min", "1 h", "1 day", "1 week", "1 month", "1 year"]},
        },
    }  # fmt: skip


def fleet(name: str, symbol: str, color: str, size: float) -> dict[str, Any]:
    points = FLEETS[name]
    return {"type": "scatter", "mode": "markers", "name": name, "x": points[0], "y": points[1],
            "marker": {"symbol": symbol, "color": color, "size": size}, "hovertemplate": "%{x:,} GPUs: %{y:.3g} h"}  # fmt: skip


INSTRUMENT = Instrument(
    name="mtbf-fleet",
    title="From one GPU to a cluster",
    controls=[
        Control("gpus", "GPUs in the job", 1_000, 200_000, 1_000, 10_000, symbol="N", whole=True),
        Control("mttf", "GPU-hours per interruption", 10_000, 100_000, 1_000, 50_000, unit="h", symbol="Θ"),
    ],
    compute=compute,
    readouts=[
        ReadOut("mtbf", "Mean time between failures", "time", ".3g", main=True),
        ReadOut("per_day", "Failures a day, on average", "", ".3g"),
        ReadOut("quiet", "Chance of a day without one", "%", ".2g"),
    ],
    sentences={
        "verdict": {
            "fine": "Without checkpoints, a day of work would take {unsaved|time .3g} on average. At this size, luck is still a plan.",
            "slow": "Without checkpoints, a day of work would take {unsaved|time ,.3g} on average: every failure sends the job back to its start.",
            "never": "Without checkpoints, a day of work would take more than a century on average: the job starts again and again and never ends.",
        }
    },
    pictures=[
        Picture(
            "fleets",
            "Time between failures against the size of the job",
            fleet_figure,
            caption="Both axes are logarithmic. The line is Θ/<i>N</i> at {mttf|h ,.0f} per interruption; the marks are published fleets, each with its source on the records page. The table gives hours.",
            ratio=0.6,
        )
    ],
)
