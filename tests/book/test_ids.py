"""Links to the book last: what was released is still there, and what is there is on the list."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chapterkit import ids

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "book" / "ids.txt"


@pytest.fixture(scope="session")
def built(made) -> set[ids.Entry]:
    return ids.read((made("html") / "ids.txt").read_text(encoding="utf-8"))


def test_no_released_id_is_lost(built):
    released = ids.read(ids.released_of(KEPT).read_text(encoding="utf-8"))
    assert released
    gone = [f"  {ids.advice(entry)}" for entry in ids.lost(released, built)]
    assert not gone, "\n".join(["links of readers would break:", *gone])


def test_every_heading_has_an_id_of_its_author(built):
    found = [f"  {entry.page}: “{entry.id}”" for entry in sorted(built) if entry.kind == ids.NAMELESS]
    assert not found, "\n".join(["write (an-id)= above these headings:", *found])


def test_the_list_is_what_the_build_has(built):
    """Also the other way round: a list with an id that no page has would promise a link that leads nowhere."""
    kept = ids.read(KEPT.read_text(encoding="utf-8"))
    changed = [f"  + {' '.join(entry)}" for entry in sorted(built - kept)]
    changed += [f"  - {' '.join(entry)}" for entry in sorted(kept - built)]
    assert not changed, "\n".join(["build the site, then run: python -m chapterkit.ids", *changed])


def test_every_id_of_the_list_is_an_anchor_of_its_page(made):
    """Read from the pages as written, not from what the build says of itself."""
    missing = []
    anchors: dict[str, set[str]] = {}
    for entry in sorted(ids.read(KEPT.read_text(encoding="utf-8"))):
        if entry.kind in ids.INSIDE:
            continue
        if entry.page not in anchors:
            text = (made("html") / f"{entry.page}.html").read_text(encoding="utf-8")
            anchors[entry.page] = set(re.findall(r'\bid="([^"]+)"', text))
        if entry.kind not in ("page", "moved") and entry.id not in anchors[entry.page]:
            missing.append(" ".join(entry))
    assert not missing


def test_a_heading_links_to_its_author_id_not_to_one_made_of_its_words(made, built):
    named = {(entry.page, entry.id) for entry in built}
    wrong = []
    for name in sorted({entry.page for entry in built if entry.kind == "page"}):
        text = (made("html") / f"{name}.html").read_text(encoding="utf-8")
        for anchor in re.findall(r'<a class="headerlink" href="#([^"]*)" title="Link to this heading"', text):
            if (name, anchor) not in named:
                wrong.append(f"{name}#{anchor}")
    assert not wrong
