"""``{instrument}``: an instrument on a page, drawn at its defaults before any script runs.

The directive leaves one semantic node. For pages it becomes HTML with controls, read-outs, pictures
as SVG and their tables, and the page gets one script with the compiled functions. Other builders
get the same numbers as lists and the pictures as images.

What an author can get wrong is found while pages are read, and stops the build with file and line.
"""

from __future__ import annotations

import html
import inspect
import json
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.builders.html._assets import _JavaScript
from sphinx.locale import get_translation
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from chapterkit import calls, compile, errors, javascript, picture, quantity, table
from chapterkit.assets import is_page_builder, write_if_changed
from chapterkit.compile import CompileError, compile_functions
from chapterkit.elsewhere import PLAIN, words
from chapterkit.instrument import Choice, Instrument, InstrumentError, Picture, State, load
from chapterkit.instrument_check import check
from chapterkit.panel_html import choice_words, panel_html
from chapterkit.perpage import PerPage

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")


class instrument_panel(nodes.General, nodes.Element):
    """An instrument; ``name`` says which. Its look is decided per builder after reading."""


#: Scripts of the instruments on each page, by name: a page that is not read again needs no compiler.
used_by_page: PerPage[dict[str, str]] = PerPage("panels")


class InstrumentDirective(SphinxDirective):
    """Show the instrument named by the argument; its id is its name."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0].strip()
        source, line = self.get_source_info()
        used = used_by_page(self.env).setdefault(self.env.docname, {})
        try:
            if name in used:
                raise InstrumentError(f"the instrument {name!r} stands on this page already")
            instrument = load(self.config.chapterkit_instruments, name)
            script, files = script_of(self.env._app, instrument)
            check(instrument, Path(self.env.doctreedir, "drawings"))
        except (
            Exception
        ) as problem:  # an instrument is an author's code: whatever it raises is said with its place
            errors.report(self.env, f"{{instrument}} {name}: {_words(problem)}", source, line)
            return [errors.placeholder(self.block_text)]
        used[name] = script
        for file in sorted(files):
            self.env.note_dependency(file)
        node = instrument_panel("", name=name, title=instrument.title)
        node["ids"].append(nodes.make_id(name))
        self.set_source_info(node)
        return [node]


def _words(problem: Exception) -> str:
    """What went wrong; for an exception of an author's own code also where."""
    if isinstance(problem, (InstrumentError, CompileError)):
        return str(problem)
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{type(problem).__name__}: {problem} ({last.filename}:{last.lineno})"


def script_of(app: Sphinx, instrument: Instrument) -> tuple[str, set[str]]:
    """The page's script for one instrument, and the files behind it.

    The script holds the compiled functions and, as data, everything declared.
    """
    cache: dict[str, tuple[str, set[str]]] = app.__dict__.setdefault("_chapterkit_scripts", {})
    if instrument.name not in cache:
        functions = [instrument.compute, *(part.figure for part in instrument.pictures), table.rows]
        if len({function.__name__ for function in functions}) < len(functions):
            raise InstrumentError(f"{instrument.name}: compute and figures must have different names")
        # The compiler counts too: a script is kept until something behind it changes.
        files = {
            compile.__file__,
            javascript.__file__,
            inspect.getsourcefile(sys.modules[instrument.compute.__module__]) or "",
        }
        code = compile_functions(
            functions, lists=[instrument.compute.__module__, table.__name__], files=files
        )
        declared = {
            "name": instrument.name,
            "version": instrument.version,
            "controls": [
                {"name": c.name, "label": c.label, "low": c.low, "high": c.high, "step": c.step,
                 "default": c.default,
                 "factor": c.factor, "unit": c.unit, "unitLabel": c.unit_label, "also": c.also,
                 "whole": c.whole, "multiple": c.multiple, "reach": c.reach, "button": bool(c.button)}
                for c in instrument.numbers
            ],
            "choices": [
                {"name": c.name, "label": c.label, "default": c.default, "factor": c.factor, "unit": c.unit,
                 "options": [{"id": o.id, "words": o.words, "value": o.value, "control": o.control}
                             for o in c.options]}
                for c in instrument.choices
            ],
            "arguments": instrument.arguments,
            "readouts": [
                {"name": r.name, "label": r.label, "unit": r.unit, "spec": r.spec, "note": r.note,
                 "main": r.main}
                for r in instrument.readouts
            ],
            "lines": list(instrument.lines),
            "sentences": {name: dict(words) for name, words in instrument.sentences.items()},
            "pictures": [
                {"name": p.name, "figure": p.figure.__name__, "caption": p.caption, "title": p.title,
                 "table": p.table}
                for p in instrument.pictures
            ],
            "compute": instrument.compute.__name__,
        }  # fmt: skip
        data = json.dumps(declared, ensure_ascii=False, sort_keys=True)
        cache[instrument.name] = f"window.chapterkit.define({data}, {code});\n", files
    return cache[instrument.name]


class _Panel(SphinxPostTransform):
    default_priority = 100

    def run(self, **kwargs: Any) -> None:
        links = calls.Links(self.app, self.env.docname) if is_page_builder(self.app.builder) else None
        for node in list(self.document.findall(instrument_panel)):
            instrument = load(self.config.chapterkit_instruments, node["name"])
            state = instrument.evaluate()
            figures = [state.figure(part) for part in instrument.pictures]
            if links:
                made = panel_html(
                    state, figures, node["ids"][0], links, Path(self.app.doctreedir, "drawings")
                )
                new: list[nodes.Node] = [nodes.raw("", made, format="html")]
            else:
                new = self._plain(node, state, figures)
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
            said = f"{html.escape(readout.label)}: {html.escape(value)}" + (f" ({note})" if note else "")
            results += nodes.list_item("", words(self.app, said))
        new: list[nodes.Node] = [title, settings, results]
        new += [words(self.app, text) for text in (*state.sentences().values(), *state.lines())]
        for part, figure in zip(instrument.pictures, figures, strict=True):
            new.append(self._image(instrument.name, part, figure, state))
        return new

    def _image(self, name: str, part: Picture, figure: dict[str, Any], state: State) -> nodes.Node:
        caption = state.caption(part)
        ids = [nodes.make_id(f"{name}-{part.name}")]  # with numbered figures, writers ask for an id
        if self.app.builder.format in PLAIN:
            said = _("Picture: {title}.").format(title=f"<b>{html.escape(part.title)}</b>")
            told = words(self.app, f"{said} {caption}")
            told["ids"] = ids
            return told
        kind = "pdf" if self.app.builder.format == "latex" else "png"
        folder = Path(self.app.doctreedir) / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}-{part.name}.{kind}"
        file.write_bytes(picture.draw(figure, 640, 640 * part.ratio, themed=False, salt=name, kind=kind))
        # An absolute path is what the image collector would have noted, had the author written it.
        self.env.images.add_file(self.env.docname, str(file))
        image = nodes.image(uri=str(file), alt=part.title, candidates={"*": str(file)})
        below = words(self.app, caption or html.escape(part.title))
        return nodes.figure("", image, nodes.caption("", "", *below.children), ids=ids)


def _add_scripts(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if not is_page_builder(app.builder):
        return
    used = used_by_page(app.env)
    here = (
        sorted({name for names in used.values() for name in names})
        if app.builder.name == "singlehtml"
        else used.get(pagename, {})
    )
    for name in here:
        context["script_files"].append(
            _JavaScript(
                f"_static/instruments/{name}.js", priority=800, defer="defer", **{"data-instrument": name}
            )
        )


def _write_scripts(app: Sphinx, builder: Builder) -> None:
    if not is_page_builder(builder):
        return
    scripts = {name: script for used in used_by_page(app.env).values() for name, script in used.items()}
    for name, script in sorted(scripts.items()):
        target = Path(app.outdir, "_static", "instruments", f"{name}.js")
        target.parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(target, script)


def _label(app: Sphinx, env: BuildEnvironment) -> None:
    """Let links name an instrument; one that stands on several pages is found on the first of the book.

    This waits until all pages are read, for processes that read at once know nothing of each other.
    """
    order = {docname: at for at, docname in enumerate(env.collect_relations())}
    standard = env.domains.standard_domain
    for docname in sorted(
        used_by_page(env), key=lambda docname: (order.get(docname, len(order)), docname), reverse=True
    ):
        for name in used_by_page(env)[docname]:
            place = docname, nodes.make_id(name)
            standard.anonlabels[name] = place
            standard.labels[name] = (*place, load(app.config.chapterkit_instruments, name).title)


def setup(app: Sphinx) -> None:
    """Settings: ``chapterkit_instruments``, a package; ``chapterkit_charts``, Plotly's file in _static."""
    errors.setup(app)
    app.add_config_value("chapterkit_instruments", "instruments", "env", types=frozenset({str}))
    app.add_config_value("chapterkit_charts", "vendor/plotly-basic.min.js", "html", types=frozenset({str}))
    app.add_node(instrument_panel)
    app.add_directive("instrument", InstrumentDirective)
    app.add_post_transform(_Panel)
    app.add_css_file("chapterkit.css", priority=700)
    for at, script in enumerate(("controls.js", "state.js", "legend.js", "chart.js", "instrument.js")):
        app.add_js_file(script, priority=700 + at, defer="defer")
    used_by_page.connect(app)
    app.connect("env-updated", _label)
    app.connect("write-started", _write_scripts)
    app.connect("html-page-context", _add_scripts, priority=900)


__all__ = ["InstrumentDirective", "instrument_panel", "setup"]
