"""Where IPython looks for these two modules."""

from . import classes, helpers  # noqa: F401
