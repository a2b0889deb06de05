// @ts-check
/* Numbers that tell their call. Style sheets show the bar; this file keeps the keyboard's way short.
 * Every number is a tab stop in the HTML, and a page may hold more than a hundred. With scripts a section
 * has one stop, and the arrow keys lead from number to number. Escape sends the bar away. */
(function () {
  "use strict";

  const root = document.documentElement;
  const NUMBERS = ".ck-calc[tabindex]";
  // What can be hidden is a group of its own: its stop must not be hidden while others show.
  const GROUP = "section, details, .ck-gate-body, .ck-feedback";

  /** @type {Map<Element | null, HTMLElement[]>} */
  const groups = new Map();
  for (const number of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(NUMBERS))) {
    const group = number.closest(GROUP), members = groups.get(group) || [];
    groups.set(group, members);
    number.tabIndex = members.length ? -1 : 0;
    members.push(number);
  }

  /** @param {HTMLElement} number @param {number} step */
  function move(number, step) {
    const members = groups.get(number.closest(GROUP)) || [number];
    const next = members[members.indexOf(number) + step];
    if (next) next.focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") root.classList.add("ck-quiet");
    const number = event.target instanceof HTMLElement && event.target.matches(NUMBERS) ? event.target : null;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!number || !step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    move(number, step);
  });

  const wanted = (event) => {
    const number = event.target instanceof Element ? event.target.closest(".ck-calc") : null;
    if (!number) return;
    root.classList.remove("ck-quiet");
    // Coming back with Tab leads to the number that was looked at last.
    if (event.type === "focusin" && number.matches(NUMBERS)) {
      for (const other of groups.get(number.closest(GROUP)) || []) other.tabIndex = other === number ? 0 : -1;
    }
  };
  document.addEventListener("pointerover", wanted);
  document.addEventListener("focusin", wanted);
})();
