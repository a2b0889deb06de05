// @ts-check
/* Numbers that tell their call, in a bar at the bottom of the window. A number in the text carries its call;
 * one that an instrument says names an entry of a list in the panel, and a cell of a table the heading of its
 * column. Hover and focus show the bar, a click or a touch keeps it, Escape sends it away.
 * Every number in the text is a tab stop in the HTML, and a page may hold more than a hundred. With scripts a
 * section has one stop, the arrow keys lead from number to number, and Enter leads to the links in the bar. */
(function (ck) {
  "use strict";

  const STOPS = ".ck-calc[tabindex]", NUMBERS = ".ck-calc, [data-of]", TELLING = NUMBERS + ", .ck-table :is(td, th)";
  // What can be hidden is a group of its own: its stop must not be hidden while others show.
  const GROUP = "section, details, .ck-gate-body, .ck-feedback, .ck-instrument";

  document.documentElement.classList.add("ck-quiet"); // the style sheet's own bar is for readers without scripts
  const bar = document.createElement("div");
  bar.className = "ck-bar";
  bar.hidden = true;
  (document.querySelector("[role=main]") || document.body).append(bar);

  /** The number whose call is shown. @type {HTMLElement | null} */
  let number = null;
  let kept = false, pointing = false, wait = 0;

  /** @type {Map<Element | null, HTMLElement[]>} */
  const groups = new Map();
  for (const stop of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(STOPS))) {
    const group = stop.closest(GROUP), members = groups.get(group) || [];
    groups.set(group, members);
    stop.tabIndex = members.length ? -1 : 0;
    members.push(stop);
  }

  /** Addresses of functions by name; a bare name that two modules have is left out. @type {Record<string, string>} */
  let known;
  function addresses() {
    known = {};
    for (const [page, names] of Object.entries(ck.reference || {})) {
      const root = page[0] === "#" ? "" : document.documentElement.dataset.content_root || "";
      const module = (/(\w+)\.$/.exec(page) || [])[1];
      for (const name of names.split(" ")) {
        known[module + "." + name] = root + page + name;
        known[name] = name in known ? "" : root + page + name;
      }
    }
    return known;
  }

  /** Code with links to the functions it names. @param {string} code @returns {(string | Node)[]} */
  function linked(code) {
    const at = known || addresses();
    return code.split(/((?:\w+\.)+[A-Za-z_]\w*|\b[A-Za-z_]\w*(?=\())/).map((part, index) => {
      const address = index % 2 && at[part.split(".").slice(-2).join(".")];
      if (!address) return part;
      const link = document.createElement("a");
      link.href = address;
      link.textContent = part;
      return link;
    });
  }

  /** What a number tells. @param {HTMLElement} asked @returns {(string | Node)[] | null} */
  function told(asked) {
    const panel = asked.closest(".ck-instrument"), row = asked.closest("tr");
    /** @type {(string | null | undefined)[]} */
    let names = [asked.dataset.of], place = panel && panel.querySelector(".ck-made");
    if (panel && row && asked instanceof HTMLTableCellElement) {
      const table = row.closest("table"), heading = table && table.rows[0].cells[asked.cellIndex].textContent;
      names = asked.tagName === "TH" ? [heading] : [row.cells[0].textContent, heading];
      place = row.closest(".ck-table");
    }
    const entries = place ? Array.from(place.querySelectorAll("[data-name]")) : [];
    for (const name of names) {
      const entry = name && entries.find((one) => one.getAttribute("data-name") === name);
      if (entry) return Array.from(entry.cloneNode(true).childNodes);
    }
    return asked.dataset.call ? linked(asked.dataset.call) : null;
  }

  /** @param {HTMLElement | null} asked @param {boolean} [keep] */
  function show(asked, keep) {
    clearTimeout(wait);
    const call = asked && told(asked);
    number = call ? asked : null;
    kept = Boolean(call && keep);
    bar.hidden = !call;
    bar.replaceChildren(...(call || []));
    // How the keyboard leads on, for those who came by it.
    if (call && asked && asked.matches(":focus-visible")) {
      bar.dataset.keys = "\u2003\u2190 \u2192" + (bar.querySelector("a") ? " \u21b5" : "");
      if (!asked.matches(STOPS)) asked.setAttribute("aria-description", bar.textContent || "");
    } else delete bar.dataset.keys;
  }

  /** @param {EventTarget | null} target @param {string} [kind] @returns {HTMLElement | null} */
  const within = (target, kind) => target instanceof Element ? target.closest(kind || TELLING) : null;
  /** The focused number, if one is. */
  const focused = () => within(document.activeElement, NUMBERS);

  document.addEventListener("pointerdown", () => { pointing = true; });
  document.addEventListener("pointerover", (event) => {
    const asked = within(event.target);
    if (asked && asked !== number && !kept) show(asked);
    else clearTimeout(wait);
    // The way to the bar leads over other things.
    if (!asked && number && !kept && event.pointerType === "mouse" && !bar.contains(/** @type {Node} */ (event.target))) {
      wait = setTimeout(() => show(focused()), 600);
    }
  });
  // Not a click: some browsers send none for plain text.
  document.addEventListener("pointerup", (event) => {
    if (event.button || bar.contains(/** @type {Node} */ (event.target))) return;
    const asked = within(event.target), again = kept && asked === number;
    show(again ? null : asked, true);
  });
  document.addEventListener("focusin", (event) => {
    const target = /** @type {Element} */ (event.target), asked = focused();
    // A touch gives the focus to something near, after it has shown what it meant.
    if (bar.contains(target) || (kept && pointing)) return;
    if (asked !== number) show(asked);
    // Coming back with Tab leads to the number that was looked at last.
    if (asked && asked.matches(STOPS)) {
      for (const other of groups.get(asked.closest(GROUP)) || []) other.tabIndex = other === asked ? 0 : -1;
    }
  });
  document.addEventListener("keydown", (event) => {
    pointing = false;
    if (event.key === "Escape") {
      if (number && bar.contains(document.activeElement)) number.focus();
      show(null);
    }
    const asked = focused();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!asked || asked !== event.target || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.key === "Enter" && bar.querySelector("a");
    if (link) {
      event.preventDefault();
      kept = true;
      link.focus();
    }
    if (!step) return;
    event.preventDefault();
    const group = asked.closest(GROUP);
    const members = Array.from(/** @type {NodeListOf<HTMLElement>} */ ((group || document).querySelectorAll(NUMBERS)))
      .filter((one) => one.closest(GROUP) === group && (one.dataset.of || one.matches(STOPS)));
    const next = members[members.indexOf(asked) + step];
    if (!next) return;
    if (!next.matches(STOPS)) next.tabIndex = -1;
    next.focus();
  });
})(window.chapterkit = window.chapterkit || {});
