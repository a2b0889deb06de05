"""The Python side of live cells: runs them, tells the page what they print, show and raise.

It does of IPython what these cells need, and starts in a tenth of the time.
"""

import ast
import builtins
import inspect
import json
import linecache
import math
import re
import signal
import sys
import time
import traceback
import types

import _page

main = sys.modules["__main__"].__dict__
LIMIT = 200_000
now = {"cell": "", "left": LIMIT}
# Which cell, with which text, gave a name its value.
owners = {}


def tell(**message):
    _page.tell(json.dumps({"cell": now["cell"], **message}))


class Stream:
    """Standard output or error; gathers what comes in quick succession."""

    encoding, errors, closed = "utf-8", "strict", False

    def __init__(self, name):
        self.name, self.parts, self.size, self.last = name, [], 0, 0.0

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if now["left"] > 0:
            kept = text[: now["left"]]
            now["left"] -= len(kept)
            self.parts.append(kept)
            self.size += len(kept)
            if now["left"] <= 0:
                self.flush()
                tell(state="cut")
            elif self.size > 4000 or time.monotonic() - self.last > 0.1:
                self.flush()
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        if self.parts:
            tell(stream=self.name, text="".join(self.parts))
            self.parts, self.size, self.last = [], 0, time.monotonic()

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    def fileno(self):
        raise OSError("a live cell has no file descriptors")


sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")


def bundle_of(value):
    made = {}
    method = getattr(type(value), "_repr_mimebundle_", None)
    if method is not None:
        found = value._repr_mimebundle_()
        made.update((found[0] if isinstance(found, tuple) else found) or {})
    for name, kind in (("svg", "image/svg+xml"), ("png", "image/png"), ("markdown", "text/markdown")):
        if kind not in made and hasattr(type(value), f"_repr_{name}_"):
            data = getattr(value, f"_repr_{name}_")()
            if isinstance(data, bytes):
                import base64

                data = base64.b64encode(data).decode()
            if data is not None:
                made[kind] = data
    made.setdefault("text/plain", repr(value))
    return made


def plain(value):
    """As JSON has it: arrays as lists, and nothing in place of a number that is none."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def show(bundle):
    sys.stdout.flush()
    sys.stderr.flush()
    tell(bundle=plain(bundle))


def display(*values, raw=False, **_options):
    """Show values, as IPython's function of this name does."""
    for value in values:
        show(value if raw else bundle_of(value))


# So that a cell which says `from IPython.display import display` runs here and in Jupyter.
package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
package.display, package.get_ipython, module.display = module, lambda: None, display
sys.modules["IPython"], sys.modules["IPython.display"] = package, module
builtins.display = display


def no_input(prompt=""):
    raise OSError("input() cannot ask you anything in a live cell. Write the value into the code.")


builtins.input = no_input


def names_of(code):
    """The names a cell gives values to at its top, and those it reads and does not make itself."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return set(), set()
    made, read = set(), set()

    def visit(node, top, local):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            if top and not isinstance(node, ast.Lambda):
                made.add(node.name)
            for part in (*getattr(node, "decorator_list", ()), node.args):
                visit(part, top, local)
            arguments = node.args
            own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
            own |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a}
            body = node.body if isinstance(node.body, list) else [node.body]
            for part in body:
                for inner in ast.walk(part):
                    if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                        own.add(inner.id)
                    elif isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
                        own.add(inner.name)
                    elif isinstance(inner, ast.alias):
                        own.add((inner.asname or inner.name).split(".")[0])
            for part in body:
                visit(part, False, local | own)
            return
        if isinstance(node, ast.ClassDef):
            if top:
                made.add(node.name)
            for part in (*node.decorator_list, *node.bases, *node.body):
                visit(part, False, local)
            return
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if top:
                    made.add((alias.asname or alias.name).split(".")[0])
            return
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                if top:
                    made.add(node.id)
            elif node.id not in local and node.id not in made:
                read.add(node.id)
            return
        if (
            isinstance(node, ast.AugAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id not in made
            and node.target.id not in local
        ):
            read.add(node.target.id)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            visit(node.value, top, local)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            visit(node.iter, top, local)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
            for part in ast.iter_child_nodes(node):
                visit(part, False, local | own)
            return
        for part in ast.iter_child_nodes(node):
            visit(part, top, local)

    visit(tree, True, set())
    return made, read


def plan(cells, target):
    """The cells to run so that the target finds what it reads: each in its present text, in order."""
    wanted, order = set(names_of(cells[target]["code"])[1]), [target]
    for number in range(target - 1, -1, -1):
        cell = cells[number]
        if cell.get("apart") and not cells[target].get("apart"):
            continue
        made, read = names_of(cell["code"])
        hit = made & wanted
        if not hit:
            continue
        wanted -= made
        if any(owners.get(name) != (cell["id"], cell["code"]) for name in hit):
            order.append(number)
            wanted |= read
    return order[::-1]


def short(error):
    """A traceback of the reader's own lines only."""
    found = traceback.TracebackException.from_exception(error, compact=True)
    kept = [frame for frame in found.stack if frame.filename.startswith("<cell")]
    found.stack = traceback.StackSummary.from_list(kept[-6:])
    return re.sub(r'File "<(cell \d+)>"', lambda m: m[1].capitalize(), "".join(found.format(chain=False)))


def stop(_number, frame):
    """A stop is for the reader's code. It may come before that begins or after it has ended: then it is no one's."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(("<cell", "<check")):
            raise KeyboardInterrupt
        frame = frame.f_back


signal.signal(signal.SIGINT, stop)


async def execute(cell, extra=""):
    now["cell"], now["left"] = cell["id"], LIMIT
    code = extra or cell["code"]
    tell(state="checking" if extra else "running")
    # A check keeps away from the name of the cell, whose lines its functions are still looked up by.
    name = "<check>" if extra else f"<cell {cell.get('title', cell['id'])}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    try:
        tree = ast.parse(code, name)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not code.rstrip().endswith(";"):
            last = ast.Expression(tree.body.pop().value)
        value = None
        for part, mode in ((tree, "exec"), (last, "eval")):
            if part is None:
                continue
            made = compile(part, name, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            value = eval(made, main)
            if inspect.iscoroutine(value) and made.co_flags & inspect.CO_COROUTINE:
                value = await value
        if last is not None and value is not None:
            main["_"] = value
            show(bundle_of(value))
    except BaseException as error:
        sys.stdout.flush()
        kind = type(error).__name__
        tell(error=kind, text=short(error))
        ok = False
    else:
        ok = True
    sys.stdout.flush()
    sys.stderr.flush()
    if not extra:
        for made in names_of(cell["code"])[0]:
            # What failed halfway is run again when it is needed.
            owners[made] = (cell["id"], cell["code"]) if ok else None
        tell(state="done" if ok else "failed")
    else:
        tell(state="checked" if ok else "unchecked")
    return ok


async def run(text):
    asked = json.loads(text)
    cells, target = asked["cells"], asked["target"]
    for number in plan(cells, target):
        if not await execute(cells[number]):
            return False
    if asked.get("check"):
        return await execute(cells[target], asked["check"])
    return True
