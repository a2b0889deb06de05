"""The numbers of a picture as a table: one function for build and page."""

from __future__ import annotations

from typing import Any

import numpy as np

ROWS = 9
FEW = 12


def spread(low: float, high: float, at: int, steps: int) -> float:
    """Number `at` of `steps` from low to high, even on a logarithmic axis, rounded to two digits for the table."""
    value = low * np.exp(np.log(high / low) * at / steps)
    digit = 10.0 ** (np.floor(np.log10(value)) - 1.0)
    return np.floor(value / digit + 0.5) * digit


def rows(figure: dict[str, Any]) -> list[list[Any]]:
    """First row: headings. Then points of the curves: all of a few, else every so many and the last.

    Curves that share their x stand side by side. Every single mark follows, with its name before it and
    with headings of its own, which begin with an empty cell. Values are in the units of the axes.
    """
    layout = figure["layout"]
    across = layout["xaxis"]["title"]["text"]
    up = layout["yaxis"]["title"]["text"]
    head = [across]
    curves = []
    marks = []
    for trace in figure["data"]:
        # Bands and outlines say nothing that the curves do not, so they carry no name; nor do bars below a curve.
        if trace["name"] != "":
            if trace["type"] == "bar":
                if len(curves) == 0 and len(marks) == 0:
                    curves.append(trace)
                    head.append(trace["name"])
            elif len(trace["x"]) < 4:
                for at in range(len(trace["x"])):
                    marks.append([trace["name"], trace["x"][at], trace["y"][at]])
            elif len(curves) == 0 or len(trace["x"]) == len(curves[0]["x"]):
                curves.append(trace)
                head.append(trace["name"])
    table = []
    if len(curves) > 0:
        table.append(head)
        count = len(curves[0]["x"])
        step = 1
        if count > FEW:
            step = int((count + ROWS - 3) / (ROWS - 1))
        for at in range(count):
            if at % step == 0 or at == count - 1:
                line = [curves[0]["x"][at]]
                for curve in curves:
                    line.append(curve["y"][at])
                table.append(line)
    if len(curves) == 0 or len(marks) > 0:
        table.append(["", across, up])
    for mark in marks:
        table.append(mark)
    return table
