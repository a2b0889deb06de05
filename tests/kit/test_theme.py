"""Mends for the theme, and the way in."""

from __future__ import annotations

import pytest
from sphinx.testing.util import SphinxTestApp

CONF = """
project = "Tea"
html_title = "Tea & more"
extensions = ["chapterkit.theme"]
root_doc = "leaves/first"
html_theme = "basic"
exclude_patterns = ["_build"]
"""


@pytest.mark.parametrize(
    ("builder", "address"), [("html", "leaves/first.html"), ("dirhtml", "leaves/first/")]
)
def test_the_root_of_a_site_leads_to_a_first_page_in_a_folder(tmp_path, builder, address):
    (tmp_path / "conf.py").write_text(CONF)
    (tmp_path / "leaves").mkdir()
    (tmp_path / "leaves" / "first.rst").write_text("First\n=====\n")
    app = SphinxTestApp(builder, srcdir=tmp_path, builddir=tmp_path / "_build")
    try:
        app.build()
        page = (tmp_path / "_build" / builder / "index.html").read_text(encoding="utf-8")
    finally:
        app.cleanup()
    assert f"url={address}" in page
    assert f'<a href="{address}">Tea &amp; more</a>' in page
