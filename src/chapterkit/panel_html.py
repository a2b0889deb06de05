"""The HTML of an instrument at one setting: what a reader without scripts sees, and what scripts wake."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.locale import get_translation

from chapterkit import calls, picture, quantity, table, trace
from chapterkit.instrument import Choice, Control, Instrument, Option, Picture, ReadOut, State

_ = get_translation("chapterkit")
WIDE, NARROW = 720, 360

Links = Callable[[str], str]


def _plain_code(code: str) -> str:
    return html.escape(code, quote=False)


def plain(text: str) -> str:
    """A template's words without their markup."""
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def _typed(value: float) -> str:
    return f"{value:.10g}"


def _control(name: str, control: Control) -> str:
    base = f"{name}.{control.name}"
    label = html.escape(control.label) + (f" <i>{html.escape(control.symbol)}</i>" if control.symbol else "")
    also = quantity.show(control.default * control.factor, control.also) if control.also else ""
    limits = f'min="{_typed(control.low)}" max="{_typed(control.high)}"'
    typed_limits = f'min="{_typed(control.low)}" max="{_typed(control.highest)}"'
    span = _("from {low} to {high}").format(
        low=quantity.number(control.low, ",.6g"), high=quantity.number(control.high, ",.6g")
    )
    if control.reach:
        span = _("{span}, under More to {reach}").format(
            span=span, reach=quantity.number(control.reach, ",.6g")
        )
    if control.multiple:
        span = _("{span}, in multiples of {multiple}").format(span=span, multiple=control.multiple)
    button = (
        f'<button type="button" class="ck-button ck-needs-script" data-step="{control.name}">{html.escape(control.button)}</button>'
        if control.button
        else ""
    )
    return f"""<div class="ck-control" data-control="{control.name}">
<label for="{base}" id="{base}.label">{label}</label>
<span class="ck-typed"><input id="{base}" type="number" inputmode="decimal" {typed_limits} step="any" value="{_typed(control.default)}" \
autocomplete="off" readonly aria-describedby="{base}.foot {base}.problem"><span class="ck-unit">{html.escape(control.unit_label)}</span></span>
<input class="ck-slider ck-needs-script" type="range" {limits} step="{_typed(control.step)}" value="{_typed(control.default)}" \
autocomplete="off" aria-labelledby="{base}.label">
<span class="ck-control-foot"><span id="{base}.foot">{span}</span><span data-also>{also}</span>{button}</span>
<p class="ck-problem" id="{base}.problem" role="alert"></p>
</div>"""


def _wide(name: str, control: Control) -> str:
    """A second slider for the same number, over all of its range; the typed twin is the one on show."""
    base = f"{name}.{control.name}"
    label = _("{label}, up to {reach}").format(
        label=html.escape(control.label), reach=quantity.number(control.reach, ",.6g")
    )
    return f"""<div class="ck-wide">
<label for="{base}.wide">{label}</label>
<input class="ck-slider ck-needs-script" id="{base}.wide" data-wide="{control.name}" type="range" min="{_typed(control.low)}" \
max="{_typed(control.reach)}" step="{_typed(control.step)}" value="{_typed(control.default)}" autocomplete="off">
</div>"""


def _option_value(instrument: Instrument, choice: Choice, option: Option) -> str:
    """The option's number as it stands beside its words; nothing where a number would say nothing."""
    if not choice.unit:
        return ""
    return quantity.show(
        instrument.given({**instrument.defaults(), choice.name: option.id})[choice.name], choice.unit, ",.6g"
    )


def choice_words(instrument: Instrument, choice: Choice) -> str:
    """A choice at its default in one line, the other options after it."""
    each = {
        o.id: " ".join(filter(None, (o.words, _option_value(instrument, choice, o)))) for o in choice.options
    }
    others = ", ".join(text for id_, text in each.items() if id_ != choice.default)
    return _("{chosen} (others: {others})").format(chosen=each[choice.default], others=others)


def _choice(instrument: Instrument, choice: Choice) -> str:
    base = f"{instrument.name}.{choice.name}"
    label = html.escape(choice.label) + (f" <i>{html.escape(choice.symbol)}</i>" if choice.symbol else "")
    options = "".join(
        f'<label class="ck-pick"><input type="radio" name="{base}" value="{o.id}"{" checked" if o.id == choice.default else ""} autocomplete="off"> '
        f'<span>{html.escape(o.words)}</span> <span class="ck-pick-value">{_option_value(instrument, choice, o)}</span></label>'
        for o in choice.options
    )
    # Without scripts a choice would change nothing, so it shows its default and cannot be moved.
    return f'<fieldset class="ck-choice" data-choice="{choice.name}" disabled><legend>{label}</legend>{options}</fieldset>'


def _readout(state: State, readout: ReadOut) -> str:
    text, note = state.readout(readout, tell=True)
    small = f'<span class="ck-note">{note}</span>' if readout.note else ""
    made = trace.expressions(state.instrument.compute).get(readout.name)
    call = html.escape(f"{readout.name} = {made}")
    # As a number in the text does, it tells its call on hover and focus.
    tells = (
        f' ck-calc" tabindex="0" data-of="{readout.name}" data-call="{call}" aria-description="{call}"'
        if made
        else '"'
    )
    return (
        f'<div class="ck-readout" data-readout="{readout.name}"><dt>{html.escape(readout.label)}</dt>'
        f'<dd><span class="ck-value{tells}>{html.escape(text)}</span>{small}</dd></div>'
    )


def _cell(value: object) -> str:
    """Words as they are, whole numbers in full, as in captions and sentences, others to four digits, tiny ones to two."""
    if isinstance(value, str):
        return html.escape(value)
    number = float(value)  # type: ignore[arg-type]
    return quantity.number(
        number, ",.0f" if number.is_integer() else ",.2g" if abs(number) < 1e-3 else ",.4g"
    )


def _headed(row: list[Any]) -> str:
    return "".join(f'<th scope="col">{html.escape(str(cell))}</th>' if cell else "<td></td>" for cell in row)


def _table(part: Picture, figure: dict[str, Any], links: Links) -> str:
    first, *rest = table.rows(figure)
    lines = [f"<table><thead><tr>{_headed(first)}</tr></thead><tbody>"]
    for row in rest:
        if row[0] == "":  # marks have headings of their own
            lines.append(f"</tbody></table><table><thead><tr>{_headed(row)}</tr></thead><tbody>")
        else:
            lines.append("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>")
    tables = "".join([*lines, "</tbody></table>"])
    words = html.escape(_("The numbers of this picture"))
    name = html.escape(_("The numbers of this picture: {title}").format(title=part.title))
    told = calls.listed(calls.of_picture(part, figure, figure["layout"]["xaxis"]["title"]["text"]), links)
    return (
        f'<details class="ck-table"><summary>{words}</summary><div class="ck-table-scroll" role="region" tabindex="0" '
        f'aria-label="{name}">{tables}</div>{told}</details>'
    )


def _picture(state: State, part: Picture, figure: dict[str, Any], links: Links, folder: Path | None) -> str:
    salt = f"{state.instrument.name}-{part.name}"
    tall, wide = round(NARROW * part.narrow_ratio), round(WIDE * part.ratio)
    drawings = [
        (
            kind,
            picture.draw(figure, width, height, themed=True, salt=f"{salt}-{kind}", folder=folder).decode(),
        )
        for kind, width, height in (("wide", WIDE, wide), ("narrow", NARROW, tall))
    ]
    pictures = "".join(
        text.replace("<svg ", f'<svg class="ck-{kind}" role="img" aria-label="{html.escape(part.title)}" ', 1)
        for kind, text in drawings
    )
    caption = f"<figcaption><b>{html.escape(part.title)}.</b> <span data-caption>{state.caption(part, tell=True)}</span></figcaption>"
    return f"""<figure class="ck-picture" data-picture="{part.name}">
<div class="ck-canvas" style="--ck-wide:{WIDE}/{wide};--ck-tall:{NARROW}/{tall}">{pictures}</div>
<p class="ck-stale" role="status"></p>
{caption}
{_table(part, figure, links) if part.table else ""}
</figure>"""


def panel_html(
    state: State,
    figures: list[dict[str, Any]],
    id_: str,
    links: Links = _plain_code,
    folder: Path | None = None,
) -> str:
    """One instrument as HTML; `figures` are its pictures' figures at `state`, `links` makes HTML of code.

    `folder` keeps drawings for the next build.
    """
    instrument = state.instrument
    name = instrument.name
    words = {
        "reset": _("Reset"), "copy": _("Copy link"), "copied": _("Link copied. It opens this instrument as it stands now."),
        "copy-by-hand": _("The browser refused to copy. Here is the link:"), "was-reset": _("Back to the defaults."),
        "range": _("{label} must be from {low} to {high}; the last good value stays."),
        "number": _("{label} must be a number; the last good value stays."),
        "whole": _("{label} must be a whole number; the last good value stays."),
        "multiple": _("{label} must be a multiple of {multiple}; the last good value stays."),
        "url-clamped": _("The link asked for {label} = {given}; it can be from {low} to {high}, so it is set to {value}."),
        "url-ignored": _("The link asked for {label} = {given}, which is not a number this control takes; it was left out."),
        "url-option": _("The link asked for {label} = {given}, which is none of its options; it was left out."),
        "url-unknown": _("The link names a control that this instrument lacks; it was left out."),
        "url-version": _("The link was made for another version of this instrument; it was left out."),
        "stale": _("The picture could not be redrawn and still shows the defaults; the numbers above are current."),
    }  # fmt: skip
    made = [
        (_choice(instrument, c) if isinstance(c, Choice) else _control(name, c), c.more)
        for c in instrument.controls
    ]
    made += [(_wide(name, c), True) for c in instrument.numbers if c.reach]
    controls = "\n".join(text for text, under_more in made if not under_more)
    more = "\n".join(text for text, under_more in made if under_more)
    folded = (
        f'<details class="ck-more"><summary>{_("More settings")}</summary><div class="ck-controls">{more}</div></details>'
        if more
        else ""
    )
    readouts = "\n".join(_readout(state, readout) for readout in instrument.readouts)
    sentences = "\n".join(
        f'<p class="ck-sentence" data-sentence="{key}">{text}</p>'
        for key, text in state.sentences(tell=True).items()
    )
    lines = "".join(f"<li>{line}</li>" for line in state.lines(tell=True))
    pictures = "\n".join(
        _picture(state, part, figure, links, folder)
        for part, figure in zip(instrument.pictures, figures, strict=True)
    )
    told = calls.listed(calls.behind(instrument), links)
    attributes = " ".join(f'data-words-{key}="{html.escape(text)}"' for key, text in words.items())
    return f"""<div class="ck-instrument" id="{id_}" data-instrument="{name}" role="group" aria-labelledby="{name}.title" {attributes}>
<div class="ck-instrument-head"><p class="ck-instrument-title" id="{name}.title">{html.escape(instrument.title)}</p>
<button type="button" class="ck-button ck-needs-script" data-reset>{words["reset"]}</button>
<button type="button" class="ck-button ck-needs-script" data-copy>{words["copy"]}</button></div>
<div data-notices role="status"></div>
<noscript><p class="ck-notice">{_("The sliders need scripts. Numbers and pictures show the defaults.")}</p></noscript>
<div class="ck-controls">{controls}</div>
{folded}
<dl class="ck-readouts">{readouts}</dl>
{sentences}
<ul class="ck-lines">{lines}</ul>
<p class="ck-hidden" data-spoken role="status"></p>
{pictures}
<details class="ck-made"><summary>{_("The calls behind these numbers")}</summary>{told}</details>
</div>"""
