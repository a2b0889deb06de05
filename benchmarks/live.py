"""What a live cell costs: weight, requests, second visit, and its start against a bare Pyodide.

Run on a built site that has the live runtime: ``python benchmarks/live.py build/html build/live``.

Bytes are counted by the server used here, a plain static one: text (scripts, styles, JSON, HTML)
goes out gzipped, everything else as it lies on the disk. A start is timed from the press of the
button to the output of the cell, in a new browser context (nothing cached). What it is compared
with runs in the same browser, in turns with it: a worker that imports Pyodide, loads NumPy and
adds two numbers, all as its makers publish it, from the same server.

How long the page is held up while Python starts is the longest task of its main thread, in time that
the processor spent on it: the time on the clock would measure what else the machine is doing.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import statistics
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.page import chromium

ROOT = Path(__file__).resolve().parents[1]
TEXT = {".js", ".mjs", ".json", ".css", ".html", ".svg", ".py"}
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".css": "text/css"}
TYPES |= {".html": "text/html", ".json": "application/json", ".svg": "image/svg+xml"}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]

BARE = b"""<!doctype html><title>bare</title><link rel="icon" href="data:,"><script>
const code = `import { loadPyodide } from "${location.origin}/bare/pyodide.mjs";
const p = await loadPyodide({ indexURL: "${location.origin}/bare/", packages: ["numpy"] });
postMessage(p.runPython("import numpy as np; int(np.add(1, 1))"));`;
const blob = new Blob([code], { type: "text/javascript" });
const worker = new Worker(URL.createObjectURL(blob), { type: "module" });
worker.onmessage = (event) => { document.title = "done " + event.data; };
</script>"""


LIMITS = {
    "first run, bytes on the wire": ("≤", 15_000_000),
    "second visit, bytes": ("≤", 0),
    "start / bare": ("≤", 1.3),
    "second start / bare second": ("≤", 1.1),
    "longest task of the page, CPU ms": ("≤", 50),
    # Each has given the cell's own output, or the measurement ends with what went wrong.
    "cold starts in fresh profiles": ("≥", 20),
}
BUILT = """control => Array.from(
    control.previousElementSibling.querySelectorAll(".cell_output pre"), pre => pre.textContent).join("")"""
Sent = list[tuple[str, int, int]]


class Handler(http.server.BaseHTTPRequestHandler):
    """A static server that compresses text, allows caching, and writes down what it sent."""

    protocol_version = "HTTP/1.1"

    def __init__(self, site: Path, bare: dict[str, bytes], sent: Sent, *args: object) -> None:
        self.site, self.bare, self.sent = site, bare, sent
        super().__init__(*args)  # type: ignore[arg-type]

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        name = unquote(urlsplit(self.path).path)
        path = self.site / name.lstrip("/")
        path = path / "index.html" if path.is_dir() else path
        suffix = path.suffix
        body = self.bare.get(name) or (path.read_bytes() if path.is_file() else None)
        self.send_response(200 if body is not None else 404)
        data = body or b""
        if suffix in TEXT and data:
            data = gzip.compress(data, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", TYPES.get(suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.sent.append((name, 404 if body is None else 200, len(data)))
        self.wfile.write(data)


def measure(
    site: Path = ROOT / "build" / "html",
    cache: Path = ROOT / "build" / "live",
    repeats: int = 5,
    starts: int = 20,
) -> dict[str, float]:
    """Measure the first live cell of a built site; `cache` is where its runtime was made."""
    return dict(figures(site, cache, repeats, starts))


def figures(site: Path, cache: Path, repeats: int, starts: int) -> Iterator[tuple[str, float]]:
    """Give each figure as soon as it is known, and say meanwhile how far it has got."""
    if not (site / "lite" / "size.json").is_file():
        raise SystemExit(f"{site} has no live runtime: build it first (python -m chapterkit.live build …)")
    page = _page_with_cell(site)
    sent: Sent = []
    bare_files = _bare(cache)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, site, bare_files, sent)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}/"
    live, again, bare, bare_again = [], [], [], []
    weight, requests, second = 0, 0, 0
    yield "first run, bytes said beforehand", json.loads((site / "lite" / "size.json").read_text())["bytes"]
    with sync_playwright() as playwright:
        executable = chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        for turn in range(1, repeats + 1):
            context = browser.new_context()
            for taken in (bare, bare_again):
                started = time.perf_counter()
                tab = context.new_page()
                tab.goto(base + "bare/index.html")
                tab.wait_for_function("document.title.startsWith('done')", timeout=120_000, polling=50)
                taken.append(time.perf_counter() - started)
                tab.close()
            context.close()

            context = browser.new_context()
            took, sizes = _start(context, base + page + "?show=all", sent)
            live.append(took)
            weight, requests = sum(sizes), len(sizes)
            took, sizes = _start(context, base + page + "?show=all", sent)
            again.append(took)
            second = max(second, sum(sizes))
            context.close()
            times = f"bare {bare[-1]:.1f} s, {bare_again[-1]:.1f} s; live {live[-1]:.1f} s, {again[-1]:.1f} s"
            _tell(f"turn {turn} of {repeats}: {times}")
        yield "first run, bytes on the wire", weight
        yield "first run, requests", requests
        yield "second visit, bytes", second
        yield "start, median s", round(statistics.median(live), 2)
        yield "second start, median s", round(statistics.median(again), 2)
        yield "bare Pyodide + NumPy, median s", round(statistics.median(bare), 2)
        yield "bare, second start, median s", round(statistics.median(bare_again), 2)
        yield "start / bare", round(statistics.median(live) / statistics.median(bare), 2)
        yield "second start / bare second", round(statistics.median(again) / statistics.median(bare_again), 2)
        yield "repeats", repeats
        held = max(_longest_task(browser, base + page + "?show=all") for _ in range(3))
        yield "longest task of the page, CPU ms", round(held, 1)
        cold = repeats
        while cold < starts:
            context = browser.new_context()
            took, _ = _start(context, base + page + "?show=all", sent)
            context.close()
            cold += 1
            _tell(f"cold start {cold} of {starts}: {took:.1f} s")
        yield "cold starts in fresh profiles", cold
        browser.close()
    server.shutdown()


def _tell(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def _bare(cache: Path) -> dict[str, bytes]:
    """Pyodide and NumPy as published, by the address they get here."""
    files = {"/bare/index.html": BARE}
    core = next((cache / "files").glob("*/pyodide-*.tgz"))
    with tarfile.open(core) as tar:
        for member in tar.getmembers():
            if (stream := tar.extractfile(member)) is not None:
                files[f"/bare/{Path(member.name).name}"] = stream.read()
    wheel = next((cache / "files").glob("*/numpy-*.whl"))
    return files | {f"/bare/{wheel.name}": wheel.read_bytes()}


def _start(context: BrowserContext, address: str, sent: Sent) -> tuple[float, list[int]]:
    tab = context.new_page()
    tab.goto(address)
    tab.wait_for_load_state("networkidle")
    before = len(sent)
    started = time.perf_counter()
    tab.locator(".ck-live button").first.click()
    tab.wait_for_selector(".ck-live-out pre", timeout=120_000)
    took = time.perf_counter() - started
    built = tab.locator(".ck-live").first.evaluate(BUILT)
    tab.wait_for_selector('.ck-live-panel[data-state="idle"]', timeout=120_000)
    printed = "".join(tab.locator(".ck-live-out").first.locator("pre").all_text_contents())
    if printed.strip() != built.strip():
        raise SystemExit(f"the live cell printed {printed!r}, the build {built!r}")
    tab.close()
    missing = [name for name, status, _ in sent[before:] if status != 200 and name != "/favicon.ico"]
    if missing:
        raise SystemExit(f"asked for and not there: {', '.join(missing)}")
    return took, [size for name, _, size in sent[before:]]


def _longest_task(browser: Browser, address: str) -> float:
    """Processor time, in milliseconds, of the page's longest task from the press to the first result."""
    tab = browser.new_page()
    tab.goto(address)
    tab.wait_for_load_state("networkidle")
    button = tab.locator(".ck-live button").first
    button.scroll_into_view_if_needed()
    # Charts near the button are drawn before, as they are for a reader who has come to it.
    tab.wait_for_timeout(2000)
    browser.start_tracing(page=tab, categories=["toplevel", "devtools.timeline"])
    tab.evaluate("console.timeStamp('pressed')")
    button.click()
    tab.wait_for_selector('.ck-live-panel[data-state="idle"]', timeout=120_000)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    tab.close()
    pressed = next(event for event in events if event["name"] == "TimeStamp")
    place = (pressed["pid"], pressed["tid"])
    tasks = [e for e in events if e["name"].endswith("RunTask") and (e["pid"], e["tid"]) == place]
    return max(e.get("tdur", 0) for e in tasks if e["ts"] > pressed["ts"]) / 1000


def _page_with_cell(site: Path) -> str:
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site)
        if "lite" not in name.parts and 'class="ck-live"' in path.read_text(encoding="utf-8"):
            return name.as_posix()
    raise SystemExit(f"no page of {site} has a live cell")


if __name__ == "__main__":
    built = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "html").resolve()
    made = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "build" / "live").resolve()
    for name, value in figures(built, made, repeats=5, starts=20):
        print(f"{name:34} {value:,}", flush=True)
