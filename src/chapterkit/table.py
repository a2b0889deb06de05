"""The numbers of a picture as a table: one function for build and page."""

from __future__ import annotations

from typing import Any

ROWS = 9


def rows(figure: dict[str, Any]) -> list[list[Any]]:
    """First row: headings. Then a selection of points of the curves, and every single mark.

    Curves that share their x stand side by side. Values are in the units of the axes.
    """
    layout = figure["layout"]
    head = [layout["xaxis"]["title"]["text"]]
    curves = []
    marks = []
    for trace in figure["data"]:
        # Bands and outlines say nothing that the curves do not, so they carry no name.
        if trace["name"] != "":
            if len(trace["x"]) < 4:
                marks.append(trace)
            else:
                if len(curves) == 0 or len(trace["x"]) == len(curves[0]["x"]):
                    curves.append(trace)
                    head.append(trace["name"])
    if len(curves) == 0:
        head.append(layout["yaxis"]["title"]["text"])
    table = [head]
    if len(curves) > 0:
        count = len(curves[0]["x"])
        shown = min(count, ROWS)
        for row in range(shown):
            at = int(np_round(row * (count - 1) / max(shown - 1, 1)))
            line = [curves[0]["x"][at]]
            for curve in curves:
                line.append(curve["y"][at])
            table.append(line)
    for mark in marks:
        for at in range(len(mark["x"])):
            table.append([mark["name"], mark["x"][at], mark["y"][at]])
    return table


def np_round(value: float) -> float:
    """Round half up; the built-in rounds half to even in one language and not in the other."""
    whole = int(value)
    if value - whole >= 0.5:
        whole = whole + 1
    return whole
