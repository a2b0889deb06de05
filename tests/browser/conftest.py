"""A reader with a real browser: fixtures that serve the built site and watch what a page does.

`BOOK_SITE` names another build than build/html, `BOOK_CHROMIUM` another browser than the one found.
Every page is watched. A test fails when its pages ask another host for anything, when a request fails,
or when the console says something, unless the test expects it: ``@pytest.mark.console("pattern")``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("BOOK_SITE") or ROOT / "build" / "html").resolve()
KEY = "chapterkit:when-failure-is-routine"
# A quiet browser: no sandbox (tests may run as root), no GPU, and no requests of its own.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]
# The shell is the same engine without windows, and needs two fifths of the processor time for a page.
SYSTEM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

NO_SITE = f"There is no built site at {SITE}. Build it first: python -m nox -s book (or set BOOK_SITE)."
NO_BROWSER = (
    "No Chromium was found, and these tests do not skip without one. Install it (Debian and Ubuntu: "
    "apt install chromium; macOS: brew install --cask chromium; anywhere: python -m playwright install "
    "chromium), or set BOOK_CHROMIUM to its path. python -m nox -s browser does it for you."
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "console(*patterns): what the console may say in this test")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `name` runs on every page of the book, for `any_page` on the 404 page too, for `part` on every part."""
    for wanted, pattern in (("name", "**/*.html"), ("any_page", "**/*.html"), ("part", "book/part-*.html")):
        if wanted in metafunc.fixturenames:
            pages = (path.relative_to(SITE) for path in SITE.glob(pattern))
            # The root only leads on, and the runtime of live cells is no page of ours.
            found = sorted(
                path.with_suffix("").as_posix()
                for path in pages
                if path.parts[0] not in ("lite", "_static")
                and path.as_posix() != "index.html"
                and (wanted == "any_page" or path.as_posix() != "404.html")
            )
            metafunc.parametrize(wanted, found or ["book/part-a"])


class Handler(SimpleHTTPRequestHandler):
    """An ordinary static server: types, last-modified dates, and leave to keep files for a while."""

    protocol_version = "HTTP/1.1"
    extensions_map: ClassVar[dict[str, str]] = {  # type: ignore[misc]
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_arguments: object) -> None:
        pass  # a browser that hangs up in the middle of a file is nothing to report


def serve(folder: Path) -> Server:
    server = Server(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="session")
def folder() -> Path:
    """The folder of the built site."""
    if not (SITE / "book" / "part-a.html").is_file():
        pytest.fail(NO_SITE, pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def served() -> Any:
    """Serves folders until the end; gives their addresses, with a slash at the end."""
    servers: list[Server] = []

    def start(folder: Path) -> str:
        servers.append(serve(folder))
        return f"http://127.0.0.1:{servers[-1].server_address[1]}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def site(folder: Path, served: Any) -> str:
    """The address of the built site."""
    return served(folder)


def find_chromium(own: str) -> str:
    """Where the browser is: the one named, the system's, or Playwright's `own`."""
    named = os.environ.get("BOOK_CHROMIUM")
    if named and not Path(named).exists():
        pytest.fail(f"BOOK_CHROMIUM names {named}, which does not exist. {NO_BROWSER}", pytrace=False)
    system = (shutil.which(name) for name in SYSTEM)
    found = named or next((path for path in system if path), own)
    if not Path(found).exists():
        pytest.fail(NO_BROWSER, pytrace=False)
    return found


@pytest.fixture(scope="session")
def browser() -> Any:
    with sync_playwright() as playwright:
        chromium = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


class Watch:
    """What the pages of a context asked for and complained about."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.problems: list[str] = []

    def on(self, context: BrowserContext) -> BrowserContext:
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)
        context.on("console", self._said)
        context.on("weberror", lambda error: self.problems.append(f"error: {error.error}"))
        return context

    def _failed(self, request: Any) -> None:
        # Leaving a page, or pointing a preload elsewhere, aborts what was under way.
        if request.failure != "net::ERR_ABORTED":
            self.problems.append(f"request: {request.url} {request.failure}")

    def _answered(self, response: Any) -> None:
        if response.status >= 400:
            self.problems.append(f"request: {response.url} {response.status}")

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def hosts(self) -> set[str | None]:
        return {urlsplit(url).hostname for url in self.requests if url.startswith(("http:", "https:", "ws"))}

    def check(self, expected: list[str]) -> None:
        assert self.hosts() <= {"127.0.0.1"}, f"pages asked other hosts: {self.hosts()}"
        left = [text for text in self.problems if not any(re.search(pattern, text) for pattern in expected)]
        assert not left, "the pages complained:\n" + "\n".join(left[:20])


@pytest.fixture
def watch(request: pytest.FixtureRequest) -> Any:
    """Watches every context that `new_context` opens, and judges at the end."""
    watch = Watch()
    yield watch
    expected = [pattern for mark in request.node.iter_markers("console") for pattern in mark.args]
    watch.check(expected)


@pytest.fixture
def new_context(browser: Browser, watch: Watch) -> Any:
    """Opens fresh profiles, with the arguments of Playwright's `new_context`."""
    opened: list[BrowserContext] = []

    def new(**settings: Any) -> BrowserContext:
        context = watch.on(browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **settings}))
        opened.append(context)
        return context

    yield new
    for context in opened:
        context.close()


@pytest.fixture
def context(new_context: Any) -> BrowserContext:
    return new_context()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


class Reader:
    """A person with one tab: opens pages, answers questions, moves sliders."""

    KEY = KEY

    def __init__(self, page: Page, site: str) -> None:
        self.page, self.site = page, site

    def open(self, name: str = "book/part-a", query: str = "", fragment: str = "") -> Reader:
        """Go there; when this returns, every script of the page has run."""
        self.page.goto(self.address(name, query, fragment))
        return self

    def address(self, name: str = "book/part-a", query: str = "", fragment: str = "") -> str:
        name = f"book/{name}" if name.startswith("part-") else name
        return (
            f"{self.site}{name}.html" + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")
        )

    # The record -----------------------------------------------------------------------------

    def remembers(self, record: object) -> Reader:
        """Let the browser hold this record (an object, or text as it is) before the first page opens."""
        text = record if isinstance(record, str) else json.dumps({"version": 1, **record})  # type: ignore[dict-item]
        self.page.context.add_init_script(
            f"try {{ if (localStorage.getItem({KEY!r}) === null) localStorage.setItem({KEY!r}, {json.dumps(text)}) }} catch {{}}"
        )
        return self

    def stored(self) -> Any:
        text = self.page.evaluate("key => localStorage.getItem(key)", KEY)
        return None if text is None else json.loads(text)

    # Questions and gates --------------------------------------------------------------------

    def question(self, name: str) -> Locator:
        return self.page.locator(f"#{name}")

    def options(self, name: str) -> list[str]:
        return (
            self.question(name)
            .locator("input[type=radio]")
            .evaluate_all("radios => radios.map(r => r.value)")
        )

    def commit(self, name: str, option: str) -> None:
        self.question(name).locator(f"input[value='{option}']").check()
        self.question(name).locator(".ck-commit").click()

    def commit_all(self) -> None:
        """Answer every question of the page with its first option."""
        for name in self.page.locator("form.ck-question").evaluate_all("forms => forms.map(form => form.id)"):
            self.commit(name, self.options(name)[0])

    # Instruments ----------------------------------------------------------------------------

    def instrument(self, name: str) -> Locator:
        return self.page.locator(f"[data-instrument='{name}']").first

    def instruments(self) -> list[str]:
        return self.page.locator(".ck-instrument").evaluate_all("all => all.map(i => i.dataset.instrument)")

    def control(self, instrument: str, name: str) -> Locator:
        return self.instrument(instrument).locator(f"[data-control='{name}']")

    def slider(self, instrument: str, name: str) -> Locator:
        return self.control(instrument, name).locator("input[type=range]")

    def typed(self, instrument: str, name: str) -> Locator:
        return self.control(instrument, name).locator("input[type=number]").first

    def slide(self, instrument: str, name: str, value: float) -> None:
        self.slider(instrument, name).fill(str(value))

    def state(self, instrument: str) -> dict[str, Any]:
        """Everything an instrument says, and the values of its controls."""
        return self.instrument(instrument).evaluate(
            """panel => {
                const texts = selector => Array.from(panel.querySelectorAll(selector), e => e.textContent);
                return {
                    typed: Array.from(panel.querySelectorAll("input[type=number]"), i => i.value),
                    sliders: Array.from(panel.querySelectorAll("input[type=range]"), i => i.value),
                    readouts: texts(".ck-value"), notes: texts(".ck-note"), sentences: texts(".ck-sentence"),
                    lines: texts(".ck-lines > li"), captions: texts("[data-caption]"),
                };
            }"""
        )

    def notices(self, instrument: str) -> str:
        return self.instrument(instrument).locator("[data-notices]").inner_text()


@pytest.fixture
def reader(page: Page, site: str) -> Reader:
    return Reader(page, site)


@pytest.fixture
def graduate(reader: Reader) -> Reader:
    """A reader who has answered the prediction of Part A before."""
    answer = {"option": "ten-minutes", "right": False, "at": "2026-01-01T00:00:00.000Z"}
    return reader.remembers({"answers": {"part-a-best-interval": answer}, "notes": {}, "opened": {}})
