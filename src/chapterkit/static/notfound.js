/* Stands in 404.html, under whatever address was asked for: finds the book and what is close. See notfound.py. */
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("data").textContent);
  var get = function (id) { return document.getElementById(id); };
  var path = location.pathname, hash = location.hash.slice(1);
  try { path = decodeURI(path); } catch (malformed) { /* then as it stands */ }
  get("asked").textContent = path + location.hash;

  /* How alike two words are, from 0 to 1: by the pairs of letters that they share. */
  function alike(one, other) {
    var pairs = function (text) { var all = {}; for (var i = 0; i + 1 < text.length; i++) all[text.substr(i, 2)] = 1; return all; };
    var a = pairs(one.toLowerCase()), b = pairs(other.toLowerCase()), both = 0, of = 0, pair;
    for (pair in a) { of++; if (b[pair]) both++; }
    for (pair in b) of++;
    return of ? 2 * both / of : 0;
  }
  /* The last words of an address that say something. */
  function tail(address) { return address.replace(/(index)?(\.\w+)?\/?$/, "").split("/").pop(); }

  function show() {
    get("book").hidden = false;
    var asked = tail(path), found = [];
    Object.keys(data.ids).forEach(function (page) {
      data.ids[page].forEach(function (id) {
        // What was asked for by its id is certain; a page named like a section is a guess.
        var score = hash && id === hash ? 2 : Math.max(alike(id, asked), hash ? alike(id, hash) : 0) * 0.9;
        found.push([score, data.at[page] + "#" + id, id]);
      });
    });
    data.pages.forEach(function (page) {
      found.push([Math.max(alike(tail(page[0]), asked), alike(page[1], asked)), page[0] + location.hash, page[1]]);
    });
    found = found.filter(function (one) { return one[0] > 0.45; }).sort(function (a, b) { return b[0] - a[0]; }).slice(0, 5);
    found.forEach(function (one) {
      var item = document.createElement("li"), link = document.createElement("a");
      link.href = one[1];
      link.textContent = one[2];
      item.appendChild(link);
      get("close").lastChild.appendChild(item);
    });
    get("close").hidden = !found.length;
    var words = asked.replace(/[-_.]+/g, " ").trim();
    if (words) get("search").href = data.search + "?q=" + encodeURIComponent(words);
  }

  // A copy on a disk has no server that would send this page for another: it was opened where it lies.
  if (data.based || location.protocol === "file:") { show(); return; }
  var folders = path.split("/").slice(0, -1);
  (function look(deep) {
    if (!deep) { get("lost").hidden = false; return; }
    var root = folders.slice(0, deep).join("/") + "/";
    fetch(encodeURI(root) + "ids.txt").then(function (answer) { return answer.ok ? answer.text() : ""; }, function () { return ""; }).then(function (text) {
      if (text.indexOf("# Every id of the book") !== 0) { look(deep - 1); return; }
      var base = document.createElement("base");
      base.href = encodeURI(root);
      document.head.appendChild(base);
      show();
    });
  })(folders.length);
})();
