"""Every task a person runs: ``python -m nox -s serve`` to read the book, ``-s tests`` to check it."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["tests"]

ROOT = Path(__file__).parent
SITE = ROOT / "build" / "html"
ASSETS = ROOT / "build" / "assets" / "vendor"
# What pages load, out of what npm installs.
VENDOR = {
    "katex/dist/katex.min.css": "katex/katex.min.css",
    "katex/dist/fonts/*.woff2": "katex/fonts/",
    "plotly.js-basic-dist-min/plotly-basic.min.js": "plotly-basic.min.js",
}
SPHINX = ["-W", "--keep-going", "-j", "auto", "."]
DOCTREES = ["-d", "build/doctrees"]


def changed(stamp: Path, *parts: str | Path) -> str | None:
    """The fingerprint of `parts` if `stamp` does not hold it yet, else None."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
    fingerprint = digest.hexdigest()
    return None if stamp.exists() and stamp.read_text() == fingerprint else fingerprint


def install(session: nox.Session, extra: str) -> None:
    """Install the project and one extra at the pinned versions, unless that is what is there."""
    stamp = Path(session.virtualenv.location) / "installed.sha256"
    pins = ROOT / "constraints.txt"
    fingerprint = changed(stamp, ROOT / "pyproject.toml", pins, extra, sys.version)
    if fingerprint is not None:
        session.install("-c", str(pins), "-e", f".[{extra}]")
        stamp.write_text(fingerprint)


def fetch_assets(session: nox.Session) -> None:
    """Fonts, style and charts, by npm from the lock file; needs `install` first (it brings Node)."""
    stamp = ROOT / "node_modules" / "installed.sha256"
    fingerprint = changed(stamp, ROOT / "package-lock.json", Path(__file__))
    if fingerprint is None and ASSETS.is_dir():
        return
    session.run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    shutil.rmtree(ASSETS, ignore_errors=True)
    for pattern, target in VENDOR.items():
        for source in sorted((ROOT / "node_modules").glob(pattern)):
            to = ASSETS / target / source.name if target.endswith("/") else ASSETS / target
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, to)
    stamp.write_text(fingerprint or "")


def build_site(session: nox.Session, builder: str = "html") -> None:
    # Sphinx notes more about a page for translators, so their catalogues have a reading of their own.
    doctrees = ["-d", "build/doctrees-gettext"] if builder == "gettext" else DOCTREES
    session.run("python", "-m", "sphinx", "-q", "-b", builder, *doctrees, *SPHINX, f"build/{builder}")


def build_live(session: nox.Session) -> None:
    """The Python that runs in the browser, beside the pages; does nothing when it is there already.

    It comes before the pages, which say how much a reader will download.
    """
    session.run(
        "python", "-m", "chapterkit.live", "build",
        "--site", str(SITE), "--manifest", "book/live/manifest.toml", "--cache", "build/live",
    )  # fmt: skip


@nox.session
def lite(session: nox.Session) -> None:
    """Put the Python that runs in the browser into the site; `serve`, `book` and `tests` do so too."""
    install(session, "book")
    build_live(session)


def find_browser(session: nox.Session) -> str:
    """The path of a Chromium: the one named, Debian's package, the system's, or Playwright's own.

    The headless shell comes first: the same engine without windows loads a page with two fifths of the work.
    """
    named = os.environ.get("BOOK_CHROMIUM")
    if named:
        if not Path(named).exists():
            session.error(f"BOOK_CHROMIUM names {named}, which does not exist.")
        return named
    shell = "chromium-headless-shell"
    names = (shell, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    debian = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")
    if debian and not shutil.which(shell):
        quiet = {"external": True, "silent": True, "success_codes": range(256)}
        session.run("apt-get", "update", **quiet)
        # Older releases have no shell of its own.
        for package in (shell, "chromium"):
            session.run(
                "apt-get", "install", "-y", "--no-install-recommends", package, "fonts-dejavu-core", **quiet
            )
            if any(map(shutil.which, names)):
                break
    found = next((path for path in map(shutil.which, names) if path), None)
    if found:
        return found
    session.run("python", "-m", "playwright", "install", "chromium", success_codes=range(256))
    path = session.run(
        "python", "-c",
        "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)",
        silent=True,
    )  # fmt: skip
    path = str(path).strip().splitlines()[-1]
    if not Path(path).exists():
        session.error(
            "No Chromium was found and none could be installed. Install one (Debian and Ubuntu: "
            "`apt install chromium`; macOS: `brew install --cask chromium`) or set BOOK_CHROMIUM to its path."
        )
    return path


def free_port(first: int = 8000) -> int:
    for port in range(first, first + 100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise SystemExit(f"No free port from {first} to {first + 99}.")


@nox.session
def serve(session: nox.Session) -> None:
    """Build the book, serve it on this machine only, and build again on every save."""
    install(session, "book")
    fetch_assets(session)
    build_live(session)
    build_site(session)
    port = int(session.posargs[0]) if session.posargs else free_port()
    session.log(f"The book is at http://127.0.0.1:{port}/book/index.html  (stop with Ctrl-C)")
    ignore = [
        arg for path in ("build", ".nox", ".git", "node_modules") for arg in ("--ignore", str(ROOT / path))
    ]
    session.run(
        "sphinx-autobuild",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        *ignore,
        "-q",
        *DOCTREES,
        *SPHINX,
        str(SITE),
    )


@nox.session
def book(session: nox.Session) -> None:
    """Build the site into build/html; with arguments, those builders instead (epub, latex, text …)."""
    install(session, "book")
    fetch_assets(session)
    if not session.posargs:
        build_live(session)
    for builder in session.posargs or ["html"]:
        build_site(session, builder)


@nox.session
def tests(session: nox.Session) -> None:
    """Build everything and run every test; arguments go to pytest."""
    install(session, "test")
    fetch_assets(session)
    browser = find_browser(session)
    build_live(session)
    build_site(session)
    # Files side by side: the browser of one waits while the build of another works.
    session.run(
        "python",
        "-m",
        "pytest",
        "-n",
        "2",
        "--dist",
        "loadfile",
        *session.posargs,
        env={"BOOK_CHROMIUM": browser},
    )


@nox.session
def browser(session: nox.Session) -> None:
    """Find or install the Chromium that the tests drive, and print its path."""
    install(session, "test")
    session.log(find_browser(session))


@nox.session
def bench(session: nox.Session) -> None:
    """Measure what the book promises: ratios and counts, medians of one run."""
    install(session, "test")
    fetch_assets(session)
    chromium = find_browser(session)
    build_live(session)
    build_site(session)
    session.run("python", "-m", "benchmarks", *session.posargs, env={"BOOK_CHROMIUM": chromium})


@nox.session
def assets(session: nox.Session) -> None:
    """Fetch browser assets by npm; with arguments, run npm with them (``-- install katex@…``)."""
    install(session, "book")
    if session.posargs:
        session.run("npm", *session.posargs)
    fetch_assets(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Format and style of the code, types of the physics."""
    install(session, "lint")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")
