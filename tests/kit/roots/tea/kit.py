"""The parts of chapterkit that this book uses, without the rest."""

from pathlib import Path

import chapterkit
from chapterkit import assets, calc, decision_log, gate, progress, question, record


def setup(app):
    """Register them in the order in which chapterkit does."""
    static = str(Path(chapterkit.__file__).parent / "static")
    app.connect("config-inited", lambda app, config: config.html_static_path.append(static))
    for part in (assets, calc, record, progress, question, gate, decision_log):
        part.setup(app)
    # These belong to instruments and published records, of which this book has none.
    for name in ("chapterkit_charts", "chapterkit_records"):
        app.add_config_value(name, "", "html")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
