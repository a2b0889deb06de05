"""A tiny book about tea and falling cups: chapterkit must know nothing of any subject."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Tea and gravity"
author = "Nobody"
copyright = "nobody"
version = release = "1"
extensions = ["myst_parser", "kit"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
html_theme = "basic"
html_copy_source = False
exclude_patterns = ["_build"]
chapterkit_book = "tea"
chapterkit_calc_modules = ["falling", "cooling"]
