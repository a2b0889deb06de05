"""A style sheet keeps what its pages and scripts can need, and nothing else."""

from __future__ import annotations

import re

import pytest

from chapterkit.prune import Used, prune


def pruned(sheet: str, page: str = "", script: str = "") -> str:
    used = Used()
    used.see_page(page)
    used.see_script(script)
    return re.sub(r"\s*\n", "", prune(sheet, used))


PAGE = '<p class="note wide" id=top>x</p><a href="a>b" class=\'far\'>y</a>'


@pytest.mark.parametrize(
    "selector",
    [
        "p",
        "P",
        ".note",
        "p.note.wide",
        "#top",
        ".far",
        "p > a",
        "*",
        ":root",
        "a:hover::before",
        "p:not(.absent)",
        "[data-theme]",
        'a[href^="x,y"]',
        ":is(.note, .absent)",
    ],
)
def test_a_rule_stays_if_its_names_stand_on_a_page(selector):
    assert pruned(f"{selector}{{color:red}}", PAGE) == f"{selector}{{color:red}}"


@pytest.mark.parametrize(
    "selector", ["div", ".absent", "p.absent", ".note .absent", "#bottom", "p > .absent:hover", ".top"]
)
def test_a_rule_goes_if_one_of_its_names_stands_nowhere(selector):
    assert pruned(f"{selector}{{color:red}}", PAGE) == ""


def test_of_a_list_of_selectors_those_stay_that_are_needed():
    assert pruned(".absent,.note , b,a{color:red}", PAGE) == ".note,a{color:red}"


def test_a_class_that_a_script_speaks_of_stays():
    script = 'box.classList.add("ready"); mark.className = "ck-" + kind; item.innerHTML = "<em class=\'x\'>"'
    for selector in (".ready", ".ck-anything", "em", ".x"):
        assert pruned(f"{selector}{{color:red}}", "", script) != "", selector
    assert pruned(".steady{color:red}", "", script) == ""


def test_a_short_word_of_a_script_counts_only_between_quotes():
    """The variables of a shortened script are not classes."""
    assert pruned(".k{color:red}", "", "var k=1,n=k-k;") == ""
    assert pruned(".k{color:red}", "", "add('k')") != ""


def test_a_script_within_the_page_counts_too():
    assert pruned(".dark{color:red}", "<script>root.classList.add('dark')</script>") != ""


def test_a_group_stays_with_what_is_needed_of_it_or_goes():
    sheet = "@media print{.note{color:red}.absent{color:red}}@media (width > 1px){.absent{color:red}}"
    assert pruned(sheet, PAGE) == "@media print{.note{color:red}}"


def test_a_custom_property_stays_only_if_something_leads_to_it():
    sheet = ":root{--one:var(--two);--two:red;--three:blue;--four:var(--one);--five:1;--six:2}.note{color:var(--one)}"
    page = f'{PAGE}<i style="color:var(--five)">'
    assert (
        pruned(sheet, page, 'get("--six")')
        == ":root{--one:var(--two);--two:red;--five:1;--six:2}.note{color:var(--one)}"
    )


def test_a_font_or_an_animation_stays_only_if_it_is_named():
    font = '@font-face{font-family:"%s";src:url(x.woff2)}'
    move = "@keyframes %s{from{opacity:0}to{opacity:1}}"
    rule = ".note{font:1em Used,serif;animation:turn 1s}"
    assert (
        pruned(font % "Used" + font % "Other" + move % "turn" + move % "other" + rule, PAGE)
        == font % "Used" + move % "turn" + rule
    )


def test_what_is_not_understood_stays_as_it_is():
    for rule in ("@page{margin:1cm}", "@import url(x.css);", ".note{color:red;.absent &{color:blue}}"):
        assert pruned(rule, PAGE) == rule


def test_licences_stay_and_other_comments_go():
    assert pruned("/*! Free */p{/* why */color:red/* so */}/* the end */", PAGE).startswith("/*! Free */p{")
    assert "the end" not in pruned("/* the end */p{color:red}", PAGE)


def test_words_of_prose_do_not_change_what_is_needed():
    sheet, one, two = ".note{color:red}.absent{color:red}", Used(), Used()
    one.see_page(PAGE)
    two.see_page(PAGE.replace(">x<", ">words, and <b>absent<"))
    assert one.within(sheet).key() == two.within(sheet).key()


def test_a_broken_sheet_is_refused_with_its_line():
    with pytest.raises(ValueError, match="line 2"):
        pruned("p{color:red}\n}", PAGE)


@pytest.mark.parametrize(("text", "kind"), [
    ('<p class="a b" id="c" style="color: var(--d)">e</p><script>kind = "f-g"</script>', "page"),
    ('const kind = "f-g", other = `h`', "script"),
])  # fmt: skip
def test_what_was_seen_is_kept_and_is_the_same(tmp_path, text, kind):
    seen = [Used() for _ in range(3)]
    for used, folder in zip(seen, (None, tmp_path, tmp_path), strict=True):
        used.see(text, kind, folder)
    assert seen[0].words >= {"f-g"}
    assert seen[0] == seen[1] == seen[2]
    assert len(list(tmp_path.iterdir())) == 1
