/* What a search ranks how, in place of Sphinx's own weights; see names.py. */
var Scorer = {
  // A heading that is asked for in full comes before pages that hold its words here and there, and a name
  // leads to its derivation first, then to the glossary's words on it.
  score: function (result) { return result[6] === "title" ? result[4] * 6 : /^#term-/.test(result[2]) ? result[4] - 1 : result[4]; },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2
};
