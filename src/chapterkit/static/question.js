// @ts-check
/* Questions: commit, then reveal. The markup is complete; this file only moves and marks it. */
(function (ck) {
  "use strict";

  /** @typedef {HTMLFormElement & {dataset: DOMStringMap}} Form */

  const all = (root, selector) => /** @type {HTMLElement[]} */ (Array.from(root.querySelectorAll(selector)));
  const radios = (form) => /** @type {HTMLInputElement[]} */ (all(form, "input[type=radio]"));

  /** The kept answer, if its option is still there. @param {Form} form */
  function kept(form) {
    const answer = ck.recordLogic.answerTo(ck.record.read(), form.dataset.question);
    if (!answer) return { option: null, lost: false };
    const there = radios(form).some((radio) => radio.value === answer.option);
    return { option: there ? answer.option : null, lost: !there };
  }

  /** Make the form look as its answer says. @param {Form} form @param {string | null} option */
  function show(form, option) {
    const answered = option !== null;
    const others = form.querySelector(".ck-others"), here = form.querySelector(".ck-answer");
    form.classList.toggle("ck-answered", answered);
    for (const radio of radios(form)) {
      if (answered || form.dataset.shown) radio.checked = radio.value === option;
      radio.disabled = answered && form.dataset.kind === "predict";
    }
    for (const item of all(form, ".ck-option")) item.classList.toggle("ck-chosen", item.dataset.option === option);
    for (const feedback of all(form, ".ck-feedback")) {
      const chosen = feedback.dataset.option === option;
      feedback.classList.toggle("ck-chosen", chosen);
      const home = answered && !chosen ? others : here;
      if (feedback.parentElement !== home) home.append(feedback);
    }
    if (!answered) others.open = false;
    if (answered) form.dataset.shown = option; else delete form.dataset.shown;
  }

  /** @param {Form} form */
  function wake(form) {
    // Without scripts the feedback is a fold. Here it is a live region, which must not be a fold.
    const fold = form.querySelector(".ck-answer"), live = document.createElement("div");
    live.className = "ck-answer";
    live.setAttribute("aria-live", "polite");
    live.tabIndex = -1;
    live.append(...all(fold, ":scope > .ck-feedback"));
    fold.replaceWith(live);

    const message = form.querySelector(".ck-message");
    const say = (words) => { message.textContent = words || ""; };
    const { option, lost } = kept(form);
    show(form, option);
    if (lost) say(form.dataset.unknown);

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = radios(form).find((radio) => radio.checked);
      if (!chosen) { say(form.dataset.choose); radios(form)[0].focus(); return; }
      const id = form.dataset.question;
      // Another tab may have committed in the meantime; a prediction keeps its first answer.
      const earlier = form.dataset.kind === "predict" ? kept(form).option : null;
      if (earlier === null) {
        const right = chosen.closest(".ck-option").hasAttribute("data-right");
        ck.record.answer(id, chosen.value, right);
      }
      const final = earlier === null ? chosen.value : earlier;
      show(form, final);
      say(ck.record.status === "saved" ? "" : form.dataset.unsaved);
      // The button is gone for a prediction, and focus must not fall back to the top of the page.
      if (form.dataset.kind === "predict") live.focus({ preventScroll: true });
      document.dispatchEvent(new CustomEvent("ck:answered", { detail: { question: id, option: final } }));
    });
    form.addEventListener("change", () => say(""));
  }

  const forms = /** @type {Form[]} */ (all(document, "form.ck-question"));
  forms.forEach(wake);
  document.addEventListener("ck:record", () => {
    for (const form of forms) {
      const { option } = kept(form);
      if (option !== (form.dataset.shown || null)) show(form, option);
    }
  });
})(window.chapterkit = window.chapterkit || {});
