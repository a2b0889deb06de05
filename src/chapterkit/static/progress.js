// @ts-check
/* {my-progress}: how far the reader is, and what they can do with their record. */
(function (ck) {
  "use strict";

  /** @param {string} template @param {Object<string, unknown>} values */
  const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_field, name) => String(values[name]));

  /** @param {HTMLElement} box */
  function wake(box) {
    const words = box.dataset;
    const find = (selector) => /** @type {HTMLElement} */ (box.querySelector(selector));
    const status = find(".ck-progress-status"), confirm = find(".ck-confirm"), clear = find(".ck-clear");
    const items = /** @type {HTMLElement[]} */ (Array.from(box.querySelectorAll(".ck-progress-list > li")));
    const questions = items.map((item) => ({ id: item.dataset.question, kind: item.dataset.kind }));
    const put = (element, text) => { if (element.textContent !== text) element.textContent = text; };

    function update() {
      const record = ck.record.read(), state = ck.recordLogic.progress(record, questions);
      put(find(".ck-progress-count"), fill(words.count, state));
      put(find(".ck-progress-tier"), fill(words[state.tier], state));
      for (const item of items) {
        const answer = ck.recordLogic.answerTo(record, item.dataset.question);
        item.classList.toggle("ck-done", answer !== null);
        put(item.querySelector(".ck-progress-state"), answer === null ? words.open : answer.right === true ? words.right : words.other);
      }
      tell("");
    }

    /** News first, then whether it will last. @param {string} news */
    function tell(news) {
      const lasting = { saved: words.saved, "not saved": words.notSaved, newer: words.newer, corrupt: words.corrupt }[ck.record.status];
      put(status, news ? news + " " + lasting : lasting);
    }

    /** @param {boolean} asking */
    function ask(asking) {
      confirm.hidden = !asking;
      (asking ? find(".ck-confirm-no") : clear).focus();
    }

    clear.addEventListener("click", () => ask(true));
    find(".ck-confirm-no").addEventListener("click", () => ask(false));
    confirm.addEventListener("keydown", (event) => { if (event.key === "Escape") ask(false); });
    find(".ck-confirm-yes").addEventListener("click", () => {
      ck.record.clear();
      ask(false);
      tell(words.cleared);
    });

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
      tell({ imported: words.imported, "not saved": words.importUnsaved, newer: words.importNewer, corrupt: words.importCorrupt }[message]);
    });

    document.addEventListener("ck:record", update);
    update();
  }

  for (const box of document.querySelectorAll(".ck-progress")) wake(/** @type {HTMLElement} */ (box));
})(window.chapterkit = window.chapterkit || {});
