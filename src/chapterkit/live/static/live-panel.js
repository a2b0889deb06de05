// @ts-check
/* The page's code beside its text, and the Python that runs it: one panel and one kernel for a page. */
(function (ck) {
  "use strict";

  /** Without anything arriving for so long, starting is given up, in words. */
  const PATIENCE = 90_000;
  /** How long code may go on after it was told to stop. What waits, or computes outside Python, does not hear it. */
  const DEAF = 3_000;
  const { words, console: consoleOptions } = ck.live;
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const controls = /** @type {HTMLElement[]} */ (Array.from(document.querySelectorAll(".ck-live")));
  const first = controls[0];
  /** @type {{bytes?: number, version?: string, wheel?: string}} */
  const facts = JSON.parse(first.dataset.facts || "{}");
  const runtime = new URL((first.dataset.runtime || "") + "static/pyodide/", location.href);
  const KEEP = `chapterkit-live:${(ck.settings || {}).book || ""}:${location.pathname}:`;
  const root = document.documentElement;
  /** How much of a narrow window the panel covers. */
  const COVERED = "calc(60dvh + 1rem)";

  /**
   * @param {string} tag @param {string} className @param {string} [text]
   * @param {Record<string, string>} [attributes] @returns {any}
   */
  function make(tag, className, text, attributes) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text) made.textContent = text;
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    return made;
  }

  /** @param {string} action @param {() => void} act @returns {HTMLButtonElement} */
  function button(action, act) {
    const made = make("button", `ck-live-${action}`, words[action], { type: "button" });
    if (words[`${action}Long`]) made.title = words[`${action}Long`];
    made.addEventListener("click", act);
    return made;
  }

  /** A heading's words, without the sign that links to it. @param {Element | null | undefined} heading */
  function wordsOf(heading) {
    const copy = heading?.cloneNode(true);
    if (copy instanceof Element) copy.querySelectorAll(".headerlink").forEach((link) => link.remove());
    return copy?.textContent?.trim() || "";
  }

  /** A short text that tells two versions of a cell apart. @param {string} text */
  function mark(text) {
    let sum = 5381;
    for (let at = 0; at < text.length; at++) sum = ((sum * 33) ^ text.charCodeAt(at)) >>> 0;
    return sum.toString(36);
  }

  const kept = {
    /** @param {string} id @returns {{code: string, of: string} | null} */
    read(id) {
      try {
        const found = JSON.parse(ck.store.getItem(KEEP + id) || "null");
        return found && typeof found.code === "string" ? found : null;
      } catch { return null; }
    },
    /** @param {string} id @param {{code: string, of: string} | null} value @returns {boolean} whether it is kept */
    write(id, value) {
      try {
        if (value) ck.store.setItem(KEEP + id, JSON.stringify(value));
        else ck.store.removeItem(KEEP + id);
        return !ck.storageDenied;
      } catch { return false; }
    },
  };

  // Colours ------------------------------------------------------------------------------------

  const KEYWORDS = "and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield";
  const CONSTANTS = "True False None";
  const BUILTINS = "abs all any bool bytes dict divmod enumerate filter float format frozenset getattr hasattr int " +
    "isinstance iter len list map max min next object open pow print property range repr reversed round set sorted str " +
    "sum super tuple type zip display Exception OSError RuntimeError TypeError ValueError KeyError AssertionError";
  /** @type {Record<string, string>} */
  const classes = {};
  for (const word of KEYWORDS.split(" ")) classes[word] = "k";
  for (const word of CONSTANTS.split(" ")) classes[word] = "kc";
  for (const word of BUILTINS.split(" ")) classes[word] = "nb";
  const TOKEN = /(#.*)|((?:\b[rbfu]{1,2})?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(\b\d[\d_]*(?:\.[\d_]*)?(?:e[+-]?\d+)?j?\b|\.\d+\b)|([^\W\d]\w*)/gi;

  /** @param {string} code @returns {DocumentFragment} the code, with the classes that the page's own code has */
  function coloured(code) {
    const made = document.createDocumentFragment();
    let last = 0;
    for (const found of code.matchAll(TOKEN)) {
      const name = found[1] ? "c1" : found[2] ? "s1" : found[3] ? "mi" : Object.hasOwn(classes, found[4]) ? classes[found[4]] : "";
      if (!name) continue;
      made.append(code.slice(last, found.index), make("span", name, found[0]));
      last = found.index + found[0].length;
    }
    made.append(code.slice(last) + "\n");
    return made;
  }

  // Cells --------------------------------------------------------------------------------------

  class Cell {
    /** @param {HTMLElement} control @param {number} number */
    constructor(control, number) {
      this.control = control;
      this.id = control.id;
      this.number = number;
      this.check = control.dataset.check || "";
      this.exercise = control.dataset.exercise || "";
      const source = control.previousElementSibling?.querySelector(".cell_input pre");
      this.original = (control.dataset.code ?? source?.textContent ?? "").replace(/\s+$/, "");
      // What stands in a fold is a solution: it waits for who opens it, and nothing else leans on it.
      this.apart = Boolean(control.closest("details"));
      const found = kept.read(this.id);
      this.older = Boolean(found && found.of !== mark(this.original));
      this.build();
      this.set(found ? found.code : this.original);
    }

    get code() { return this.area.value; }
    get edited() { return this.code !== this.original; }

    /** @param {string} text */
    named(text) { return text.replace("{n}", String(this.number)); }

    build() {
      const title = this.apart ? words.solution : this.named(words.cell);
      this.root = make("section", "ck-live-cell", "", { "aria-label": title });
      const head = make("div", "ck-live-head");
      const heading = this.control.closest("section")?.querySelector("h1, h2, h3, h4, h5, h6");
      const found = make("a", "", `${title}`, { href: `#${this.id}` });
      head.append(found, make("span", "ck-live-where", wordsOf(heading)));

      // The text to edit lies, unseen but for its caret, on the same text in colours, which gives the box its size.
      this.box = make("div", "ck-live-code highlight");
      this.shown = make("pre", "", "", { "aria-hidden": "true" });
      this.area = /** @type {HTMLTextAreaElement} */ (make("textarea", "", "", {
        "aria-label": this.named(words.code), "aria-describedby": "ck-live-keys",
        spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", wrap: "off",
      }));
      const sized = make("div", "");
      sized.append(this.shown, this.area);
      this.box.append(sized);
      this.area.addEventListener("input", () => this.changed());
      this.area.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));

      this.row = make("div", "ck-live-row");
      this.run = button("run", () => void panel.run(this));
      this.reset = button("reset", () => this.ask(true));
      this.tell = make("span", "ck-live-note");
      this.row.append(this.run);
      if (this.check) {
        this.checks = button("check", () => void panel.run(this, true));
        this.row.append(this.checks);
        // On the page, beside the exercise, the report is read out; here it is seen.
        this.report = make("div", "ck-live-report", "", { role: "status" });
        this.control.append(this.report);
        this.mirror = make("div", "ck-live-report");
      }
      this.row.append(this.reset, this.tell);
      this.sure = make("div", "ck-live-sure", words.sure, { role: "group" });
      this.sure.hidden = true;
      this.sure.append(button("discard", () => { this.set(this.original); this.store(); this.ask(false); this.area.focus(); }),
        button("keep", () => { this.ask(false); this.area.focus(); }));
      this.out = make("div", "ck-live-out", "", { role: "region", "aria-label": this.named(words.output), tabindex: "0" });
      this.out.hidden = true;
      this.root.append(head, this.box, this.row, this.sure, this.out);
      if (this.mirror) this.root.append(this.mirror);
      if (this.apart) this.root.hidden = true;
    }

    /** @param {boolean} open Ask before changes are lost. */
    ask(open) {
      this.sure.hidden = !open;
      if (open) /** @type {HTMLElement} */ (this.sure.lastElementChild).focus();
    }

    /** @param {string} code */
    set(code) {
      this.area.value = code;
      this.paint();
    }

    changed() {
      this.older = false;
      this.paint();
      this.store();
    }

    store() {
      this.saved = kept.write(this.id, this.edited ? { code: this.code, of: mark(this.original) } : null);
      this.note();
    }

    paint() {
      this.shown.replaceChildren(coloured(this.area.value));
      this.note();
    }

    note() {
      this.reset.disabled = !this.edited;
      this.tell.textContent = !this.edited ? "" : this.older ? words.older
        : this.saved === false || ck.storageDenied ? words.unsaved : words.saved;
    }

    /** @param {KeyboardEvent} event */
    key(event) {
      const { area } = this;
      if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void panel.run(this);
      } else if (event.key === "Escape") {
        this.leaving = true;
        return;
      } else if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !event.altKey && !this.leaving) {
        event.preventDefault();
        insert(" ".repeat(4 - ((area.selectionStart - (area.value.lastIndexOf("\n", area.selectionStart - 1) + 1)) % 4)));
      } else if (event.key === "Enter" && !event.isComposing) {
        event.preventDefault();
        const line = area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);
        const deeper = /:\s*(#.*)?$/.test(line) ? "    " : "";
        insert("\n" + (/^\s*/.exec(line) || [""])[0] + deeper);
      }
      this.leaving = false;
    }

    /** A run begins: what stood below is gone. */
    clear() {
      this.out.replaceChildren();
      this.out.hidden = true;
      this.printed = null;
      this.charts = [];
    }

    /** @param {string} stream @param {string} text */
    print(stream, text) {
      if (!this.printed || this.printed.dataset.stream !== stream) {
        this.printed = this.put(make("pre", "", "", { "data-stream": stream }));
      }
      this.printed.append(text);
    }

    /** @param {HTMLElement} part */
    put(part) {
      this.out.hidden = false;
      this.out.append(part);
      this.printed = null;
      return part;
    }

    /** Show a value by the richest form that is safe: a reader's text never becomes markup. @param {Record<string, any>} bundle */
    show(bundle) {
      const plotly = bundle["application/vnd.plotly.v1+json"];
      const svg = bundle["image/svg+xml"], png = bundle["image/png"];
      const plain = bundle["text/plain"] || bundle["text/markdown"] || "";
      if (plotly) void this.chart(plotly, plain);
      else if (svg || png) {
        const src = svg ? `data:image/svg+xml;utf8,${encodeURIComponent(svg)}` : `data:image/png;base64,${png}`;
        this.put(make("img", "", "", { src, alt: String(plain) }));
      } else this.put(make("pre", "", String(plain), { "data-value": "" }));
    }

    /** @param {any} figure @param {string} plain */
    async chart(figure, plain) {
      const canvas = this.put(make("div", "ck-live-chart"));
      const layout = Object.assign({ xaxis: {}, yaxis: {} }, figure.layout);
      // A figure from Plotly's Python brings a template of light colours with it.
      delete layout.template;
      for (const axis of ["xaxis", "yaxis"]) {
        if (typeof (layout[axis] || {}).title === "string") layout[axis].title = { text: layout[axis].title };
      }
      const title = layout.title && (layout.title.text || layout.title);
      if (title) { this.out.insertBefore(make("p", "ck-live-title", String(title)), canvas); delete layout.title; }
      await drawing();
      if (!ck.Chart || !canvas.isConnected) { canvas.textContent = words.noChart; return; }
      const chart = new ck.Chart(canvas, () => ({ data: figure.data || [], layout }), (/** @type {boolean} */ drawn) => {
        if (!drawn) canvas.textContent = words.noChart;
        else canvas.querySelector("[role=img]")?.setAttribute("aria-label", String(title || plain || words.output));
      });
      (this.charts = this.charts || []).push(chart);
      if (!themed) { themed = true; ck.onTheme(() => panel.cells.forEach((cell) => cell.charts?.forEach((/** @type {any} */ one) => one.draw()))); }
    }

    /** @param {string} kind @param {string} text */
    raise(kind, text) {
      this.failed = true;
      this.stopped = kind === "KeyboardInterrupt";
      this.put(make("pre", "ck-live-error", text.replace(/\s+$/, "")));
      const hint = kind === "ModuleNotFoundError" ? words.module : kind === "MemoryError" ? words.memory : "";
      if (hint) this.put(make("p", "ck-live-hint", hint));
    }

    /** @param {string} text @param {string} [kind] Say on the page, and here, what the check found. */
    judge(text, kind) {
      for (const place of [this.report, this.mirror]) {
        if (!place) continue;
        place.dataset.kind = kind || "";
        place.textContent = text;
      }
      if (this.report && !panel.beside) {
        this.report.style.scrollMarginBlockEnd = COVERED;
        this.report.scrollIntoView({ block: "nearest" });
      }
    }
  }

  let themed = false;

  /** @type {Promise<void> | undefined} */
  let coming;

  /** The drawing of charts comes with instruments, or from where a page without any finds it. */
  function drawing() {
    if (ck.Chart) return Promise.resolve();
    coming = coming || new Promise((done) => {
      const added = make("script", "", "", { src: script.src.replace(/live-panel\.js/, "chart.js") });
      added.onload = () => done();
      added.onerror = () => { coming = undefined; done(); };
      document.head.append(added);
    });
    return coming;
  }

  /** Typed as by hand, so that the browser can undo it. @param {string} text */
  function insert(text) {
    if (!document.execCommand("insertText", false, text)) {
      const area = /** @type {HTMLTextAreaElement} */ (document.activeElement);
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input"));
    }
  }

  // The kernel ---------------------------------------------------------------------------------

  class Kernel {
    /** @param {(message: any) => void} hear */
    constructor(hear) {
      this.hear = hear;
      /** @type {Worker | null} */
      this.worker = null;
      this.buffer = null;
      this.count = 0;
      /** @type {Map<number, (ok: boolean | null) => void>} */
      this.waiting = new Map();
    }

    start() {
      this.end();
      const worker = this.worker = new Worker(new URL(`kernel.mjs?${facts.version || ""}`, runtime), { type: "module" });
      worker.onmessage = ({ data }) => { if (worker === this.worker) this.heard(data); };
      worker.onerror = (event) => {
        event.preventDefault();
        if (worker === this.worker) this.hear({ fault: "worker" });
      };
      // Python can be told to stop only through shared memory, which browsers give to few sites.
      if (window.crossOriginIsolated) {
        this.buffer = new Uint8Array(new SharedArrayBuffer(1));
        worker.postMessage({ interrupt: this.buffer });
      }
    }

    /** @param {any} data */
    heard(data) {
      if (data.done !== undefined) {
        const answer = this.waiting.get(data.done);
        this.waiting.delete(data.done);
        answer?.(data.ok);
      } else this.hear(data);
    }

    /** @param {object} request @returns {Promise<boolean | null>} whether it went well; null if it was cut short */
    ask(request) {
      const id = ++this.count;
      return new Promise((resolve) => {
        this.waiting.set(id, resolve);
        this.worker?.postMessage({ id, ...request });
      });
    }

    end() {
      this.worker?.terminate();
      this.worker = this.buffer = null;
      for (const answer of this.waiting.values()) answer(null);
      this.waiting.clear();
    }
  }

  /** Why this page cannot run anything, or nothing. */
  function obstacle() {
    if (location.protocol === "file:") return "file";
    const needs = ["WebAssembly", "Worker", "DecompressionStream", "TransformStream"];
    return needs.some((name) => !(name in window)) ? "unable" : "";
  }

  // The panel ----------------------------------------------------------------------------------

  class Panel {
    constructor() {
      this.kernel = new Kernel((message) => this.hear(message));
      /** none, starting, idle, busy, or what went wrong */
      this.state = "none";
      /** @type {Cell[]} */
      this.cells = [];
      this.timer = 0;
      this.stopping = false;
    }

    build() {
      const style = make("link", "", "", { rel: "stylesheet", href: script.src.replace(/live-panel\.js/, "live-panel.css") });
      // Before its style has come, the panel has no size to scroll in.
      style.onload = () => { if (this.shownCell) this.reveal(this.shownCell); };
      document.head.append(style);
      let number = 0;
      this.cells = controls.map((control) => new Cell(control, control.closest("details") ? number : ++number));
      this.root = make("aside", "ck-live-panel", "", { "aria-label": words.name, tabindex: "-1" });
      this.bar = make("div", "ck-live-bar");
      this.buttons = {
        runAll: button("runAll", () => void this.runAll()),
        stop: button("stop", () => void this.stop()),
        restart: button("restart", () => void this.restart("restarted")),
        download: button("download", () => this.download()),
        close: button("close", () => this.close()),
      };
      this.lab = make("a", "ck-live-lab", words.lab, { target: "_blank", rel: "noopener", title: words.labLong });
      this.lab.addEventListener("mousedown", () => this.linkLab());
      this.lab.addEventListener("focus", () => this.linkLab());
      this.linkLab();
      const { runAll, stop, restart, download, close } = this.buttons;
      this.bar.append(runAll, stop, restart, close);
      this.status = make("p", "ck-live-status", "", { role: "status" });
      this.steps = make("ol", "ck-live-steps");
      for (const step of ["step1", "step2", "step3"]) this.steps.append(make("li", "", words[step]));
      this.amount = make("span", "ck-live-note");
      this.meter = make("progress", "", "", { "aria-label": words.step1, max: String(facts.bytes || 1) });
      this.steps.firstChild.append(" ", this.amount, this.meter);
      this.list = make("div", "ck-live-list");
      this.list.append(...this.cells.map((cell) => cell.root));
      const foot = make("div", "ck-live-row");
      foot.append(download, this.lab);
      this.list.append(make("p", "ck-live-keys ck-live-note", words.keys, { id: "ck-live-keys" }), foot);
      this.root.append(this.bar, this.steps, this.status, this.list);
      this.root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape" && !(event.target instanceof HTMLTextAreaElement)) this.close();
      });
      this.spacer = make("div", "ck-live-spacer");
      document.body.append(this.spacer, this.root);
      window.addEventListener("resize", () => { if (!this.root.hidden) this.place(); });
      this.mode("none");
    }

    open() {
      if (!this.root) this.build();
      this.root.hidden = false;
      this.place();
    }

    /**
     * Beside the text if there is room for both when the theme's sidebars make way, else below it. Only the
     * elements that move are touched: a class on the root would have the browser restyle the whole page.
     */
    place() {
      const open = !this.root.hidden;
      const content = /** @type {HTMLElement} */ (document.querySelector("article")?.parentElement || document.body);
      const box = content.getBoundingClientRect();
      const left = box.left + (parseFloat(content.style.right) || 0);
      const room = root.clientWidth - box.width - 32;
      // In a frame that shows one thing, what holds the text has no box, and nothing can be moved.
      const beside = this.beside = open && box.width > 0 && room >= 400;
      for (const bar of document.querySelectorAll(".sidebar-drawer, .toc-drawer, .back-to-top, .content-icon-container")) {
        bar.classList.toggle("ck-live-away", beside);
      }
      content.classList.toggle("ck-live-moved", beside);
      content.style.position = beside ? "relative" : "";
      content.style.right = beside ? `${Math.round(Math.max(0, left - 16))}px` : "";
      this.root.classList.toggle("ck-live-beside", beside);
      this.root.style.inlineSize = beside ? `${Math.round(Math.min(room, 720))}px` : "";
      // What the panel covers can be scrolled above it.
      this.spacer.hidden = !open || beside;
    }

    close() {
      this.root.hidden = true;
      this.place();
      (this.from || first.querySelector("button"))?.focus();
    }

    /** @param {HTMLButtonElement} pressed One of the page's own buttons. */
    press(pressed) {
      // Python starts on its own, so it starts first.
      if (this.state === "none" && !this.kernel.worker && !obstacle()) this.launch();
      this.open();
      this.from = pressed;
      const act = pressed.dataset.act;
      const one = this.cells[controls.indexOf(/** @type {HTMLElement} */ (pressed.parentElement))];
      one.root.hidden = false;
      this.root.focus({ preventScroll: true });
      if (!this.beside) {
        pressed.style.scrollMarginBlockEnd = COVERED;
        pressed.scrollIntoView({ block: "nearest" });
      }
      this.reveal(act === "all" ? this.cells[0] : one);
      if (act === "all") void this.runAll();
      else void this.run(one, act === "check");
    }

    /** @param {Cell} cell */
    reveal(cell) {
      this.shownCell = cell;
      this.list.scrollTop = cell.root.offsetTop - this.list.offsetTop - 8;
    }

    /** @param {string} state @param {string} [say] A key of the words, or a text. */
    mode(state, say) {
      this.state = state;
      this.root.dataset.state = state;
      const { runAll, stop, restart } = this.buttons;
      const working = state === "idle" || state === "none";
      runAll.disabled = !working;
      stop.disabled = state !== "busy";
      restart.disabled = state === "none" || state === "file" || state === "unable";
      for (const cell of this.cells) {
        cell.run.disabled = !working;
        if (cell.checks) cell.checks.disabled = !working;
      }
      this.steps.hidden = state !== "starting";
      if (say !== undefined) this.status.textContent = words[say] ?? say;
    }

    /** @param {number} step */
    step(step) {
      Array.from(this.steps.children).forEach((/** @type {any} */ item, at) => {
        item.dataset.done = at < step - 1 ? "yes" : "";
        if (at === step - 1) item.setAttribute("aria-current", "step");
        else item.removeAttribute("aria-current");
      });
    }

    /** @param {any} message */
    hear(message) {
      this.last = Date.now();
      if (message.bytes !== undefined) this.progress(message.bytes);
      else if (message.step === "start") this.step(2);
      else if (message.step === "ready") this.started?.(true);
      else if (message.fault) void this.fault(message.fault, message.name);
      else if (message.dead !== undefined) this.fail("dead");
      else this.hearCell(message);
    }

    /** @param {number} bytes */
    progress(bytes) {
      const all = facts.bytes || bytes;
      this.meter.value = Math.min(bytes, all);
      const shown = (/** @type {number} */ n) => (n / 1e6).toFixed(1);
      this.amount.textContent = words.amount.replace("{done}", shown(Math.min(bytes, all))).replace("{all}", shown(all));
    }

    /** @param {any} message */
    hearCell(message) {
      const cell = this.cells.find((one) => one.id === message.cell);
      if (!cell) return;
      const checks = this.checks === cell;
      if (message.state === "running") { cell.clear(); cell.root.dataset.state = "running"; }
      else if (message.state === "checking") { this.checks = cell; this.verdict = ""; cell.judge(words.checking); }
      else if (message.state === "cut") cell.put(make("p", "ck-live-hint", words.cut));
      else if (message.state === "checked" || message.state === "unchecked") {
        this.checks = undefined;
        if (message.state === "unchecked") cell.judge(`${words.broken}\n${this.verdict}`, "broken");
      }
      else if (message.state) cell.root.dataset.state = message.state;
      else if (message.bundle && message.bundle["application/vnd.chapterkit.check+json"]) this.hearCheck(cell, message.bundle);
      else if (checks) this.verdict += message.text ?? message.bundle?.["text/plain"] ?? "";
      else if (message.bundle) cell.show(message.bundle);
      else if (message.error) cell.raise(message.error, message.text);
      else if (message.stream) cell.print(message.stream, message.text);
    }

    /** @param {Cell} cell @param {Record<string, any>} bundle What the book's module of checks found. */
    hearCheck(cell, bundle) {
      const found = bundle["application/vnd.chapterkit.check+json"];
      const passed = Boolean(found.passed);
      cell.judge(String(bundle["text/plain"] || ""), passed ? "passed" : "wrong");
      ck.record?.exercise?.(String(found.exercise || cell.exercise), passed);
    }

    /** @returns {Promise<boolean>} whether there is a Python to ask */
    wake() {
      if (this.state === "idle" || this.state === "busy") return Promise.resolve(true);
      if (this.waking) return this.waking;
      const problem = obstacle();
      if (!problem && !this.kernel.worker) this.launch();
      if (!this.kernel.worker) { this.fail(problem || "blocked"); return Promise.resolve(false); }
      this.mode("starting", "waking");
      this.step(1);
      this.progress(0);
      this.waking = new Promise((resolve) => {
        this.started = (/** @type {boolean} */ ok) => {
          clearInterval(this.timer);
          this.waking = this.started = undefined;
          if (ok) this.mode("idle");
          resolve(ok);
        };
        this.last = Date.now();
        this.timer = window.setInterval(() => {
          if (Date.now() - this.last > PATIENCE) this.fail("stalled");
        }, 1000);
      });
      return this.waking;
    }

    launch() {
      try {
        this.kernel.start();
      } catch {
        this.kernel.end();
      }
    }

    /** The worker is gone, and with it what it was doing. */
    end() {
      this.kernel.end();
      this.checks?.judge("");
      this.checks = undefined;
      for (const cell of this.cells) delete cell.root.dataset.state;
    }

    /** @param {string} state Give up, and say why. */
    fail(state) {
      this.end();
      this.mode(state, state);
      this.started?.(false);
    }

    /** @param {string} kind @param {string} [name] The file that did not come. */
    async fault(kind, name = "kernel.mjs") {
      if (kind === "failed" || this.state === "busy") return this.fail(kind === "worker" ? "dead" : kind);
      // The browser says neither why a worker did not start nor why a file did not come.
      const mine = this.kernel.worker;
      const state = await fetch(new URL(`${name}?${facts.version || ""}`, runtime), { method: "HEAD", cache: "no-store" })
        .then((answer) => (answer.ok ? "blocked" : "missing"), () => "blocked");
      if (mine === this.kernel.worker) this.fail(state);
    }

    /** @param {Cell} target @param {boolean} [check] @returns {Promise<boolean>} */
    async run(target, check) {
      // Whoever else waited for Python may have been quicker.
      if (!(await this.wake()) || this.state === "busy") return false;
      this.mode("busy", "busy");
      const cells = this.cells.map((cell) => ({
        id: cell.id, code: cell.code, apart: cell.apart, title: String(cell.number),
      }));
      for (const cell of this.cells) cell.failed = cell.stopped = false;
      this.stopping = false;
      const ok = await this.kernel.ask({ cells, target: this.cells.indexOf(target), check: check ? target.check : "" });
      if (this.kernel.buffer) this.kernel.buffer[0] = 0;
      if (ok === null) return false;
      const broke = this.cells.find((cell) => cell.failed);
      this.mode("idle", !broke ? "ready" : broke.stopped ? "interrupted" : broke === target ? "raised" : "above");
      if (check && broke) target.judge(words.unchecked, "broken");
      return Boolean(ok);
    }

    async runAll() {
      for (const cell of this.cells) {
        if (cell.root.hidden) continue;
        this.reveal(cell);
        const ok = await this.run(cell);
        // In an exercise what fails is the reader's to mend, and the next one is another matter. A stop is for all.
        if (this.stopping || this.state !== "idle" || (!ok && !cell.check)) return;
      }
    }

    async stop() {
      const { worker, buffer, count } = this.kernel;
      const running = () => this.state === "busy" && this.kernel.worker === worker && this.kernel.count === count;
      if (!running() || this.stopping) return;
      this.stopping = true;
      // Said again until it is done: Python does not hear it between two cells, and code may go on regardless.
      const end = Date.now() + DEAF;
      while (buffer && running() && Date.now() < end) {
        buffer[0] = 2; // SIGINT
        await new Promise((resolve) => { setTimeout(resolve, 50); });
      }
      if (running()) await this.restart("stopped");
    }

    /** A new worker rather than a word to the old one: in an endless loop it hears nothing. @param {string} say */
    async restart(say) {
      this.started?.(false);
      this.end();
      this.state = "none";
      if (await this.wake()) this.mode("idle", say);
    }

    // Elsewhere ----------------------------------------------------------------------------------

    linkLab() {
      const query = new URLSearchParams(consoleOptions);
      const dark = document.body.dataset.theme === "dark" ||
        (document.body.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
      query.set("theme", dark ? "JupyterLab Dark" : "JupyterLab Light");
      for (const cell of this.cells) if (!cell.root.hidden) query.append("code", cell.code);
      this.lab.href = new URL(`${first.dataset.runtime || ""}repl/index.html#${query}`, location.href).href;
    }

    notebook() {
      const page = location.href.split(/[?#]/)[0];
      const name = wordsOf(document.querySelector("h1")) || document.title;
      /** @type {any[]} */
      const cells = [];
      const add = (/** @type {string} */ kind, /** @type {string} */ text) => cells.push({
        cell_type: kind, id: `cell-${cells.length + 1}`, metadata: {},
        ...(kind === "code" ? { execution_count: null, outputs: [] } : {}),
        source: text.split(/(?<=\n)/),
      });
      add("markdown", `# ${name}\n\n${words.from.replace("{page}", `[${name}](${page})`)}`);
      if (facts.wheel) {
        const offline = words.offline.replace("{wheel}", facts.wheel);
        add("code", `# ${words.install}\n# ${offline}\n%pip install -q "${new URL(facts.wheel, runtime).href}"`);
      }
      let where = "";
      for (const cell of this.cells) {
        if (cell.root.hidden) continue;
        const here = cell.root.querySelector(".ck-live-where")?.textContent || "";
        if (here && here !== where) add("markdown", `## ${(where = here)}`);
        add("code", cell.code);
      }
      return {
        cells, nbformat: 4, nbformat_minor: 5,
        metadata: { kernelspec: { display_name: "Python 3", language: "python", name: "python3" }, language_info: { name: "python" } },
      };
    }

    download() {
      const text = JSON.stringify(this.notebook(), null, 1) + "\n";
      const name = (location.pathname.replace(/(?:\/index)?(?:\.html|\/)?$/, "").split("/").pop() || "page") + ".ipynb";
      const link = make("a", "", "", { href: URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" })), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }
  }

  const panel = new Panel();
  ck.live.panel = panel;
  ck.live.press = (/** @type {HTMLButtonElement} */ pressed) => panel.press(pressed);
})(window.chapterkit = window.chapterkit || {});
