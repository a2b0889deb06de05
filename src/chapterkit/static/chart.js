// @ts-check
/* Draws figures with Plotly, which is fetched when the first chart nears the screen. Until then, and without it, the static picture stands. */
(function (ck) {
  "use strict";

  const root = document.documentElement;
  const CONFIG = { displayModeBar: false, responsive: false, scrollZoom: false, doubleClick: false, showTips: false };
  /** How long after the last change labels are measured again, in milliseconds. */
  const REST = 250;
  /** Room for the title of an axis, in pixels. */
  const TITLE = 18;
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
      this.left = this.bottom = 0;
      this.said = "";
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

    /** Where Plotly draws, and beside it what is quicker as text of the page: the legend and the titles of the axes. */
    begin() {
      const add = (/** @type {string} */ name) => {
        const made = document.createElement("div");
        made.className = name;
        return this.canvas.appendChild(made);
      };
      this.box = add("ck-chart");
      this.box.setAttribute("role", "img");
      const still = this.canvas.querySelector("svg");
      this.box.setAttribute("aria-label", (still && still.getAttribute("aria-label")) || "");
      // Plotly asks for these in the midst of a redraw, and the page would be laid out for each answer.
      Object.defineProperty(this.box, "clientWidth", { get: () => this.width - this.left });
      Object.defineProperty(this.box, "clientHeight", { get: () => this.height - this.bottom });
      this.names = add("ck-legend");
      this.across = add("ck-across");
      this.up = add("ck-up");
      // The drawing's own name and its numbers say it already.
      for (const text of [this.names, this.across, this.up]) text.setAttribute("aria-hidden", "true");
    }

    /** Write the legend and the titles, and keep room for them. @param {any} figure @param {boolean} turned whether the width is another */
    write(figure, turned) {
      const { xaxis, yaxis } = figure.layout, names = ck.legend(figure);
      const across = (xaxis.title && xaxis.title.text) || "", up = (yaxis.title && yaxis.title.text) || "";
      if (turned) this.margin = { l: 8, r: 12, t: 8, b: 8, pad: 0 };
      const said = [across, up, names].join("\n");
      if (!turned && said === this.said) return;
      this.said = said;
      this.names.innerHTML = names;
      this.across.textContent = across;
      this.up.textContent = up;
      this.left = up ? TITLE : 0;
      this.bottom = across ? TITLE : 0;
      this.box.style.inset = `0 0 ${this.bottom}px ${this.left}px`;
      // Room once taken stays, so that a part which comes and goes does not move the drawing.
      this.margin.t = Math.max(this.margin.t, names ? this.names.offsetHeight + 4 : 0);
    }

    /** @param {any} Plotly @param {boolean} full whether to measure the labels; otherwise the room they had is kept */
    async paint(Plotly, full) {
      if (!this.box) this.begin();
      const figure = this.figure(), given = coloured(figure), width = this.width;
      this.write(figure, width !== this.drawnWidth);
      this.drawnWidth = width;
      const fg = colour("--ck-fg"), grid = colour("--ck-grid"), margin = this.margin;
      const axis = { color: fg, gridcolor: grid, linecolor: colour("--ck-muted"), showline: true, zeroline: false, fixedrange: true, automargin: full, nticks: 7, ticks: "outside", tickcolor: grid,
        // To look whether each label fits costs a fifth of a redraw. They are short, and only on the smallest screens need to turn.
        tickangle: width < 310 ? "auto" : 0, ticklabeloverflow: "allow" };
      const layout = Object.assign({}, given.layout, {
        width: width - this.left, height: this.height - this.bottom, dragmode: false, hovermode: "closest", showlegend: false,
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: colour("font-family"), size: width < 480 ? 11 : 12.5, color: fg },
        margin: margin,
        xaxis: Object.assign({}, axis, given.layout.xaxis, { title: undefined }), yaxis: Object.assign({}, axis, given.layout.yaxis, { title: undefined }),
        hoverlabel: { bgcolor: colour("--ck-ground"), font: { color: fg } }
      });
      await Plotly.react(this.box, given.data, layout, CONFIG);
      // Room that labels once needed stays theirs: taking it back and giving it again draws everything twice.
      const room = this.box._fullLayout && this.box._fullLayout._size;
      if (room) for (const side of ["l", "r", "t", "b"]) margin[side] = Math.max(margin[side], Math.ceil(room[side]));
      if (full) {
        this.across.style.inset = `auto ${margin.r}px 0 ${this.left + margin.l}px`;
        this.up.style.inset = `${margin.t}px auto ${this.bottom + margin.b}px 0`;
      }
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
