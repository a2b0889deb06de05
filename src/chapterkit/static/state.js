// @ts-check
/* An instrument at one setting: its numbers and all its words. Pure functions; instrument.js puts them on the page. */
(function (ck) {
  "use strict";

  /** Controls and results in base units, by name. @param {any} declared @param {Record<string, any>} values */
  ck.evaluate = function (declared, values) {
    /** @type {Record<string, any>} */
    const given = {};
    declared.controls.forEach(function (control) { given[control.name] = values[control.name] * control.factor; });
    declared.choices.forEach(function (choice) {
      const option = ck.chosen(choice, values[choice.name]);
      given[choice.name] = option.control ? given[option.control] : option.value * choice.factor;
      given[choice.name + "_words"] = option.words;
    });
    const list = declared.arguments.map(function (name) { return given[name]; });
    return Object.assign(given, declared.functions[declared.compute].apply(null, list));
  };

  /** What stands in read-outs, their notes, sentences, lines and captions. @param {any} declared @param {Record<string, any>} state
   * @param {boolean} [tell] */
  ck.words = function (declared, state, tell) {
    /** @type {{readouts: Record<string, string>, notes: Record<string, string>, sentences: Record<string, string>, lines: string[], captions: Record<string, string>}} */
    const said = { readouts: {}, notes: {}, sentences: {}, lines: [], captions: {} };
    declared.readouts.forEach(function (readout) {
      const value = state[readout.name];
      said.readouts[readout.name] = typeof value === "string" ? value : ck.show(value, readout.unit, readout.spec);
      said.notes[readout.name] = ck.fill(readout.note, state, tell);
    });
    Object.keys(declared.sentences).forEach(function (name) {
      said.sentences[name] = ck.fill(declared.sentences[name][state[name]], state, tell);
    });
    said.lines = declared.lines.map(function (line) { return ck.fill(line, state, tell); });
    declared.pictures.forEach(function (picture) { said.captions[picture.name] = ck.fill(picture.caption, state, tell); });
    return said;
  };
})(window.chapterkit = window.chapterkit || {});
