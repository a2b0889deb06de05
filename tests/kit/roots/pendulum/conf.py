"""A tiny book about pendulums, with one instrument: chapterkit must know nothing of any subject."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Pendulum"
author = "Nobody"
copyright = "nobody"
version = release = "1"
extensions = ["myst_parser", "pendulum_parts"]
html_theme = "basic"
html_copy_source = False
exclude_patterns = ["_build"]
chapterkit_book = "pendulum"
chapterkit_instruments = "dials"
