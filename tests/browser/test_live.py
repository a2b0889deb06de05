"""A live cell in a real browser: it runs what the build ran, and says in words when it cannot."""

from __future__ import annotations

import re
import time
from urllib.parse import urlsplit

import pytest

START = 120_000
# JupyterLite says this of a site that keeps nothing and has no service worker, which is as we want it.
pytestmark = pytest.mark.console("Memory storage fallback enabled", "Pyodide contents will NOT be synced")


@pytest.fixture
def cell(site, page):
    """The first live cell of Part A, on a page that has just been opened."""
    page.goto(f"{site}book/part-a.html")
    found = page.locator(".ck-live").first
    found.wait_for(state="visible")
    return found


def panel(page, *states):
    found = page.locator(".ck-live-panel")
    page.wait_for_function(
        "wanted => wanted.includes(document.querySelector('.ck-live-panel')?.dataset.state)",
        arg=list(states),
        timeout=START,
    )
    return found


def printed(page):
    outputs = page.frame_locator(".ck-live-frame").locator(".jp-OutputArea-output")
    outputs.first.wait_for()
    return [text.strip() for text in outputs.all_inner_texts()]


def static_output(cell):
    return cell.evaluate(
        """cell => Array.from(cell.previousElementSibling.querySelectorAll('.cell_output pre'),
                              pre => pre.textContent.trim())"""
    )


def test_a_live_cell_prints_what_the_build_printed(page, cell):
    """One run through all: start by keyboard, equality, change, reset, the page's other cells, close."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    expected = static_output(cell)
    assert expected
    cell.get_by_role("button").focus()
    page.keyboard.press("Enter")
    live = panel(page, "ready")
    assert printed(page) == expected
    assert page.locator(".ck-live-frame").get_attribute("title")

    editor = page.frame_locator(".ck-live-frame").locator(".jp-CodeConsole-promptCell .cm-content")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("print(6 * 7)")
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(300)
    panel(page, "ready")
    assert printed(page) == ["42"]
    live.get_by_role("button", name="Reset code").click()
    live.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_timeout(300)
    panel(page, "ready")
    assert printed(page) == expected

    others = page.locator(".ck-live")
    for number in range(1, others.count()):
        others.nth(number).get_by_role("button").click()
        page.wait_for_timeout(300)
        panel(page, "ready")
        if static_output(others.nth(number)):
            assert printed(page) == static_output(others.nth(number))
    assert page.locator(".ck-live-frame").count() == 1

    live.get_by_role("button", name="Close").click()
    assert page.locator(".ck-live-panel").count() == 0
    assert page.evaluate("document.activeElement.className") == "ck-live-open"
    hosts = {urlsplit(url).hostname for url in asked if url.startswith("http")}
    assert hosts == {"127.0.0.1"}


def test_a_cell_that_never_ends_is_ended_by_restart_and_the_code_is_kept(page, cell):
    cell.get_by_role("button").click()
    live = panel(page, "ready")
    editor = page.frame_locator(".ck-live-frame").locator(".jp-CodeConsole-promptCell .cm-content")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("while True: pass")
    page.keyboard.press("Shift+Enter")
    panel(page, "busy")
    live.get_by_role("button", name="Restart").click()
    panel(page, "restarted")
    assert "while True: pass" in editor.inner_text()
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("print('alive')")
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(300)
    panel(page, "ready")
    assert printed(page) == ["alive"]


@pytest.mark.console("/lite/", "Failed to load resource")
@pytest.mark.parametrize(
    ("pattern", "answer", "words"),
    [
        ("**/lite/size.json", {"status": 404, "body": ""}, "not part of this copy"),
        ("**/lite/size.json", None, "keeps the live runtime from loading"),
        ("**/lite/repl/**", None, "keeps the live runtime from loading"),
    ],
)
def test_a_runtime_that_is_missing_or_blocked_is_said_in_words(page, cell, pattern, answer, words):
    page.route(pattern, lambda route: route.fulfill(**answer) if answer else route.abort())
    cell.get_by_role("button").click()
    live = panel(page, "missing", "blocked")
    text = live.get_by_role("status").inner_text()
    assert words in text
    assert "still what the build computed" in text
    assert static_output(cell)


def test_a_start_that_stalls_ends_in_words(page, cell):
    """Files that never come: after 90 s without progress the reader is told."""
    page.clock.install()
    empty = {"body": "<p>waiting", "content_type": "text/html"}
    page.route("**/lite/repl/index.html*", lambda route: route.fulfill(**empty))
    cell.get_by_role("button").click()
    page.wait_for_selector(".ck-live-frame", state="attached")
    for _ in range(10):
        page.clock.run_for(10_000)
        time.sleep(0.05)
    live = panel(page, "stalled")
    assert "Nothing has arrived for 90 seconds" in live.get_by_role("status").inner_text()


def test_a_browser_without_webassembly_is_told(page, cell):
    page.evaluate("delete window.WebAssembly")
    cell.get_by_role("button").click()
    assert "such as WebAssembly" in panel(page, "unable").inner_text()


def test_the_size_is_said_before_anything_is_fetched(page, cell):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    assert re.search(r"a download of 1[0-6] MB, once", cell.inner_text())
    page.wait_for_timeout(300)
    assert not [url for url in asked if "/lite/" in url]


def test_without_scripts_there_is_no_dead_button(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}book/part-a.html")
    assert page.locator(".ck-live").first.is_hidden()
    assert page.locator(".cell_output").first.is_visible()
    context.close()


def test_the_panel_follows_the_theme_and_fits_a_phone(page, cell):
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="light")
    cell.get_by_role("button").click()
    panel(page, "ready")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    body = page.frame_locator(".ck-live-frame").locator("body")
    assert body.get_attribute("data-jp-theme-light") == "true"
    page.evaluate("document.body.dataset.theme = 'dark'")
    page.frame_locator(".ck-live-frame").locator("body[data-jp-theme-light='false']").wait_for(
        state="attached"
    )
