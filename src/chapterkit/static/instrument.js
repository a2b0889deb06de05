// @ts-check
/* Wakes the instruments of a page: controls, read-outs, words and pictures, all from compiled Python. */
(function (ck) {
  "use strict";

  /** @type {Record<string, any>} */
  ck.instruments = {};

  /** Called by each instrument's own script. @param {any} declared @param {Record<string, Function>} functions */
  ck.define = function (declared, functions) {
    declared.functions = functions;
    ck.instruments[declared.name] = declared;
    const panel = document.querySelector('[data-instrument="' + declared.name + '"]');
    if (panel instanceof HTMLElement) wake(panel, declared);
  };

  /** @param {string} text @param {Record<string, string>} parts */
  function words(text, parts) {
    return text.replace(/\{(\w+)\}/g, function (all, name) { return name in parts ? parts[name] : all; });
  }

  /** @param {HTMLElement} panel @param {any} declared */
  function wake(panel, declared) {
    const said = panel.dataset;
    /** Numbers of controls and ids of options. @type {Record<string, any>} */
    const values = {};
    const settings = declared.controls.concat(declared.choices);
    function toDefaults() { settings.forEach(function (setting) { values[setting.name] = setting.default; }); }
    toDefaults();
    /** @type {any} */
    let state = null;
    const find = function (selector) { return /** @type {HTMLElement} */ (panel.querySelector(selector)); };
    const range = function (control) { return { label: control.label, low: ck.number(control.low, ",.6g"), high: ck.number(ck.highest(control), ",.6g"), multiple: String(control.multiple) }; };

    const rows = declared.controls.map(function (control) {
      const row = find('[data-control="' + control.name + '"]');
      return {
        control: control,
        row: row,
        typed: /** @type {HTMLInputElement} */ (row.querySelector('input[type="number"]')),
        slider: /** @type {HTMLInputElement} */ (row.querySelector('input[type="range"]')),
        wide: /** @type {HTMLInputElement|null} */ (panel.querySelector('[data-wide="' + control.name + '"]')),
        also: /** @type {HTMLElement} */ (row.querySelector("[data-also]")),
        problem: /** @type {HTMLElement} */ (row.querySelector(".ck-problem"))
      };
    });
    const choices = declared.choices.map(function (choice) {
      const box = /** @type {HTMLFieldSetElement} */ (find('[data-choice="' + choice.name + '"]'));
      return {
        choice: choice,
        box: box,
        radios: /** @type {HTMLInputElement[]} */ (Array.from(box.querySelectorAll("input"))),
        shown: Array.from(box.querySelectorAll(".ck-pick-value"))
      };
    });
    const readouts = declared.readouts.map(function (readout) {
      const box = find('[data-readout="' + readout.name + '"]');
      return { readout: readout, value: box.querySelector(".ck-value"), note: box.querySelector(".ck-note") };
    });
    const lines = Array.from(panel.querySelectorAll(".ck-lines > li"));
    const charts = declared.pictures.map(function (picture) {
      const figure = find('[data-picture="' + picture.name + '"]');
      const canvas = /** @type {HTMLElement} */ (figure.querySelector(".ck-canvas"));
      const stale = /** @type {HTMLElement} */ (figure.querySelector(".ck-stale"));
      const chart = new ck.Chart(canvas, function () { return declared.functions[picture.figure](state); }, function (drawn) {
        stale.textContent = drawn || !moved() ? "" : said.wordsStale || "";
      });
      const table = figure.querySelector("details.ck-table");
      if (table) table.addEventListener("toggle", function () { fillTable(picture, table); });
      return { picture: picture, chart: chart, caption: figure.querySelector("[data-caption]"), table: table };
    });

    function moved() { return settings.some(function (setting) { return values[setting.name] !== setting.default; }); }

    /** @param {any} picture @param {Element} table */
    function fillTable(picture, table) {
      if (!(/** @type {HTMLDetailsElement} */ (table).open)) return;
      const data = declared.functions.rows(declared.functions[picture.figure](state));
      const tables = new DocumentFragment();
      /** @type {HTMLTableElement} */
      let one;
      data.forEach(function (line, at) {
        const heads = !at || line[0] === "";
        if (heads) one = tables.appendChild(document.createElement("table"));
        const row = heads ? one.createTHead().insertRow() : (one.tBodies[0] || one.createTBody()).insertRow();
        line.forEach(function (cell) {
          const box = row.appendChild(document.createElement(heads && cell ? "th" : "td"));
          if (heads && cell) box.scope = "col";
          box.textContent = typeof cell === "string" ? cell : ck.number(cell, Number.isInteger(cell) ? ",.0f" : Math.abs(cell) < 1e-3 ? ",.2g" : ",.4g");
        });
      });
      const scroll = table.querySelector(".ck-table-scroll");
      if (scroll) scroll.replaceChildren(tables);
    }

    /** What was put where: words that stay as they are cost nothing. @type {Map<Element, string>} */
    const standing = new Map();
    /** @param {Element} element @param {string} markup */
    function put(element, markup) {
      if (standing.get(element) !== markup) element.innerHTML = markup;
      standing.set(element, markup);
    }

    /** Everything the reader sees, from `values`. */
    function show() {
      state = ck.evaluate(declared, values);
      const said = ck.words(declared, state, true);
      readouts.forEach(function (entry) {
        entry.value.textContent = said.readouts[entry.readout.name];
        if (entry.note) put(entry.note, said.notes[entry.readout.name]);
      });
      Object.keys(said.sentences).forEach(function (name) { put(find('[data-sentence="' + name + '"]'), said.sentences[name]); });
      lines.forEach(function (line, at) { put(line, said.lines[at]); });
      charts.forEach(function (entry) {
        if (entry.caption) put(entry.caption, said.captions[entry.picture.name]);
        if (entry.table) fillTable(entry.picture, entry.table);
        entry.chart.draw();
      });
    }

    /** Move controls to `values`, leaving the field being typed in as it is. @param {HTMLInputElement} [source] */
    function showControls(source) {
      rows.forEach(function (entry) {
        const value = values[entry.control.name];
        if (entry.typed !== source) entry.typed.value = String(value);
        [entry.slider, entry.wide].forEach(function (slider) {
          if (!slider) return;
          if (slider !== source) slider.value = String(value);
          slider.setAttribute("aria-valuetext", ck.number(value, ",.6g") + " " + entry.control.unitLabel);
        });
        if (entry.control.also) entry.also.textContent = ck.show(value * entry.control.factor, entry.control.also);
      });
      choices.forEach(function (entry) {
        entry.radios.forEach(function (radio) { radio.checked = radio.value === values[entry.choice.name]; });
        entry.choice.options.forEach(function (option, at) {
          if (!option.control || !entry.choice.unit) return;
          const serves = declared.controls.find(function (control) { return control.name === option.control; });
          entry.shown[at].textContent = ck.show(values[option.control] * serves.factor, entry.choice.unit, ",.6g");
        });
      });
    }

    /** A reader sets a control; one that serves an option of a choice picks that option. @param {any} control @param {number} value */
    function set(control, value) {
      values[control.name] = value;
      declared.choices.forEach(function (choice) {
        const option = choice.options.find(function (one) { return one.control === control.name; });
        if (option) values[choice.name] = option.id;
      });
    }

    /** @param {any} entry @param {string} [kind] */
    function complain(entry, kind) {
      entry.problem.textContent = kind ? words(said["words" + kind[0].toUpperCase() + kind.slice(1)] || "", range(entry.control)) : "";
      entry.typed.toggleAttribute("aria-invalid", false);
      if (kind) entry.typed.setAttribute("aria-invalid", "true");
    }

    rows.forEach(function (entry) {
      entry.typed.readOnly = false; // without scripts it only shows a number
      [entry.slider, entry.wide].forEach(function (slider) {
        if (!slider) return;
        slider.addEventListener("input", function () {
          set(entry.control, Number(slider.value));
          complain(entry);
          showControls(slider);
          show();
        });
        slider.addEventListener("change", speak);
      });
      entry.typed.addEventListener("input", function () {
        const read = ck.readTyped(entry.control, entry.typed.value);
        complain(entry, read.problem);
        if (read.problem) return;
        set(entry.control, read.value);
        showControls(entry.typed);
        show();
      });
      entry.typed.addEventListener("change", function () {
        // Leaving the field puts the last good value back; the words stay until the next change.
        if (ck.readTyped(entry.control, entry.typed.value).problem) entry.typed.value = String(values[entry.control.name]);
        entry.typed.removeAttribute("aria-invalid");
        speak();
      });
      const button = entry.row.querySelector("[data-step]");
      if (button) button.addEventListener("click", function () {
        const control = entry.control, next = values[control.name] + control.step;
        set(control, next > control.high ? control.low : next);
        complain(entry);
        showControls();
        show();
        speak();
      });
    });

    choices.forEach(function (entry) {
      entry.box.disabled = false; // without scripts it only shows a setting
      entry.box.addEventListener("change", function (event) {
        values[entry.choice.name] = /** @type {HTMLInputElement} */ (event.target).value;
        const serves = ck.chosen(entry.choice, values[entry.choice.name]).control;
        rows.forEach(function (row) { if (row.control.name === serves) unfold(row.row); });
        showControls();
        show();
        speak();
      });
    });

    /** Tell a screen reader the main numbers, once a change has settled. */
    function speak() {
      find("[data-spoken]").textContent = readouts.filter(function (entry) { return entry.readout.main; })
        .map(function (entry) { return entry.readout.label + ": " + entry.value.textContent; }).join(". ");
    }

    const notices = find("[data-notices]");
    /** @param {string} text @param {string} [link] */
    function notice(text, link) {
      const line = document.createElement("p");
      line.className = "ck-notice";
      line.textContent = text;
      if (link) {
        const field = document.createElement("input");
        field.readOnly = true;
        field.value = link;
        field.setAttribute("aria-label", text);
        line.append(" ", field);
      }
      notices.replaceChildren(line);
    }

    find("[data-reset]").addEventListener("click", function () {
      toDefaults();
      rows.forEach(function (entry) { complain(entry); });
      showControls();
      show();
      notice(said.wordsWasReset || "");
    });
    find("[data-copy]").addEventListener("click", async function () {
      const link = new URL(ck.writeLink(declared, values) + "#" + panel.id, location.href).href;
      try { history.replaceState(history.state, "", link); } catch (refused) { /* a file:// page may not change its address */ }
      try {
        await navigator.clipboard.writeText(link);
        notice(said.wordsCopied || "");
      } catch (refused) { notice(said.wordsCopyByHand || "", link); }
    });

    const asked = ck.readLink(declared, location.search);
    if (asked.notices.length) {
      notice(asked.notices.map(function (note) {
        const kind = note.kind.replace(/(^|-)(\w)/g, function (_, dash, letter) { return letter.toUpperCase(); });
        const parts = note.control ? Object.assign("low" in note.control ? range(note.control) : { label: note.control.label }, { given: note.given, value: note.value === undefined ? "" : ck.number(note.value, ",.6g") }) : {};
        return words(said["words" + kind] || "", parts);
      }).join(" "));
    }
    const asksChange = Object.keys(asked.values).some(function (name) { return asked.values[name] !== values[name]; });
    Object.assign(values, asked.values);
    rows.forEach(function (entry) {
      if (entry.control.name in asked.values) unfold(entry.row);
      if (entry.wide && values[entry.control.name] > entry.control.high) unfold(entry.wide);
    });
    choices.forEach(function (entry) { if (entry.choice.name in asked.values) unfold(entry.box); });
    // A browser may bring back what was typed before a reload; the page's numbers belong to `values`.
    showControls();
    if (asksChange) show();
    else state = ck.evaluate(declared, values);
    ck.onTheme(function () { charts.forEach(function (entry) { entry.chart.draw(); }); });
    panel.dataset.awake = "";
  }

  /** Open the fold a preset control lies in. @param {HTMLElement} row */
  function unfold(row) {
    const fold = row.closest("details");
    if (fold) fold.open = true;
  }
})(window.chapterkit = window.chapterkit || {});
