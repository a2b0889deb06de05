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
