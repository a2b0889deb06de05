"""The reference tables, read once."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "reference"


def rows(name: str) -> list[dict[str, Any]]:
    """Rows of a table, its decimal strings as floats."""
    table = json.loads((FOLDER / f"{name}.json").read_text())
    return [{key: float(value) for key, value in row.items()} for row in table["rows"]]
