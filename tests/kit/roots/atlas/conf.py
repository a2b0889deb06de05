"""A tiny book of places to link to: chapterkit must know nothing of any subject."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Atlas"
author = "Nobody"
copyright = "nobody"
version = release = "1"
extensions = ["myst_parser", "atlas_parts"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_theme = "basic"
html_copy_source = False
exclude_patterns = ["_build"]
chapterkit_book = "atlas"
chapterkit_instruments = "dials"
chapterkit_redirects = "redirects.toml"
