"""A file system that is cut off after a given number of steps.

Everything that changes a file below one folder counts as a step: to create or empty a file, each half of
a write, fsync, rename, remove. Before the step at which the process is to die, `Killed` is raised, and
after that nothing reaches the folder any more, whatever the dying code still tries.

Two ends are told apart. If the process is *killed*, what it handed to the system stays. If the *power* is
cut, a file keeps only what was there at its last fsync; names stay, so a renamed file may be empty.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fault_tolerance_checks.answer import show_bytes

_WRITES = os.O_WRONLY | os.O_RDWR
_open, _os_open, _write, _close = io.open, os.open, os.write, os.close
_replace, _remove, _fsync, _ftruncate = os.replace, os.remove, os.fsync, os.ftruncate


class Killed(BaseException):
    """The process ends here. No `except Exception` stops it."""


class _Raw(io.RawIOBase):
    """A file whose writes are steps."""

    def __init__(self, disk: Disk, fd: int, name: str, readable: bool, writable: bool) -> None:
        self.disk, self.fd, self.name = disk, fd, name
        self._may = (readable, writable)

    def readable(self) -> bool:
        return self._may[0]

    def writable(self) -> bool:
        return self._may[1]

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.fd

    def readinto(self, buffer: Any) -> int:
        data = os.read(self.fd, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        # A buffer that is flushed on the way out of a dead process goes nowhere.
        return len(data) if self.disk.dead else self.disk.write(self.fd, bytes(data))

    def seek(self, offset: int, whence: int = 0) -> int:
        return os.lseek(self.fd, offset, whence)

    def truncate(self, size: int | None = None) -> int:
        size = self.tell() if size is None else size
        self.disk.truncate(self.fd, size)
        return size

    def close(self) -> None:
        if not self.closed:
            super().close()
            self.disk.close(self.fd)


class Disk:
    """Watches one folder while it is entered; ``steps`` says in words what was done."""

    def __init__(self, folder: Path, stop_at: int = 0) -> None:
        self.folder = Path(os.path.realpath(folder))
        self.stop_at, self.dead = stop_at, False
        self.steps: list[str] = []
        self._files: dict[int, Path] = {}
        #: What a power cut would leave of each file that was changed and not synced since.
        self._synced: dict[Path, bytes] = {}

    # Steps

    def step(self, words: str) -> None:
        if self.dead or len(self.steps) + 1 == self.stop_at:
            self.dead = True
            raise Killed
        self.steps.append(words)

    def _mine(self, path: Any) -> Path | None:
        if isinstance(path, int):
            return self._files.get(path)
        try:
            where = Path(os.path.realpath(os.fsdecode(path)))
        except TypeError:
            return None
        return where if where.is_relative_to(self.folder) and where != self.folder else None

    def _touch(self, path: Path) -> None:
        if path not in self._synced:
            self._synced[path] = path.read_bytes() if path.is_file() else b""

    def write(self, fd: int, data: bytes) -> int:
        path = self._files[fd]
        half = len(data) // 2
        parts = [("the first half of", data[:half]), ("the rest of", data[half:])] if half else [("", data)]
        for words, part in parts:
            self.step(f"write {words} {show_bytes(len(data))} to {path.name}".replace("  ", " "))
            self._touch(path)
            while part:
                part = part[_write(fd, part) :]
        return len(data)

    def truncate(self, fd: int, size: int) -> None:
        path = self._files[fd]
        self.step(f"cut {path.name} to {show_bytes(size)}")
        self._touch(path)
        _ftruncate(fd, size)

    def close(self, fd: int) -> None:
        self._files.pop(fd, None)
        _close(fd)

    def power_cut(self) -> None:
        """Take back what was not synced."""
        for path, content in self._synced.items():
            if path.exists():
                path.write_bytes(content)

    # What stands in for the functions of `os` and `io`

    def _os_open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        mine = self._mine(path) if dir_fd is None else None
        if mine is None:
            return _os_open(path, flags, mode, dir_fd=dir_fd)
        new = not mine.exists()
        if ((flags & os.O_CREAT and new) or (flags & os.O_TRUNC and not new)) and (
            new or not flags & os.O_EXCL
        ):
            self.step(f"create {mine.name}" if new else f"empty {mine.name}")
            self._touch(mine)
        fd = _os_open(path, flags, mode)
        self._files[fd] = mine
        return fd

    def _io_open(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None,
        errors: str | None = None, newline: str | None = None, closefd: bool = True,
        opener: Callable[[Any, int], int] | None = None,
    ) -> Any:  # fmt: skip
        mine = self._mine(file)
        if mine is None or not set(mode) & set("wax+"):
            return _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        plus = "+" in mode
        flags = os.O_RDWR if plus else os.O_WRONLY
        flags |= {
            "w": os.O_CREAT | os.O_TRUNC,
            "a": os.O_CREAT | os.O_APPEND,
            "x": os.O_CREAT | os.O_EXCL,
        }.get(next(letter for letter in mode if letter in "rwax"), 0)
        if isinstance(file, int):
            fd = file
        else:
            fd = opener(file, flags) if opener else self._os_open(file, flags, 0o666)
        raw = _Raw(self, fd, str(mine), plus, True)
        if buffering == 0:
            return raw
        buffered: Any = io.BufferedRandom(raw) if plus else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding or "utf-8", errors, newline)

    def _os_write(self, fd: int, data: Any) -> int:
        return self.write(fd, bytes(data)) if fd in self._files else _write(fd, data)

    def _os_close(self, fd: int) -> None:
        self.close(fd)

    def _os_fsync(self, file: Any) -> None:
        fd = file if isinstance(file, int) else file.fileno()
        path = self._files.get(fd)
        if path:
            self.step(f"fsync {path.name}")
            self._synced.pop(path, None)
        with contextlib.suppress(OSError):  # a folder, where the system does not let one sync it
            _fsync(fd)

    def _os_replace(self, source: Any, target: Any, **folders: Any) -> None:
        old, new = self._mine(source), self._mine(target)
        if old is None or new is None:
            return _replace(source, target, **folders)
        if not old.exists():
            raise FileNotFoundError(2, "No such file or directory", str(source))
        self.step(f"rename {old.name} to {new.name}")
        _replace(source, target)
        self._synced.pop(new, None)
        if old in self._synced:
            self._synced[new] = self._synced.pop(old)
        for fd, path in self._files.items():
            if path == old:
                self._files[fd] = new
        return None

    def _os_remove(self, path: Any, **folder: Any) -> None:
        mine = self._mine(path)
        if mine is not None and mine.exists():
            self.step(f"remove {mine.name}")
            self._synced.pop(mine, None)
        _remove(path, **folder)

    def _os_ftruncate(self, fd: int, size: int) -> None:
        if fd in self._files:
            self.truncate(fd, size)
        else:
            _ftruncate(fd, size)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Put the stand-ins in place."""
        changes = [
            (builtins, "open", self._io_open), (io, "open", self._io_open), (os, "open", self._os_open),
            (os, "write", self._os_write), (os, "close", self._os_close), (os, "fsync", self._os_fsync),
            (os, "fdatasync", self._os_fsync), (os, "replace", self._os_replace),
            (os, "rename", self._os_replace), (os, "remove", self._os_remove),
            (os, "unlink", self._os_remove), (os, "ftruncate", self._os_ftruncate),
            (shutil, "_USE_CP_SENDFILE", False), (shutil, "_USE_CP_COPY_FILE_RANGE", False),
            # In a notebook, cells get an `open` of IPython's, which keeps the function of `io` under this name.
            (sys.modules.get("IPython.core.interactiveshell"), "io_open", self._io_open),
        ]  # fmt: skip
        before = [(where, name, getattr(where, name)) for where, name, _ in changes if hasattr(where, name)]
        try:
            for where, name, new in changes:
                if hasattr(where, name):
                    setattr(where, name, new)
            yield
        finally:
            for where, name, old in before:
                setattr(where, name, old)
            for fd in list(self._files):
                with contextlib.suppress(OSError):
                    _close(fd)
            self._files.clear()
