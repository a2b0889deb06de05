"""How long a swing takes."""

# Tables of cases, figures and lines of JavaScript read better uncut.

import numpy as np
import swinging

from chapterkit.instrument import Control, Instrument, Picture, ReadOut

DEGREE = np.pi / 180.0


def compute(length, angle, gravity):
    small = swinging.period(length, gravity=gravity)
    stretch = swinging.stretch(angle * DEGREE)
    verdict = "small"
    if stretch > 1.01:
        verdict = "large"
    return {
        "small": small,
        "exact": small * stretch,
        "extra": stretch - 1.0,
        "verdict": verdict,
        "clock": clock(small),
    }


def clock(time):
    return "a clock's pendulum" if np.abs(time - 2.0) < 0.05 else "no clock's pendulum"


def curve_figure(state):
    angles = []
    times = []
    for at in range(21):
        angles.append(8.0 * at)
        times.append(state["small"] * swinging.stretch(8.0 * at * DEGREE))
    return {
        "data": [
            {"type": "scatter", "mode": "lines", "name": "exact", "x": angles, "y": times,
             "line": {"color": "var(--ck-1)", "width": 3}, "fill": "tozeroy", "fillcolor": "var(--ck-band)"},
            {"type": "scatter", "mode": "lines", "name": "small swings", "x": angles, "y": [state["small"]] * 21,
             "line": {"color": "var(--ck-2)", "dash": "dash"}},
            {"type": "scatter", "mode": "markers+text", "name": "yours", "x": [state["angle"]], "y": [state["exact"]],
             "text": ["here"], "marker": {"symbol": "star", "color": "var(--ck-5)", "size": 12}},
        ],
        "layout": {
            "xaxis": {"title": {"text": "angle, degrees"}, "range": [0, 160], "tickvals": [0, 45, 90, 135]},
            "yaxis": {"title": {"text": "period, seconds"}},
            "shapes": [{"type": "rect", "x0": 0, "x1": 23, "y0": 0, "y1": 1, "yref": "paper", "fillcolor": "var(--ck-band)", "line": {"width": 0}}],
            "annotations": [{"x": 11, "y": 0.9, "yref": "paper", "text": "within 1 %", "showarrow": False}],
        },
    }  # fmt: skip


def bars_figure(state):
    return {
        "data": [{"type": "bar", "name": "periods", "x": [1, 2], "y": [state["small"], state["exact"]], "marker": {"color": "var(--ck-1)"}}],
        "layout": {"xaxis": {"title": {"text": ""}, "tickvals": [1, 2], "ticktext": ["small", "exact"], "showgrid": False}, "yaxis": {"title": {"text": "seconds"}}},
    }  # fmt: skip


INSTRUMENT = Instrument(
    name="long-swing",
    title="How long a swing takes",
    controls=[
        Control("length", "Length in metres", 0.1, 10, 0.1, 1, symbol="l"),
        Control("angle", "Angle in degrees", 0, 160, 1, 20, whole=True, button="Push"),
        Control("gravity", "Gravity", 1, 25, 0.01, 9.81, more=True),
    ],
    compute=compute,
    readouts=[
        ReadOut("exact", "Period", "time", ".4g", "small swings take {small|s .4f}", main=True),
        ReadOut("extra", "Longer by", "%", ".2f"),
        ReadOut("clock", "It is"),
    ],
    sentences={
        "verdict": {
            "small": "<b>A small swing.</b> It takes {exact|s .3f}.",
            "large": "<b>A large swing.</b> It takes {extra|% .1f} more.",
        }
    },
    lines=["<i>T</i> = 2π √({length| .3g} / {gravity| .3g}) = {small|s .4f}"],
    pictures=[
        Picture("curve", "Period against angle", curve_figure, caption="The star is yours: {exact|s .3f}."),
        Picture("bars", "Two periods", bars_figure, ratio=0.4, table=False),
    ],
)
