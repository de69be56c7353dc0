"""Files: paths and globs, memory mapping, pipes, and decompression."""

from __future__ import annotations

import bz2
import errno
import glob
import gzip
import io
import lzma
import mmap
import os
import re
import resource
import stat
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar, cast
from weakref import WeakSet

import numpy as np
import torch
from torch import Tensor

from torch_stringops.data.files.arrow import pa
from torch_stringops.data.files.urls import is_url, public_name

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
T = TypeVar("T")

# The path "-".
STDIN = Path("/dev/stdin")


def expand(op: str, paths: Paths) -> list[Path]:
    """The files for a path, a glob (`**` for folders of any depth) or a list of these; matches of a glob are sorted.

    "-" is standard input, and "./-" a file of that name. Globs match files and pipes, not folders.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    files: list[Path] = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"{op}: expected paths of files, got {type(path).__name__}")
        text = os.fspath(path)
        if text == "-":
            files.append(STDIN)
            continue
        if is_url(text) and not os.path.exists(text):
            raise ValueError(
                f"{op}: {public_name(text)}: expected a path of this machine, got a URL (read_lines, read_arrow and "
                "others of that kind, and StreamingDataset, read URLs)"
            )
        if os.path.exists(text) or not glob.has_magic(text):
            files.append(Path(text))
            continue
        matches = glob.glob(text, recursive=True)
        # By the names of folders, as StreamingDataset sorts files.
        found = sorted(Path(match) for match in matches if not os.path.isdir(match))
        if not found:
            raise FileNotFoundError(f"{op}: no file matches {text}")
        files += found
    if not files:
        raise ValueError(f"{op}: expected at least one path")
    return files


def is_stream(path: Path) -> bool:
    """Whether the bytes of a path can only be read in order: pipes, devices, and files without a size, as in /proc."""
    if str(path).startswith((str(STDIN), "/dev/fd/", "/proc/")):
        return True
    found = path.stat()
    return not (stat.S_ISREG(found.st_mode) and found.st_size) and not stat.S_ISDIR(found.st_mode)


def read_stream(path: Path) -> bytes | None:
    """The bytes of a pipe, a device or a file without a size; None for other files, which are not read.

    A pipe can be read once.
    """
    if not is_stream(path):
        return None
    if path == STDIN and (buffer := getattr(sys.stdin, "buffer", None)) is not None:
        return bytes(buffer.read())
    return path.read_bytes()


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
        identity: the absolute path, the size and the time of the file that was opened, for `map_again`.
    """

    __slots__ = ("__weakref__", "identity", "op", "path", "size", "size_now", "tensor")

    def __init__(self, op: str, path: Path) -> None:
        self.op, self.path = op, path
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            self.size = found.st_size
            self.identity: Identity = (_absolute(path), found.st_size, found.st_mtime_ns)
            # This is not a private writable mapping, for which the kernel would reserve memory.
            mapped: Any = b""
            self.size_now: Callable[[], int] = int
            if self.size:
                try:
                    mapped = mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ)
                    self.size_now = mapped.size
                except OSError as error:
                    if error.errno != errno.ENODEV:
                        raise
                    mapped = file.read()  # the file system has no mappings
                    self.size = 0
        self.tensor = tensor_of(np.frombuffer(mapped, dtype=np.uint8))
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


_mapped_files: WeakSet[MappedFile] = WeakSet()
# A fourth of the maps that the kernel allows a process by default (vm.max_map_count).
_MAX_MAPPED = 2**14


def tensor_of(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor that shares the memory of an array, which may be read-only."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not writable")
        return torch.from_numpy(array)


def _absolute(path: Path) -> str:
    # `resolve` would take longer than reading a small file.
    return os.path.join(os.getcwd(), path)


def map_again(op: str, wanted: Identity) -> MappedFile:
    """Maps the file of an identity; raises OSError if it has changed."""
    mapped = MappedFile(op, Path(wanted[0]))
    if mapped.identity != wanted:
        raise OSError(f"{op}: {mapped.path} has changed since it was opened")
    return mapped


# How the bytes of a compressed file begin. Those of bzip2 are followed by a block or by the end of the data.
_MAGIC = {
    "gzip": rb"\x1f\x8b\x08",
    "bz2": rb"BZh[1-9](?:\x31\x41\x59\x26\x53\x59|\x17\x72\x45\x38\x50\x90)",
    "xz": rb"\xfd7zXZ\x00",
    "zstd": rb"\x28\xb5\x2f\xfd",
    "lz4": rb"\x04\x22\x4d\x18",
}
_SUFFIXES = {
    **dict.fromkeys((".gz", ".gzip", ".tgz"), "gzip"),
    **dict.fromkeys((".bz2", ".tbz2"), "bz2"),
    **dict.fromkeys((".xz", ".txz"), "xz"),
    **dict.fromkeys((".zst", ".zstd"), "zstd"),
    ".lz4": "lz4",
}
# A tar archive, by the bytes of its first header, and a zip archive.
_TAR_AT, _TAR = 257, (b"ustar\x0000", b"ustar  \0")
_HEAD = _TAR_AT + 8


# The exceptions of decompression.
DAMAGED = (EOFError, OSError, ValueError, lzma.LZMAError, zlib.error)


@contextmanager
def errors_of(op: str, path: Path) -> Iterator[None]:
    """Adds the operator and the file to errors of its content that do not name them, which become ValueErrors."""
    try:
        yield
    except _content_errors() as error:
        if str(error).startswith(f"{op}: ") or getattr(error, "errno", None):
            raise
        text = _without_values(error).removeprefix(f"{path}: ")
        if not isinstance(error, ValueError) and is_compressed(path):
            text = f"the compressed data is damaged: {text}"
        raise ValueError(f"{op}: {path}: {text}") from None


def _content_errors() -> tuple[type[Exception], ...]:
    arrow = (sys.modules["pyarrow"].ArrowException,) if "pyarrow" in sys.modules else ()
    return KeyError, *DAMAGED, *arrow


def _without_values(error: Exception) -> str:
    """The text of an error of a damaged file, without the values of the file."""
    if isinstance(error, UnicodeError):
        return "expected names of columns in UTF-8"
    if type(error) is ValueError:
        return str(error)
    return re.sub(r"(invalid value|got \d+|invalid UTF8 data)(.|\n)*", r"\1", str(error).split("\n")[0])


def compression(path: Path, content: bytes | None = None) -> str | None:
    """The compression by the first bytes, whatever the suffix, of a file or of `content`.

    A file that does not begin as its suffix says is damaged, and has the compression of the suffix.
    """
    head = content[:_HEAD] if content is not None else b"" if is_stream(path) else _first_bytes(path)
    found = (kind for kind, magic in _MAGIC.items() if re.match(magic, head))
    return next(found, _SUFFIXES.get(path.suffix.lower()))


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its first bytes; of a pipe, which is not read, by its suffix."""
    return compression(path) is not None


def open_compressed(path: Path, content: bytes | None = None) -> IO[bytes]:
    """A file of the decompressed bytes of a file or of `content`.

    Raises:
        ValueError: the file does not begin as its suffix says, or its content is an archive.
    """
    kind = compression(path, content) or ""
    head = _first_bytes(path) if content is None else content[:_HEAD]
    if not re.match(_MAGIC[kind], head):
        what = "other bytes" if head else "an empty file"
        raise ValueError(f"expected {kind} data, as the suffix says, got {what}: it is truncated or damaged")
    with _decompressed(kind, path, content) as file:
        check_no_archive(file.read(_HEAD))
    return _decompressed(kind, path, content)


def _decompressed(kind: str, path: Path, content: bytes | None) -> IO[bytes]:
    if kind in ("zstd", "lz4"):
        source = pa.OSFile(os.fsencode(path)) if content is None else pa.BufferReader(content)
        file: IO[bytes] = pa.input_stream(source, compression=kind, buffer_size=2**20)
        return file
    raw: Any = path if content is None else io.BytesIO(content)
    openers: dict[str, Any] = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    return cast("IO[bytes]", openers[kind](raw, "rb"))


def _first_bytes(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(_HEAD)


def check_no_archive(head: bytes) -> None:
    """Raises ValueError if the first bytes of a file, of at least 265, are those of an archive."""
    kind = "tar" if head[_TAR_AT:_HEAD] in _TAR else "zip" if head.startswith(b"PK\3\4") else None
    if kind:
        raise ValueError(f"expected a file, got a {kind} archive of files (extract it first)")


def without_compression(path: Path) -> Path:
    """The path without a suffix of compression: a.csv for a.csv.gz."""
    return path.with_suffix("") if path.suffix.lower() in _SUFFIXES else path
