// @ts-check
/* What a control accepts, and what a link may ask of it. Pure functions; instrument.js puts them on the page. */
(function (ck) {
  "use strict";

  /** @typedef {{name: string, label: string, low: number, high: number, step: number, default: number, whole: boolean, factor: number, unit: string, also: string}} Control */

  /** Read what a person typed. @param {Control} control @param {string} text
   * @returns {{value?: number, problem?: "number"|"whole"|"range"}} */
  ck.readTyped = function (control, text) {
    const tidy = String(text).trim();
    // Number("") is 0, and a link may hold anything, so the shape comes first.
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(tidy)) return { problem: "number" };
    const value = Number(tidy);
    if (!Number.isFinite(value)) return { problem: "number" };
    if (value < control.low || value > control.high) return { value: value, problem: "range" };
    if (control.whole && !Number.isInteger(value)) return { value: value, problem: "whole" };
    return { value: value };
  };

  /** The state a link asks for. @param {{name: string, version: number, controls: Control[]}} instrument @param {string} search
   * @returns {{values: Record<string, number>, notices: {kind: string, control?: Control, given?: string, value?: number}[]}} */
  ck.readLink = function (instrument, search) {
    /** @type {Record<string, number>} */
    const values = {};
    /** @type {{kind: string, control?: Control, given?: string, value?: number}[]} */
    const notices = [];
    const asked = [];
    new URLSearchParams(search).forEach(function (text, key) {
      if (key.startsWith(instrument.name + ".")) asked.push([key.slice(instrument.name.length + 1), text]);
    });
    const version = asked.find(function (pair) { return pair[0] === "v"; });
    if (version && version[1] !== String(instrument.version)) return { values: {}, notices: [{ kind: "url-version" }] };
    asked.forEach(function (pair) {
      if (pair[0] === "v") return;
      const control = instrument.controls.find(function (c) { return c.name === pair[0]; });
      const given = pair[1].slice(0, 40);
      if (!control) {
        if (!notices.some(function (n) { return n.kind === "url-unknown"; })) notices.push({ kind: "url-unknown" });
        return;
      }
      const read = ck.readTyped(control, pair[1]);
      if (read.problem === "range") {
        values[control.name] = Math.min(Math.max(read.value, control.low), control.high);
        notices.push({ kind: "url-clamped", control: control, given: given, value: values[control.name] });
      } else if (read.problem) {
        notices.push({ kind: "url-ignored", control: control, given: given });
      } else values[control.name] = read.value;
    });
    return { values: values, notices: notices };
  };

  /** The query that brings an instrument back to `values`. @param {{name: string, version: number, controls: Control[]}} instrument
   * @param {Record<string, number>} values @returns {string} */
  ck.writeLink = function (instrument, values) {
    const query = new URLSearchParams();
    query.set(instrument.name + ".v", String(instrument.version));
    instrument.controls.forEach(function (control) {
      if (values[control.name] !== control.default) query.set(instrument.name + "." + control.name, String(values[control.name]));
    });
    return "?" + query.toString();
  };
})(window.chapterkit = window.chapterkit || {});
