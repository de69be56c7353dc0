"""Files: paths and globs, memory mapping, decompression, and progress."""

from __future__ import annotations

import bz2
import glob
import gzip
import lzma
import mmap
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from weakref import WeakSet

import numpy as np
import torch
from torch import Tensor

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
T = TypeVar("T")


def expand(op: str, paths: Paths) -> list[Path]:
    """The files for a path, a glob (`**` for folders of any depth) or a list of these; matches of a glob are sorted."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    files: list[Path] = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"{op}: expected paths of files, got {type(path).__name__}")
        text = os.fspath(path)
        if os.path.exists(text) or not glob.has_magic(text):
            files.append(Path(text))
            continue
        found = sorted(match for match in glob.glob(text, recursive=True) if os.path.isfile(match))
        if not found:
            raise FileNotFoundError(f"{op}: no file matches {text}")
        files += map(Path, found)
    if not files:
        raise ValueError(f"{op}: expected at least one path")
    return files


Identity = tuple[str, int, int]


class MappedFile:
    """A file that is mapped into memory, whose size is checked before its pages are read.

    Reading a page after the end of a file that has shrunk ends the process (SIGBUS). `check` raises an error
    instead; only a file that shrinks between `check` and the read is still fatal. The map keeps a descriptor, so that
    the size is that of the mapped file, also after another file has replaced it at its path.

    Attributes:
        tensor: the bytes, uint8 `[size]`, which must not be written. It keeps the map alive, but not this object.
        path: the path that was opened.
        size: the number of bytes.
        size_now: a function that returns the present size of the file.
        identity: the absolute path, the size and the time of the file that was opened, as in `check_identity`.
    """

    __slots__ = ("__weakref__", "identity", "op", "path", "size", "size_now", "tensor")

    def __init__(self, op: str, path: Path) -> None:
        self.op, self.path = op, path
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            self.size = found.st_size
            self.identity: Identity = (_absolute(path), found.st_size, found.st_mtime_ns)
            # Not a private writable mapping, for which the kernel would reserve memory.
            mapped = mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ) if self.size else None
        self.size_now: Callable[[], int] = int if mapped is None else mapped.size
        self.tensor = tensor_of(np.frombuffer(b"" if mapped is None else mapped, dtype=np.uint8))
        _mapped_files.add(self)

    def check(self) -> None:
        """Raises OSError if the file has shrunk, in about half a microsecond."""
        if self.size_now() < self.size:
            raise OSError(
                f"{self.op}: {self.path}: expected {self.size} bytes as when the file was mapped, "
                f"got {self.size_now()}: it was truncated while in use"
            )

    @staticmethod
    def are_many() -> bool:
        """Whether another file should not be mapped, since descriptors and maps of a process are limited."""
        return len(_mapped_files) >= min(resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4, _MAX_MAPPED)


class ReadFile(NamedTuple):
    """A file that was read into memory, with attributes as those of MappedFile."""

    tensor: Tensor
    identity: Identity


def read_file(op: str, path: Path) -> ReadFile:
    """Reads a file. Raises OSError if its size changes in the meantime."""
    with open(path, "rb") as file:
        found = os.fstat(file.fileno())
        raw = file.read()
    if len(raw) != found.st_size:
        raise OSError(f"{op}: {path} has changed while it was read")
    return ReadFile(
        tensor_of(np.frombuffer(raw, dtype=np.uint8)), (_absolute(path), found.st_size, found.st_mtime_ns)
    )


_mapped_files: WeakSet[MappedFile] = WeakSet()
# A fourth of the maps that the kernel allows a process by default (vm.max_map_count).
_MAX_MAPPED = 2**14


def tensor_of(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor that shares the memory of an array, which may be read-only."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not writable")
        return torch.from_numpy(array)


def identity(path: Path) -> Identity:
    """The path of a file with its size and time, by which another process can check that it opens the same file."""
    found = path.stat()
    return _absolute(path), found.st_size, found.st_mtime_ns


def _absolute(path: Path) -> str:
    # Not `resolve`, which takes longer than reading a small file.
    return os.path.join(os.getcwd(), path)


def check_identity(op: str, wanted: Identity) -> Path:
    """The path of the file; raises OSError if it has changed."""
    path = Path(wanted[0])
    if identity(path) != wanted:
        raise OSError(f"{op}: {path} has changed since it was opened")
    return path


def map_again(op: str, wanted: Identity) -> MappedFile:
    """Maps the file of an identity; raises OSError if it has changed."""
    mapped = MappedFile(op, Path(wanted[0]))
    if mapped.identity != wanted:
        raise OSError(f"{op}: {mapped.path} has changed since it was opened")
    return mapped


OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
ZSTD = (".zst", ".zstd")


def is_compressed(path: Path) -> bool:
    return path.suffix in OPENERS or path.suffix in ZSTD


def open_compressed(path: Path) -> Any:
    """A file of decompressed bytes."""
    if path.suffix in ZSTD:
        return pyarrow_module("reading zstd").input_stream(str(path), compression="zstd", buffer_size=2**20)
    return OPENERS[path.suffix](path, "rb")


def pyarrow_module(what: str, name: str = "pyarrow") -> Any:
    """pyarrow, or a module of it, for a function that needs it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"torch_stringops.data: {what} needs pyarrow (pip install pyarrow)") from None


def with_progress(op: str, files: list[Path], show: bool) -> Iterator[Path]:
    """The files in order. With `show`, a line on standard error tells how many have been read, and how fast."""
    start, done = time.perf_counter(), 0
    for number, path in enumerate(files, 1):
        yield path
        if show:
            done += path.stat().st_size
            rate = done / 1e6 / max(time.perf_counter() - start, 1e-9)
            text = f"{op}: {number:,} of {len(files):,} files, {done / 1e6:,.0f} MB, {rate:,.0f} MB/s"
            end = "\n" if number == len(files) else ""
            print(f"\r{text}", end=end, file=sys.stderr, flush=True)
