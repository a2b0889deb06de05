"""``{instrument}``: an instrument on a page, drawn at its defaults before any script runs.

The directive leaves one semantic node. For pages it becomes HTML with controls, read-outs, pictures
as SVG and their tables, and the page gets one script with the compiled functions. Other builders
get the same numbers as lists and the pictures as images.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.builders.html._assets import _JavaScript
from sphinx.locale import get_translation
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from chapterkit import picture, quantity, table
from chapterkit.assets import _write_if_changed, is_page_builder
from chapterkit.compile import CompileError, compile_functions
from chapterkit.instrument import Choice, Instrument, InstrumentError, Picture, State, load
from chapterkit.panel_html import choice_words, panel_html, plain

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)
_ = get_translation("chapterkit")


class instrument_panel(nodes.General, nodes.Element):
    """An instrument; ``name`` says which. Its look is decided per builder after reading."""


def _used(env: BuildEnvironment) -> dict[str, list[str]]:
    if not hasattr(env, "chapterkit_panels"):
        env.chapterkit_panels = {}  # type: ignore[attr-defined]
    return env.chapterkit_panels  # type: ignore[attr-defined,no-any-return]


class InstrumentDirective(SphinxDirective):
    """Show the instrument named by the argument; its id is its name."""

    required_arguments = 1
    option_spec = {"only": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0].strip()
        try:
            instrument = load(self.config.chapterkit_instruments, name)
            script_of(self.env.app, instrument)
        except (InstrumentError, CompileError) as problem:
            raise self.error(str(problem)) from problem
        used = _used(self.env).setdefault(self.env.docname, [])
        if name in used:
            raise self.error(f"the instrument {name!r} stands on this page already")
        used.append(name)
        module = __import__("sys").modules[instrument.compute.__module__]
        self.env.note_dependency(module.__file__)
        node = instrument_panel("", name=name, title=instrument.title)
        node["ids"].append(nodes.make_id(name))
        self.set_source_info(node)
        std = self.env.domains.standard_domain
        std.anonlabels[name] = (self.env.docname, node["ids"][0])
        std.labels[name] = (self.env.docname, node["ids"][0], instrument.title)
        return [node]


def figure_table(state: State, part: Picture) -> list[list[Any]]:
    return table.rows(state.figure(part)) if part.table else []


def checked_figure(state: State, part: Picture) -> dict[str, Any]:
    """The figure at `state`, after Plotly's own validation of every name and value in it."""
    figure = state.figure(part)
    try:
        go.Figure(picture.strip_colours(figure))
    except ValueError as problem:
        words = str(problem).strip().splitlines()[0]
        raise InstrumentError(f"{state.instrument.name}: picture {part.name!r} is not a Plotly figure: {words}") from None
    return figure


def script_of(app: Sphinx, instrument: Instrument) -> str:
    """The page's script for one instrument: compiled functions and, as data, everything declared."""
    cache: dict[str, str] = app.__dict__.setdefault("_chapterkit_scripts", {})
    if instrument.name not in cache:
        functions = [instrument.compute, *(part.figure for part in instrument.pictures), table.rows]
        if len({function.__name__ for function in functions}) < len(functions):
            raise InstrumentError(f"{instrument.name}: compute and figures must have different names")
        code = compile_functions(functions, lists=[instrument.compute.__module__, table.__name__])
        declared = {
            "name": instrument.name,
            "version": instrument.version,
            "controls": [
                {"name": c.name, "label": c.label, "low": c.low, "high": c.high, "step": c.step, "default": c.default,
                 "factor": c.factor, "unit": c.unit, "unitLabel": c.unit_label, "also": c.also, "whole": c.whole, "multiple": c.multiple, "button": bool(c.button)}
                for c in instrument.numbers
            ],
            "choices": [
                {"name": c.name, "label": c.label, "default": c.default, "factor": c.factor, "unit": c.unit,
                 "options": [{"id": o.id, "words": o.words, "value": o.value, "control": o.control} for o in c.options]}
                for c in instrument.choices
            ],
            "arguments": instrument.arguments,
            "readouts": [{"name": r.name, "label": r.label, "unit": r.unit, "spec": r.spec, "note": r.note, "main": r.main} for r in instrument.readouts],
            "lines": list(instrument.lines),
            "sentences": {name: dict(words) for name, words in instrument.sentences.items()},
            "pictures": [{"name": p.name, "figure": p.figure.__name__, "caption": p.caption, "title": p.title, "table": p.table} for p in instrument.pictures],
            "compute": instrument.compute.__name__,
        }  # fmt: skip
        data = json.dumps(declared, ensure_ascii=False, sort_keys=True)
        cache[instrument.name] = f"window.chapterkit.define({data}, {code});\n"
    return cache[instrument.name]


class _Panel(SphinxPostTransform):
    default_priority = 100

    def run(self, **kwargs: Any) -> None:
        for node in list(self.document.findall(instrument_panel)):
            instrument = load(self.config.chapterkit_instruments, node["name"])
            try:
                state = instrument.evaluate()
                figures = [checked_figure(state, part) for part in instrument.pictures]
                if is_page_builder(self.app.builder):
                    new: list[nodes.Node] = [nodes.raw("", panel_html(state, figures, node["ids"][0]), format="html")]
                else:
                    new = self._plain(node, state, figures)
            except (InstrumentError, picture.PictureError, ValueError) as problem:
                logger.error("instrument %r: %s", node["name"], problem, location=node)
                new = []
            node.replace_self(new)

    def _plain(self, node: nodes.Element, state: State, figures: list[dict[str, Any]]) -> list[nodes.Node]:
        """Numbers as lists and pictures as image files, for print and everything else."""
        instrument = state.instrument
        title = nodes.paragraph("", "", nodes.strong("", instrument.title), ids=node["ids"])
        settings = nodes.bullet_list("", bullet="*")
        for control in instrument.controls:
            if isinstance(control, Choice):
                value = choice_words(instrument, control)
            else:
                value = quantity.show(control.default * control.factor, control.unit, ",.6g")
            settings += nodes.list_item("", nodes.paragraph("", f"{control.label}: {value}"))
        results = nodes.bullet_list("", bullet="*")
        for readout in instrument.readouts:
            value, note = state.readout(readout)
            words = f"{readout.label}: {value}" + (f" ({plain(note)})" if note else "")
            results += nodes.list_item("", nodes.paragraph("", words))
        new: list[nodes.Node] = [title, settings, results]
        new += [nodes.paragraph("", plain(text)) for text in (*state.sentences().values(), *state.lines())]
        for part, figure in zip(instrument.pictures, figures, strict=True):
            new.append(self._image(instrument.name, part, figure, state))
        return new

    def _image(self, name: str, part: Picture, figure: dict[str, Any], state: State) -> nodes.Node:
        kind = "pdf" if self.app.builder.format == "latex" else "png"
        folder = Path(self.app.doctreedir) / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}-{part.name}.{kind}"
        file.write_bytes(picture.draw(figure, 640, 640 * part.ratio, themed=False, salt=name, kind=kind))
        # An absolute path is what the image collector would have noted, had the author written it.
        self.env.images.add_file(self.env.docname, str(file))
        image = nodes.image(uri=str(file), alt=part.title, candidates={"*": str(file)})
        caption = nodes.caption("", plain(state.caption(part)) or part.title)
        return nodes.figure("", image, caption)


def _add_scripts(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    for name in _used(app.env).get(pagename, []):
        context["script_files"].append(_JavaScript(f"_static/instruments/{name}.js", priority=800, defer="defer", **{"data-instrument": name}))


def _write_scripts(app: Sphinx, builder: Builder) -> None:
    if not is_page_builder(builder):
        return
    for name in sorted({name for names in _used(app.env).values() for name in names}):
        target = Path(app.outdir, "_static", "instruments", f"{name}.js")
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_if_changed(target, script_of(app, load(app.config.chapterkit_instruments, name)))


def _purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _used(env).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    _used(env).update({doc: names for doc, names in _used(other).items() if doc in docnames})


def setup(app: Sphinx) -> None:
    """Settings: ``chapterkit_instruments``, the package of instruments; ``chapterkit_charts``, Plotly's file under _static."""
    app.add_config_value("chapterkit_instruments", "instruments", "env", types=frozenset({str}))
    app.add_config_value("chapterkit_charts", "vendor/plotly-basic.min.js", "html", types=frozenset({str}))
    app.add_node(instrument_panel)
    app.add_directive("instrument", InstrumentDirective)
    app.add_post_transform(_Panel)
    app.add_css_file("chapterkit.css", priority=700)
    for at, script in enumerate(("controls.js", "chart.js", "instrument.js")):
        app.add_js_file(script, priority=700 + at, defer="defer")
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("write-started", _write_scripts)
    app.connect("html-page-context", _add_scripts, priority=900)


__all__ = ["InstrumentDirective", "html", "instrument_panel", "setup"]
