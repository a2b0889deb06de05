// @ts-check
/* Draws figures with Plotly, which is fetched when the first chart nears the screen. Until then, and without it, the static picture stands. */
(function (ck) {
  "use strict";

  const root = document.documentElement;
  const CONFIG = { displayModeBar: false, responsive: false, scrollZoom: false, doubleClick: false, showTips: false };
  /** How long after the last change labels are measured again, in milliseconds. */
  const REST = 250;
  /** @type {Promise<any> | undefined} */
  let loading;

  /** @returns {Promise<any>} Plotly */
  ck.plotly = function () {
    if (window.Plotly) return Promise.resolve(window.Plotly);
    loading = loading || new Promise(function (done, failed) {
      const script = document.createElement("script");
      script.src = (root.dataset.content_root || "./") + "_static/" + ck.settings.charts;
      script.onload = function () { done(window.Plotly); };
      script.onerror = function () { loading = undefined; failed(new Error("charts could not be loaded")); };
      document.head.appendChild(script);
    });
    return loading;
  };

  /** Colours of the theme by name. Asked for once: after a change of the page each question lays it out anew. @type {Record<string, string>} */
  let known = {};
  /** @param {string} name */
  function colour(name) {
    return known[name] || (known[name] = getComputedStyle(document.body).getPropertyValue(name).trim());
  }

  /** Put the theme's colours into a figure. @param {any} part @returns {any} */
  function coloured(part) {
    if (typeof part === "string") return part.startsWith("var(") ? colour(part.slice(4, -1)) : part;
    if (Array.isArray(part)) return typeof part[0] === "number" || part.length > 40 ? part : part.map(coloured);
    if (part && typeof part === "object") {
      /** @type {Record<string, any>} */
      const copy = {};
      for (const key in part) copy[key] = coloured(part[key]);
      return copy;
    }
    return part;
  }

  /** One picture on the page: draws when near the screen, when its figure changes, and when the theme does. */
  ck.Chart = class {
    /** @param {HTMLElement} canvas @param {() => any} figure @param {(drawn: boolean) => void} told */
    constructor(canvas, figure, told) {
      this.canvas = canvas;
      this.figure = figure;
      this.told = told;
      this.near = false;
      this.busy = false;
      this.waiting = false;
      this.box = undefined;
      // Told by the observer, because asking for it right after a change would lay out the whole page.
      this.width = this.height = this.drawnWidth = 0;
      this.named = "";
      const watch = new IntersectionObserver((entries) => {
        this.near = entries[entries.length - 1].isIntersecting;
        if (this.near) this.draw();
      }, { rootMargin: "600px 0px" });
      watch.observe(canvas);
      new ResizeObserver((entries) => {
        ({ width: this.width, height: this.height } = entries[entries.length - 1].contentRect);
        if (this.width !== this.drawnWidth) this.draw();
      }).observe(canvas);
    }

    /** Draw now if near the screen; otherwise when it comes near. @param {boolean} [rested] whether the hand rests, so that there is time to measure */
    async draw(rested) {
      if (!this.near || !this.width) return;
      clearTimeout(this.rest);
      if (this.busy) { this.waiting = true; return; }
      this.busy = true;
      try {
        const Plotly = await ck.plotly();
        do {
          this.waiting = false;
          const full = rested || this.width !== this.drawnWidth;
          await this.paint(Plotly, full);
          rested = false;
          if (!full) this.rest = setTimeout(() => this.draw(true), REST);
        } while (this.waiting);
        this.told(true);
      } catch (problem) {
        this.told(false);
      } finally { this.busy = false; }
    }

    /** @param {any} Plotly @param {boolean} full whether to measure the labels; otherwise the room they had is kept */
    async paint(Plotly, full) {
      if (!this.box) {
        this.box = document.createElement("div");
        this.box.className = "ck-chart";
        this.box.setAttribute("role", "img");
        // Plotly asks for these in the midst of a redraw, and the page would be laid out for each answer.
        Object.defineProperty(this.box, "clientWidth", { get: () => this.width });
        Object.defineProperty(this.box, "clientHeight", { get: () => this.height });
        const still = this.canvas.querySelector("svg");
        this.box.setAttribute("aria-label", (still && still.getAttribute("aria-label")) || "");
        this.canvas.appendChild(this.box);
        this.names = document.createElement("div");
        this.names.className = "ck-legend";
        this.names.setAttribute("aria-hidden", "true"); // the drawing's own words and its numbers say it
        this.canvas.appendChild(this.names);
      }
      const figure = this.figure(), given = coloured(figure);
      const width = this.width;
      const names = ck.legend(figure), turned = width !== this.drawnWidth;
      if (turned) this.margin = { l: 8, r: 12, t: 8, b: 8, pad: 0 };
      if (turned || names !== this.named) {
        this.names.innerHTML = this.named = names;
        // Room once taken stays, so that a part which comes and goes does not move the drawing.
        this.margin.t = Math.max(this.margin.t, names ? this.names.offsetHeight + 4 : 0);
      }
      this.drawnWidth = width;
      const narrow = width < 480;
      const fg = colour("--ck-fg"), grid = colour("--ck-grid");
      const axis = { color: fg, gridcolor: grid, linecolor: colour("--ck-muted"), showline: true, zeroline: false, fixedrange: true, automargin: full, nticks: 7, ticks: "outside", tickcolor: grid,
        // To look whether each label fits costs a fifth of a redraw. They are short, and only on the smallest screens need to turn.
        tickangle: width < 310 ? "auto" : 0, ticklabeloverflow: "allow" };
      const layout = Object.assign({}, given.layout, {
        width: width, height: this.height, dragmode: false, hovermode: "closest",
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: colour("font-family"), size: narrow ? 11 : 12.5, color: fg },
        margin: this.margin,
        showlegend: false,
        xaxis: Object.assign({}, axis, given.layout.xaxis), yaxis: Object.assign({}, axis, given.layout.yaxis),
        hoverlabel: { bgcolor: colour("--ck-ground"), font: { color: fg } }
      });
      const small = { size: narrow ? 11.5 : 12.5 };
      layout.xaxis.title = Object.assign({ standoff: 6, font: small }, layout.xaxis.title);
      layout.yaxis.title = Object.assign({ standoff: 6, font: small }, layout.yaxis.title);
      await Plotly.react(this.box, given.data, layout, CONFIG);
      // Room that labels once needed stays theirs: taking it back and giving it again draws everything twice.
      const room = this.box._fullLayout && this.box._fullLayout._size;
      if (room) for (const side of ["l", "r", "t", "b"]) this.margin[side] = Math.max(this.margin[side], Math.ceil(room[side]));
      this.canvas.classList.add("ck-drawn");
    }
  };

  /** Call `redraw` whenever light turns dark or back. @param {() => void} redraw */
  ck.onTheme = function (redraw) {
    const anew = function () { known = {}; redraw(); };
    new MutationObserver(anew).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", anew);
  };
})(window.chapterkit = window.chapterkit || {});
