"""A choice by name, a number that must be a multiple, and one that reaches further under More: in a real page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

STORM = "storm"


@pytest.fixture
def at(reader):
    """Part B with everything open."""
    return reader.open("part-b", query="show=all")


def chosen(at) -> str:
    return at.instrument(STORM).locator("[data-choice='bandwidth'] input:checked").get_attribute("value")


def write_time(at) -> str:
    return at.instrument(STORM).locator("[data-readout='write_time'] .ck-value").inner_text()


def test_the_arrow_keys_move_a_choice_and_everything_follows(at):
    group = at.instrument(STORM).get_by_role("group", name="Shared storage")
    group.get_by_role("radio", name="shared NFS").focus()
    at.page.keyboard.press("ArrowDown")
    assert chosen(at) == "parallel"
    assert write_time(at) == "4.08\u202fmin"
    expect(at.instrument(STORM).locator("[data-spoken]")).to_contain_text("Time of one write: 4.08")
    expect(group.get_by_role("radio", name="parallel file system 10\u202fGB/s")).to_be_checked()


def test_custom_opens_its_number_and_to_move_the_number_is_to_choose_it(at):
    panel = at.instrument(STORM)
    panel.get_by_role("radio", name="custom").check()
    expect(at.typed(STORM, "own_bandwidth")).to_be_visible()
    assert write_time(at) == "98\u202fs"
    panel.get_by_role("radio", name="shared NFS").check()
    at.slide(STORM, "own_bandwidth", 500)
    assert chosen(at) == "custom"
    assert write_time(at) == "4.9\u202fs"
    expect(panel.get_by_role("radio", name="custom, set under More 500\u202fGB/s")).to_be_checked()


def test_the_storm_comes_and_goes(at):
    banner = at.instrument(STORM).locator(".ck-alert")
    expect(banner).to_have_count(0)
    at.slide(STORM, "gpus", 14_200)
    expect(banner).to_have_text("Checkpoint storm.")
    at.instrument(STORM).get_by_role("radio", name="parallel").check()
    expect(banner).to_have_count(0)


def test_a_number_reaches_further_under_more(at):
    at.instrument(STORM).locator("details.ck-more > summary").click()
    at.instrument(STORM).get_by_label("Parameters of the model, up to 2,000").fill("1000")
    assert at.typed(STORM, "parameters").input_value() == "1000"
    assert at.slider(STORM, "parameters").input_value() == "175"
    at.typed(STORM, "parameters").fill("90")
    assert at.instrument(STORM).get_by_label("Parameters of the model, up to 2,000").input_value() == "90"


def test_gpus_come_in_whole_nodes(at):
    at.typed(STORM, "gpus").fill("1003")
    expect(at.control(STORM, "gpus").locator(".ck-problem")).to_contain_text("must be a multiple of 8")
    at.typed(STORM, "gpus").fill("14192")
    expect(at.instrument(STORM).locator(".ck-alert")).to_have_count(1)


def test_a_copied_link_keeps_the_choice_and_reset_takes_it_back(at):
    page, panel = at.page, at.instrument(STORM)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    before = at.state(STORM)
    panel.get_by_role("radio", name="NVMe").check()
    panel.get_by_role("button", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "storm.bandwidth=nvme" in link
    wanted = at.state(STORM)
    page.goto("about:blank")
    page.goto(link)
    assert at.state(STORM) == wanted
    assert chosen(at) == "nvme"
    panel.get_by_role("button", name="Reset").click()
    assert chosen(at) == "nfs"
    assert at.state(STORM) == before


@pytest.mark.parametrize("option", ["floppy", "", "1", "__proto__"])
def test_an_unknown_option_is_left_out_and_said_once(reader, option):
    reader.open("part-b", query=f"show=all&storm.bandwidth={option}&storm.bandwidth={option}")
    assert chosen(reader) == "nfs"
    said = reader.notices(STORM)
    assert said.count("none of its options") == 1
    assert "undefined" not in said


def test_without_scripts_a_choice_shows_its_default_and_cannot_be_moved(new_context, site):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}book/part-b.html")
    group = page.locator("[data-choice='bandwidth']")
    expect(group).to_have_attribute("disabled", "")
    expect(group.locator("input[value=nfs]")).to_be_checked()
    expect(group).to_contain_text("parallel file system 10\u202fGB/s")
