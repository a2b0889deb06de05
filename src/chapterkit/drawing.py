"""How a Plotly figure (a dict) looks in matplotlib: its vocabulary, part by part.

`picture` is what others call. This module is loaded only when something is drawn, since matplotlib takes a while.
"""

from __future__ import annotations

import io
import math
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.transforms import blended_transform_factory

from chapterkit.picture import DASHES, MARKERS, Ink, PictureError
from chapterkit.svg import tidy

_TRACE = {
    "type", "x", "y", "name", "mode", "line", "marker", "showlegend", "hovertemplate", "hoverinfo", "fill",
    "fillcolor", "text", "textposition", "width",
}  # fmt: skip
_LINE, _MARKER = {"color", "width", "dash"}, {"symbol", "color", "size"}
_AXIS = {"title", "type", "range", "tickvals", "ticktext", "showgrid", "showticklabels"}
_LAYOUT = {"xaxis", "yaxis", "shapes", "annotations", "showlegend"}
_SHAPE = {"type", "x0", "x1", "y0", "y1", "xref", "yref", "fillcolor", "line", "layer"}
_SIDES, _HEIGHTS = ("left", "center", "right"), {"top": "top", "middle": "center", "bottom": "bottom"}
_NOTE = {"x", "y", "text", "showarrow", "xanchor", "yanchor", "xref", "yref", "font"}


def _known(what: str, given: dict[str, Any], known: set[str]) -> None:
    extra = sorted(set(given) - known)
    if extra:
        raise PictureError(
            f"{what} uses {extra[0]!r}, which the static drawing does not know; "
            f"known are {', '.join(sorted(known))}"
        )


def _one_of(what: str, given: Any, known: Any) -> Any:
    """`given`, which must be one of `known`; where that is a mapping, what it stands for."""
    if given not in known:
        raise PictureError(f"{what} must be one of {', '.join(map(str, known))}; got {given!r}")
    return known[given] if isinstance(known, dict) else given


def _floats(what: str, values: list[Any]) -> list[float]:
    try:
        return [float("nan") if value is None else float(value) for value in values]
    except (TypeError, ValueError):
        raise PictureError(f"{what} must be a list of numbers; got {values!r:.60}") from None


def _dashes(line: dict[str, Any]) -> Any:
    _known("a line", line, _LINE)
    return _one_of("the dash of a line", line.get("dash", "solid"), DASHES)


def _draw_trace(axes: Axes, trace: dict[str, Any], ink: Ink) -> None:
    what = f"the trace {trace['name']!r}"
    _known(what, trace, _TRACE)
    label = trace["name"] or None
    if trace.get("showlegend") is False:
        label = None
    line, marker = trace.get("line", {}), trace.get("marker", {})
    _known(f"the marker of {what}", marker, _MARKER)
    x, y = _floats(f"x of {what}", trace["x"]), _floats(f"y of {what}", trace["y"])
    if len(x) != len(y):
        raise PictureError(f"x and y of {what} must have one length; got {len(x)} and {len(y)}")
    if _one_of("a trace", trace["type"], ("scatter", "bar")) == "bar":
        width = trace.get("width", (x[1] - x[0]) if len(x) > 1 else 1.0)
        axes.bar(x, y, width=width, color=ink(marker["color"]), label=label, zorder=2)
        return
    mode = trace.get("mode", "lines").split("+")
    for part in mode:
        _one_of(f"the mode of {what}", part, ("lines", "markers", "text", "none"))
    fill = _one_of(f"the fill of {what}", trace.get("fill", "none"), ("none", "tozeroy", "toself"))
    if fill == "tozeroy":
        axes.fill_between(x, y, 0.0, color=ink(trace["fillcolor"]), linewidth=0, zorder=1)
    if fill == "toself":
        outline = _outline(x, y)
        axes.add_patch(PathPatch(outline, color=ink(trace["fillcolor"]), linewidth=0, zorder=3, label=label))
        axes.update_datalim(outline.vertices)
        axes.autoscale_view()
    if "lines" in mode:
        axes.plot(
            x, y, color=ink(line["color"]), linewidth=line.get("width", 2) * 0.9, label=label, zorder=3,
            linestyle=_dashes(line), solid_capstyle="butt",
        )  # fmt: skip
    if "markers" in mode:
        symbol = marker.get("symbol", "circle")
        open_marker = symbol in ("x", "line-ns-open")
        axes.plot(
            x, y, linestyle="none", marker=_one_of("the symbol of a marker", symbol, MARKERS), zorder=5,
            markersize=marker.get("size", 8) * 0.72,
            color=ink(marker["color"]), markeredgewidth=1.6 if open_marker else 0.8, clip_on=False,
            markeredgecolor=ink(marker["color"] if open_marker else "var(--ck-ground)"),
            label=None if "lines" in mode else label,
        )  # fmt: skip
    if "text" in mode:
        sides = {"top center": True, "bottom center": False}
        above = _one_of(f"the textposition of {what}", trace.get("textposition", "top center"), sides)
        axes.plot(x, y, linestyle="none")  # words alone would not widen the axes
        for at, words in enumerate(trace["text"]):
            axes.annotate(
                words, (x[at], y[at]), xytext=(0, 6 if above else -6),
                textcoords="offset points", fontsize=8.5,
                ha="center", va="bottom" if above else "top", color=ink("var(--ck-fg)"), zorder=6,
            )  # fmt: skip


def _outline(x: list[float], y: list[float]) -> Outline:
    """One path of closed shapes, which empty points set apart."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    begun = False
    for at in zip(x, y, strict=True):
        if any(map(math.isnan, at)):
            if begun:
                points.append(points[-1])
                codes.append(Outline.CLOSEPOLY)
            begun = False
        else:
            points.append(at)
            codes.append(Outline.LINETO if begun else Outline.MOVETO)
            begun = True
    if begun:
        points.append(points[-1])
        codes.append(Outline.CLOSEPOLY)
    return Outline(points or [(math.nan, math.nan)], codes or [Outline.MOVETO])


def _draw_shape(axes: Axes, shape: dict[str, Any], ink: Ink) -> None:
    _known("a shape", shape, _SHAPE)
    x_is_paper, y_is_paper = shape.get("xref", "x") == "paper", shape.get("yref", "y") == "paper"
    transform = blended_transform_factory(
        axes.transAxes if x_is_paper else axes.transData, axes.transAxes if y_is_paper else axes.transData
    )
    if _one_of("a shape", shape["type"], ("rect", "line")) == "rect":
        axes.fill(
            [shape["x0"], shape["x1"], shape["x1"], shape["x0"]],
            [shape["y0"], shape["y0"], shape["y1"], shape["y1"]],
            color=ink(shape["fillcolor"]), linewidth=0, zorder=0.5, transform=transform,
        )  # fmt: skip
    else:
        line = shape["line"]
        axes.plot(
            [shape["x0"], shape["x1"]], [shape["y0"], shape["y1"]], color=ink(line["color"]), zorder=2,
            linewidth=line.get("width", 1.5), linestyle=_dashes(line), transform=transform,
        )  # fmt: skip


def _set_axis(axes: Axes, which: str, axis: dict[str, Any]) -> None:
    _known(f"{which}axis", axis, _AXIS)
    logarithmic = (
        _one_of(f"the type of the {which}axis", axis.get("type", "linear"), ("linear", "log")) == "log"
    )
    if logarithmic:
        getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}label")(axis["title"]["text"])
    if "range" in axis:
        low, high = axis["range"]
        getattr(axes, f"set_{which}lim")((10**low, 10**high) if logarithmic else (low, high))
    if "tickvals" in axis:
        names = axis.get("ticktext") or [f"{value:g}" for value in axis["tickvals"]]
        getattr(axes, f"set_{which}ticks")(axis["tickvals"], names)
        if logarithmic:
            getattr(axes, f"{which}axis").set_minor_locator(mpl.ticker.NullLocator())
    if axis.get("showgrid") is False:
        axes.grid(visible=False, axis=which)
    if axis.get("showticklabels") is False:
        getattr(axes, f"set_{which}ticks")([])


def drawn(
    figure: dict[str, Any], width: float, height: float, *, themed: bool, salt: str, kind: str
) -> bytes:
    ink = Ink(themed)
    with mpl.rc_context(_settings(ink, salt)):
        canvas = compose(figure, width, height, ink)
        stream = io.BytesIO()
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None} if kind == "svg" else None
        canvas.savefig(
            stream,
            format=kind,
            metadata=metadata,
            transparent=kind == "svg",
            dpi=72 if kind == "svg" else 144,
        )
    return (
        tidy(stream.getvalue().decode(), salt, ink.stand_ins).encode() if kind == "svg" else stream.getvalue()
    )


def _settings(ink: Ink, salt: str) -> dict[str, Any]:
    return {
        "svg.fonttype": "none", "svg.hashsalt": salt, "font.family": "DejaVu Sans", "font.size": 9.0,
        "path.simplify": True, "axes.edgecolor": ink("var(--ck-muted)"),
        "axes.labelcolor": ink("var(--ck-fg)"), "xtick.color": ink("var(--ck-muted)"),
        "ytick.color": ink("var(--ck-muted)"), "axes.grid": True, "grid.color": ink("var(--ck-grid)"),
        "grid.linewidth": 0.7, "axes.axisbelow": True, "axes.spines.top": False,
        "axes.spines.right": False, "text.color": ink("var(--ck-fg)"),
        "xtick.labelcolor": ink("var(--ck-fg)"), "ytick.labelcolor": ink("var(--ck-fg)"),
        "legend.frameon": False, "legend.fontsize": 8.5,
    }  # fmt: skip


def compose(figure: dict[str, Any], width: float, height: float, ink: Ink) -> Figure:
    """The figure in matplotlib's terms."""
    # 72 dots an inch make a point a pixel, so that sizes here mean what they mean on the page.
    canvas = Figure(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
    axes = canvas.subplots()
    try:
        layout = figure["layout"]
        _known("the figure", figure, {"data", "layout"})
        _known("the layout", layout, _LAYOUT)
        for name in ("x", "y"):
            _set_axis(axes, name, layout[f"{name}axis"])
        for shape in layout.get("shapes", []):
            _draw_shape(axes, shape, ink)
        for trace in figure["data"]:
            _draw_trace(axes, trace, ink)
        for note in layout.get("annotations", []):
            _draw_note(axes, note, layout, ink)
    except KeyError as problem:
        raise PictureError(f"a part of the figure lacks {problem}, which the static drawing needs") from None
    if layout.get("showlegend", True) and axes.get_legend_handles_labels()[0]:
        canvas.legend(
            loc="outside upper left",
            ncols=2 if width < 500 else 4,
            handlelength=2.2,
            columnspacing=1.2,
            borderpad=0.1,
        )
    return canvas


def _draw_note(axes: Axes, note: dict[str, Any], layout: dict[str, Any], ink: Ink) -> None:
    _known("an annotation", note, _NOTE)
    _one_of("showarrow of an annotation", note["showarrow"], (False,))
    _known("the font of an annotation", note.get("font", {}), {"color"})
    logarithmic = [
        layout[f"{n}axis"].get("type") == "log" and note.get(f"{n}ref", n) != "paper" for n in "xy"
    ]
    at = [10 ** note[n] if log else note[n] for n, log in zip("xy", logarithmic, strict=True)]
    frames = [axes.transAxes if note.get(f"{n}ref", n) == "paper" else axes.transData for n in "xy"]
    axes.text(
        *at, note["text"], transform=blended_transform_factory(*frames), fontsize=8.5,
        ha=_one_of("the xanchor of an annotation", note.get("xanchor", "center"), _SIDES),
        va=_one_of("the yanchor of an annotation", note.get("yanchor", "middle"), _HEIGHTS),
        color=ink(note.get("font", {}).get("color", "var(--ck-fg)")), zorder=6,
    )  # fmt: skip
