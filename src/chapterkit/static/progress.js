// @ts-check
/* How far the reader is, in the last lines of every page; and a row of buttons that clears answers, asks first, and takes it back. */
(function (ck) {
  "use strict";

  const { words, end } = ck.progress, exercises = ck.exercises || [];
  const root = document.documentElement.dataset.content_root || "";

  /** @param {string} template @param {Object<string, unknown>} values */
  ck.put = (template, values) => template.replace(/\{(\w+)\}/g, (_field, name) => String(values[name]));

  /** Fill in count, tier and where to go on. @param {Element} box */
  ck.standing = (box) => {
    const record = ck.record.read(), state = ck.recordLogic.progress(record, ck.questions), find = (part) => box.querySelector(part);
    const passed = exercises.filter((exercise) => ck.recordLogic.passed(record, exercise.id)).length;
    find(".ck-count").textContent = ck.put(words.count, state) + (passed ? ck.put(words.passed, { passed, of: exercises.length }) : "");
    find(".ck-tier").textContent = ck.put(words[state.tier], state);
    const to = state.next || end, link = find(".ck-next");
    if (to) { link.href = root + to.url; link.textContent = to.title; }
    return record;
  };

  /** @param {HTMLElement} row @param {{label: string, ask: string, some: () => boolean, ids?: () => string[]}[]} choices
   * @returns {() => void} to call when the record has changed */
  ck.clearing = (row, choices) => {
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    let asking = false, shown = "";
    /** @param {string} text @param {[string, () => void][]} buttons */
    function face(text, buttons) {
      said.textContent = text;
      row.replaceChildren(said, ...buttons.map(([label, act]) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = label;
        button.onclick = act;
        return button;
      }));
    }
    const focus = () => /** @type {HTMLElement} */ (row.lastChild).focus();
    function rest() {
      const offered = choices.filter((choice) => choice.some()), labels = offered.map((choice) => choice.label).join();
      if (asking || labels === shown) return; // the same buttons stay, and so does the focus
      shown = labels;
      face("", offered.map((choice) => [choice.label, () => {
        asking = true;
        face(choice.ask, [[words.yes, () => {
          const undo = ck.record.clear(choice.ids && choice.ids());
          face(words.cleared, [[words.undo, () => { undo(); back(); }]]);
          focus();
          asking = false; // from now on any other change takes the offer away
          shown = "?";
        }], [words.keep, back]]);
        focus();
      }]));
    }
    function back() {
      asking = false;
      shown = "?";
      rest();
      focus();
    }
    row.addEventListener("keydown", (event) => { if (asking && event.key === "Escape") back(); });
    rest();
    return rest;
  };

  const box = /** @type {HTMLElement | null} */ (document.querySelector(".ck-where"));
  if (!box) return;
  box.innerHTML = "<p><strong class=ck-count></strong> <a></a><br><span class=ck-tier></span><br><span></span> <a class=ck-next></a></p><p class=ck-clear></p>";
  const [why, next] = box.querySelectorAll("a"), row = /** @type {HTMLElement} */ (box.lastChild);
  next.previousElementSibling.textContent = words.next;
  why.textContent = words.notSaved;
  if (end) why.href = root + end.url;

  const any = (part) => Object.keys(part).length > 0;
  const readable = () => !/corrupt|newer/.test(ck.record.status); // such a record is cleared only where the reader is told what it is
  const ids = () => Array.from(document.querySelectorAll(".ck-question, .ck-gate, .ck-log"), (part) => /** @type {HTMLElement} */ (part).dataset.gate || part.id)
    .concat(exercises.filter((exercise) => exercise.doc === box.dataset.page).map((exercise) => exercise.id));
  const rest = ck.clearing(row, [
    { label: words.clearPage, ask: words.askPage, ids, some() {
      const record = ck.record.read(), did = [record.answers, record.notes, record.exercises];
      return readable() && ids().some((id) => did.some((part) => Object.hasOwn(part, id)));
    } },
    { label: words.clearAll, ask: words.askAll, some() {
      const record = ck.record.read();
      return readable() && (any(record.answers) || any(record.notes) || any(record.exercises));
    } },
  ]);

  function update() {
    ck.standing(box);
    why.hidden = ck.record.status === "saved";
    rest();
  }
  document.addEventListener("ck:record", update);
  update();
})(window.chapterkit = window.chapterkit || {});
