// @ts-check
/* The buttons of live cells. What they start comes when the first is pressed. */
(function (ck) {
  "use strict";
  /** @type {Promise<any> | undefined} */
  let coming;
  /** What is said beside the button when nothing came. @type {HTMLElement | undefined} */
  let said;

  const first = /** @type {HTMLElement | null} */ (document.querySelector(".ck-live"));
  if (!first) return;
  const facts = JSON.parse(first.dataset.facts || "{}");

  /** @param {string} name */
  function load(name) {
    return new Promise(function (done, failed) {
      const script = document.createElement("script");
      script.src = (document.documentElement.dataset.content_root || "./") + "_static/" + name + "?v=" + (facts.version || "");
      script.async = false;
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    });
  }

  document.addEventListener("click", function (event) {
    const button = /** @type {Element} */ (event.target).closest(".ck-live > button");
    if (!button) return;
    coming = coming || Promise.all([load("live-words.js"), load("live-panel.js")]);
    coming.then(function () {
      said?.remove();
      ck.live.press(button);
    }, function () {
      coming = undefined;
      said = said || document.createElement("span");
      said.className = "ck-live-note";
      said.setAttribute("role", "status");
      button.parentElement?.append(said);
      said.textContent = first.dataset.lost || "";
    });
  });
})(window.chapterkit = window.chapterkit || {});
