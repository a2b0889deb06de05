"""The parts of chapterkit that this book uses, without the rest."""

from pathlib import Path

import chapterkit
from chapterkit import assets, gate, ids, moved, names, notfound, outline, panel, question, record, reference


def setup(app):
    """Register them in the order in which chapterkit does."""
    static = str(Path(chapterkit.__file__).parent / "static")
    app.connect("config-inited", lambda app, config: config.html_static_path.append(static))
    for part in (assets, record, question, gate, panel, reference, ids, moved, names, outline, notfound):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
