"""Runs inside Pyodide, see precompile.mjs: replace the source files of an archive by compiled ones."""

import importlib._bootstrap_external as format
import importlib.util
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)


def compiled(name, source):
    """Return a compiled module that is never held against its source."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0)
    return format._code_to_hash_pyc(code, importlib.util.source_hash(source), False)


def rewrite(old, new):
    with zipfile.ZipFile(old) as wheel, zipfile.ZipFile(new, "w") as out:
        for name in wheel.namelist():
            data = wheel.read(name)
            if name.endswith(".py"):
                try:
                    # The name that a traceback shows is where the file would be.
                    data = compiled(f"/lib/python3.12/site-packages/{name}", data)
                    name += "c"
                except SyntaxError:
                    pass  # templates and the like, which nobody imports
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            out.writestr(entry, data, compresslevel=9)
