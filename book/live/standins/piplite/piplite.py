"""The kernel sets two names in this module before it starts."""

_PIPLITE_DISABLE_PYPI = True
_PIPLITE_URLS = []
