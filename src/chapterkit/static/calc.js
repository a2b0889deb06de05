// @ts-check
/* The bar under a number's call is made by style sheets; Escape sends it away until the next number. */
(function () {
  "use strict";

  const root = document.documentElement;
  const wanted = (event) => {
    if (event.target instanceof Element && event.target.closest(".ck-calc")) root.classList.remove("ck-quiet");
  };
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") root.classList.add("ck-quiet"); });
  document.addEventListener("pointerover", wanted);
  document.addEventListener("focusin", wanted);
})();
