// @ts-check
/* What scrolls sideways can be reached from the keyboard; what fits is no stop on the way. */
(function () {
  "use strict";

  const boxes = Array.from(document.querySelectorAll("article pre, article div.math, article .table-wrapper, article .ck-table-scroll"));

  function mark() {
    boxes.forEach(function (box) {
      if (box.scrollWidth > box.clientWidth + 1) box.setAttribute("tabindex", "0");
      else box.removeAttribute("tabindex");
    });
  }

  const watch = new ResizeObserver(mark);
  boxes.forEach(function (box) { watch.observe(box); });
  // What a fold held has had no width until now.
  document.addEventListener("toggle", mark, true);
})();
