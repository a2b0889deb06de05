"""What a part costs a reader: bytes and requests until its sliders work, and a slider's moves; of Part A, layout shift too.

Run on a built site: ``python -m benchmarks.page`` (another site: its folder as argument).

*Bytes and requests* are those begun before the page's load event, by which every script has run and every
slider answers; a moved slider is checked right then. (What comes later answers other things, such as copy
buttons.) Text counts as ``gzip -9`` would send it, fonts and
pictures as they lie on the disk; nothing is cached. Plotly belongs to pictures, not to sliders, so
it counts only if the page has asked for it by then: it is asked for when a picture comes within 600 px of
the window. *A slider move* goes from dispatching ``input`` to the read-outs (changed when the dispatch
returns) and to the end of Plotly's drawing of every picture of the instrument; painting is the browser's.
*Layout shift* is the largest sum over one opening of the page, answered and not, wide and narrow.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import shutil
import sys
import threading
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
PAGE = "book/part-a.html"
PARTS = ("part-a", "part-b", "part-c", "part-d")
KEY = "chapterkit:when-failure-is-routine"
ANSWER = {"option": "ten-minutes", "right": False, "at": "2026-01-01T00:00:00.000Z"}
RECORD = {"version": 1, "answers": {"part-a-best-interval": ANSWER}, "notes": {}, "opened": {"*": True}}
INSTRUMENTS = {
    "mtbf-fleet": "part-a",
    "young-daly": "part-a",
    "watched-run": "part-a",
    "storm": "part-b",
    "async-snapshots": "part-c",
    "serving-fleet": "part-d",
}
MOVES = 200
TEXT = {".html", ".css", ".js", ".json", ".svg"}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
LIMITS = {
    **{f"{part}, kilobytes": ("≤", 150) for part in PARTS},
    **{f"{part}, requests": ("≤", 15) for part in PARTS},
    **{f"{name}, ms to read-outs": ("≤", 4.0) for name in INSTRUMENTS},
    **{f"{name}, ms to picture": ("≤", 25.0) for name in INSTRUMENTS},
    "layout shift": ("≤", 0.0),
}

# Moves one slider after the other to places all over its range; two marks a move.
TIME = """async ([name, moves]) => {
    const panel = document.querySelector(`[data-instrument="${name}"]`);
    const sliders = Array.from(panel.querySelectorAll("input[type=range]")).filter(s => s.checkVisibility());
    const pictures = panel.querySelectorAll(".ck-canvas").length;
    const react = Plotly.react;
    let drawn = 0, done = () => {};
    Plotly.react = function () {
        return react.apply(this, arguments).then(plot => { if (++drawn === pictures) done(); return plot; });
    };
    const says = () => Array.from(panel.querySelectorAll(".ck-value"), e => e.textContent).join();
    const readouts = [], charts = [];
    let changed = 0, before = says();
    for (let i = 0; i < moves; i++) {
        const slider = sliders[i % sliders.length], low = Number(slider.min), high = Number(slider.max);
        const at = low + (high - low) * ((i * 0.381966) % 1);
        slider.value = at;
        drawn = 0;
        const all = new Promise(resolve => { done = resolve; });
        const start = performance.now();
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        const told = performance.now();
        await all;
        charts.push(performance.now() - start);
        readouts.push(told - start);
        const now = says();
        if (now !== before) changed++;
        before = now;
        await new Promise(requestAnimationFrame);
    }
    Plotly.react = react;
    return { readouts, charts, changed };
}"""

SHIFT = """() => new Promise(done => {
    let sum = 0;
    const watch = new PerformanceObserver(list => list.getEntries().forEach(e => { sum += e.value; }));
    watch.observe({ type: "layout-shift", buffered: true });
    document.fonts.ready.then(() => setTimeout(() => { watch.takeRecords().forEach(e => { sum += e.value; }); done(sum); }, 100));
})"""


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments: object) -> None:
        pass


def weight(site: Path, address: str) -> int:
    """Bytes on the wire of one file."""
    path = site / unquote(urlsplit(address).path).lstrip("/")
    data = path.read_bytes()
    return len(gzip.compress(data, 9, mtime=0)) if path.suffix in TEXT else len(data)


def opened(browser: Browser, record: object = None, **settings: Any) -> Page:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **settings})
    if record:
        stored = json.dumps(json.dumps(record))
        context.add_init_script(f"localStorage.setItem({KEY!r}, {stored})")
    return context.new_page()


BEGUN = """() => {
    const load = performance.getEntriesByType("navigation")[0].loadEventStart;
    const begun = performance.getEntriesByType("resource").filter(e => e.startTime < load).map(e => e.name);
    return [location.href, ...begun.filter(name => !name.startsWith("data:"))];
}"""


def loaded(browser: Browser, site: Path, address: str, record: object) -> dict[str, int]:
    """What the page asked for until its sliders worked, with the bytes of each."""
    page = opened(browser, record)
    page.goto(address)
    until = page.evaluate(BEGUN)
    moved = page.evaluate(
        """() => Array.from(document.querySelectorAll(".ck-instrument"), panel => {
            const says = () => Array.from(panel.querySelectorAll(".ck-value"), e => e.textContent).join();
            return Array.from(panel.querySelectorAll("input[type=range]")).some(slider => {
                const before = says();
                slider.value = slider.max;
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                return says() !== before;
            });
        })"""
    )
    if not moved or not all(moved):
        raise SystemExit(f"{address}: a slider does not work when the page has loaded")
    page.context.close()
    return {urlsplit(url).path.lstrip("/"): weight(site, url) for url in until}


def timed(browser: Browser, base: str, name: str) -> dict[str, Any]:
    page = opened(browser, RECORD, reduced_motion="reduce")
    page.goto(f"{base}book/{INSTRUMENTS[name]}.html?show=all")
    panel = page.locator(f"[data-instrument='{name}']")
    panel.locator(".ck-canvas").last.scroll_into_view_if_needed()
    for canvas in panel.locator(".ck-canvas").all():
        canvas.locator(".ck-chart .main-svg").first.wait_for()
    page.evaluate(TIME, [name, 20])  # the compiler of the browser warms up, as it does under a hand
    result = page.evaluate(TIME, [name, MOVES])
    if result["changed"] < MOVES * 0.8:
        raise SystemExit(f"{name}: only {result['changed']} of {MOVES} moves changed a read-out")
    page.context.close()
    return result


def shift(browser: Browser, base: str) -> float:
    worst = 0.0
    for record in (None, RECORD):
        for width in (1280, 390):
            for place in ("", "#part-a-predict", "#part-a-instrument"):
                page = opened(
                    browser, record, viewport={"width": width, "height": 800}, reduced_motion="reduce"
                )
                page.goto(base + PAGE + place)
                worst = max(worst, page.evaluate(SHIFT))
                page.context.close()
    return worst


def measure(site: Path | None = None, details: bool = False) -> dict[str, float]:
    """The figures of `LIMITS`; with `details`, print what they are made of."""
    site = site or ROOT / "build" / "html"
    if not (site / PAGE).is_file():
        raise SystemExit(f"{site / PAGE} is not there: build the site first (python -m nox -s book)")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(site))
    )
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a browser that hangs up is no news
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}/"
    found: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(playwright.chromium.executable_path), args=FLAGS
        )
        for part in PARTS:
            # An open gate may ask for more, a closed one for nothing less: the heavier of the two counts.
            states = [loaded(browser, site, f"{base}book/{part}.html", record) for record in (None, RECORD)]
            files = max(states, key=lambda files: sum(files.values()))
            found[f"{part}, kilobytes"] = round(sum(files.values()) / 1024, 1)
            found[f"{part}, requests"] = max(map(len, states))
            if details:
                print(f"{part}:")
                for name, size in sorted(files.items(), key=lambda item: -item[1]):
                    print(f"  {size:8,}  {name}")
        for name in INSTRUMENTS:
            result = timed(browser, base, name)
            found[f"{name}, ms to read-outs"] = round(median(result["readouts"]), 2)
            found[f"{name}, ms to picture"] = round(median(result["charts"]), 1)
        found["layout shift"] = shift(browser, base)
        browser.close()
    server.shutdown()
    return found


def chromium(own: str) -> str:
    """The browser named by ``BOOK_CHROMIUM``, the system's, or Playwright's own."""
    system = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return os.environ.get("BOOK_CHROMIUM") or next((path for path in system if path), own)


if __name__ == "__main__":
    figures = measure(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None, details=True)
    for measured, value in figures.items():
        sign, limit = LIMITS[measured]
        print(f"{measured:30} {value:8,}   must {sign} {limit:g}   {'yes' if value <= limit else 'NO'}")
