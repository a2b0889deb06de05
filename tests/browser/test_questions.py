"""Predict, reveal, keep: what a question does with an answer, and what its gates do then."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

PREDICTION, REFLECTION = "part-a-best-interval", "part-a-lever"
PREDICTED = ["as-long-as-the-write", "ten-minutes", "twenty-seven-minutes", "half-the-mtbf"]
REFLECTED = ["save-twice-as-often", "cut-the-write-time", "accept-the-minimum", "use-fewer-gpus"]


def test_the_options_of_these_tests_are_those_of_the_page(reader):
    reader.open()
    assert reader.options(PREDICTION) == PREDICTED
    assert reader.options(REFLECTION) == REFLECTED


@pytest.mark.parametrize("option", PREDICTED)
def test_a_prediction_is_revealed_and_a_reload_keeps_it(reader, option):
    """The first option, index 0, included."""
    reader.open()
    asked = reader.question(PREDICTION)
    expect(asked.locator(".ck-feedback:visible")).to_have_count(0)
    for visit in ("first", "after a reload"):
        if visit == "first":
            reader.commit(PREDICTION, option)
        else:
            reader.page.reload()
        shown = asked.locator(".ck-answer .ck-feedback:visible")
        expect(shown).to_have_count(1)
        expect(shown).to_have_attribute("data-option", option)
        expect(asked.locator(f"input[value='{option}']")).to_be_checked()
        expect(asked.locator(".ck-mark-yours:visible")).to_have_count(1)
        expect(asked.locator(".ck-mark-right:visible")).to_have_count(1)
        kept = reader.stored()["answers"][PREDICTION]
        assert kept["option"] == option
        assert kept["right"] is (option == "twenty-seven-minutes")


def test_a_locked_prediction_stays_locked(reader):
    reader.open()
    reader.commit(PREDICTION, PREDICTED[0])
    asked = reader.question(PREDICTION)
    for _ in range(2):
        expect(asked.locator("input:enabled")).to_have_count(0)
        expect(asked.locator(".ck-commit")).to_be_hidden()
        asked.evaluate("form => form.requestSubmit()")  # the Enter key of some browsers
        assert reader.stored()["answers"][PREDICTION]["option"] == PREDICTED[0]
        reader.page.reload()


def test_the_first_of_two_commitments_counts(reader):
    """Another tab may have committed a moment ago."""
    reader.open()
    earlier = {"option": PREDICTED[1], "right": False, "at": "2026-01-01T00:00:00.000Z"}
    record = {"version": 1, "answers": {PREDICTION: earlier}, "notes": {}, "opened": {}}
    reader.page.evaluate(
        "([key, record]) => localStorage.setItem(key, JSON.stringify(record))", [reader.KEY, record]
    )
    reader.commit(PREDICTION, PREDICTED[0])
    assert reader.stored()["answers"] == {PREDICTION: earlier}
    expect(reader.question(PREDICTION).locator(".ck-answer .ck-feedback:visible")).to_have_attribute(
        "data-option", PREDICTED[1]
    )


def test_a_reflection_may_be_answered_again(reader):
    reader.open()
    for option in (REFLECTED[0], REFLECTED[1], REFLECTED[0]):
        reader.commit(REFLECTION, option)
        shown = reader.question(REFLECTION).locator(".ck-answer .ck-feedback:visible")
        expect(shown).to_have_count(1)
        expect(shown).to_have_attribute("data-option", option)
        assert reader.stored()["answers"][REFLECTION]["option"] == option


def test_committing_without_a_choice_asks_for_one(reader):
    reader.open()
    asked = reader.question(PREDICTION)
    asked.locator(".ck-commit").click()
    expect(asked.locator(".ck-message")).to_have_text("Choose an answer first.")
    expect(asked.locator("input").first).to_be_focused()
    assert reader.stored() is None


def test_gates_are_closed_at_first_and_open_after_the_answer(reader):
    reader.open()
    gates = reader.page.locator(".ck-gate")
    assert gates.count() >= 3
    for gate in gates.all():
        expect(gate.locator(".ck-gate-notice")).to_be_visible()
        expect(gate.locator(".ck-gate-body > p").first).to_be_hidden()
    reader.commit(PREDICTION, PREDICTED[0])
    for _ in range(2):
        for gate in gates.all():
            expect(gate.locator(".ck-gate-notice")).to_be_hidden()
            expect(gate.locator(".ck-gate-arrived")).to_be_hidden()
            expect(gate.locator(".ck-gate-body > p").first).to_be_visible()
        reader.page.reload()


def test_one_gate_can_be_opened_without_answering_and_stays_open(reader):
    reader.open()
    first, second = reader.page.locator(".ck-gate").nth(0), reader.page.locator(".ck-gate").nth(1)
    first.get_by_role("button", name="Show it anyway").click()
    for _ in range(2):
        expect(first.locator(".ck-gate-body > p").first).to_be_visible()
        expect(second.locator(".ck-gate-body > p").first).to_be_hidden()
        reader.page.reload()
    expect(reader.question(PREDICTION).locator("input:enabled")).to_have_count(4)


def test_the_switch_opens_everything_and_closes_it_again(reader):
    reader.open()
    switch = reader.page.get_by_role("switch", name="Show everything")
    notices, bodies = reader.page.locator(".ck-gate-notice:visible"), reader.page.locator(".ck-gate.ck-open")
    switch.check()
    expect(notices).to_have_count(0)
    reader.page.reload()
    expect(switch).to_be_checked()
    expect(notices).to_have_count(0)
    switch.uncheck()
    expect(bodies).to_have_count(0)
    assert notices.count() >= 3


def test_an_address_can_show_everything_without_touching_the_record(reader):
    reader.open(query="show=all")
    expect(reader.page.locator(".ck-gate-notice:visible")).to_have_count(0)
    expect(reader.page.get_by_role("switch", name="Show everything")).to_be_checked()
    assert reader.stored() is None
    reader.open()
    assert reader.page.locator(".ck-gate-notice:visible").count() >= 3


@pytest.mark.parametrize("target", ["young-daly", "part-a-reveal", "watched-run", "part-a-best-interval"])
def test_a_deep_link_arrives_and_says_so_when_it_opened_a_gate(reader, target):
    """Instruments stand in closed gates, headings before them, the question in the open."""
    reader.open(fragment=target)
    found = reader.page.locator(f"#{target}").first
    expect(found).to_be_visible()
    reader.page.wait_for_function(
        "id => { const b = document.getElementById(id).getBoundingClientRect(); return b.bottom > 0 && b.top < innerHeight && b.top > -50 }",
        arg=target,
    )
    gate = reader.page.locator(".ck-gate", has=found)
    if gate.count():
        expect(gate.locator(".ck-gate-arrived")).to_be_visible()
        expect(gate.locator(".ck-gate-notice")).to_be_hidden()
        assert reader.stored() is None
    closed = reader.page.locator(".ck-gate-notice:visible").count()
    assert closed == reader.page.locator(".ck-gate").count() - gate.count()
    # Going on does not close behind the reader what the link has opened.
    reader.page.evaluate("location.hash = 'part-a-dilemma'")
    expect(found).to_be_visible()


def test_a_deep_link_to_anything_at_all_arrives(reader, part):
    """Every id of the page: headings, equations in folds, citations, options, controls in gates."""
    reader.page.emulate_media(reduced_motion="reduce")  # no smooth scrolling
    reader.open(part)
    missed = reader.page.evaluate(
        """async () => {
            const missed = [], frame = () => new Promise(requestAnimationFrame);
            const ids = Array.from(document.querySelectorAll("article [id]"), e => e.id)
                .filter(id => !document.getElementById(id).closest("svg, math, .ck-feedback, noscript, .ck-problem"));
            for (const id of ids) {
                location.hash = id;
                await frame();
                const e = document.getElementById(id), box = e.getBoundingClientRect();
                const empty = !e.textContent.trim() && !e.matches("input");
                if (!e.checkVisibility() && !empty) missed.push(id + " hidden");
                else if (!empty && (box.bottom < 0 || box.top > innerHeight)) missed.push(id + " off screen at " + box.top);
            }
            return { missed, count: ids.length };
        }"""
    )
    assert missed["count"] > 60
    assert missed["missed"] == [], missed["missed"]


def test_a_search_for_words_behind_a_gate_opens_it(reader):
    """A link to words takes the way of a search in the page."""
    reader.open(fragment=":~:text=the%20luckiest%20day")
    gate = reader.page.locator(".ck-gate", has_text="the luckiest day")
    expect(gate.locator(".ck-gate-arrived")).to_be_visible()
    expect(gate.get_by_text("the luckiest day")).to_be_in_viewport()
    assert reader.stored() is None


def test_a_link_within_the_page_opens_the_gate_it_leads_into(reader):
    reader.open()
    reader.page.evaluate(
        """() => { const a = document.createElement("a"); a.href = "#young-daly"; a.textContent = "to the instrument";
                   document.querySelector("#part-a p").append(a) }"""
    )
    for _ in range(2):  # the second click changes no address
        reader.page.evaluate("scrollTo(0, 0)")
        reader.page.get_by_role("link", name="to the instrument").click()
        expect(reader.instrument("young-daly")).to_be_in_viewport()


def test_two_tabs_do_not_lose_each_others_answers(reader, context):
    reader.open()
    other = type(reader)(context.new_page(), reader.site).open()
    reader.commit(PREDICTION, PREDICTED[0])
    # The other tab hears of it, and its prediction is locked as well.
    expect(other.question(PREDICTION).locator("input:enabled")).to_have_count(0)
    expect(other.page.locator(".ck-gate-notice:visible")).to_have_count(0)
    other.commit(REFLECTION, REFLECTED[1])
    answers = reader.stored()["answers"]
    assert {name: answer["option"] for name, answer in answers.items()} == {
        PREDICTION: PREDICTED[0],
        REFLECTION: REFLECTED[1],
    }
    expect(reader.question(REFLECTION).locator(f".ck-answer [data-option='{REFLECTED[1]}']")).to_be_visible()


def test_the_landing_page_shows_the_progress_exports_and_clears_it(graduate):
    graduate.open("book/index")
    page = graduate.page
    summary = page.locator(".ck-progress-summary")
    questions = page.locator(".ck-progress-list > [data-asked]").count()
    expect(summary).to_contain_text(f"1 of {questions} questions answered")
    expect(page.locator(".ck-progress-page > summary").first).to_contain_text("1 of 2 answered")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    saved = download.value.path()
    page.get_by_role("button", name="Clear my answers").click()
    page.get_by_role("button", name="Yes, clear").click()
    expect(summary).to_contain_text(f"0 of {questions} questions answered")
    assert graduate.stored()["answers"] == {}
    page.locator(".ck-import-file").set_input_files(saved)
    expect(summary).to_contain_text(f"1 of {questions} questions answered")
    assert graduate.stored()["answers"][PREDICTION]["option"] == "ten-minutes"
