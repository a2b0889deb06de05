// @ts-check
/* The reader's record: answers, notes, opened gates and checked exercises, kept in this browser and nowhere else.
 *
 * Stored as JSON under `chapterkit:<book>`:
 *   {"version": 1, "answers": {"<question>": {"option": "<option>", "right": true, "at": "<ISO time>"}},
 *    "notes": {"<id>": "<text>"}, "opened": {"<gate>": true},
 *    "exercises": {"<exercise>": {"passed": true, "at": "<ISO time>"}}}
 * `opened["*"]` stands for "show everything". Keys this file does not know are kept as they are.
 * The first half is logic without a page, so that tests can run it; the second binds it to the page.
 */
(function (ck) {
  "use strict";

  const VERSION = 1;
  const PARTS = ["answers", "notes", "opened", "exercises"];

  /** @typedef {{option: string, right: boolean, at: string}} Answer */
  /** @typedef {{passed: boolean, at: string}} Exercise */
  /** @typedef {{version: number, answers: Object<string, Answer>, notes: Object<string, string>,
   *   opened: Object<string, boolean>, exercises: Object<string, Exercise>}} RecordData */
  /** @typedef {"saved" | "not saved" | "newer" | "corrupt"} Status */

  const plain = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

  /** @returns {RecordData} */
  const empty = () => ({ version: VERSION, answers: {}, notes: {}, opened: {}, exercises: {} });

  /** Read stored text. What cannot be read leaves an empty record and a status that forbids writing.
   * @param {string | null} text @returns {{record: RecordData, status: Status}} */
  function parse(text) {
    if (text === null || text === undefined) return { record: empty(), status: "saved" };
    let data;
    try { data = JSON.parse(text); } catch (broken) { return { record: empty(), status: "corrupt" }; }
    if (!plain(data) || !Number.isInteger(data.version) || data.version < 1) return { record: empty(), status: "corrupt" };
    if (data.version > VERSION) return { record: empty(), status: "newer" };
    if (PARTS.some((part) => has(data, part) && !plain(data[part]))) return { record: empty(), status: "corrupt" };
    // Spread, not assignment: a key named __proto__ must stay a key.
    return { record: { ...empty(), ...data }, status: "saved" };
  }

  /** The answer to a question, or null where there is none that makes sense.
   * @param {RecordData} record @param {string} id @returns {Answer | null} */
  function answerTo(record, id) {
    const answer = has(record.answers, id) ? record.answers[id] : null;
    return plain(answer) && typeof answer.option === "string" && answer.option !== "" ? answer : null;
  }

  /** Whether the reader's answer to an exercise has passed its checks; null where it was never checked.
   * @param {RecordData} record @param {string} id @returns {boolean | null} */
  function passed(record, id) {
    const exercise = has(record.exercises, id) ? record.exercises[id] : null;
    return plain(exercise) && typeof exercise.passed === "boolean" ? exercise.passed : null;
  }

  /** Two texts of one note; neither is lost. @param {string} mine @param {string} theirs */
  const joined = (mine, theirs) => mine.includes(theirs) ? mine : theirs.includes(mine) ? theirs : mine + "\n\n" + theirs;

  /** Join what a file holds to what is here. Of two answers to one question the earlier counts.
   * @param {RecordData} mine @param {RecordData} theirs @returns {RecordData} */
  function merge(mine, theirs) {
    const answers = { ...theirs.answers, ...mine.answers };
    for (const id of Object.keys(theirs.answers)) {
      const here = answerTo(mine, id), there = answerTo(theirs, id);
      if (there && (!here || String(there.at) < String(here.at))) answers[id] = theirs.answers[id];
    }
    const exercises = { ...theirs.exercises, ...mine.exercises };
    for (const id of Object.keys(theirs.exercises)) {
      if (passed(theirs, id) === true && passed(mine, id) !== true) exercises[id] = theirs.exercises[id];
    }
    const notes = { ...theirs.notes, ...mine.notes };
    for (const [id, text] of Object.entries(theirs.notes)) {
      if (has(mine.notes, id)) notes[id] = joined(String(mine.notes[id]), String(text));
    }
    return {
      ...theirs, ...mine, version: VERSION, answers, exercises, notes,
      opened: { ...theirs.opened, ...mine.opened },
    };
  }

  /** Take what the reader did under these ids away, or everything.
   * @param {RecordData} record @param {string[]} [ids] @returns {RecordData} */
  function without(record, ids) {
    const keep = (part) => Object.fromEntries(Object.entries(part).filter(([id]) => ids && !ids.includes(id)));
    return PARTS.reduce((rest, part) => ({ ...rest, [part]: keep(record[part]) }), record);
  }

  /** How far the reader is; the tier looks at predictions alone.
   * @param {RecordData} record @param {{id: string, kind: string}[]} questions
   * @returns {{answered: number, of: number, right: number, predictions: number, tier: "optimal" | "partial" | "developing",
   *   next: any}} next: the first question without an answer, if there is one */
  function progress(record, questions) {
    const predictions = questions.filter((question) => question.kind === "predict");
    const right = predictions.filter((question) => { const a = answerTo(record, question.id); return a !== null && a.right === true; }).length;
    const tier = right === 0 ? "developing" : right === predictions.length ? "optimal" : "partial";
    const open = questions.filter((question) => answerTo(record, question.id) === null);
    return { answered: questions.length - open.length, of: questions.length, right, predictions: predictions.length, tier, next: open[0] };
  }

  /** A record in some store. Every change re-reads the store first, because another tab may have written.
   * A change that could not be saved is kept and tried again with the next one.
   * @param {{store: {getItem: Function, setItem: Function, removeItem: Function}, key: string, denied?: boolean,
   *   now?: () => string, changed?: (record: RecordData) => void}} options */
  function open({ store, key, denied = false, now = () => new Date().toISOString(), changed = () => {} }) {
    /** @type {((record: RecordData) => RecordData)[]} */
    let unsaved = [];
    /** @type {RecordData} */
    let current = empty();
    /** @type {Status} */
    let status = "saved";
    /** @type {string | null} */
    let raw = null;

    const applied = (record) => unsaved.reduce((so_far, change) => change(so_far), record);

    /** @returns {Status} what the store holds, failed writes aside */
    function refresh() {
      let stored = /** @type {Status} */ ("saved"), base = empty();
      try {
        raw = store.getItem(key);
        ({ record: base, status: stored } = parse(raw));
      } catch (refused) { raw = null; stored = "not saved"; }
      current = applied(base);
      status = stored !== "saved" ? stored : denied || unsaved.length ? "not saved" : "saved";
      return stored;
    }

    /** @param {(record: RecordData) => RecordData} change */
    function apply(change) {
      unsaved.push(change);
      if (refresh() === "saved") {
        try {
          store.setItem(key, JSON.stringify(current));
          unsaved = [];
          status = denied ? "not saved" : "saved";
        } catch (full) { status = "not saved"; }
      }
      changed(current);
    }

    refresh();
    return {
      /** Newest state, from every tab. @returns {RecordData} */
      read() { refresh(); return current; },
      /** @param {string} id @param {string} option @param {boolean} right */
      answer(id, option, right) {
        const answer = { option, right: Boolean(right), at: now() };
        apply((record) => ({ ...record, answers: { ...record.answers, [id]: answer } }));
      },
      /** @param {string} id @param {string} text an empty text takes the note away */
      note(id, text) {
        apply((record) => {
          const { [id]: _old, ...notes } = record.notes;
          return { ...record, notes: text === "" ? notes : { ...notes, [id]: text } };
        });
      },
      /** A check was run. What has passed once stays passed.
       * @param {string} id @param {boolean} ok */
      exercise(id, ok) {
        const exercise = { passed: Boolean(ok), at: now() };
        apply((record) => passed(record, id) === true ? record
          : { ...record, exercises: { ...record.exercises, [id]: exercise } });
      },
      /** @param {string} gate a gate's id, or "*" for all @param {boolean} yes */
      opened(gate, yes) {
        apply((record) => {
          const { [gate]: _old, ...opened } = record.opened;
          return { ...record, opened: yes ? { ...opened, [gate]: true } : opened };
        });
      },
      /** Without ids everything goes, and so does a text that could not be read: the reader asked for it.
       * @param {string[]} [ids] @returns {() => void} takes it back; what was done since then stays */
      clear(ids) {
        refresh();
        const was = current, text = raw, pending = unsaved.slice();
        const all = !ids && (status === "corrupt" || status === "newer");
        if (all) {
          try { store.removeItem(key); unsaved = []; } catch (refused) { /* stays as it is */ }
        }
        apply((record) => without(record, ids));
        const left = JSON.stringify(current);
        return () => {
          if (!all) { apply((record) => merge(record, was)); return; }
          refresh();
          if (JSON.stringify(current) !== left) return; // a record that was begun since then is worth more
          try { store.setItem(key, text); unsaved = pending; } catch (refused) { /* then it is gone */ }
          refresh();
          changed(current);
        };
      },
      /** What could not be read is given out as it is, so that nothing is lost. @returns {string} */
      export() {
        refresh();
        const unreadable = status === "corrupt" || status === "newer";
        return unreadable && raw !== null ? raw : JSON.stringify(current, null, 2);
      },
      /** @param {string} text @returns {{ok: boolean, message: "imported" | "newer" | "corrupt" | "not saved"}} */
      import(text) {
        const { record, status: found } = parse(text);
        if (found !== "saved") return { ok: false, message: found };
        apply((mine) => merge(mine, record));
        return status === "saved" ? { ok: true, message: "imported" } : { ok: true, message: "not saved" };
      },
      /** Another tab wrote. */
      refreshed() { refresh(); changed(current); },
      /** @returns {Status} */
      get status() { return status; },
    };
  }

  ck.recordLogic = { VERSION, empty, parse, answerTo, passed, merge, without, progress, open };
  if (typeof document === "undefined") return;

  // The page ---------------------------------------------------------------------------------

  const forgetful = { getItem: () => null, setItem: () => { throw new Error("denied"); }, removeItem: () => {} };
  /** @returns {Storage | typeof forgetful} */
  function storage() {
    if (ck.store) return ck.store; // boot.js found one
    try { return window.localStorage; } catch (denied) { return forgetful; }
  }

  const key = "chapterkit:" + ((ck.settings && ck.settings.book) || "book");
  ck.record = open({
    store: storage(),
    key,
    denied: Boolean(ck.storageDenied),
    changed: (record) => document.dispatchEvent(new CustomEvent("ck:record", { detail: record })),
  });

  window.addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) ck.record.refreshed();
  });
  // Rules of the first paint have done their work once the parts of this page have taken over.
  document.addEventListener("DOMContentLoaded", () => {
    const style = document.getElementById("ck-first-paint");
    if (style) style.remove();
  });
})(window.chapterkit = window.chapterkit || {});
