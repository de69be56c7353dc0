"""Columns in Arrow IPC files, which open by memory mapping."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops._names import named
from torch_stringops.data.column import StringColumn
from torch_stringops.data.files import Paths, check_identity, expand, identity, pyarrow_module, tensor_of
from torch_stringops.string_tensor import StringTensor


@named
def save(column: Any, path: str | PathLike[str], *, name: str = "text") -> None:
    """Writes a column to an Arrow IPC file, also called Feather file, for `load`. Needs pyarrow.

    Its type is `utf8`, or `binary` if a string is not valid UTF-8. Each record batch holds about 64 MB. The file is
    complete or not there: it is written under another name, and renamed.

    Args:
        column: a StringColumn, or one chunk in any form that `StringColumn` accepts.
        path: path of the file.
        name: the name of the column in the file.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(StringColumn([["to", "be"], ["or", "not"]]), folder + "/words.arrow")
        ...     load(folder + "/words.arrow")[[0, 3]].tolist()
        ['to', 'not']
    """
    pa = pyarrow_module("save")
    if not isinstance(column, StringColumn):
        column = StringColumn([column])
    is_text = all(bool(strings.is_utf8().all()) for strings in column)
    schema = pa.schema([(name, pa.utf8() if is_text else pa.binary())])
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with pa.OSFile(str(partial), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            for strings in column:
                writer.write_batch(pa.record_batch([pa.array(strings, schema[0].type)], schema=schema))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@named
def load(paths: Paths, *, column: str | None = None) -> StringColumn:
    """Opens columns of Arrow IPC files, of any size, by memory mapping: milliseconds. Needs pyarrow.

    The strings are read from the files when they are used. Processes share their pages: forked workers of DataLoader
    directly, others map the files again. A file must not be changed while the column is in use. Offsets are checked
    when strings are used, not before.

    Args:
        paths: a path, a glob or a list of these, of files written by `save` or by others. The column must not be
            compressed; its type is `utf8` or `binary`, without missing values (`read_arrow` accepts all files).
        column: the name of the column. Default: the only one.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is truncated or not an Arrow file; the column is not as above.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(["to", "be"], folder + "/a.arrow")
        ...     save(["or"], folder + "/b.arrow")
        ...     load(folder + "/*.arrow")
        StringColumn(3 strings in 2 chunks)
    """
    return _open([identity(path) for path in expand("load", paths)], column)


def _open(files: list[tuple[str, int, int]], name: str | None) -> StringColumn:
    chunks: list[StringTensor] = []
    for file in files:
        chunks += _chunks(check_identity("load", file), name)
    column = StringColumn(chunks)
    column._origin = (_open, (files, name))
    return column


def _chunks(path: Path, name: str | None) -> list[StringTensor]:
    pa = pyarrow_module("load")
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        names = reader.schema.names
        if name is None and len(names) != 1:
            raise ValueError(f"expected one column, got {len(names)} (pass column=)")
        if name is not None and name not in names:
            raise ValueError(f"expected a column {name!r}")
        at = 0 if name is None else names.index(name)
        kind = reader.schema.field(at).type
        if kind not in (pa.utf8(), pa.binary()):
            raise ValueError(f"expected a column of utf8 or binary, got {kind} (use read_arrow)")
        batches = [reader.get_batch(i).column(at) for i in range(reader.num_record_batches)]
        return [_strings(batch) for batch in batches]
    except (pa.ArrowException, ValueError) as error:
        raise ValueError(f"load: {path}: {error}") from None


def _strings(array: Any) -> StringTensor:
    """The strings of an Arrow array, whose offsets are not read."""
    if array.null_count:
        raise ValueError("expected no missing strings (use read_arrow with missing=)")
    if len(array) == 0:
        return StringTensor.from_list([])
    _, offsets, data = array.buffers()
    positions = np.frombuffer(offsets, dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    if len(positions) != len(array) + 1:
        raise ValueError("expected offsets for every string")
    raw = np.frombuffer(data if data is not None else b"", dtype=np.uint8)
    return StringTensor(tensor_of(raw), tensor_of(positions))
