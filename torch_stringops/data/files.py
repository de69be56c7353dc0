"""Files: paths and globs, memory mapping, decompression, and progress."""

from __future__ import annotations

import bz2
import glob
import gzip
import lzma
import mmap
import os
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

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


def map_file(path: Path) -> Tensor:
    """The bytes of a file, uint8 `[size]`, mapped into memory. They must not be written, nor the file be truncated."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return torch.empty(0, dtype=torch.uint8, device="cpu")
        # Not a private writable mapping, for which the kernel would reserve memory.
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return tensor_of(np.frombuffer(mapped, dtype=np.uint8))


def tensor_of(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor that shares the memory of an array, which may be read-only."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not writable")
        return torch.from_numpy(array)


def identity(path: Path) -> tuple[str, int, int]:
    """The path of a file with its size and time, by which another process can check that it opens the same file."""
    found = path.stat()
    return str(path.resolve()), found.st_size, found.st_mtime_ns


def check_identity(op: str, wanted: tuple[str, int, int]) -> Path:
    """The path of the file; raises OSError if it has changed."""
    path = Path(wanted[0])
    if identity(path) != wanted:
        raise OSError(f"{op}: {path} has changed since it was opened")
    return path


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
