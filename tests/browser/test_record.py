"""Storage that is denied, full, broken or newer: the page works, says so, and overwrites nothing."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

PREDICTION, OPTION = "part-a-best-interval", "as-long-as-the-write"
DENIED = """Object.defineProperty(window, "localStorage", { configurable: true,
    get() { throw new DOMException("denied", "SecurityError") } })"""
FULL = """Storage.prototype.setItem = function () { throw new DOMException("full", "QuotaExceededError") }"""
UNREADABLE = {
    "corrupt": '{"version": 1, "answers": {',
    "of a newer version": json.dumps({"version": 2, "answers": {PREDICTION: ["new"]}}),
    "of another kind": "[1, 2, 3]",
    "with broken parts": json.dumps({"version": 1, "answers": "none"}),
}


def works_without_a_record(reader):
    """Answering reveals and opens; an instrument answers; and the reader is told that nothing lasts."""
    reader.open()
    reader.commit(PREDICTION, OPTION)
    asked = reader.question(PREDICTION)
    expect(asked.locator(f".ck-answer [data-option='{OPTION}']")).to_be_visible()
    expect(asked.locator(".ck-message")).to_contain_text("Not saved")
    expect(reader.page.locator(".ck-gate-notice:visible")).to_have_count(0)
    before = reader.state("young-daly")["readouts"]
    reader.slide("young-daly", "gpus", 20_000)
    assert reader.state("young-daly")["readouts"] != before


@pytest.mark.parametrize("script", [DENIED, FULL], ids=["denied", "full"])
def test_storage_that_keeps_nothing_is_said_and_harms_nothing(reader, script):
    reader.page.context.add_init_script(script)
    works_without_a_record(reader)
    reader.open("book/index")
    expect(reader.page.locator(".ck-progress-status")).to_contain_text(
        "Not saved" if script == DENIED else "Kept"
    )


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_record_that_cannot_be_read_is_never_overwritten(reader, text):
    reader.remembers(text)
    works_without_a_record(reader)
    stored = "Object.values({ ...localStorage })"
    assert text in reader.page.evaluate(stored)
    reader.page.reload()
    assert text in reader.page.evaluate(stored)
    reader.open("book/index")
    expect(reader.page.locator(".ck-progress-status")).to_contain_text("Not saved")
    # Export gives the text as it is, so that nothing is lost.
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Export").click()
    assert download.value.path().read_text() == text


def test_what_another_version_added_to_a_record_is_kept(reader):
    reader.remembers(
        {
            "answers": {"part-z": {"option": "x", "right": True, "at": ""}},
            "opened": {},
            "notes": {},
            "later": [1],
        }
    )
    reader.open()
    reader.commit(PREDICTION, OPTION)
    kept = reader.stored()
    assert kept["later"] == [1]
    assert set(kept["answers"]) == {"part-z", PREDICTION}


def test_an_answer_whose_option_is_gone_may_be_given_again(reader):
    reader.remembers(
        {
            "answers": {PREDICTION: {"option": "no-such-option", "right": True, "at": "2026"}},
            "notes": {},
            "opened": {},
        }
    )
    reader.open()
    expect(reader.question(PREDICTION).locator(".ck-message")).to_contain_text("no longer among the options")
    reader.commit(PREDICTION, OPTION)
    expect(reader.question(PREDICTION).locator(f".ck-answer [data-option='{OPTION}']")).to_be_visible()


# The decision log, and the whole record ----------------------------------------------------------

LOG = "synthesis-decision"
INSIGHT = "Drain at 10 GB/s.\nMeasure restarts first."


def field(reader):
    return reader.page.locator(f"#{LOG} textarea")


def test_the_decision_log_survives_a_reload_and_reaches_a_second_tab(reader, context):
    reader.open("book/synthesis")
    other = type(reader)(context.new_page(), reader.site).open("book/synthesis")
    field(reader).fill(INSIGHT)
    expect(field(other)).to_have_value(INSIGHT)
    reader.page.reload()
    expect(field(reader)).to_have_value(INSIGHT)
    assert reader.stored()["notes"] == {LOG: INSIGHT}


def test_what_was_typed_last_is_kept_when_the_page_is_left_at_once(reader):
    reader.open("book/synthesis")
    field(reader).press_sequentially("Go")
    reader.open("part-a")
    assert reader.stored()["notes"] == {LOG: "Go"}


def test_a_decision_that_cannot_be_saved_is_said(reader):
    reader.page.context.add_init_script(FULL)
    reader.open("book/synthesis")
    field(reader).fill(INSIGHT)
    expect(reader.page.locator(".ck-log-status")).to_contain_text("Not saved")
    expect(field(reader)).to_have_value(INSIGHT)


def test_an_exported_record_restores_answers_tier_and_log_in_another_browser(reader, new_context):
    reader.open()
    reader.commit(PREDICTION, "twenty-seven-minutes")
    reader.open("book/synthesis")
    field(reader).fill(INSIGHT)
    expect(reader.page.locator("[data-log]")).to_have_text(INSIGHT)
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Export").click()
    path = download.value.path()
    assert json.loads(path.read_text())["version"] == 1

    fresh = type(reader)(new_context().new_page(), reader.site).open("book/synthesis")
    expect(fresh.page.locator(".ck-tiers [aria-current]")).to_contain_text("Developing")
    fresh.page.locator(".ck-import-file").set_input_files(path)
    expect(fresh.page.locator(".ck-progress-status")).to_contain_text("are added")
    expect(fresh.page.locator(".ck-tiers [aria-current]")).to_contain_text("Partial")
    expect(field(fresh)).to_have_value(INSIGHT)
    assert fresh.stored() == reader.stored()
    fresh.open()
    expect(fresh.question(PREDICTION).locator("input:enabled")).to_have_count(0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "That file is not a record of answers. Nothing was changed."),
        ('{"version": 7}', "A newer version of this book wrote that file. Nothing was changed."),
    ],
)
def test_a_file_that_is_no_record_is_told_and_changes_nothing(reader, tmp_path, text, words):
    file = tmp_path / "record.json"
    file.write_text(text)
    reader.remembers({"notes": {LOG: INSIGHT}})
    reader.open("book/synthesis")
    before = reader.stored()
    reader.page.locator(".ck-import-file").set_input_files(file)
    expect(reader.page.locator(".ck-progress-status")).to_contain_text(words)
    assert reader.stored() == before


def test_exercises_that_passed_are_part_of_the_record(reader):
    reader.open("book/synthesis")
    reader.page.evaluate("chapterkit.record.exercise('a1', true)")
    reader.page.reload()
    assert reader.page.evaluate("chapterkit.recordLogic.passed(chapterkit.record.read(), 'a1')") is True


def test_the_record_prints_by_itself_with_the_words_of_answers_and_log(reader):
    reader.remembers(
        {
            "answers": {PREDICTION: {"option": "twenty-seven-minutes", "right": True, "at": "2026"}},
            "notes": {LOG: INSIGHT},
        }
    )
    page = reader.page
    page.context.add_init_script("window.print = () => { window.printed = true }")
    reader.open("book/synthesis")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("printed")
    page.emulate_media(media="print")
    shown = page.locator("body").inner_text()
    for words in (
        "When Failure Is Routine",
        "Partial: 1 of 5",
        "27 min",
        "right",
        "Drain at 10 GB/s.",
        "Measure restarts first.",
    ):
        assert words in shown, words
    for words in ("What comes next", "Export", "Corrections to the lab", "Go on:"):
        assert words not in shown, words
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert "What comes next" in page.locator("body").inner_text()


def test_without_scripts_the_synthesis_says_what_scripts_would_do(new_context, reader):
    page = new_context(java_script_enabled=False).new_page()
    plain = type(reader)(page, reader.site).open("book/synthesis")
    expect(page.get_by_text("Write it down where you will find it again.")).to_be_visible()
    expect(
        page.get_by_text("With scripts on, this place shows which questions you have answered")
    ).to_be_visible()
    expect(page.locator(".ck-tiers > li:visible")).to_have_count(3)
    expect(
        plain.page.locator("textarea:visible, .ck-progress-live:visible, .ck-tier-mine:visible")
    ).to_have_count(0)
    part = page.locator(".ck-progress-page").first
    expect(part.locator("summary")).to_contain_text("2 questions")
    expect(part.get_by_role("link").first).to_be_hidden()
    part.locator("summary").click()
    expect(part.get_by_role("link").first).to_be_visible()
