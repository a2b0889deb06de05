"""A style sheet without the rules that nothing on its pages can match.

Themes and components bring styles for all they could ever show; a book shows a part of it. A selector
stays if every tag, class and id it names stands on a page or occurs as a word in a script of a page
(a word that ends in a hyphen, as in ``"ck-" + kind``, keeps all that begin with it; one or two letters
count only between quotes, or every variable of a shortened script would be a class). Arguments of
``:not()`` and its like, attributes, and what they say together are not looked at: they keep too much
rather than too little. Fonts, animations and custom properties go when nothing that stays names them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import tinycss2
from tinycss2 import ast

from chapterkit import shelf

_TAG = re.compile(r"""<([a-zA-Z][\w-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""")
_NAMES = re.compile(r"""(?:^|\s)(class|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_STYLE = re.compile(r"var\(\s*(--[\w-]+)")
_INLINE = re.compile(r"<(script|style)\b[^>]*>(.*?)</\1>", re.DOTALL)
_WORD = re.compile(r"[\w-]{3,}|(?<=[\"'`<])[\w-]{1,2}(?=[\"'`>\s])")
_OF_SHEET = re.compile(r"--[\w-]+|[.#]?[A-Za-z_][\w-]*")
_GROUPS = {"media", "supports", "layer", "container"}


@dataclass
class Used:
    """What the pages of a style sheet hold, and what their scripts speak of."""

    tags: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def see_page(self, page: str) -> None:
        """Note what stands on a page, its inline scripts and styles included."""
        for name, text in _INLINE.findall(page):
            if name == "script":
                self.see_script(text)
        for tag, attributes in set(_TAG.findall(page)):
            self.tags.add(tag.lower())
            for name, *values in _NAMES.findall(attributes):
                held = unescape("".join(values)).split()
                (self.classes if name == "class" else self.ids).update(held)
        self.variables.update(_STYLE.findall(page))

    def see_script(self, script: str) -> None:
        """Note every word of a script: one of them may be a class that it sets."""
        self.words.update(_WORD.findall(script))

    def see(self, text: str, kind: str, folder: Path | None) -> None:
        """Note a whole ``page`` or ``script``; `folder` keeps what was found in it for the next build."""

        def found() -> bytes:
            alone = Used()
            (alone.see_page if kind == "page" else alone.see_script)(text)
            return json.dumps({name: sorted(held) for name, held in vars(alone).items()}).encode()

        code = shelf.fingerprint((Path(__file__),))
        for name, held in json.loads(shelf.kept(folder, (code, kind, text), found)).items():
            getattr(self, name).update(held)

    def within(self, sheet: str) -> Used:
        """Only what the sheet could name, so that prose alone changes nothing."""
        names = {name.lstrip(".#") for name in _OF_SHEET.findall(sheet)}
        names |= {name.lower() for name in names}
        heads = tuple(
            word for word in self.words if word.endswith("-") and len(word) > 2 and word[0].isalpha()
        )
        spoken = {name for name in names if name in self.words or name.startswith(heads)}
        kept = (self.tags & names, self.classes & names, self.ids & names, self.variables & names, spoken)
        return Used(*kept)

    def key(self) -> str:
        parts = (self.tags, self.classes, self.ids, self.variables, self.words)
        return "\n".join(" ".join(sorted(part)) for part in parts)


def prune(sheet: str, used: Used) -> str:
    """The sheet without what `used` cannot match."""
    used = used.within(sheet)
    rules = list(_rules(tinycss2.parse_stylesheet(sheet, skip_comments=False, skip_whitespace=True), used))
    return "".join(_write(rule) for rule in _referenced(rules, used))


@dataclass
class _Rule:
    """A rule whose selectors are known to be needed, or a group of such rules."""

    head: str
    node: ast.Node
    inner: list[_Rule] | None = None


def _rules(nodes: Iterable[ast.Node], used: Used) -> Iterator[_Rule]:
    for node in nodes:
        if isinstance(node, ast.Comment):
            if node.value.startswith("!"):  # a licence
                yield _Rule("", node)
        elif isinstance(node, ast.QualifiedRule):
            kept = [part for part in _split(node.prelude) if _wanted(part, used)]
            if kept:
                yield _Rule(",".join(tinycss2.serialize(part).strip() for part in kept), node)
        elif isinstance(node, ast.AtRule):
            head = f"@{node.at_keyword}{tinycss2.serialize(node.prelude)}"
            if node.lower_at_keyword in _GROUPS and node.content is not None:
                inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
                if held := list(_rules(inner, used)):
                    yield _Rule(head, node, held)
            else:
                yield _Rule(head, node)
        elif isinstance(node, ast.ParseError):
            raise ValueError(f"style sheet, line {node.source_line}: {node.message}")


def _split(prelude: list[ast.Node]) -> Iterator[list[ast.Node]]:
    part: list[ast.Node] = []
    for token in prelude:
        if token == ",":
            yield part
            part = []
        elif not isinstance(token, ast.Comment):
            part.append(token)
    yield part


def _wanted(selector: list[ast.Node], used: Used) -> bool:
    before: ast.Node | None = None
    for token in selector:
        if isinstance(token, ast.HashToken):
            if token.value not in used.ids and token.value not in used.words:
                return False
        elif isinstance(token, ast.IdentToken) and before != ":":
            here = used.classes if before == "." else used.tags
            name = token.value if before == "." else token.lower_value
            if name not in here and name not in used.words:
                return False
        before = token
    return True


def _declarations(node: ast.Node) -> list[ast.Declaration] | None:
    """The declarations of a plain rule; None if it holds anything else, which then stays as it is."""
    found = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
    return found if all(isinstance(one, ast.Declaration) for one in found) else None


def _referenced(rules: list[_Rule], used: Used) -> list[_Rule]:
    """Without fonts, animations and custom properties that nothing names any more."""
    wanted = used.variables | {word for word in used.words if word.startswith("--")}
    meanings: dict[str, set[str]] = {}  # what a custom property's values name
    named = ""
    for rule in _flat(rules):
        node = rule.node
        if isinstance(node, ast.QualifiedRule):
            declarations = _declarations(node)
            if declarations is None:
                wanted.update(_STYLE.findall(tinycss2.serialize(node.content)))
                continue
            for one in declarations:
                value = tinycss2.serialize(one.value)
                if one.name.startswith("--"):
                    meanings.setdefault(one.name, set()).update(_STYLE.findall(value))
                else:
                    wanted.update(_STYLE.findall(value))
                if (
                    one.name.startswith("--")
                    or one.lower_name in {"font", "font-family"}
                    or "animation" in one.lower_name
                ):
                    named += f" {value}"
        elif (
            isinstance(node, ast.AtRule) and node.content is not None and node.lower_at_keyword != "font-face"
        ):
            wanted.update(_STYLE.findall(tinycss2.serialize(node.content)))
    queue = list(wanted)
    while queue:
        new = meanings.get(queue.pop(), set()) - wanted
        wanted |= new
        queue += new
    words = set(re.findall(r"[\w-]+", named)) | used.words
    return [kept for rule in rules if (kept := _without(rule, wanted, named, words))]


def _flat(rules: list[_Rule]) -> Iterator[_Rule]:
    for rule in rules:
        if rule.inner is None:
            yield rule
        else:
            yield from _flat(rule.inner)


def _without(rule: _Rule, wanted: set[str], named: str, words: set[str]) -> _Rule | None:
    node = rule.node
    if rule.inner is not None:
        inner = [kept for one in rule.inner if (kept := _without(one, wanted, named, words))]
        return _Rule(rule.head, node, inner) if inner else None
    if isinstance(node, ast.QualifiedRule):
        declarations = _declarations(node)
        if declarations is not None:
            node.content = [
                one for one in declarations if not one.name.startswith("--") or one.name in wanted
            ]
            return rule if node.content else None
    elif isinstance(node, ast.AtRule) and node.lower_at_keyword == "font-face":
        family = next((d for d in _declarations(node) or [] if d.lower_name == "font-family"), None)
        name = tinycss2.serialize(family.value).strip().strip("\"'") if family else ""
        return rule if not name or name in named else None
    elif isinstance(node, ast.AtRule) and node.lower_at_keyword.endswith("keyframes"):
        return rule if tinycss2.serialize(node.prelude).strip().strip("\"'") in words else None
    return rule


def _write(rule: _Rule) -> str:
    if isinstance(rule.node, ast.Comment):
        return f"/*{rule.node.value}*/\n"
    if rule.inner is not None:
        return f"{rule.head}{{{''.join(map(_write, rule.inner))}}}\n"
    if rule.node.content is None:
        return f"{rule.head};\n"
    content = rule.node.content
    if content and all(isinstance(one, ast.Declaration) for one in content):
        return f"{rule.head}{{{';'.join(one.serialize() for one in content)}}}\n"
    return f"{rule.head}{{{tinycss2.serialize(content)}}}\n"
