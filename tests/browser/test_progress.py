"""How far the reader is: on every page, with where to go on, and ways to clear it and take that back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

PREDICTION, RIGHT = "part-a-best-interval", "twenty-seven-minutes"
OTHER = "part-b-write-time"
AT = "2026-01-01T00:00:00.000Z"


def answers(*ids):
    return {qid: {"option": "x", "right": False, "at": AT} for qid in ids}


@pytest.fixture
def asked(reader):
    """All questions of the book, as the pages know them."""
    reader.open("book/notation")
    return reader.page.evaluate("chapterkit.questions")


def where(reader):
    return reader.page.locator(".ck-where")


def test_every_page_tells_how_far_the_reader_is(reader, name):
    """Every page that someone wrote: the search and the index are tools."""
    reader.open(name)
    shown = reader.page.locator(".ck-where, .ck-progress")
    if name in ("genindex", "search"):
        expect(shown).to_have_count(0)
        return
    expect(shown).to_have_count(1)
    expect(shown.locator(".ck-count")).to_contain_text("0 of ")
    expect(shown.locator(".ck-tier")).to_contain_text("Developing")


def test_answering_counts_at_once_and_the_next_question_is_offered(reader, asked):
    reader.open()
    expect(where(reader).locator(".ck-next")).to_have_text(asked[0]["title"])
    reader.commit(PREDICTION, RIGHT)
    expect(where(reader).locator(".ck-count")).to_contain_text(f"1 of {len(asked)} questions answered")
    predictions = sum(question["kind"] == "predict" for question in asked)
    expect(where(reader).locator(".ck-tier")).to_contain_text(f"Partial: 1 of {predictions}")
    expect(where(reader).locator(".ck-next")).to_have_text(asked[1]["title"])


@pytest.mark.parametrize("start", ["book/notation", "exercises/part-a"])
def test_the_way_on_leads_to_the_first_question_without_an_answer(reader, asked, start):
    reader.remembers({"answers": answers(*[question["id"] for question in asked[:3]])})
    reader.open(start)
    where(reader).locator(".ck-next").click()
    reader.page.wait_for_url(f"**/{asked[3]['url']}")
    expect(reader.question(asked[3]["id"])).to_be_in_viewport()


def test_whoever_has_answered_all_goes_on_to_the_synthesis(reader, asked):
    reader.remembers({"answers": answers(*[question["id"] for question in asked])})
    reader.open()
    where(reader).locator(".ck-next").click()
    expect(reader.page.locator("h1")).to_contain_text("Synthesis")
    expect(reader.page.locator(".ck-progress")).to_be_in_viewport()


def test_every_prediction_right_is_optimal_whatever_else_is_open(reader, asked):
    right = {q["id"]: {"option": "x", "right": True, "at": AT} for q in asked if q["kind"] == "predict"}
    reader.remembers({"answers": right})
    reader.open("book/synthesis")
    expect(reader.page.locator(".ck-progress .ck-tier")).to_contain_text("Optimal")
    expect(reader.page.locator(".ck-tiers [aria-current]")).to_contain_text("Optimal")
    expect(reader.page.locator(".ck-tier-mine:visible")).to_have_count(1)


def test_each_card_of_the_landing_page_tells_how_far_its_part_is(graduate):
    graduate.open("book/index")
    card = graduate.page.locator(".sd-card", has_text="Part A")
    expect(card.locator(".ck-page-live")).to_have_text("1 of 2 answered")
    expect(graduate.page.locator(".sd-card", has_text="Part D").locator(".ck-page-live")).to_have_text(
        "0 of 2 answered"
    )


# Clearing -----------------------------------------------------------------------------------------


def test_a_reader_who_did_nothing_is_offered_nothing_to_clear(reader):
    reader.open()
    expect(where(reader).get_by_role("button")).to_have_count(0)


@pytest.fixture
def two_parts(reader):
    """A reader who answered in Parts A and B, opened a gate of A by hand, and wrote something."""
    reader.remembers(
        {
            "answers": {
                PREDICTION: {"option": "ten-minutes", "right": False, "at": AT},
                OTHER: {"option": "two-minutes", "right": False, "at": AT},
            },
            "notes": {"synthesis-decision": "words"},
            "opened": {"part-a-gate-instrument": True},
        }
    )
    reader.open()
    return reader


def test_clearing_this_page_asks_first_and_keeps_the_others(two_parts):
    row = where(two_parts).locator(".ck-clear")
    row.get_by_role("button", name="Clear this page").click()
    expect(row.get_by_role("button", name="Keep them")).to_be_focused()
    assert set(two_parts.stored()["answers"]) == {PREDICTION, OTHER}
    row.get_by_role("button", name="Yes, clear").click()
    kept = two_parts.stored()
    assert set(kept["answers"]) == {OTHER}
    assert kept["notes"] == {"synthesis-decision": "words"}
    assert kept["opened"] == {}
    assert two_parts.page.locator(".ck-gate-notice:visible").count() >= 3
    expect(two_parts.question(PREDICTION).locator("input:enabled")).to_have_count(4)


def test_clearing_all_clears_all(two_parts):
    row = where(two_parts).locator(".ck-clear")
    row.get_by_role("button", name="Clear my answers").click()
    row.get_by_role("button", name="Yes, clear").click()
    kept = two_parts.stored()
    assert not (kept["answers"])
    assert not (kept["notes"])
    assert not (kept["opened"])
    expect(where(two_parts).locator(".ck-count")).to_contain_text("0 of ")


@pytest.mark.parametrize("button", ["Clear this page", "Clear my answers"])
def test_clearing_can_be_taken_back(two_parts, button):
    before, row = two_parts.stored(), where(two_parts).locator(".ck-clear")
    row.get_by_role("button", name=button).click()
    row.get_by_role("button", name="Yes, clear").click()
    expect(row.get_by_role("status")).to_have_text("Cleared.")
    row.get_by_role("button", name="Undo").click()
    after = two_parts.stored()
    assert {part: after[part] for part in before} == before
    expect(two_parts.page.locator(".ck-gate-notice:visible")).to_have_count(0)


def test_whoever_answers_anew_is_no_longer_offered_the_old_answers(two_parts):
    row = where(two_parts).locator(".ck-clear")
    row.get_by_role("button", name="Clear this page").click()
    row.get_by_role("button", name="Yes, clear").click()
    two_parts.commit(PREDICTION, RIGHT)
    expect(row.get_by_role("button", name="Undo")).to_have_count(0)
    expect(row.get_by_role("button", name="Clear this page")).to_be_visible()


def test_the_keyboard_clears_and_takes_back(two_parts):
    keys, row = two_parts.page.keyboard, where(two_parts).locator(".ck-clear")
    row.get_by_role("button", name="Clear this page").focus()
    keys.press("Enter")
    keys.press("Escape")
    expect(row.get_by_role("button", name="Clear this page")).to_be_visible()
    assert PREDICTION in two_parts.stored()["answers"]
    row.get_by_role("button", name="Clear this page").focus()
    keys.press("Enter")
    keys.press("Shift+Tab")
    expect(row.get_by_role("button", name="Yes, clear")).to_be_focused()
    keys.press("Enter")
    expect(row.get_by_role("button", name="Undo")).to_be_focused()
    keys.press("Enter")
    assert PREDICTION in two_parts.stored()["answers"]


def test_a_second_tab_counts_along(two_parts, context):
    other = type(two_parts)(context.new_page(), two_parts.site).open("part-b")
    two_parts.commit("part-a-lever", "cut-the-write-time")
    expect(where(other).locator(".ck-count")).to_contain_text("3 of ")
    row = where(two_parts).locator(".ck-clear")
    row.get_by_role("button", name="Clear my answers").click()
    row.get_by_role("button", name="Yes, clear").click()
    expect(where(other).locator(".ck-count")).to_contain_text("0 of ")
    expect(other.question(OTHER).locator("input:enabled")).to_have_count(4)


def test_a_record_that_cannot_be_read_is_not_cleared_from_the_last_lines(reader):
    reader.remembers('{"version": 1, "answers": {')
    reader.open()
    reader.commit(PREDICTION, RIGHT)
    expect(where(reader).get_by_role("button")).to_have_count(0)
    where(reader).get_by_role("link", name="Not saved here. Why?").click()
    expect(reader.page.locator(".ck-progress-status")).to_contain_text("cannot be read, and is left as it is")


def test_without_scripts_there_are_no_last_lines(new_context, reader, name):
    plain = type(reader)(new_context(java_script_enabled=False).new_page(), reader.site).open(name)
    expect(plain.page.locator(".ck-where:visible")).to_have_count(0)
