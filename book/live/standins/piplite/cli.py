"""`%pip` in a cell ends here."""

from . import NOT_HERE


async def get_transformed_code(_):
    return f"raise RuntimeError({NOT_HERE!r})"
