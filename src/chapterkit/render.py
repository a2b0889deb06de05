"""Two renderings of a node that carries meaning: HTML for a browser, plain nodes for the rest.

EPUB is HTML to Sphinx, yet runs no scripts, so the builder's format does not tell them apart.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from chapterkit.assets import is_page_builder

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.environment import BuildEnvironment


class OnPages(SphinxPostTransform):
    """Runs for builders whose pages a browser shows."""

    def is_supported(self) -> bool:
        return is_page_builder(self.env._builder_cls)  # type: ignore[arg-type]


class Written(SphinxPostTransform):
    """Runs for every builder that writes pages of any kind.

    Catalogues for translators are made from the tree as the author wrote it.
    """

    def is_supported(self) -> bool:
        return self.env._builder_cls.name != "gettext"  # type: ignore[union-attr]


class Elsewhere(Written):
    """Runs for every other builder that writes: print, text, EPUB, man pages."""

    def is_supported(self) -> bool:
        return super().is_supported() and not is_page_builder(self.env._builder_cls)  # type: ignore[arg-type]


def replace(node: nodes.Element, new: list[Node]) -> None:
    """Put `new` where `node` was; docutils' own ``replace_self`` would hand its classes on to the first."""
    parent = node.parent
    at = parent.index(node)
    parent[at : at + 1] = new


def tag(name: str, /, **attributes: str | bool | None) -> nodes.raw:
    """An opening tag.

    ``class_`` and ``for_`` lose their bar, other bars become hyphens; False and None are left out.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is False or value is None:
            continue
        key = key.rstrip("_").replace("_", "-")
        parts.append(key if value is True else f'{key}="{html.escape(value)}"')
    return nodes.raw("", f"<{' '.join(parts)}>", format="html")


def close(*names: str) -> nodes.raw:
    """Closing tags, inner first."""
    return nodes.raw("", "".join(f"</{name}>" for name in names), format="html")


def element(name: str, text: str, /, **attributes: str | bool | None) -> list[Node]:
    """A whole element around plain text."""
    return [tag(name, **attributes), nodes.Text(text), close(name)]


def copy_without_ids(children: list[Node]) -> list[Node]:
    """Copies that can stand on the same page as their originals."""
    copies = [child.deepcopy() for child in children]
    for copy in copies:
        for node in copy.findall(nodes.Element):
            node["ids"], node["names"] = [], []
    return copies


def page_address(env: BuildEnvironment, here: str, there: str, anchor: str = "") -> str:
    """Where page `there` is, seen from `here`; on the page itself only the anchor is left."""
    fragment = f"#{anchor}" if anchor else ""
    if here == there and anchor:
        return fragment
    builder = env._app.builder
    if builder.name == "singlehtml":
        return fragment or builder.get_target_uri(there)
    return builder.get_relative_uri(here, there) + fragment


def site_address(env: BuildEnvironment, there: str, anchor: str = "") -> str:
    """Where page `there` is, seen from the root of the site; for scripts, which know the way to the root."""
    builder = env._app.builder
    fragment = f"#{anchor}" if anchor else ""
    if builder.name == "singlehtml":
        return f"{env.config.root_doc}{builder.out_suffix}{fragment}"  # type: ignore[attr-defined]
    return builder.get_target_uri(there) + fragment
