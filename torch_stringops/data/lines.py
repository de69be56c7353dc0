"""Lines of text files as a column, without copying files that are not compressed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import MAX_BYTES
from torch_stringops._names import named
from torch_stringops.data.column import StringColumn
from torch_stringops.data.files import (
    DAMAGED,
    Paths,
    check_identity,
    check_no_archive,
    compression,
    expand,
    identity,
    map_file,
    open_compressed,
    read_stream,
    tensor_of,
    with_progress,
)
from torch_stringops.string_tensor import StringTensor

# A chunk ends with the first line end after this many bytes: of a mapped file, and of a decompressed one.
MAPPED_BYTES = 2**30
STREAM_BYTES = 2**28

# Smaller files are copied, so that a column of many files has few chunks.
_SMALL_FILE = 2**20
_SMALL_FILES = 2**26

_OP = "read_lines"


@named
def read_lines(paths: Paths, *, check_utf8: bool = False, progress: bool = False) -> StringColumn:
    r"""Reads the lines of text files as one column.

    Lines end in LF, CR LF or CR, like those of a file that Python opens as text; the last line end of a file is
    optional. The line ends are not part of the strings.

    Files are mapped into memory, and not copied: the column holds 8 bytes for each line, and the kernel reads pages of
    the files when they are needed and may drop them again. Processes share them: forked workers of DataLoader directly,
    others map the files again. A file must not be changed while the column is in use. Files compressed by gzip, bzip2,
    xz, zstd or lz4 are decompressed into memory (zstd and lz4 need pyarrow). They are recognized by their first bytes,
    whatever their suffix. Pipes, devices and files without a size, such as those of /proc, are read into memory.

    Args:
        paths: a path, a glob such as `"corpus/**/*.txt"`, whose matches are sorted, or a list of these; `"-"` is
            standard input.
        check_utf8: raise ValueError if a line is not valid UTF-8. By default, lines may hold any bytes.
        progress: show progress on standard error.

    Raises:
        OSError: a file cannot be read.
        ValueError: a compressed file is truncated or damaged; a file is a tar or zip archive; a line exceeds 2**31 - 1
            bytes; or, with `check_utf8`, a line is not UTF-8. The message gives the file and the line.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name, text in [("a.txt", "to be\r\nor not"), ("b.txt", "to be\n")]:
        ...         _ = (Path(folder) / name).write_text(text)
        ...     column = read_lines(folder + "/*.txt")
        ...     column[:].tolist()
        ['to be', 'or not', 'to be']
    """
    files: list[Any] = []  # identities of the mapped files
    parts: list[Any] = []
    small: list[StringTensor] = []
    size = 0

    def add_small() -> None:
        nonlocal small, size
        if small:
            parts.append(torch.cat([s.reshape(-1) for s in small]))  # type: ignore[misc]
        small, size = [], 0

    for path in with_progress(_OP, expand(_OP, paths), progress):
        lines = 0
        content = read_stream(path)
        if compression(path, content):
            add_small()
            for chunk in stream_lines(path, content):
                lines = _check(chunk, path, lines, check_utf8)
                parts.append(chunk)
            continue
        data = map_file(path) if content is None else tensor_of(np.frombuffer(content, dtype=np.uint8))
        with _errors_of(path):
            check_no_archive(data[:512].numpy().tobytes())
        is_mapped = content is None and data.numel() >= _SMALL_FILE
        if is_mapped:
            add_small()
            files.append(identity(path))
        for begin, end, offsets in _mapped(data, path):
            chunk = StringTensor(data[begin:end], offsets)
            lines = _check(chunk, path, lines, check_utf8)
            if is_mapped:
                parts.append((len(files) - 1, begin, end, offsets))
            elif data.numel() >= _SMALL_FILE:
                add_small()
                parts.append(chunk)
            else:
                small.append(chunk)
                size += data.numel()
        if size >= _SMALL_FILES or len(small) >= _SMALL_FILES >> 16:
            add_small()
    add_small()
    return open_parts(files, parts)


def open_parts(files: list[tuple[str, int, int]], parts: list[Any]) -> StringColumn:
    """A column of chunks in memory and of ranges (file, begin, end, offsets) of mapped files. It pickles as those."""
    mapped = [map_file(check_identity(_OP, file)) for file in files]
    chunks = [
        part if isinstance(part, StringTensor) else StringTensor(mapped[part[0]][part[1] : part[2]], part[3])
        for part in parts
    ]
    column = StringColumn._of_ranges(chunks)
    column._origin = (open_parts, (files, parts))
    return column


def _check(chunk: StringTensor, path: Path, lines: int, check_utf8: bool) -> int:
    """The number of lines including those of `chunk`, of `[n, 1]` strings."""
    if check_utf8:
        valid = chunk.is_utf8()
        if not bool(valid.all()):
            bad = lines + int((~valid).flatten().nonzero()[0]) + 1
            raise ValueError(f"{_OP}: {path}, line {bad}: expected UTF-8")
    return lines + len(chunk)


def _too_long(path: Path, lines: int) -> ValueError:
    return ValueError(f"{_OP}: {path}, line {lines + 1}: expected lines of at most 2**31 - 1 bytes")


def find_lines(data: Tensor, is_last: bool, limit: int, rows: int = 0) -> tuple[Tensor, int]:
    """The begins and ends of lines, int32 `[n, 2]`, up to the first that begins at `limit`, and where that one begins.

    A line without a line end is one if the text `is_last`. Lines of less than 8 bytes on average end before `limit`,
    unless `rows` says how many there are.
    """
    # Pages of memory that are not written do not exist. For shorter lines, the chunk ends before the limit.
    room = np.empty([max(rows, min(limit, data.numel()) // 8) + 16, 2], dtype=np.int32)
    count, end = _convert.line_ranges(
        data.data_ptr(), data.numel(), is_last, limit, room.ctypes.data, room.size
    )
    room.resize([count, 2], refcheck=False)  # returns the rest
    return torch.from_numpy(room), end


def _mapped(data: Tensor, path: Path) -> Iterator[tuple[int, int, Tensor]]:
    """Ranges of a file with their lines: begin, end and offsets `[n, 2]`."""
    begin = lines = 0
    while begin < data.numel():
        view = data[begin : begin + MAX_BYTES]
        offsets, size = find_lines(view, begin + view.numel() == data.numel(), MAPPED_BYTES)
        if size == 0:
            raise _too_long(path, lines)
        yield begin, begin + size, offsets
        begin, lines = begin + size, lines + len(offsets)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Adds the file to ValueErrors."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{_OP}: {path}: {error}") from None


def stream_lines(
    path: Path, content: bytes | None = None, window_bytes: int | None = None
) -> Iterator[StringTensor]:
    """Lines `[n, 1]` of a compressed file, in windows that are decompressed one by one."""
    lines = 0
    rest, size = np.empty(0, dtype=np.uint8), window_bytes or STREAM_BYTES
    with _opened(path, content) as file:
        while True:
            buffer = np.empty(max(size, 2 * len(rest)), dtype=np.uint8)
            buffer[: len(rest)] = rest
            filled, is_last = _fill(file, buffer, len(rest), path, lines)
            if filled == 0:
                return
            buffer.resize(filled, refcheck=False)
            data = torch.from_numpy(buffer)
            begin = 0
            while begin < filled:  # more than once if lines are short
                offsets, end = find_lines(data[begin : begin + MAX_BYTES], is_last, MAPPED_BYTES)
                if end == 0:
                    break
                yield StringTensor(data[begin : begin + end], offsets)
                begin, lines = begin + end, lines + len(offsets)
            rest = buffer[begin:]
            if is_last:
                return
            if len(rest) > MAX_BYTES // 2:
                raise _too_long(path, lines)


def _opened(path: Path, content: bytes | None) -> IO[bytes]:
    try:
        with _errors_of(path):
            return open_compressed(path, content)
    except DAMAGED as error:
        if getattr(error, "errno", None) or str(error).startswith(_OP):
            raise
        raise _damaged(path, 0, error) from None


def _damaged(path: Path, lines: int, error: Exception) -> ValueError:
    return ValueError(f"{_OP}: {path}, after line {lines}: the compressed data is damaged: {error}")


def _fill(file: Any, buffer: np.ndarray[Any, Any], at: int, path: Path, lines: int) -> tuple[int, bool]:
    """Reads until the buffer is full or the file ends; returns the bytes in the buffer and whether the file ended."""
    view = memoryview(buffer.data)
    try:
        while at < len(buffer):
            count = file.readinto(view[at:])
            if not count:
                return at, True
            at += count
    except DAMAGED as error:
        lines += find_lines(torch.from_numpy(buffer[:at]), False, MAX_BYTES)[0].shape[0]
        raise _damaged(path, lines, error) from None
    finally:
        view.release()
    return at, False
