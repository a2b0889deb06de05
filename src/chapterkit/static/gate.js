// @ts-check
/* Gates: closed until their question is answered, and never in the way of a link, a search or print. */
(function (ck) {
  "use strict";

  const root = document.documentElement;
  const gates = /** @type {HTMLElement[]} */ (Array.from(document.querySelectorAll(".ck-gate")));
  const body = (gate) => gate.querySelector(":scope > .ck-gate-body");
  const isOpen = (gate) => gate.classList.contains("ck-open");
  const switches = /** @type {HTMLInputElement[]} */ (Array.from(document.querySelectorAll(".ck-show-switch")));

  /** Gates that were opened for a link or a search stay open on this page, but are not in the record. */
  const visited = new Set();

  /** @param {HTMLElement} gate @param {boolean} open */
  function set(gate, open) {
    const was = isOpen(gate);
    gate.classList.toggle("ck-open", open);
    // until-found: a search in the page finds the text and opens the gate. Where it is unknown, it just hides.
    if (open) body(gate).removeAttribute("hidden"); else body(gate).setAttribute("hidden", "until-found");
    if (open && !was) gate.dispatchEvent(new CustomEvent("ck:opened", { bubbles: true }));
  }

  /** @param {HTMLElement} gate @param {any} record */
  function mayOpen(gate, record) {
    const opened = record.opened;
    return root.classList.contains("ck-show-all") || opened["*"] === true || opened[gate.dataset.gate] === true
      || visited.has(gate) || ck.recordLogic.answerTo(record, gate.dataset.question) !== null;
  }

  function update() {
    const record = ck.record.read();
    const everything = root.classList.contains("ck-show-all") || record.opened["*"] === true;
    for (const gate of gates) set(gate, mayOpen(gate, record));
    for (const box of switches) box.checked = everything;
  }

  /** Open what a link or a search leads into, and say so. @param {Element | null} target */
  function admit(target) {
    let opened = false;
    for (let gate = target && target.closest(".ck-gate"); gate; gate = gate.parentElement && gate.parentElement.closest(".ck-gate")) {
      if (isOpen(gate) || gate === target) continue;
      visited.add(gate);
      gate.classList.add("ck-arrived");
      set(/** @type {HTMLElement} */ (gate), true);
      opened = true;
    }
    // The same holds for folds of other parts, which browsers open for a search but not for a link.
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement && fold.parentElement.closest("details")) {
      if (!fold.open) { fold.open = true; opened = true; }
    }
    return opened;
  }

  /** @param {string} hash @returns {HTMLElement | null} */
  function targetOf(hash) {
    if (hash.length < 2) return null;
    try { return document.getElementById(decodeURIComponent(hash.slice(1))); } catch (malformed) { return null; }
  }

  function arrive() {
    const target = targetOf(location.hash);
    if (!target) return;
    // Feedback stays hidden until the reader commits; the question itself is as near as a link can lead.
    const asked = target.closest(".ck-feedback") && target.closest(".ck-question:not(.ck-answered)");
    const opened = admit(target);
    if (asked) asked.querySelector(".ck-message").textContent = asked.getAttribute("data-behind");
    if (opened || asked) (asked || target).scrollIntoView();
  }

  for (const gate of gates) {
    gate.querySelector(":scope > .ck-gate-notice .ck-gate-open").addEventListener("click", () => {
      ck.record.opened(gate.dataset.gate, true);
      body(gate).focus({ preventScroll: true }); // the button is gone
    });
    body(gate).addEventListener("beforematch", (event) => admit(/** @type {Element} */ (event.target).firstElementChild));
  }

  for (const box of switches) {
    box.addEventListener("change", () => {
      if (!box.checked && root.classList.contains("ck-show-all")) {
        root.classList.remove("ck-show-all");
        const address = new URL(location.href);
        address.searchParams.delete("show");
        history.replaceState(null, "", address);
      }
      ck.record.opened("*", box.checked);
    });
  }

  // A second click on a link to where the address already points changes no hash.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href*='#']") : null;
    if (!(link instanceof HTMLAnchorElement) || link.pathname !== location.pathname || link.host !== location.host) return;
    if (link.hash === location.hash) arrive();
    else admit(targetOf(link.hash)); // so that it is there when the browser scrolls
  });
  window.addEventListener("hashchange", arrive);
  document.addEventListener("ck:record", update);

  /** @type {HTMLDetailsElement[]} */
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    for (const fold of folded) fold.open = true;
    for (const gate of gates) if (!isOpen(gate)) gate.dispatchEvent(new CustomEvent("ck:opened", { bubbles: true }));
  });
  window.addEventListener("afterprint", () => {
    for (const fold of folded) fold.open = false;
    folded = [];
  });

  update();
  arrive();
})(window.chapterkit = window.chapterkit || {});
