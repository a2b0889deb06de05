/* Runs in the head, before the first paint, so that nothing moves when the scripts wake. */
(function (ck) {
  "use strict";
  var root = document.documentElement;
  root.classList.add("ck-js");
  // The theme lays some controls out anew when its own script takes this class away; better before the first paint.
  root.classList.remove("no-js");
  var store;
  try {
    store = window.localStorage;
    store.getItem("theme");
  } catch (denied) {
    // A browser that denies storage throws at the first touch, in the theme's scripts too. They get a store that forgets.
    var kept = {};
    store = {
      getItem: function (key) { return Object.prototype.hasOwnProperty.call(kept, key) ? kept[key] : null; },
      setItem: function (key, value) { kept[key] = String(value); },
      removeItem: function (key) { delete kept[key]; },
      clear: function () { kept = {}; },
      key: function (at) { return Object.keys(kept)[at] || null; },
      get length() { return Object.keys(kept).length; }
    };
    ck.storageDenied = true;
    try { Object.defineProperty(window, "localStorage", { value: store, configurable: true }); } catch (refused) { /* then only our own scripts are safe */ }
  }
  ck.store = store;
  ck.settings = JSON.parse(document.getElementById("chapterkit-settings").textContent);
  if (/[?&]show=all(&|$)/.test(location.search)) root.classList.add("ck-show-all");
  // One thing of the page, for a frame: all else is gone before the first paint, and its boxes leave no trace.
  var alone = /[?&]embed=([a-z][a-z0-9-]*)(&|$)/.exec(location.search);
  if (alone) {
    var only = document.createElement("style"), it = "#" + alone[1];
    only.id = "ck-embed";
    only.dataset.of = alone[1];
    root.classList.add("ck-embed", "ck-show-all");
    document.head.appendChild(only);
    only.textContent = "body :not(:has(" + it + ")," + it + "," + it + " *,.ck-live-panel,.ck-live-panel *,.ck-live-spacer){display:none!important}body :has(" + it + "){display:contents!important}";
  }
  try {
    var record = JSON.parse(store.getItem("chapterkit:" + ck.settings.book) || "{}");
    var rules = ck.firstPaintRules(record);
    if (rules) {
      var style = document.createElement("style");
      style.id = "ck-first-paint";
      style.textContent = rules;
      document.head.appendChild(style);
    }
  } catch (unreadable) { /* record.js says so in words */ }
})(window.chapterkit = window.chapterkit || {});
