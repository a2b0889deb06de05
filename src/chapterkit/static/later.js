// @ts-check
/* Fetches what only answers a reader's hand (copy buttons, keys, marks of a search) when all else is there. */
(function () {
  "use strict";

  const address = document.currentScript instanceof HTMLScriptElement && document.currentScript.dataset.later;
  if (!address) return;
  window.addEventListener("load", function () {
    setTimeout(function () {
      const script = document.createElement("script");
      script.src = address;
      document.head.appendChild(script);
    });
  });
})();
