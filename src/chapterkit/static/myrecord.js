// @ts-check
/* The record as its reader sees it: {my-progress}, {my-record}, {tier}, {page-progress} and {decision-log}. Only on pages that hold one. */
(function (ck) {
  "use strict";

  const logic = ck.recordLogic, { words } = ck.progress;
  /** @param {string} selector @param {Document | Element} [root] */
  const all = (selector, root = document) => /** @type {HTMLElement[]} */ (Array.from(root.querySelectorAll(selector)));
  const put = (element, text) => { if (element.textContent !== text) element.textContent = text; };
  /** @param {any} record @param {string} id @returns {string} */
  const noteOf = (record, id) => Object.hasOwn(record.notes, id) ? String(record.notes[id]) : "";
  /** Whether it will last, in words. @param {HTMLElement} box @returns {string} */
  const lasting = ({ dataset: said }) => said[{ saved: "saved", "not saved": "unsaved", newer: "newer", corrupt: "corrupt" }[ck.record.status]];

  /** @param {HTMLElement} box @returns {() => void} */
  function progress(box) {
    const said = box.dataset, find = (part) => /** @type {HTMLElement} */ (box.querySelector(part));
    const status = find(".ck-progress-status");
    /** News first, then whether it will last. @param {string} news */
    const tell = (news) => put(status, (news ? news + " " : "") + lasting(box));
    const rest = ck.clearing(find(".ck-clear"), [{ label: words.clearAll, ask: words.askAll, some: () => true }]);

    find(".ck-export").addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([ck.record.export()], { type: "application/json" }));
      link.download = ((ck.settings && ck.settings.book) || "book") + "-answers.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });

    const file = /** @type {HTMLInputElement} */ (find(".ck-import-file"));
    file.addEventListener("change", async () => {
      const chosen = file.files && file.files[0];
      if (!chosen) return;
      const { message } = ck.record.import(await chosen.text().catch(() => ""));
      file.value = ""; // so that choosing the same file again is a change
      tell({ imported: said.imported, "not saved": said.importUnsaved, newer: said.importNewer, corrupt: said.importCorrupt }[message]);
    });

    const print = find(".ck-print");
    if (print) print.addEventListener("click", () => {
      put(find(".ck-record-date"), new Date().toLocaleDateString(document.documentElement.lang || undefined, { dateStyle: "long" }));
      // Everything beside the way to the record stays off the paper, whatever the theme puts there.
      const away = [];
      for (let here = box; here.parentElement; here = here.parentElement) {
        away.push(...Array.from(here.parentElement.children).filter((other) => other !== here));
      }
      const root = document.documentElement;
      const mark = (yes) => { root.classList.toggle("ck-printing", yes); for (const other of away) other.classList.toggle("ck-not-printed", yes); };
      mark(true);
      window.addEventListener("afterprint", () => mark(false), { once: true });
      window.print();
    });

    return () => {
      const record = ck.standing(box);
      for (const item of all("[data-asked]", box)) {
        const answer = logic.answerTo(record, item.dataset.asked), chosen = item.querySelector(".ck-record-words");
        put(item.querySelector(".ck-progress-state"), answer === null ? said.open : answer.right === true ? said.right : said.other);
        if (chosen) put(chosen, answer === null ? "" : JSON.parse(item.dataset.options)[answer.option] || answer.option);
      }
      for (const item of all("[data-exercise]", box)) {
        const passed = logic.passed(record, item.dataset.exercise);
        put(item.querySelector(".ck-progress-state"), passed === null ? said.untried : passed ? said.passed : said.tried);
      }
      for (const group of all("details", box)) {
        const sum = (part, items, template, done) => {
          const place = group.querySelector(part), of = all(items, group);
          if (place) put(place, ck.put(template, { done: of.filter(done).length, of: of.length }));
        };
        sum(".ck-answers", "[data-asked]", said.answers, (item) => logic.answerTo(record, item.dataset.asked) !== null);
        sum(".ck-passes", "[data-exercise]", said.passes, (item) => logic.passed(record, item.dataset.exercise));
      }
      for (const item of all("[data-log]", box)) put(item, noteOf(record, item.dataset.log) || said.empty);
      rest();
      tell("");
    };
  }

  /** The list of tiers, with the reader's own marked. @param {HTMLElement} list @returns {() => void} */
  const tier = (list) => () => {
    const mine = logic.progress(ck.record.read(), ck.questions).tier;
    for (const item of all("[data-tier]", list)) {
      if (item.dataset.tier === mine) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current");
    }
  };

  /** @param {HTMLElement} place @returns {() => void} */
  const page = (place) => () => {
    const asked = ck.questions.filter((question) => question.doc === place.dataset.page);
    put(place, ck.put(place.dataset.count, logic.progress(ck.record.read(), asked)));
  };

  /** @param {HTMLElement} log @returns {() => void} */
  function note(log) {
    const text = log.querySelector("textarea"), status = log.querySelector(".ck-log-status"), paper = log.querySelector(".ck-log-paper");
    let waiting = 0;
    function save() {
      if (!waiting) return;
      clearTimeout(waiting);
      waiting = 0;
      ck.record.note(log.id, text.value);
    }
    text.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = window.setTimeout(save, 300);
    });
    text.addEventListener("change", save);
    window.addEventListener("pagehide", save);
    document.addEventListener("visibilitychange", save);
    return () => {
      const kept = noteOf(ck.record.read(), log.id);
      if (!waiting && text.value !== kept) text.value = kept; // what is being written here counts, and is saved soon
      put(paper, text.value);
      put(status, lasting(log));
    };
  }

  const updates = [
    ...all(".ck-progress").map(progress), ...all(".ck-tiers").map(tier), ...all(".ck-page-live").map(page), ...all(".ck-log").map(note),
  ];
  const update = () => { for (const one of updates) one(); };
  document.addEventListener("ck:record", update);
  update();
})(window.chapterkit = window.chapterkit || {});
