"""Math is rendered by a Node process per builder process; see that each starts surely and ends with its build.

sphinxcontrib-katex ends its servers at interpreter exit, which processes of a parallel build never
reach, so their servers lived on. The server's standard input is a pipe from the process that needs
it: when that ends, however it ends, so does the server, and takes its scratch folder with it.

It also connects once, as soon as the socket's file exists; the server may not listen yet, and the
build died of it on a busy machine. Here the connection is tried until the time to start is over.

And it hands a server on to forked processes: with math on the first page, which Sphinx writes before it
forks, several of them asked through one socket and got each other's answers. Here each starts its own.

A browser may end a line between a formula and the comma or bracket that belongs to it. Here they are kept together.

A page keeps the MathML, which screen readers read, without the TeX source that KaTeX notes in it: no browser
and no screen reader looks at that, and it is a tenth of what formulas weigh.
"""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinxcontrib.katex import KaTeXServer

from chapterkit.assets import is_page_builder
from chapterkit.render import OnPages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_SOURCE = re.compile(
    r'<semantics>((?:(?!</?semantics>).)*)<annotation encoding="application/x-tex">[^<]*</annotation></semantics>',
    re.DOTALL,
)
PATIENCE = 60.0  # seconds; a start takes a tenth of one where nothing else runs
_build_command = KaTeXServer.build_command


def _command(*args: Any, **kwargs: Any) -> list[str]:
    node, *rest = _build_command(*args, **kwargs)
    return [node, "--require", str(Path(__file__).with_name("katex_end.js")), *rest]


def _start(rundir: Path, timeout: float) -> tuple[Popen[bytes], socket.socket]:
    address = rundir / "katex.sock"
    process = Popen(KaTeXServer.build_command(socket=address), stdin=PIPE, stdout=PIPE, cwd=rundir)
    deadline = time.monotonic() + max(timeout, PATIENCE)
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(address))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise KaTeXServer.timeout_error(PATIENCE) from None
            time.sleep(0.005)


def _forget() -> None:
    KaTeXServer.katex_server = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _without_source(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if is_page_builder(app.builder):
        for part in ("body", "toc"):
            if isinstance(context.get(part), str):
                context[part] = _SOURCE.sub(r"\1", context[part])


_OPENS = re.compile(r"[(\[“‘]+$")
_FOLLOWS = re.compile(r"[^\s]{1,12}(?=\s|$)| [=<>≈≤≥] ")


class KeepTogether(OnPages):
    """A formula keeps what is written to it without a space, and the sign of a relation after it.

    Browsers may end a line on either side of one, and no character forbids it.
    """

    default_priority = 900

    def run(self, **_options: Any) -> None:
        for formula in list(self.document.findall(nodes.math)):
            parent = formula.parent
            at = parent.index(formula)
            before, after = (
                str(node) if isinstance(node, nodes.Text) else ""
                for node in (parent[at - 1] if at else None, parent[at + 1] if at + 1 < len(parent) else None)
            )
            opens, follows = _OPENS.search(before), _FOLLOWS.match(after)
            kept = nodes.inline(classes=["ck-kept"])
            if opens:
                parent[at - 1] = nodes.Text(before[: opens.start()])
                kept += nodes.Text(opens[0])
            if follows:
                parent[at + 1] = nodes.Text(after[follows.end() :])
            if opens or follows:
                parent[at] = kept
                kept += formula
                if follows:
                    kept += nodes.Text(follows[0].replace(" ", "\u00a0"))


def setup(app: Sphinx) -> None:
    """Let every KaTeX server start surely, serve one process and end with it."""
    KaTeXServer.build_command = _command
    KaTeXServer.start_server_process = staticmethod(_start)
    app.connect("html-page-context", _without_source, priority=930)
    app.add_post_transform(KeepTogether)
