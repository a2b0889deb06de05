"""The reader's record, run in V8 without a page; {my-progress} and {my-record}."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from py_mini_racer import MiniRacer

STATIC = Path(__file__).parents[2] / "src" / "chapterkit" / "static"

# A store that can be read, filled and broken, two records on it, and a clock that counts.
SETUP = """
var window = {};
"""
STAGE = """
var ck = window.chapterkit, logic = ck.recordLogic;
var disk = {}, full = false, denied = false, events = [];
var store = {
  getItem: function (key) {
    if (denied) throw new Error("denied");
    return Object.prototype.hasOwnProperty.call(disk, key) ? disk[key] : null;
  },
  setItem: function (key, text) {
    if (full || denied) throw new Error("QuotaExceededError");
    disk[key] = String(text);
  },
  removeItem: function (key) { delete disk[key]; },
};
var ticks = 0;
function tab(options) {
  return logic.open(Object.assign({
    store: store, key: "k", now: function () { ticks += 1; return "2026-01-01T00:00:0" + ticks + "Z"; },
    changed: function (record) { events.push(JSON.stringify(record)); },
  }, options));
}
"""


@pytest.fixture
def js():
    """Evaluate JavaScript and answer with its JSON value."""
    engine = MiniRacer()
    engine.eval(SETUP)
    for name in ("record.js", "firstpaint.js"):
        engine.eval((STATIC / name).read_text(encoding="utf-8"))
    engine.eval(STAGE)

    def run(script: str):
        *first, last = [line for line in script.strip().split("\n") if line.strip()]
        engine.eval("\n".join(first))
        return json.loads(engine.eval(f"JSON.stringify({last.strip().rstrip(';')})") or "null")

    return run


# Keeping --------------------------------------------------------------------------------------


def test_an_answer_is_kept_by_ids_with_its_time(js):
    assert js("""
        tab().answer("q", "a", true);
        JSON.parse(disk.k)
    """) == {
        "version": 1,
        "answers": {"q": {"option": "a", "right": True, "at": "2026-01-01T00:00:01Z"}},
        "notes": {},
        "opened": {},
        "exercises": {},
    }


@pytest.mark.parametrize("option", ["0", "false", "null", "a"])
def test_an_option_that_looks_like_nothing_survives_a_reload(js, option):
    assert (
        js(f"""
        tab().answer("q", {json.dumps(option)}, false);
        logic.answerTo(tab().read(), "q").option
    """)
        == option
    )


def test_ids_of_object_methods_are_questions_like_others(js):
    assert js("""
        var one = tab();
        one.answer("constructor", "a", true); one.note("__proto__", "words");
        var two = tab().read(), option = logic.answerTo(two, "constructor").option;
        [option, logic.answerTo(two, "toString"), Object.keys(two.notes), ({}).words]
    """) == ["a", None, ["__proto__"], None]


def test_keys_of_others_are_kept(js):
    js("""
        var answers = {old: {option: "z", right: false, at: "t", extra: 5}, odd: 7};
        disk.k = JSON.stringify({version: 1, theme: {x: 1}, answers: answers});
        tab().answer("q", "a", true);
        null
    """)
    kept = js("JSON.parse(disk.k)")
    assert kept["theme"] == {"x": 1}
    assert kept["answers"]["old"] == {"option": "z", "right": False, "at": "t", "extra": 5}
    assert kept["answers"]["odd"] == 7
    assert kept["answers"]["q"]["option"] == "a"


def test_an_answer_that_makes_no_sense_counts_as_none(js):
    assert (
        js("""
        var answers = {a: 7, b: null, c: {}, d: {option: 0}, e: {option: ""}};
        answers.g = {option: 5}; answers.h = {option: true};
        var record = logic.parse(JSON.stringify({version: 1, answers: answers})).record;
        ["a", "b", "c", "d", "e", "f", "g", "h"].map(function (id) { return logic.answerTo(record, id); })
    """)
        == [None] * 8
    )


def test_notes_come_and_go(js):
    assert js("""
        var one = tab();
        one.note("n", "words"); one.note("m", "more"); one.note("n", "");
        JSON.parse(disk.k).notes
    """) == {"m": "more"}


def test_gates_open_and_close(js):
    assert js("""
        var one = tab();
        one.opened("*", true); one.opened("g", true); one.opened("*", false);
        JSON.parse(disk.k).opened
    """) == {"g": True}


def test_an_exercise_that_passed_stays_passed(js):
    assert js("""
        var one = tab();
        one.exercise("a", false); one.exercise("b", false); one.exercise("b", true); one.exercise("b", false);
        var record = tab().read();
        [disk.k === JSON.stringify(record), record.exercises, ["a", "b", "c"].map(id => logic.passed(record, id))]
    """) == [
        True,
        {
            "a": {"passed": False, "at": "2026-01-01T00:00:01Z"},
            "b": {"passed": True, "at": "2026-01-01T00:00:03Z"},
        },
        [False, True, None],
    ]


def test_an_exercise_that_makes_no_sense_counts_as_never_checked(js):
    assert (
        js("""
        var odd = {a: 7, b: null, c: {}, d: {passed: "yes"}};
        var record = logic.parse(JSON.stringify({version: 1, exercises: odd})).record;
        ["a", "b", "c", "d", "toString"].map(id => logic.passed(record, id))
    """)
        == [None] * 5
    )


def test_a_record_from_before_there_were_exercises_gets_them(js):
    assert js("""
        disk.k = '{"version": 1, "answers": {"q": {"option": "a", "right": true, "at": "t"}}}';
        tab().exercise("e", true);
        var kept = JSON.parse(disk.k);
        [Object.keys(kept.answers), kept.exercises.e.passed]
    """) == [["q"], True]


def test_importing_takes_no_pass_away(js):
    early, late = (
        {"version": 1, "exercises": {"e": {"passed": yes, "at": at}}}
        for yes, at in ((False, "1"), (True, "2"))
    )
    for here, there in ((early, late), (late, early)):
        assert js(f"""
            var here = logic.parse('{json.dumps(here)}').record, there = logic.parse('{json.dumps(there)}').record;
            logic.merge(here, there).exercises.e
        """) == {"passed": True, "at": "2"}


# Two tabs -------------------------------------------------------------------------------------


def test_two_tabs_keep_each_others_answers(js):
    assert js("""
        var one = tab(), two = tab();
        one.answer("q", "a", true); two.answer("p", "b", false); one.note("n", "words");
        [Object.keys(JSON.parse(disk.k).answers).sort(), Object.keys(two.read().notes)]
    """) == [["p", "q"], ["n"]]


def test_what_another_tab_cleared_does_not_come_back(js):
    assert (
        js("""
        var one = tab(), two = tab();
        one.answer("q", "a", true); two.clear(); one.note("n", "words");
        JSON.parse(disk.k).answers
    """)
        == {}
    )


def test_a_tab_told_of_a_change_tells_its_page(js):
    assert js("""
        var one = tab(), two = tab();
        one.answer("q", "a", true);
        events = []; two.refreshed();
        [events.length, JSON.parse(events[0]).answers.q.option]
    """) == [1, "a"]


def test_each_change_is_told_once(js):
    assert (
        js("""
        var one = tab();
        one.answer("q", "a", true); one.clear(["q"]);
        events.length
    """)
        == 2
    )


# Trouble --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "",
        "7",
        "null",
        "[]",
        '"x"',
        "{}",
        '{"version": "1"}',
        '{"version": 0}',
        '{"version": 1.5}',
        '{"version": 1, "answers": []}',
        '{"version": 1, "exercises": []}',
    ],
)
def test_what_cannot_be_read_is_never_overwritten(js, text):
    state = js(f"""
        disk.k = {json.dumps(text)};
        var one = tab();
        var before = one.status;
        one.answer("q", "a", true);
        [before, one.status, disk.k, one.read().answers.q.option, one.export()]
    """)
    assert state == ["corrupt", "corrupt", text, "a", text]


def test_a_newer_record_is_never_overwritten_and_can_be_exported_as_it_is(js):
    newer = json.dumps({"version": 2, "answers": ["another shape"]})
    assert js(f"""
        disk.k = {json.dumps(newer)};
        var one = tab();
        one.answer("q", "a", true); one.note("n", "x"); one.opened("*", true);
        [one.status, disk.k === {json.dumps(newer)}, one.export() === disk.k, one.read().answers.q.option]
    """) == ["newer", True, True, "a"]


def test_clearing_everything_makes_room_for_a_new_record(js):
    assert js("""
        disk.k = "{";
        var one = tab();
        one.answer("q", "a", true); one.clear();
        [one.status, JSON.parse(disk.k).answers]
    """) == ["saved", {}]


def test_clearing_some_answers_touches_no_unreadable_record(js):
    assert js("""
        disk.k = "{";
        var one = tab();
        one.clear(["q"]);
        [one.status, disk.k]
    """) == ["corrupt", "{"]


def test_a_full_store_keeps_answers_in_memory_and_saves_them_when_it_can(js):
    assert js("""
        var one = tab();
        full = true; one.answer("q", "a", true);
        var during = [one.status, disk.k === undefined, one.read().answers.q.option, one.status];
        full = false; tab().answer("p", "b", true); one.note("n", "x");
        during.concat([one.status, Object.keys(JSON.parse(disk.k).answers).sort()])
    """) == ["not saved", True, "a", "not saved", "saved", ["p", "q"]]


def test_denied_storage_works_in_memory(js):
    assert js("""
        denied = true;
        var one = tab();
        one.answer("q", "a", true);
        [one.status, one.read().answers.q.option, JSON.parse(one.export()).answers.q.option]
    """) == ["not saved", "a", "a"]


def test_a_store_that_forgets_is_called_not_saved(js):
    """boot.js puts such a store where the browser denies the real one."""
    assert js("""
        var one = tab({denied: true});
        var before = one.status;
        one.answer("q", "a", true);
        [before, one.status, one.read().answers.q.option]
    """) == ["not saved", "not saved", "a"]


# Export, import, progress -----------------------------------------------------------------------


def test_an_export_can_be_imported_elsewhere(js):
    assert js("""
        var one = tab();
        one.answer("q", "0", true); one.note("n", "words");
        var text = one.export();
        var two = tab({key: "other"});
        var told = two.import(text);
        [told, two.read().answers, two.read().notes, JSON.parse(disk.other).answers.q.option]
    """) == [
        {"ok": True, "message": "imported"},
        {"q": {"option": "0", "right": True, "at": "2026-01-01T00:00:01Z"}},
        {"n": "words"},
        "0",
    ]


def test_of_two_answers_the_earlier_counts_whoever_imports(js):
    early, late = (
        {"version": 1, "answers": {"q": {"option": option, "right": True, "at": at}}}
        for option, at in (("a", "2026-01"), ("b", "2026-02"))
    )
    for here, there in ((early, late), (late, early)):
        assert (
            js(f"""
            var here = logic.parse('{json.dumps(here)}').record;
            var there = logic.parse('{json.dumps(there)}').record;
            logic.merge(here, there).answers.q.option
        """)
            == "a"
        )


@pytest.mark.parametrize(
    ("text", "message"), [("{", "corrupt"), ('{"version": 9}', "newer"), ('{"answers": {}}', "corrupt")]
)
def test_a_file_that_is_no_record_changes_nothing(js, text, message):
    assert js(f"""
        var one = tab();
        one.answer("q", "a", true);
        var before = disk.k;
        [one.import({json.dumps(text)}), disk.k === before]
    """) == [{"ok": False, "message": message}, True]


def test_import_into_a_full_store_says_so(js):
    assert js("""
        var one = tab();
        full = true;
        one.import('{"version": 1, "answers": {"q": {"option": "a", "right": true, "at": "t"}}}')
    """) == {"ok": True, "message": "not saved"}


def test_clear_takes_some_or_all(js):
    assert js("""
        var one = tab();
        one.answer("q", "a", true); one.answer("p", "b", true); one.note("q", "x"); one.opened("g", true);
        one.opened("h", true); one.exercise("e", true); one.exercise("f", true);
        one.clear(["q", "g", "f"]);
        var some = JSON.parse(disk.k); one.clear();
        [Object.keys(some.answers), some.notes, some.opened, Object.keys(some.exercises), JSON.parse(disk.k)]
    """) == [
        ["p"],
        {},
        {"h": True},
        ["e"],
        {"version": 1, "answers": {}, "notes": {}, "opened": {}, "exercises": {}},
    ]


@pytest.mark.parametrize(
    ("right", "tier"),
    [
        ([], "developing"),
        ([("p", False), ("q", False)], "developing"),
        ([("r", True)], "developing"),
        ([("p", True)], "partial"),
        ([("p", True), ("q", False)], "partial"),
        ([("p", True), ("q", True)], "optimal"),
    ],
)
def test_the_tier_looks_at_predictions_alone(js, right, tier):
    answers = "".join(f'one.answer("{qid}", "a", {json.dumps(yes)});' for qid, yes in right)
    state = js(f"""
        var one = tab(); {answers}
        var kinds = {{p: "predict", q: "predict", r: "reflect"}};
        logic.progress(one.read(), Object.keys(kinds).map((id) => ({{id: id, kind: kinds[id]}})))
    """)
    assert state["tier"] == tier
    assert (state["answered"], state["of"], state["predictions"]) == (len(right), 3, 2)


def test_a_book_without_predictions_is_not_optimal(js):
    assert js("logic.progress(tab().read(), [])")["tier"] == "developing"


# First paint --------------------------------------------------------------------------------------


def test_first_paint_opens_what_was_answered(js):
    rules = js("""ck.firstPaintRules({version: 1, answers: {"q-1": {option: "a0"}}, opened: {"g": true}})""")
    assert '.ck-gate[data-question="q-1"]>.ck-gate-body{display:block}' in rules
    assert '.ck-gate[data-gate="g"]>.ck-gate-notice,' in rules
    assert (
        '.ck-question[data-question="q-1"]:has(.ck-option[data-option="a0"]) .ck-feedback[data-option="a0"]'
        in rules
    )


def test_first_paint_opens_everything_when_the_switch_is_on(js):
    assert js("""ck.firstPaintRules({version: 1, opened: {"*": true}})""").startswith(
        ".ck-js .ck-gate>.ck-gate-body{display:block}"
    )


@pytest.mark.parametrize(
    "record",
    [
        "null",
        "7",
        "{}",
        '{version: 2, answers: {q: {option: "a"}}}',
        '{version: 1, answers: {"x\\"]{}body{display:none}[a=\\"": {option: "a"}}}',
        '{version: 1, answers: "words", opened: 7}',
        '{version: 1, answers: null, opened: {"a b": true}}',
    ],
)
def test_first_paint_makes_nothing_of_odd_records(js, record):
    assert js(f"ck.firstPaintRules({record})") == ""


def test_first_paint_lets_no_option_into_the_style(js):
    rules = js("""ck.firstPaintRules({version: 1, answers: {q: {option: 'a"]{}body{display:none}'}}})""")
    assert "body{display:none}" not in rules
    assert ".ck-feedback" not in rules


# Two texts, and a change of mind ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ("a", "b", "a\n\nb"),
        ("a", "a", "a"),
        ("a and b", "b", "a and b"),
        ("b", "a and b", "a and b"),
        (None, "b", "b"),
        ("a", None, "a"),
    ],
)
def test_of_two_texts_of_a_note_neither_is_lost(js, mine, theirs, both):
    here, there = ({"version": 1, "notes": {"n": text} if text else {}} for text in (mine, theirs))
    assert (
        js(f"""
        var here = logic.parse({json.dumps(json.dumps(here))}).record;
        var there = logic.parse({json.dumps(json.dumps(there))}).record;
        logic.merge(here, there).notes.n
    """)
        == both
    )


@pytest.mark.parametrize("ids", ["", '["q", "n", "g", "e"]'])
def test_what_was_cleared_can_be_brought_back(js, ids):
    assert js(f"""
        var one = tab();
        one.answer("q", "a", true); one.note("n", "x"); one.opened("g", true); one.exercise("e", true);
        var before = JSON.parse(disk.k), undo = one.clear({ids});
        var cleared = JSON.parse(disk.k); undo();
        [cleared, JSON.stringify(before) === disk.k]
    """) == [{"version": 1, "answers": {}, "notes": {}, "opened": {}, "exercises": {}}, True]


def test_bringing_back_takes_nothing_that_was_done_since(js):
    assert js("""
        var one = tab();
        one.answer("q", "a", true); one.note("n", "x");
        var undo = one.clear();
        one.answer("p", "b", false); one.note("n", "y"); undo();
        var kept = JSON.parse(disk.k);
        [Object.keys(kept.answers).sort(), kept.notes]
    """) == [["p", "q"], {"n": "y\n\nx"}]


def test_clearing_what_could_not_be_read_can_be_taken_back(js):
    assert js("""
        disk.k = "{";
        var one = tab();
        one.answer("q", "a", true);
        var undo = one.clear(), between = one.status; undo();
        [between, disk.k, one.status, one.read().answers.q.option]
    """) == ["saved", "{", "corrupt", "a"]


def test_a_record_begun_since_then_is_worth_more_than_what_could_not_be_read(js):
    assert js("""
        disk.k = "{";
        var one = tab(), undo = one.clear();
        one.answer("q", "a", true); undo();
        [one.status, Object.keys(JSON.parse(disk.k).answers)]
    """) == ["saved", ["q"]]


def test_where_nothing_can_be_saved_clearing_and_taking_back_still_work(js):
    assert js("""
        denied = true;
        var one = tab();
        one.answer("q", "a", true);
        var undo = one.clear(), between = Object.keys(one.read().answers); undo();
        [between, Object.keys(one.read().answers), one.status]
    """) == [[], ["q"], "not saved"]


@pytest.mark.parametrize(
    ("answered", "following"), [([], "p"), (["p"], "q"), (["q"], "p"), (["p", "q"], None)]
)
def test_one_goes_on_with_the_first_question_that_is_not_answered(js, answered, following):
    answers = "".join(f'one.answer("{qid}", "a", false);' for qid in answered)
    assert (
        js(f"""
        var one = tab(); {answers}
        var state = logic.progress(one.read(), ["p", "q"].map((id) => ({{id: id, kind: "predict"}})));
        state.next ? state.next.id : null
    """)
        == following
    )


# The directives --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["index", "last"])
def test_progress_lists_every_question_with_a_link(built, page):
    body = built("html").body(f"{page}.html")
    links = {"falling.html#cup-speed", "tea.html#tea-lid", "later.html#tea-half", "last.html#last-second"}
    for link in links:
        address = link.removeprefix(f"{page}.html")
        assert f'<a href="{address}">' in body
    assert "0 of 4 questions answered." in body


def test_a_record_knows_the_words_of_every_option(built):
    """So that it can be printed; each option by its id."""
    body = built("html").body("last.html")
    options = re.search(r'data-options="([^"]*)" data-asked="last-second"', body)[1]
    assert json.loads(unescape(options)) == {"short": "A second", "long": "An hour & more"}
    assert "data-options" not in built("html").body("index.html")


def test_progress_is_found_in_parallel_reading(book):
    found = book.build(parallel=2).env.chapterkit_progress
    assert found == {"index": {"progress"}, "last": {"log", "page-progress", "record", "tier"}}


def test_progress_is_written_again_when_a_question_elsewhere_changes(book):
    book.write("one.md", "# Page one\n\n```{my-progress}\n```\n")
    book.build()
    falling = (book.folder / "falling.md").read_text(encoding="utf-8")
    book.write("falling.md", falling.replace("How fast does the cup", "How fast will the cup"))
    assert "How fast will the cup arrive?" in book.build().body("one.html")


@pytest.mark.parametrize("page", ["index", "last"])
def test_progress_without_a_browser_is_nothing(built, page):
    assert "answered" not in built("text").read(f"{page}.txt")
    assert "Export" not in built("epub").body(f"{page}.xhtml")


def test_exercises_are_listed_where_the_book_has_some(book, monkeypatch):
    """The list is another part's."""
    exercise = {"id": "pour", "doc": "tea", "title": "Pour it"}
    monkeypatch.setattr("chapterkit.record.all_exercises", lambda env: [exercise])
    body = book.build().body("index.html")
    assert '<li data-exercise="pour"><a href="tea.html#pour">Pour it</a>' in body
    assert "not checked" in body


def test_progress_has_one_line_for_each_page_that_asks_and_folds_the_rest(built):
    lines = re.findall(r'<details class="ck-progress-page"( open)?>', built("html").body("index.html"))
    assert lines == [""] * len({"falling", "tea", "later", "last"})


def test_a_page_of_exercises_goes_with_the_page_before_it(book, monkeypatch):
    exercise = {"id": "pour", "doc": "one", "title": "Pour it"}
    monkeypatch.setattr("chapterkit.record.all_exercises", lambda env: [exercise])
    lines = book.build().body("index.html").split('<details class="ck-progress-page">')[1:]
    assert len(lines) == 4
    assert "last.html#last-second" in lines[3]
    assert "one.html#pour" in lines[3]
