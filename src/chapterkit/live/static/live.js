// @ts-check
// One panel of live Python for a page, however many cells it has: JupyterLite in a frame of this
// site. JupyterLab's own setting `exposeAppInBrowser` gives this page the application inside, so
// there is no protocol of ours between the two.
(() => {
  "use strict";

  /** Without anything arriving for so long, starting is given up, in words. */
  const PATIENCE = 90_000;
  const POLL = 150;

  /**
   * @typedef {{app: any, console: any, session: any}} Inside
   * @typedef {{cell: HTMLElement, query: URLSearchParams, original: string}} Opened
   */

  /** @type {HTMLElement[]} */
  const cells = Array.from(document.querySelectorAll(".ck-live"));
  if (!cells.length) return;
  /** @type {Record<string, string>} */
  const words = JSON.parse(cells[0].dataset.words || "{}");
  /** @type {ReturnType<typeof makePanel> | null} */
  let panel = null;

  /** @param {string} tag @param {string} className @param {string} [text] */
  function element(tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  /** @param {string} action @param {() => void} act */
  function button(action, act) {
    const made = /** @type {HTMLButtonElement} */ (element("button", `ck-live-${action}`, words[action]));
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  /** @param {HTMLElement} cell @returns {Opened} */
  function opened(cell) {
    const query = new URLSearchParams(cell.dataset.query);
    return { cell, query, original: query.getAll("code").join("\n") };
  }

  function isDark() {
    const chosen = document.body.dataset.theme;
    return chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  }
  const themeName = () => (isDark() ? "JupyterLab Dark" : "JupyterLab Light");

  /** Why this page cannot run anything, or nothing. */
  function obstacle() {
    if (location.protocol === "file:") return "file";
    const needs = ["WebAssembly", "Worker", "DecompressionStream"];
    if (needs.some((name) => !(name in window))) return "unable";
    return "";
  }

  function makePanel() {
    const root = element("section", "ck-live-panel");
    root.tabIndex = -1;
    root.setAttribute("aria-label", words.name);
    const bar = element("div", "ck-live-bar");
    const status = element("p", "ck-live-status");
    status.setAttribute("role", "status");
    // Counted in sight, but not read aloud ten times a second.
    const amount = element("span", "ck-live-amount");
    amount.setAttribute("aria-hidden", "true");
    const place = element("div", "ck-live-place");
    const controls = {
      run: button("run", () => void run()),
      reset: button("reset", reset),
      restart: button("restart", () => void restart()),
      close: button("close", close),
    };
    bar.append(controls.run, controls.reset, controls.restart, controls.close);
    const line = element("div", "ck-live-line");
    line.append(status, amount);
    root.append(bar, line, place);

    /** @type {HTMLIFrameElement | null} */
    let frame = null;
    /** @type {Inside | null} */
    let inside = null;
    /** @type {Opened} */
    let current;
    /** Cells that this kernel has run, so that a later one finds what an earlier one made. */
    let ran = new Set();
    let total = 0;
    let last = 0;
    let round = 0;

    /** @param {string} key */
    function say(key) {
      root.dataset.state = key;
      status.textContent = words[key];
      const working = key === "ready" || key === "restarted" || key === "busy";
      controls.run.disabled = !working || key === "busy";
      controls.reset.disabled = !working;
      controls.restart.disabled = !working;
      if (key !== "load" && key !== "start") amount.textContent = "";
      last = Date.now();
    }

    function stop() {
      round += 1;
      frame?.remove();
      frame = inside = null;
    }

    /** @param {string} key Give up, and say why. */
    function fail(key) {
      stop();
      say(key);
    }

    const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel("chapterkit-live") : null;
    channel?.addEventListener("message", ({ data }) => {
      if (!frame || inside?.session?.status === "idle" || !data || typeof data.bytes !== "number") return;
      last = Date.now();
      if (root.dataset.state === "load" || root.dataset.state === "start") {
        amount.textContent = words.amount
          .replace("{done}", (data.bytes / 1e6).toFixed(1))
          .replace("{all}", (total / 1e6).toFixed(1));
      }
    });

    /** @param {string} code @param {boolean} execute */
    async function boot(code, execute) {
      stop();
      const mine = round;
      ran = new Set();
      asked = told = null;
      say("load");
      const base = new URL(current.cell.dataset.runtime || "", location.href);
      const found = await available(new URL("size.json", base));
      if (mine !== round) return;
      if (typeof found === "string") return fail(found);
      total = found;

      // In the fragment the code stays out of servers' logs, and the frame's address stays cacheable.
      const query = new URLSearchParams(current.query);
      query.delete("code");
      query.set("code", code);
      query.set("theme", themeName());
      const made = /** @type {HTMLIFrameElement} */ (element("iframe", "ck-live-frame"));
      made.title = words.frame;
      made.src = new URL(`repl/index.html#${query}`, base).href;
      frame = made;
      place.append(made);

      const reached = await waitFor(() => reach(made), mine);
      if (!reached) return;
      inside = reached;
      say("start");
      const within = /** @type {Document} */ (made.contentDocument);
      within.documentElement.lang = document.documentElement.lang;
      // One cell needs no numbers beside it, and a phone has no room for them.
      const style = within.createElement("style");
      style.textContent = ".jp-InputPrompt, .jp-OutputPrompt, .jp-Collapser { display: none }";
      within.head.append(style);
      const kernel = await waitFor(() => alive(reached), mine);
      if (!kernel) return;
      inside.session.statusChanged.connect((/** @type {any} */ _, /** @type {string} */ now) => {
        if (mine !== round || !isWorking()) return;
        if (now === "busy") say("busy");
        else if (now === "idle" && root.dataset.state === "busy") say("ready");
        else if (now === "dead") fail("failed");
      });
      if (execute) {
        say("prepare");
        await runBefore(current.cell);
        await run();
      } else {
        say("restarted");
      }
      // Only who still waits here is taken into the editor; who reads on is left alone.
      if (mine === round && root.contains(document.activeElement)) focusEditor();
    }

    const isWorking = () => ["ready", "busy", "restarted", "prepare"].includes(root.dataset.state || "");

    /**
     * Ask again and again, for as long as bytes or steps keep coming.
     * @template T @param {() => T | null} ask @param {number} mine @returns {Promise<T | null>}
     */
    async function waitFor(ask, mine) {
      let files = 0;
      while (mine === round) {
        let answer = null;
        try {
          answer = ask();
          const now = frame?.contentWindow?.performance.getEntriesByType("resource").length || 0;
          if (now > files) last = Date.now();
          files = now;
        } catch {
          // A frame we may not look into holds something else: an error page, or a blocker's.
          fail("blocked");
          return null;
        }
        if (answer) return answer;
        if (Date.now() - last > PATIENCE) {
          fail("stalled");
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, POLL));
      }
      return null;
    }

    /** @param {HTMLIFrameElement} made @returns {Inside | null} */
    function reach(made) {
      // Reading the address throws when the frame shows anything that is not of this site.
      void made.contentWindow?.location.href;
      const app = /** @type {any} */ (made.contentWindow)?.jupyterapp;
      const widget = app?.shell?.currentWidget;
      return widget?.console?.promptCell ? { app, console: widget.console, session: widget.sessionContext } : null;
    }

    /** @param {Inside} it The kernel's answer to who it is comes when Python has started. */
    function alive(it) {
      const kernel = it.session.session?.kernel;
      if (!kernel) return null;
      if (!asked) asked = kernel.info.then(() => (told = kernel));
      return told;
    }

    /** @type {Promise<any> | null} */
    let asked = null;
    /** @type {any} */
    let told = null;

    /** @param {HTMLElement} cell Run, unseen, the live cells that stand before this one. */
    async function runBefore(cell) {
      for (const before of cells.slice(0, cells.indexOf(cell))) {
        if (ran.has(before)) continue;
        ran.add(before);
        await inside?.session.session.kernel.requestExecute({ code: opened(before).original, silent: true }).done;
      }
    }

    const source = () => inside?.console.promptCell?.model.sharedModel;

    async function run() {
      if (!inside) return;
      ran.add(current.cell);
      say("busy");
      const mine = round;
      await inside.app.commands.execute("console:run-forced");
      if (mine === round && root.dataset.state === "busy") say("ready");
      // A chart is drawn a moment after its cell has ended.
      setTimeout(() => mine === round && grow(), 400);
    }

    /** Make room for code and output, up to most of the window; never take room away. */
    function grow() {
      const within = frame?.contentDocument;
      const parts = within?.querySelectorAll(".jp-CodeConsole-promptCell, .jp-CodeConsole-content .jp-OutputArea");
      const needed = Array.from(parts || [], (part) => /** @type {HTMLElement} */ (part).offsetHeight + 24);
      const height = Math.min(needed.reduce((sum, each) => sum + each, 0), 0.8 * innerHeight);
      if (height > place.clientHeight) place.style.blockSize = `${height}px`;
    }

    function reset() {
      source()?.setSource(current.original);
      focusEditor();
    }

    async function restart() {
      // The frame is made anew rather than the kernel asked, because a kernel in an endless loop hears nothing.
      await boot(source()?.getSource() ?? current.original, false);
    }

    function focusEditor() {
      frame?.focus();
      inside?.console.promptCell?.editor?.focus();
    }

    function close() {
      stop();
      channel?.close();
      root.remove();
      panel = null;
      current.cell.querySelector("button")?.focus();
    }

    /** @param {HTMLElement} cell */
    async function open(cell) {
      current = opened(cell);
      putAfter(cell);
      root.focus({ preventScroll: true });
      root.scrollIntoView({ block: "nearest" });
      const problem = obstacle();
      if (problem) return fail(problem);
      if (!inside) return boot(current.original, true);
      source()?.setSource(current.original);
      say("prepare");
      await runBefore(cell);
      await run();
    }

    /** @param {HTMLElement} cell A frame that is moved in the old way starts again, so it stays. */
    function putAfter(cell) {
      const parent = /** @type {any} */ (cell.parentNode);
      if (!root.isConnected) cell.after(root);
      else if (parent.moveBefore) parent.moveBefore(root, cell.nextSibling);
    }

    function follow() {
      inside?.app.commands.execute("apputils:change-theme", { theme: themeName() });
    }

    return { open, follow };
  }

  /** @param {URL} address @returns {Promise<number | string>} bytes of a first start, or what is wrong */
  async function available(address) {
    try {
      const answer = await fetch(address);
      return answer.ok ? (await answer.json()).bytes : "missing";
    } catch {
      return "blocked";
    }
  }

  for (const cell of cells) {
    cell.querySelector("button")?.addEventListener("click", () => {
      panel ||= makePanel();
      void panel.open(cell);
    });
  }
  new MutationObserver(() => panel?.follow()).observe(document.body, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => panel?.follow());
})();
