// @ts-check
/* Style rules for the first paint: what the reader answered or opened stands open before any script wakes.
 * boot.js puts them into <style id="ck-first-paint">; record.js takes them out when the page has taken over. */
(function (ck) {
  "use strict";
  var ID = /^[a-z0-9]+(-[a-z0-9]+)*$/; // the ids authors may choose; anything else in a record is ignored

  /** @param {any} record the parsed record, however odd @returns {string} */
  ck.firstPaintRules = function (record) {
    var rules = "";
    if (!record || record.version !== 1) return rules;
    var keys = function (part) { return typeof part === "object" && part ? Object.keys(part).filter(function (id) { return ID.test(id); }) : []; };
    var openGate = function (gate) { rules += gate + ">.ck-gate-body{display:block}" + gate + ">.ck-gate-notice," + gate + ">.ck-gate-arrived{display:none}"; };
    keys(record.answers).forEach(function (id) {
      var option = record.answers[id] && record.answers[id].option;
      openGate('.ck-js .ck-gate[data-question="' + id + '"]');
      if (typeof option !== "string" || !ID.test(option)) return;
      // Only where that option still exists: an author may have renamed it.
      var asked = '.ck-js .ck-question[data-question="' + id + '"]:has(.ck-option[data-option="' + option + '"])';
      rules += asked + ' .ck-feedback[data-option="' + option + '"],' + asked + " .ck-others{display:block}"
        + asked + ' .ck-option[data-option="' + option + '"] .ck-mark-yours,' + asked + " .ck-mark-right{display:inline}"
        + asked + ".ck-predict .ck-actions{display:none}";
    });
    keys(record.opened).forEach(function (id) { openGate('.ck-js .ck-gate[data-gate="' + id + '"]'); });
    if (record.opened && record.opened["*"]) openGate(".ck-js .ck-gate");
    return rules;
  };
})(window.chapterkit = window.chapterkit || {});
