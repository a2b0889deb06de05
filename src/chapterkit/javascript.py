"""The few lines of JavaScript that compiled functions lean on: ``np``, argument checks, remainders.

Each piece stands in a script only if something in it asks for it.
"""

from __future__ import annotations

import re

SHIM = {
    "sqrt": "Math.sqrt", "exp": "Math.exp", "expm1": "Math.expm1", "log": "Math.log", "log1p": "Math.log1p",
    "log10": "Math.log10", "abs": "Math.abs", "floor": "Math.floor", "ceil": "Math.ceil",
    "maximum": "Math.max", "minimum": "Math.min", "where": "function (c, a, b) { return c ? a : b; }",
    "pi": "Math.PI", "e": "Math.E", "inf": "Infinity", "isfinite": "Number.isFinite",
}  # fmt: skip

# Later pieces may lean on earlier ones.
_PIECES = {
    "np": "var np = {" + ", ".join(f"{name}: {code}" for name, code in SHIM.items()) + "};\n",
    # Python's remainder has the sign of the divisor.
    "_mod": """\
var _mod = function (a, b) {
  var rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
};
""",
    # A number as Python's repr writes it, for messages.
    "_show": """\
var _show = function (x) {
  if (typeof x !== "number") return String(x);
  if (!Number.isFinite(x)) return x !== x ? "nan" : x > 0 ? "inf" : "-inf";
  var size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e16))
    return x.toExponential().replace(/([+-])(\\d)$/, function (_, sign, last) { return sign + "0" + last; });
  return (Object.is(x, -0) ? "-0" : String(x)) + (Number.isInteger(x) ? ".0" : "");
};
""",
    "_check": """\
var _check = function (name, x, low, lowOpen, high, highOpen, whole, words) {
  var inside = typeof x === "number" && (lowOpen ? x > low : x >= low) && (highOpen ? x < high : x <= high);
  if (!inside || (whole && x !== Math.floor(x)))
    throw new RangeError(name + " must be " + words + "; got " + _show(x));
};
""",
    # An argument that is a list: every number in it is checked. A number is a list of one.
    "_each": """\
var _each = function (name, list, low, lowOpen, high, highOpen, whole, words) {
  if (!Array.isArray(list)) list = [list];
  for (var at = 0; at < list.length; at++) _check(name, list[at], low, lowOpen, high, highOpen, whole, words);
  if (!list.length) throw new RangeError(name + " must hold at least one number; got none");
  return list;
};
""",
    # Lists of one call have one length, or repeat their only number.
    "_match": """\
var _match = function (names, lists) {
  var length = lists.reduce(function (most, list) { return Math.max(most, list.length); }, 1);
  if (lists.some(function (list) { return list.length !== 1 && list.length !== length; }))
    throw new RangeError(names.map(function (name, at) {
      return name + " of shape (" + lists[at].length + ",)";
    }).join(" and ") + " do not broadcast together");
  return lists.map(function (list) { return list.length === length ? list : Array(length).fill(list[0]); });
};
""",
}

#: Names that a compiled function must not give to something of its own.
TAKEN = {
    *_PIECES, "Array", "Infinity", "Math", "NaN", "Number", "Object", "RangeError", "String", "arguments",
    "await", "case", "catch", "const", "debugger", "default", "delete", "do", "enum", "eval", "export",
    "extends", "false", "function", "implements", "instanceof", "interface", "let", "new", "null", "package",
    "private", "protected", "public", "static", "super", "switch", "this", "throw", "true", "typeof",
    "undefined", "var", "void", "window",
}  # fmt: skip


def runtime(script: str) -> str:
    """The pieces that `script` uses, and those they lean on themselves."""
    used: list[str] = []
    for name, piece in reversed(_PIECES.items()):
        if re.search(rf"\b{name}\b", script + "".join(used)):
            used.append(piece)
    return "".join(reversed(used))
