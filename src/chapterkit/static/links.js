// @ts-check
/* Copies the address of a heading, follows what has moved, and signs what stands alone in a frame. See links.py. */
(function (ck) {
  "use strict";

  const words = ck.linkWords;
  const said = document.createElement("p");
  said.className = "ck-copied";
  said.setAttribute("role", "status");
  document.body.append(said);

  // A link within the page changes its address by itself; a sign that stands for another place must not lead away.
  document.addEventListener("click", async function (event) {
    const link = event.target instanceof Element && event.target.closest("a.headerlink, a.ck-copy");
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.className === "ck-copy") event.preventDefault();
    const address = link.href.replace(/\?[^#]*/, "");
    try {
      await navigator.clipboard.writeText(address);
      said.textContent = words.copied;
    } catch (refused) { said.textContent = words.refused + " " + address; }
    setTimeout(function () { said.textContent = ""; }, 6000);
  });

  const signs = /** @type {HTMLAnchorElement[]} */ (Array.from(document.querySelectorAll("article :is(h1, h2, h3, h4) > a.headerlink")));
  /** Make one sign the stop on the keyboard's way. @param {HTMLAnchorElement} sign */
  function stopAt(sign) {
    signs.forEach(function (other) { other.tabIndex = other === sign ? 0 : -1; });
  }
  signs.forEach(function (sign, at) {
    const place = (sign.previousSibling && /** @type {Element} */ (sign.parentNode).textContent || "").slice(0, -1);
    sign.title = words.copy.replace("{place}", place);
    sign.setAttribute("aria-label", sign.title);
    sign.addEventListener("focus", function () { stopAt(sign); });
    sign.addEventListener("keydown", function (event) {
      const next = signs[at + (event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : NaN)];
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
  });

  function arrive() {
    const sign = signs.find(function (other) { return other.hash === location.hash; }) || signs[0];
    if (sign) stopAt(sign);
    const moved = document.querySelector(".ck-moved:target > a");
    if (moved instanceof HTMLAnchorElement) location.replace(moved.href);
  }
  window.addEventListener("hashchange", arrive);
  arrive();

  const alone = document.getElementById("ck-embed");
  const shown = alone && document.getElementById(alone.dataset.of);
  if (alone && !shown) {
    alone.remove();
    document.documentElement.classList.remove("ck-embed");
  } else if (shown) {
    const source = document.createElement("a");
    source.className = "ck-source";
    source.target = "_blank";
    source.href = location.pathname + "#" + shown.id;
    source.textContent = words.from.replace("{title}", document.title);
    shown.append(source);
  }
})(window.chapterkit = window.chapterkit || {});
