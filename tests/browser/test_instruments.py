"""Instruments: sliders, typed numbers, links and reset; what they accept and what they say."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

YD = "young-daly"
LAST_GOOD = "the last good value stays"


@pytest.fixture
def at(graduate):
    """Part A, answered before, so that its instruments are in sight."""
    return graduate.open()


@pytest.fixture
def everything(reader, part):
    """A part with all its gates open."""
    return reader.open(part, query="show=all")


def test_headings_of_a_table_are_as_built_when_a_slider_has_moved(at):
    fold = at.instrument(YD).locator(".ck-table")
    heads = "fold => Array.from(fold.querySelectorAll('thead'), head => head.innerHTML)"
    first, built, cells = fold.locator("tbody").first, fold.evaluate(heads), fold.locator("td").all_text_contents()
    fold.locator("> summary").click()
    at.slide(YD, "gpus", 24_000)
    expect(first).to_be_visible()
    assert fold.locator("td").all_text_contents() != cells
    assert fold.evaluate(heads) == built
    assert len(built) == 2


def test_a_slider_moves_everything_the_instrument_says(at):
    panel = at.instrument(YD)
    panel.locator(".ck-table > summary").click()
    table = panel.locator(".ck-table tbody").first
    before, cells = at.state(YD), table.inner_text()
    at.slide(YD, "gpus", 24_000)
    after = at.state(YD)
    assert at.typed(YD, "gpus").input_value() == "24000"
    for part in ("readouts", "notes", "sentences", "lines", "captions", "typed", "sliders"):
        assert after[part] != before[part], part
    assert after["readouts"][0] == "2.08\u202fh"
    assert "50,000\u202fh / 24,000 = 7,500\u202fs" in after["lines"][0]
    assert table.inner_text() != cells
    expect(panel.locator("[data-spoken]")).to_contain_text("Best interval, exact: ")


TWINS = """panel => Array.from(panel.querySelectorAll(".ck-control")).flatMap(row => {
    const slider = row.querySelector("input[type=range]"), typed = row.querySelector("input[type=number]"), wrong = [];
    const input = (field, value) => { field.value = value; field.dispatchEvent(new Event("input", { bubbles: true })); };
    if (!slider || !typed) return [];
    input(slider, slider.max);
    if (Number(typed.value) !== Number(slider.value)) wrong.push("follows");
    input(typed, slider.min);
    if (Number(slider.value) !== Number(slider.min)) wrong.push("leads");
    if (parseFloat(slider.getAttribute("aria-valuetext").replace(/,/g, "")) !== Number(slider.min)) wrong.push("is said");
    if (!typed.labels.length || !slider.getAttribute("aria-labelledby")) wrong.push("has a label");
    return wrong.map(words => row.dataset.control + ": " + words);
})"""


def test_every_slider_has_a_typed_twin_that_follows_and_leads(everything):
    for name in everything.instruments():
        assert everything.instrument(name).evaluate(TWINS) == [], name


def test_a_typed_number_may_lie_between_the_steps_of_the_slider(at):
    at.typed(YD, "write_time").fill("37.5")
    assert "√(2 · 37.5\u202fs" in at.state(YD)["lines"][1]
    assert at.typed(YD, "write_time").input_value() == "37.5"


BAD_NUMBERS = {
    "999999": "must be from 1,000 to 25,000",
    "0": "must be from 1,000 to 25,000",
    "-5": "must be from 1,000 to 25,000",
    "1500.5": "must be a whole number",
    "1e999": "must be a number",
    "": "must be a number",
    "abc": "must be a number",
    "--": "must be a number",
}


def test_a_typed_number_that_cannot_be_gets_words_and_the_last_good_value_stays(at):
    row, typed = at.control(YD, "gpus"), at.typed(YD, "gpus")
    problem = row.locator(".ck-problem")
    typed.fill("20000")
    good = at.state(YD)["readouts"]
    for text, words in BAD_NUMBERS.items():
        typed.press("ControlOrMeta+a")
        typed.press("Delete")
        at.page.keyboard.insert_text(text)
        expect(problem, text).to_contain_text(words)
        expect(problem).to_contain_text(LAST_GOOD)
        expect(typed).to_have_attribute("aria-invalid", "true")
        assert problem.get_attribute("id") in typed.get_attribute("aria-describedby")
        assert at.state(YD)["readouts"] == good
        typed.press("Tab")
        expect(typed).to_have_value("20000")
        expect(typed).not_to_have_attribute("aria-invalid", "true")
        expect(problem).to_contain_text(words)  # until the next change
        at.slide(YD, "gpus", 21_000)
        expect(problem).to_be_empty()
        at.slide(YD, "gpus", 20_000)
    typed.fill("0")
    at.instrument(YD).get_by_role("button", name="Reset").click()
    expect(problem).to_be_empty()
    expect(typed).to_have_value("16000")


def test_a_copied_link_opens_the_same_state(at, new_context, site):
    page = at.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    before = page.url
    at.slide(YD, "gpus", 24_000)
    at.typed(YD, "write_time").fill("37.5")
    at.instrument(YD).locator("details.ck-more > summary").click()
    at.slide(YD, "restart_time", 600)
    assert page.url == before, "the address changes only when the reader asks"
    entries = page.evaluate("history.length")
    at.instrument(YD).get_by_role("button", name="Copy link").click()
    expect(at.instrument(YD).locator("[data-notices]")).to_contain_text("Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    assert page.evaluate("history.length") == entries
    assert link.endswith("#young-daly")
    # Someone else opens it, who has answered nothing: the gate opens, says so, and the state is the same.
    other = type(at)(new_context().new_page(), site)
    other.page.goto(link)
    expect(other.instrument(YD)).to_be_in_viewport()
    expect(other.page.locator(".ck-gate-arrived:visible")).to_have_count(1)
    assert other.state(YD) == at.state(YD)
    assert other.notices(YD) == ""
    expect(other.typed(YD, "restart_time")).to_be_visible()


def test_a_link_that_may_not_be_copied_is_shown(at):
    at.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    at.slide(YD, "gpus", 24_000)
    at.instrument(YD).get_by_role("button", name="Copy link").click()
    field = at.instrument(YD).locator("[data-notices] input")
    expect(field).to_have_value(at.page.url)
    assert "young-daly.gpus=24000" in at.page.url


def test_scripts_say_what_the_build_said_and_reset_brings_it_back(everything):
    for name in everything.instruments():
        before = everything.state(name)
        sliders = everything.instrument(name).locator("input[type=range]")
        # At the defaults, scripts write exactly the text that is in the file.
        sliders.first.evaluate("s => s.dispatchEvent(new Event('input', { bubbles: true }))")
        assert everything.state(name) == before
        sliders.evaluate_all(
            "all => all.forEach(s => { s.value = s.max; s.dispatchEvent(new Event('input', { bubbles: true })) })"
        )
        assert everything.state(name)["readouts"] != before["readouts"]
        everything.instrument(name).get_by_role("button", name="Reset").click()
        assert everything.state(name) == before
        assert everything.notices(name) == "Back to the defaults."


@pytest.mark.parametrize(
    ("query", "expected", "words"),
    [
        ("young-daly.gpus=99999999", "25000", "it can be from 1,000 to 25,000, so it is set to 25,000"),
        ("young-daly.gpus=-1", "1000", "so it is set to 1,000"),
        ("young-daly.gpus=many", "16000", "which is not a number this control takes"),
        ("young-daly.gpus=1e999", "16000", "which is not a number this control takes"),
        ("young-daly.gpus=0x10", "16000", "which is not a number this control takes"),
        ("young-daly.gpus=20000.5", "16000", "which is not a number this control takes"),
        ("young-daly.v=99&young-daly.gpus=20000", "16000", "another version"),
        ("young-daly.colour=1", "16000", "a control that this instrument lacks"),
        ("young-daly.__proto__=1&young-daly.toString=2", "16000", "a control that this instrument lacks"),
        ("young-daly.gpus=" + quote("<img src=x onerror=alert(1)>"), "16000", "<img src=x onerror=alert(1)>"),
        ("young-daly.gpus=javascript:alert(1)&young-daly." + quote("<script>alert(1)</script>") + "=1", "16000", "javascript:alert(1)"),
    ],
)  # fmt: skip
def test_a_bad_link_is_clamped_or_ignored_and_said_once(graduate, query, expected, words):
    dialogs = []
    graduate.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    graduate.open(query=query)
    assert graduate.typed(YD, "gpus").input_value() == expected
    said = graduate.notices(YD)
    assert said.count(words) == 1, said
    assert graduate.page.locator(".ck-notice:visible").count() == 1
    # Words, not markup.
    assert graduate.instrument(YD).locator("[data-notices] img, [data-notices] script").count() == 0
    assert dialogs == []
    assert "undefined" not in said
    assert "{" not in said


def test_a_good_link_says_nothing_and_one_bad_value_does_not_spoil_the_others(graduate):
    graduate.open(query="young-daly.v=1&young-daly.gpus=20000&other=1&theme=x")
    assert graduate.typed(YD, "gpus").input_value() == "20000"
    assert graduate.page.locator(".ck-notice:visible").count() == 0
    graduate.open(query="young-daly.gpus=20000&young-daly.write_time=abc&young-daly.interval=1")
    assert [graduate.typed(YD, name).input_value() for name in ("gpus", "write_time", "interval")] == [
        "20000",
        "120",
        "60",
    ]
    assert graduate.page.locator(".ck-notice:visible").count() == 1


def test_another_run_draws_another_run(at):
    before = at.state("watched-run")
    at.instrument("watched-run").get_by_role("button", name="Another run").click()
    after = at.state("watched-run")
    assert at.typed("watched-run", "seed").input_value() == "2"
    assert after["readouts"][0] != before["readouts"][0]
    assert after["readouts"][1] == before["readouts"][1], "the prediction does not depend on chance"


# What must hold between the numbers of one setting `s`, whatever the formulas.
HOLDS = {
    "young-daly": [
        "s.waste >= s.least - 1e-12",
        "s.low <= s.best && s.best <= s.high",
        "s.verdict === (s.interval < s.low ? 'short' : s.interval > s.high ? 'long' : 'inside')",
        "Math.abs(s.verdict === 'inside' ? 0 : Math.max(0, 1.1 * s.least - s.waste)) < 1e-9",
        "Math.abs(s.writing + s.rework + s.restarting - s.first_order) < 1e-9 * s.first_order",
        "s.best <= s.young",
        "Math.abs(s.bill * s.waste - s.money) <= 1e-9 * s.bill",
    ],
    "watched-run": [
        "0 <= s.lowest && s.lowest <= s.mean && s.mean <= s.highest && s.highest <= 1",
        "s.lowest <= s.measured && s.measured <= s.highest",
        "s.many.length === 200 && s.many[0] === s.measured",
        "s.verdict === (s.measured > s.predicted + 0.03 ? 'lucky' : s.measured < s.predicted - 0.03 ? 'unlucky' : 'close')",
        "Number.isInteger(s.failures) && s.failures >= 0",
    ],
    "mtbf-fleet": ["Math.abs(s.mtbf * s.gpus - s.mttf) < 1e-9 * s.mttf", "0 <= s.quiet && s.quiet <= 1"],
}

SWEEP = r"""([name, seed, count, holds]) => {
    const ck = window.chapterkit, declared = ck.instruments[name];
    const panel = document.querySelector(`[data-instrument="${name}"]`);
    panel.querySelectorAll("details").forEach(d => { d.open = true });
    const slider = c => panel.querySelector(`[data-control="${c.name}"] input[type=range]`);
    const text = selector => panel.querySelector(selector).textContent;
    let state = seed;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const errors = [];
    const failed = event => errors.push(event.message);
    window.addEventListener("error", failed);
    const turn = c => {
        // A third of the time an end of the range, where trouble lives.
        const u = random(), at = u < 1 / 6 ? 0 : u < 1 / 3 ? 1 : random();
        slider(c).value = c.low + at * (c.high - c.low);
        slider(c).dispatchEvent(new Event("input", { bubbles: true }));
    };
    const radios = c => Array.from(panel.querySelectorAll(`[data-choice="${c.name}"] input`));
    const pick = c => { const all = radios(c); all[Math.floor(random() * all.length)].click(); };
    const settings = [...declared.controls.map(c => () => turn(c)), ...declared.choices.map(c => () => pick(c))];
    settings.forEach(set => set());
    const nonsense = /.{0,40}(NaN|Infinity|undefined|null|\{\w+[|}]).{0,40}/;
    const holding = holds.map(rule => [rule, new Function("s", "return " + rule)]);
    const fields = template => Array.from(template.matchAll(/\{(\w+)(?:\|([^ }]*)(?: ([^}]*))?)?\}/g), m => [m[1], m[2] || "", m[3] || ""]);
    for (let i = 0; i < count && errors.length < 5; i++) {
        settings[Math.floor(random() * settings.length)]();
        settings[Math.floor(random() * settings.length)]();
        const values = Object.fromEntries([
            ...declared.controls.map(c => [c.name, Number(slider(c).value)]),
            ...declared.choices.map(c => [c.name, radios(c).find(radio => radio.checked).value]),
        ]);
        const where = " at " + JSON.stringify(values), wrong = words => errors.push(words + where);
        const found = panel.innerText.match(nonsense);
        if (found) wrong("nonsense in words: " + found[0]);
        const s = ck.evaluate(declared, values);
        for (const [rule, holds] of holding) if (!holds(s)) wrong(rule);
        // A number that stands in a read-out and in a sentence is the same number.
        const shown = new Map(declared.readouts.map(r => [[r.name, r.unit, r.spec].join(), text(`[data-readout="${r.name}"] .ck-value`)]));
        for (const r of declared.readouts) {
            const wanted = typeof s[r.name] === "string" ? s[r.name] : ck.show(s[r.name], r.unit, r.spec);
            if (shown.get([r.name, r.unit, r.spec].join()) !== wanted) wrong(`the read-out ${r.name} is not ${wanted}`);
        }
        const agree = (template, said) => fields(template).forEach(field => {
            const twin = shown.get(field.join());
            if (twin !== undefined && !said.includes(twin)) wrong(`${said} lacks ${twin}`);
        });
        for (const [key, words] of Object.entries(declared.sentences)) agree(words[s[key]], text(`[data-sentence="${key}"]`));
        declared.lines.forEach((line, at) => agree(line, panel.querySelectorAll(".ck-lines > li")[at].textContent));
        for (const p of declared.pictures) {
            const odd = JSON.stringify(declared.functions[p.figure](s), (_, v) =>
                v === undefined || (typeof v === "number" && !Number.isFinite(v)) ? "<odd>" : v).includes("<odd>");
            if (odd) wrong("picture " + p.name + " holds a number that is none");
        }
    }
    window.removeEventListener("error", failed);
    return errors;
}"""


def test_random_settings_give_no_nonsense_and_agree_with_themselves(everything):
    """300 settings of every instrument, ends of the ranges included, through the page's own code."""
    for name in everything.instruments():
        assert everything.page.evaluate(SWEEP, [name, 20_260_101, 300, HOLDS.get(name, [])]) == [], name
