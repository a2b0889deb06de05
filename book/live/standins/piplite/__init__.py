"""What the kernel expects of its installer, and a sentence for readers who try it."""

NOT_HERE = (
    "Nothing can be installed here: this page's Python has NumPy and the book's own package, "
    "and asks no other site."
)


async def install(*_, **__):
    raise RuntimeError(NOT_HERE)
