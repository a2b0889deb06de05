// @ts-check
/* What a control accepts, and what a link may ask of it. Pure functions; instrument.js puts them on the page. */
(function (ck) {
  "use strict";

  /** @typedef {{name: string, label: string, low: number, high: number, step: number, default: number, whole: boolean, multiple: number, reach: number, factor: number, unit: string, also: string}} Control */
  /** @typedef {{id: string, words: string, value: number|null, control: string}} Option */
  /** @typedef {{name: string, label: string, default: string, factor: number, unit: string, options: Option[]}} Choice */
  /** @typedef {{name: string, version: number, controls: Control[], choices: Choice[]}} Declared */
  /** @typedef {{kind: string, control?: Control|Choice, given?: string, value?: number}} Notice */

  /** The highest value a control takes. @param {Control} control */
  ck.highest = function (control) { return control.reach || control.high; };

  /** Read what a person typed. @param {Control} control @param {string} text
   * @returns {{value?: number, problem?: "number"|"whole"|"multiple"|"range"}} */
  ck.readTyped = function (control, text) {
    const tidy = String(text).trim();
    // Number("") is 0, and a link may hold anything, so the shape comes first.
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(tidy)) return { problem: "number" };
    const value = Number(tidy);
    if (!Number.isFinite(value)) return { problem: "number" };
    if (value < control.low || value > ck.highest(control)) return { value: value, problem: "range" };
    if (control.whole && !Number.isInteger(value)) return { value: value, problem: "whole" };
    if (control.multiple && value % control.multiple !== 0) return { value: value, problem: "multiple" };
    return { value: value };
  };

  /** The option of that id, or the default one. @param {Choice} choice @param {string} [id] @returns {Option} */
  ck.chosen = function (choice, id) {
    return choice.options.find(function (option) { return option.id === id; }) || ck.chosen(choice, choice.default);
  };

  /** The state a link asks for: numbers of controls, ids of options. @param {Declared} instrument @param {string} search
   * @returns {{values: Record<string, number|string>, notices: Notice[]}} */
  ck.readLink = function (instrument, search) {
    /** @type {Record<string, number|string>} */
    const values = {};
    /** @type {Notice[]} */
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
      const choice = instrument.choices.find(function (c) { return c.name === pair[0]; });
      const given = pair[1].slice(0, 40);
      if (choice) {
        if (choice.options.some(function (option) { return option.id === pair[1]; })) values[choice.name] = pair[1];
        else if (!notices.some(function (n) { return n.control === choice; })) notices.push({ kind: "url-option", control: choice, given: given });
        return;
      }
      if (!control) {
        if (!notices.some(function (n) { return n.kind === "url-unknown"; })) notices.push({ kind: "url-unknown" });
        return;
      }
      const read = ck.readTyped(control, pair[1]);
      if (read.problem === "range") {
        values[control.name] = Math.min(Math.max(read.value, control.low), ck.highest(control));
        notices.push({ kind: "url-clamped", control: control, given: given, value: values[control.name] });
      } else if (read.problem) {
        notices.push({ kind: "url-ignored", control: control, given: given });
      } else values[control.name] = read.value;
    });
    return { values: values, notices: notices };
  };

  /** The query that brings an instrument back to `values`. @param {Declared} instrument
   * @param {Record<string, number|string>} values @returns {string} */
  ck.writeLink = function (instrument, values) {
    const query = new URLSearchParams();
    query.set(instrument.name + ".v", String(instrument.version));
    [].concat(instrument.controls, instrument.choices).forEach(function (control) {
      if (values[control.name] !== control.default) query.set(instrument.name + "." + control.name, String(values[control.name]));
    });
    return "?" + query.toString();
  };
})(window.chapterkit = window.chapterkit || {});
