"""Executed cells and the source they import: an output is kept only as long as that source stays."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.testing.util import SphinxTestApp

CONF = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
project = "Tea"
extensions = ["myst_nb", "chapterkit.calc"]
html_theme = "basic"
exclude_patterns = ["_build"]
nb_execution_mode = "cache"
chapterkit_calc_modules = ["steeping"]
chapterkit_records = ""
"""
PAGE = """---
file_format: mystnb
kernelspec: {name: python3, language: python}
---
# Tea

```{code-cell}
import steeping
print("steep for", steeping.minutes())
```
"""


def built(folder: Path) -> str:
    path = list(sys.path)
    app = None
    try:
        app = SphinxTestApp("html", srcdir=folder, builddir=folder / "_build", freshenv=False)
        app.build()
        return (Path(app.outdir) / "index.html").read_text(encoding="utf-8")
    finally:
        if app:
            app.cleanup()
        sys.path[:] = path
        sys.modules.pop("steeping", None)


def test_a_cell_runs_again_when_what_it_imports_changes(tmp_path):
    """myst-nb keeps outputs by a cell's own text, which knows nothing of the modules behind it."""
    (tmp_path / "conf.py").write_text(CONF)
    (tmp_path / "index.md").write_text(PAGE)
    (tmp_path / "steeping.py").write_text("def minutes():\n    return 4\n")
    assert "steep for 4" in built(tmp_path)

    (tmp_path / "steeping.py").write_text("def minutes():\n    return 'exactly ' + str(5)\n")
    assert "steep for exactly 5" in built(tmp_path)


def test_a_cell_knows_nothing_of_who_builds_the_page_and_builds_say_nothing_of_kernels(
    tmp_path, monkeypatch, capfd
):
    startup = tmp_path / "mine" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-mine.py").write_text("sugar = 2\n")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "mine"))
    book = tmp_path / "book"
    book.mkdir()
    (book / "conf.py").write_text(
        CONF.replace('"chapterkit.calc"', '"chapterkit.calc", "chapterkit.kernels"')
    )
    page = PAGE.replace("import steeping\n", "").replace("steeping.minutes()", "'sugar' in globals()")
    (book / "index.md").write_text(page)
    (book / "steeping.py").write_text("")
    assert "steep for False" in built(book)
    said = "".join(capfd.readouterr())
    assert "WARNING" not in said
    assert "INFO" not in said
