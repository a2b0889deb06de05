"""Sphinx configuration; the repository root is the source directory."""

import gc
import sys
from pathlib import Path
from types import ModuleType

# A build makes millions of objects and drops few; looking for dropped ones less often saves a fifth of its time.
gc.set_threshold(100_000, 50, 50)
ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
# jsonschema would build a grammar for addresses that no notebook holds: a quarter of the time of a small rebuild.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
# The same for opengraph, which would load matplotlib's windows to draw cards that are turned off below.
sys.modules["sphinxext.opengraph._social_cards"] = cards = ModuleType("_social_cards")
cards.create_social_card, cards.DEFAULT_SOCIAL_CONFIG = None, {}  # type: ignore[attr-defined]

project = "When Failure Is Routine"
author = "The When Failure Is Routine authors"
copyright = "2026, The When Failure Is Routine authors. Text: CC BY 4.0. Code: MIT"
version = release = "0.1.0"
root_doc = "book/index"
language = "en"

extensions = [
    "sphinx.ext.autodoc",  # the reference, from docstrings
    "sphinx.ext.napoleon",  # which are in numpydoc's form
    "myst_nb",  # pages are MyST, their cells run at build
    "sphinx_design",  # cards and dropdowns
    "sphinx_copybutton",  # copy code without prompts
    "sphinxcontrib.katex",  # math as HTML, rendered at build
    "sphinxcontrib.bibtex",  # citations
    "sphinxext.opengraph",  # previews of shared links
    "chapterkit",  # predictions, instruments, numbers, live cells
]
exclude_patterns = [
    "build", ".nox", "node_modules", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "src", "tests", "benchmarks", "_contents",
    ".pytest_cache", "exercises/README.md",
]  # fmt: skip
nitpicky = True
numfig = True
math_eqref_format = "({number})"

# MyST
myst_enable_extensions = [
    "colon_fence",
    "deflist",
    "dollarmath",
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "smartquotes",
]
myst_dmath_double_inline = True
myst_heading_anchors = 3
suppress_warnings = ["myst.strikethrough"]

# The reference
autodoc_typehints = "none"
add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = False  # types are words, not links

# Cells run at build; a failing one fails the build. chapterkit names their cache after what they import.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

# Math: rendered by Node at build, style and fonts from the npm package of the same version
katex_prerender = True
katex_css_path = "vendor/katex/katex.min.css"

bibtex_bibfiles = ["book/references.bib"]
bibtex_default_style = "unsrt"
bibtex_reference_style = "author_year"

# Pages
html_theme = "furo"
html_title = project
html_favicon = "book/_static/favicon.svg"
html_static_path = ["book/_static", "build/assets"]
html_css_files = ["book.css"]
templates_path = ["book/_templates"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_domain_indices = False  # the reference has its own list of modules
ogp_social_cards = {"enable": False}
ogp_enable_meta_description = True
copybutton_exclude = ".linenos, .gp, .go"

# Other formats
epub_show_urls = "no"
epub_tocscope = "includehidden"
epub_uid = epub_identifier = "when-failure-is-routine"
epub_description = "An interactive textbook chapter on fault tolerance for machine-learning clusters"
epub_contributor = author
latex_engine = "xelatex"
latex_elements = {"papersize": "a4paper", "extraclassoptions": "openany,oneside"}
numfig_secnum_depth = 0  # equations and figures bear the numbers that they have on the pages

# chapterkit
chapterkit_book = "when-failure-is-routine"
chapterkit_calc_modules = [
    "fault_tolerance.reliability",
    "fault_tolerance.checkpoint",
    "fault_tolerance.storage",
    "fault_tolerance.snapshot",
    "fault_tolerance.serving",
    "fault_tolerance.hardware",
    "fault_tolerance.simulate",
]
chapterkit_records = "book/records.toml"
chapterkit_instruments = "book.instruments"
chapterkit_checks = "fault_tolerance_checks"
chapterkit_redirects = "book/redirects.toml"
