"""What a part weighs: a count of bytes and requests, the same on every machine."""

from __future__ import annotations

import gzip
from urllib.parse import unquote, urlsplit

import pytest

TEXT = {".html", ".css", ".js", ".json", ".svg"}
BEGUN = """() => {
    const load = performance.getEntriesByType("navigation")[0].loadEventStart;
    const begun = performance.getEntriesByType("resource").filter(e => e.startTime < load).map(e => e.name);
    return [location.href, ...begun.filter(name => !name.startsWith("data:"))];
}"""
# Moves every slider and says which instruments did not change a number.
DEAF = """() => Array.from(document.querySelectorAll(".ck-instrument")).filter(panel => {
    const says = () => Array.from(panel.querySelectorAll(".ck-value"), e => e.textContent).join();
    return !Array.from(panel.querySelectorAll("input[type=range]")).some(slider => {
        const before = says();
        slider.value = slider.max;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        return says() !== before;
    });
}).map(panel => panel.id)"""
# Selectors of style sheets, each alone, without what depends on a moment or stands for a part of an element.
SELECTORS = r"""async texts => {
    const alone = text => {
        const parts = [""];
        let depth = 0;
        for (const sign of text) {
            depth += sign === "(" || sign === "[" ? 1 : sign === ")" || sign === "]" ? -1 : 0;
            if (sign === "," && !depth) parts.push(""); else parts[parts.length - 1] += sign;
        }
        return parts.map(part => part.trim());
    };
    // A rule that only names values for others shows nothing itself.
    const shows = rule => Array.from(rule.style).some(property => !property.startsWith("--"));
    const flat = rules => Array.from(rules).flatMap(rule =>
        rule.selectorText ? shows(rule) ? alone(rule.selectorText) : [] : rule.cssRules ? flat(rule.cssRules) : []);
    const of = async text => flat((await new CSSStyleSheet().replace(text)).cssRules);
    const [joined, ...sources] = await Promise.all(texts.map(of));
    const count = list => list.reduce((sum, one) => sum.set(one, (sum.get(one) || 0) + 1), new Map());
    const kept = count(joined), known = count(sources.flat());
    const bare = selector => selector.replace(/::?[a-z-]+(\((?:[^()]|\([^()]*\))*\))?/g, "").trim();
    const matches = selector => {
        const rest = bare(selector).replace(/([>+~]|^)\s*(?=[>+~]|$)/g, "$1*");
        try { return document.querySelector(rest) !== null; } catch { return false; }
    };
    return [...known.keys()].filter(one => (kept.get(one) || 0) < known.get(one) && matches(one));
}"""


def size(folder, address: str) -> int:
    """Bytes of a file on the wire, as gzip at its best would send it."""
    path = folder / unquote(urlsplit(address).path).lstrip("/")
    data = path.read_bytes()
    return len(gzip.compress(data, 9, mtime=0)) if path.suffix in TEXT else len(data)


@pytest.mark.parametrize("query", ["", "show=all"])
def test_a_part_s_sliders_work_after_150_kilobytes_and_15_requests(reader, folder, part, query):
    page = reader.page
    page.goto(reader.address(part, query))
    begun = page.evaluate(BEGUN)
    assert page.evaluate(DEAF) == []
    sizes = {address: size(folder, address) for address in begun}
    assert sum(sizes.values()) <= 150 * 1024, sizes
    assert len(begun) <= 15, begun


def test_no_rule_is_missing_that_something_on_a_page_would_match(reader, folder, name):
    """The joined style leaves out what no page needs; a browser that has the page open knows what it needs."""
    page = reader.page
    page.goto(reader.address(name, "show=all"))
    page.wait_for_load_state("networkidle")
    joined = page.evaluate("document.querySelector('link[href*=\"/joined/\"]').href")
    joined = folder / unquote(urlsplit(joined).path).lstrip("/")
    static = folder / "_static"
    # The theme brings these for other themes and for its own development.
    idle = {"basic.css", "skeleton.css", "debug.css"}
    # Whole and apart, on the pages that hold a record.
    idle.add("myrecord.css")
    styles = [
        path
        for path in sorted(static.rglob("*.css"))
        if path.parent != joined.parent and path.name not in idle
    ]
    assert len(styles) >= 8
    texts = [path.read_text(encoding="utf-8") for path in (joined, *styles)]
    assert page.evaluate(SELECTORS, texts) == []
