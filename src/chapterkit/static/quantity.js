// @ts-check
/* Numbers for people: the page's half of quantity.py. `ck.units` is generated from UNITS and LADDERS. */
(function (ck) {
  "use strict";

  const NARROW = "\u202f", MINUS = "\u2212";
  const SPEC = /^(,?)(?:\.(\d{1,2}))?([fg]?)$/;
  const FIELD = /\{([a-z_]\w*)(?:\|([^ }]*)(?: ([^}]*))?)?\}/g;

  /** Fixed decimals, half to even on the exact binary value, as CPython rounds.
   * @param {number} value @param {number} digits @returns {string} */
  function fixed(value, digits) {
    // From here on toFixed gives an exponent; every double this large is a whole number.
    if (value >= 1e21) return BigInt(value).toString() + (digits ? "." + "0".repeat(digits) : "");
    const text = value.toFixed(digits);
    // toFixed breaks a tie upwards. A tie has a finite expansion, so look whether only a 5 was cut off.
    const exact = value.toFixed(Math.min(100, digits + 60));
    const cut = exact.slice(exact.indexOf(".") + 1 + digits);
    if (!/^50*$/.test(cut)) return text;
    const down = digits === 0 ? exact.slice(0, exact.indexOf(".")) : exact.slice(0, exact.indexOf(".") + 1 + digits);
    return Number(down[down.length - 1]) % 2 === 0 ? down : text;
  }

  /** @param {string} text @returns {string} */
  function group(text) {
    const [whole, part] = text.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    return part === undefined ? grouped : grouped + "." + part;
  }

  /** @param {number} value @param {string} [spec] @returns {string} */
  ck.number = function (value, spec) {
    const match = SPEC.exec(spec || "");
    if (!match) throw new Error("format must look like ',.1f' or '.3g'; got '" + spec + "'");
    const size = Math.abs(value);
    let digits = match[2] ? Number(match[2]) : match[3] === "f" ? 0 : 3;
    let text;
    if (match[3] === "f") {
      text = fixed(size, digits);
    } else {
      digits = Math.max(digits, 1);
      const scientific = exponential(size, digits - 1);
      const exponent = Number(scientific.split("e")[1]);
      text = fixed(Number(scientific), Math.min(Math.max(digits - 1 - exponent, 0), 20));
      if (text.includes(".")) text = text.replace(/0+$/, "").replace(/\.$/, "");
    }
    if (match[1]) text = group(text);
    return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
  };

  /** toExponential with CPython's half-to-even. @param {number} size @param {number} digits */
  function exponential(size, digits) {
    const text = size.toExponential(digits);
    const exact = size.toExponential(Math.min(100, digits + 60));
    const [mantissa, power] = exact.split("e");
    const at = mantissa.indexOf(".") + 1 + digits;
    if (!/^50*$/.test(mantissa.slice(at))) return text;
    const down = digits === 0 ? mantissa[0] : mantissa.slice(0, at);
    return Number(down[down.length - 1]) % 2 === 0 ? down + "e" + power : text;
  }

  /** @param {number} value @param {string} [unit] @param {string} [spec] @returns {string} */
  ck.show = function (value, unit, spec) {
    if (!Number.isFinite(value)) throw new Error("value must be finite to be shown; got " + value);
    let name = unit || "";
    const ladder = ck.units.ladders[name];
    if (ladder) {
      name = ladder.find(/** @param {[number|null, string]} rung */ (rung) => rung[0] === null || Math.abs(value) < rung[0])[1];
      if (value === 0 && name === "us") name = "s";
    }
    const entry = ck.units.units[name];
    if (!entry) throw new Error("unknown unit '" + name + "'");
    const scaled = value / entry.factor;
    if (!Number.isFinite(scaled)) throw new Error("value is too large to be shown in " + name + "; got " + value);
    const digits = ck.number(scaled, spec);
    if (!entry.label) return digits;
    if (entry.before) return digits.startsWith(MINUS) ? MINUS + entry.label + digits.slice(1) : entry.label + digits;
    return digits + (entry.tight ? "" : NARROW) + entry.label;
  };

  /** Fill `{name|unit spec}` fields; with `tell`, numbers say by what name their call is found.
   * @param {string} template @param {Record<string, any>} values @param {boolean} [tell] */
  ck.fill = function (template, values, tell) {
    return template.replace(FIELD, function (_, name, unit, spec) {
      const value = values[name], text = typeof value === "string" ? value : ck.show(value, unit, spec);
      return tell && /[0-9]/.test(text) ? '<span data-of="' + name + '">' + text + "</span>" : text;
    });
  };
})(window.chapterkit = window.chapterkit || {});
