"""Lines of text files as a column, without copying files that are not compressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import MAX_BYTES
from torch_stringops._names import named
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.data.columns.small_files import SmallFiles
from torch_stringops.data.columns.watched_files import watch
from torch_stringops.data.files.copies import LocalCopies, local_copies
from torch_stringops.data.files.local import (
    DAMAGED,
    Identity,
    MappedFile,
    Paths,
    check_no_archive,
    compression,
    map_again,
    open_compressed,
    read_stream,
    tensor_of,
)
from torch_stringops.string_tensor import StringTensor

# A chunk ends with the first line end after this many bytes: of a mapped file, and of a decompressed one.
MAPPED_BYTES = 2**30
STREAM_BYTES = 2**28

# Smaller files are not mapped, but copied.
_SMALL_FILE = 2**20

_OP = "read_lines"


@named
def read_lines(
    paths: Paths,
    *,
    storage_options: Mapping[str, object] | None = None,
) -> StringColumn:
    r"""Reads the lines of text files as one column.

    Lines end in LF, CR LF or CR, like those of a file that Python opens as text; the last line end of a file is
    optional. The line ends are not part of the strings.

    Files are memory-mapped, not copied: the column holds 8 bytes for each line, and the operating system
    reads pages of the files when they are needed and may drop them again. Processes share these pages: forked
    workers of DataLoader share the maps, other processes map the files again. Files compressed by gzip,
    bzip2, xz, zstd or lz4 are decompressed into memory (zstd and lz4 need pyarrow). They are recognized by
    their first bytes, whatever their suffix. Pipes, devices, files without a size, such as those of /proc, and remote
    files are read, and kept as small files are.

    Files of less than 1 MiB are copied: up to 64 MB of them into memory, and further ones to a temporary file in the
    folder of `tempfile` (`$TMPDIR`), which is mapped in their place, and removed with the column. So are larger files
    if the process has mapped very many (a quarter of its limit of descriptors).

    A mapped file must not be changed while the column is in use; another file may replace it at its path. If it has
    been truncated, using its strings raises OSError. (The size is checked before the strings of a batch are read. A
    file that shrinks during the read, or while a slice that shares its memory is in use, ends the process.)

    Args:
        paths: a path, a glob such as `"corpus/**/*.txt"`, whose matches are sorted, a URL, such as
            `"s3://bucket/part-*.txt"`, or a list of these; `"-"` is standard input. Remote files need fsspec, and what
            it needs for their protocol.
        storage_options: options of fsspec for URLs, such as credentials.

    Raises:
        OSError: a file cannot be read.
        ValueError: a compressed file is truncated or damaged; a file is a tar or zip archive; or a line exceeds
            2**31 - 1 bytes. The message gives the file and the line.

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
    with local_copies(_OP, paths, storage_options) as files:
        return _read(files)


def _read(files: LocalCopies) -> StringColumn:
    mapped: list[MappedFile] = []
    parts: list[Any] = []
    small = SmallFiles(_OP, parts)
    for path in files:
        content = read_stream(path)
        if compression(path, content):
            small.flush()
            parts += stream_lines(path, content)
            continue
        file = None
        if content is not None:
            data = tensor_of(np.frombuffer(content, dtype=np.uint8))
        elif files.is_copy(path) or path.stat().st_size < _SMALL_FILE or MappedFile.are_many():
            data = tensor_of(np.frombuffer(path.read_bytes(), dtype=np.uint8))
        else:
            file = MappedFile(_OP, path)
            data = file.tensor
            small.flush()
            mapped.append(file)
        _check_no_archive(data, path)
        for begin, end, offsets in _mapped(data, path):
            if file is None:
                small.add(data[begin:end], offsets)
            else:
                parts.append((len(mapped) - 1, begin, end, offsets))
    small.flush()
    column = _column(mapped + small.mapped(), parts)
    column._temporary = small.file
    return column


def open_parts(files: list[Identity], parts: list[Any]) -> StringColumn:
    """A column of chunks and of ranges (file, begin, end, offsets) of mapped files. It pickles as those."""
    return _column([map_again(_OP, file) for file in files], parts)


def _column(mapped: list[MappedFile], parts: list[Any]) -> StringColumn:
    chunks = []
    for part in parts:
        if isinstance(part, StringTensor):
            chunks.append(part)
            continue
        file = mapped[part[0]]
        chunks.append(StringTensor(file.tensor[part[1] : part[2]], part[3]))
        watch(chunks[-1:], file)
    column = StringColumn._of_ranges(chunks)
    column._origin = (open_parts, ([file.identity for file in mapped], parts))
    return column


def _too_long(path: Path, lines: int) -> ValueError:
    return ValueError(f"{_OP}: {path}, line {lines + 1}: expected lines of at most 2**31 - 1 bytes")


def find_lines(data: Tensor, is_last: bool, limit: int) -> tuple[Tensor, int]:
    """The begins and ends of lines, int32 `[n, 2]`, up to the first that begins at `limit`, and where that one begins.

    A line without a line end is one if the text `is_last`. Lines of less than 8 bytes on average end before `limit`.
    """
    # Pages of memory that are not written do not exist.
    room = np.empty([min(limit, data.numel()) // 8 + 16, 2], dtype=np.int32)
    count, end = _convert.line_ranges(data.data_ptr(), data.numel(), is_last, limit, room.ctypes.data, room.size)
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


def _check_no_archive(data: Tensor, path: Path) -> None:
    with _errors_of(path):
        check_no_archive(data[:512].numpy().tobytes())


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Adds the file to ValueErrors."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{_OP}: {path}: {error}") from None


def stream_lines(path: Path, content: bytes | None = None, window_bytes: int | None = None) -> Iterator[StringTensor]:
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
