// @ts-check
/* The names of a picture's parts, above the drawing, as HTML: text wraps on a phone, and a chart with a legend of its own takes a fifth longer to redraw. */
(function (ck) {
  "use strict";

  /** Outlines of the marks that pictures use, in a square of 12, by Plotly's names. @type {Record<string, string>} */
  const MARKS = {
    circle: "M6 2a4 4 0 1 1 0 8 4 4 0 1 1 0-8z",
    square: "M2.5 2.5h7v7h-7z",
    diamond: "M6 1l5 5-5 5-5-5z",
    star: "M6 .5l1.6 3.6 3.9.4-2.9 2.6.8 3.9L6 9l-3.4 2 .8-3.9L.5 4.5l3.9-.4z",
    x: "M3.2 1L6 3.8 8.8 1 11 3.2 8.2 6 11 8.8 8.8 11 6 8.2 3.2 11 1 8.8 3.8 6 1 3.2z",
    "triangle-up": "M6 1.5l5 9H1z",
    "line-ns-open": "M5.3 0h1.4v12H5.3z"
  };
  const DASHES = /** @type {Record<string, string>} */ ({ dash: "6 4", dot: "2 3", dashdot: "7 3 2 3" });

  /** @param {string} name */
  function text(name) { return name.replace(/&/g, "&amp;").replace(/</g, "&lt;"); }

  /** How one part of the picture is drawn. @param {any} trace @returns {string} */
  function key(trace) {
    const mode = trace.mode || "lines", marker = trace.marker || {}, line = trace.line || {};
    if (trace.type === "bar" || trace.fill) return `<path d="M1 1.5h20v9H1z" style="fill:${marker.color || trace.fillcolor}"/>`;
    return (/lines/.test(mode) ? `<path d="M0 6h22" style="stroke:${line.color};stroke-width:${Math.min(line.width || 2, 8)};stroke-dasharray:${DASHES[line.dash] || "none"}"/>` : "") +
      (/markers/.test(mode) ? `<path d="${MARKS[marker.symbol || "circle"]}" style="fill:${marker.color}" transform="translate(5)"/>` : "");
  }

  /** The legend of a figure; empty where it shows none, as in a picture of one part only. @param {any} figure @returns {string} */
  ck.legend = function (figure) {
    const named = figure.layout.showlegend === false ? [] : figure.data.filter(function (/** @type {any} */ trace) {
      return trace.name && trace.showlegend !== false && trace.x.length;
    });
    if (named.length < 2) return "";
    return named.map(function (/** @type {any} */ trace) {
      return `<span><svg viewBox="0 0 22 12" width="22" height="12" aria-hidden="true">${key(trace)}</svg> ${text(trace.name)}</span>`;
    }).join("");
  };
})(window.chapterkit = window.chapterkit || {});
