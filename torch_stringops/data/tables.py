"""Columns of tables, by pyarrow's readers: CSV, JSON lines, Parquet and Arrow files."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torch_stringops._names import named
from torch_stringops.data.column import PIECE_BYTES, StringColumn
from torch_stringops.data.files import (
    Paths,
    expand,
    is_compressed,
    open_compressed,
    pyarrow_module,
    tensor_of,
    with_progress,
)
from torch_stringops.string_tensor import StringTensor

Columns = str | Sequence[str] | None
Batches = Iterator[Any]  # of pyarrow's record batches

_BLOCK_BYTES = 2**24
_BATCH_ROWS = 2**16


@named
def read_csv(
    paths: Paths,
    *,
    columns: Columns = None,
    text: Sequence[str] = (),
    delimiter: str = ",",
    missing: str | bytes | None = None,
    check_utf8: bool = False,
    progress: bool = False,
) -> Any:
    """Reads columns of CSV files, by pyarrow, which infers their types. The first row has the names.

    Args:
        paths: a path, a glob or a list of these; files that end in `.gz`, `.bz2` or `.zst` are decompressed.
        columns: the names of the columns to read. Default: all. A single `str` gives that column instead of a dict.
        text: names of columns that are strings even if all of them look like numbers, dates or missing values.
        delimiter: the character between fields.
        missing: replaces missing strings. Default: None, a missing string is an error. An empty field is "".
        check_utf8: raise ValueError if a string is not valid UTF-8.
        progress: show progress on standard error.

    Returns:
        A dict from names to StringColumns `[N]` for strings, and Tensors `[N]` for numbers and bools: the arguments of
        `ColumnDataset`.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is damaged, a row has too few or too many fields, a column has another type than before, or a
            column is neither strings nor numbers. The message gives the file, and the row if it is known, counted from
            1 with the row of the names.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.csv").write_text("text,label\\nto be,1\\nor not,0\\n")
        ...     table = read_csv(folder + "/*.csv")
        >>> table["text"][:].tolist(), table["label"]
        (['to be', 'or not'], tensor([1, 0]))
    """
    csv = pyarrow_module("read_csv", "pyarrow.csv")
    pa = pyarrow_module("read_csv")

    def read(path: Path) -> Batches:
        bad: list[Any] = []

        def reject(row: Any) -> str:
            bad.append(row)
            return "error"

        def open_rows(**options: Any) -> Any:
            return csv.open_csv(
                path,
                read_options=csv.ReadOptions(block_size=_BLOCK_BYTES, **options),
                parse_options=csv.ParseOptions(
                    delimiter=delimiter,
                    newlines_in_values=True,
                    invalid_row_handler=reject,
                ),
                convert_options=csv.ConvertOptions(
                    include_columns=_names(columns), column_types=dict.fromkeys(text, pa.binary())
                ),
            )

        try:
            yield from open_rows()
        except pa.ArrowInvalid:
            bad.clear()
            try:
                for _ in open_rows(use_threads=False):  # which knows the numbers of rows
                    pass
            except pa.ArrowInvalid as error:
                if bad:
                    row = bad[0]
                    at = "" if row.number is None else f"row {row.number}: "
                    raise ValueError(
                        f"{at}expected {row.expected_columns} fields, got {row.actual_columns}"
                    ) from None
                raise ValueError(_without_values(error)) from None
            raise

    return _read("read_csv", paths, columns, missing, check_utf8, progress, read, names_rows=1)


@named
def read_jsonl(
    paths: Paths,
    *,
    columns: Columns = None,
    missing: str | bytes | None = None,
    check_utf8: bool = False,
    progress: bool = False,
) -> Any:
    """Reads columns of files of one JSON object per line, by pyarrow. Arguments, result and errors as `read_csv`.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.jsonl").write_text('{"text": "to be", "n": 1}\\n{"text": "or not", "n": 2}\\n')
        ...     read_jsonl(folder + "/a.jsonl", columns="text")[:].tolist()
        ['to be', 'or not']
    """
    reader = pyarrow_module("read_jsonl", "pyarrow.json")
    pa = pyarrow_module("read_jsonl")

    def read(path: Path) -> Batches:
        options = reader.ReadOptions(block_size=_BLOCK_BYTES)
        if path.stat().st_size == 0:
            return  # no rows, which pyarrow rejects
        try:
            if hasattr(reader, "open_json"):
                yield from reader.open_json(path, read_options=options)
            else:
                yield from reader.read_json(path, read_options=options).to_batches()
        except pa.ArrowInvalid as error:
            with open_compressed(path) if is_compressed(path) else open(path, "rb") as file:
                at = _first_bad_line(io.BufferedReader(file))
            text = "expected a JSON object" if at else _without_values(error)
            raise ValueError(f"line {at}: {text}" if at else text) from None

    return _read("read_jsonl", paths, columns, missing, check_utf8, progress, read)


@named
def read_parquet(
    paths: Paths,
    *,
    columns: Columns = None,
    missing: str | bytes | None = None,
    check_utf8: bool = False,
    progress: bool = False,
) -> Any:
    """Reads columns of Parquet files, by pyarrow. Arguments, result and errors are those of `read_csv`.

    Example:
        >>> import tempfile, pyarrow.parquet
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pyarrow.parquet.write_table(pyarrow.table({"text": ["to be", None]}), folder + "/a.parquet")
        ...     read_parquet(folder + "/a.parquet", missing="?")["text"][:].tolist()
        ['to be', '?']
    """
    parquet = pyarrow_module("read_parquet", "pyarrow.parquet")

    def read(path: Path) -> Batches:
        with parquet.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=_BATCH_ROWS, columns=_names(columns))

    return _read("read_parquet", paths, columns, missing, check_utf8, progress, read)


@named
def read_arrow(
    paths: Paths,
    *,
    columns: Columns = None,
    missing: str | bytes | None = None,
    check_utf8: bool = False,
    progress: bool = False,
) -> Any:
    """Reads columns of Arrow IPC files, also compressed ones, and streams. Arguments, result and errors as `read_csv`.

    `load` opens files without reading them.

    Example:
        >>> import tempfile
        >>> from torch_stringops.data import save
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(["to", "be"], folder + "/a.arrow")
        ...     read_arrow(folder + "/a.arrow", columns="text")
        StringColumn(2 strings in 1 chunks)
    """
    pa = pyarrow_module("read_arrow")

    def read(path: Path) -> Batches:
        source = pa.memory_map(str(path))
        if source.size() >= 6 and source.read(6) == b"ARROW1":
            file = pa.ipc.open_file(source)
            yield from (file.get_batch(i) for i in range(file.num_record_batches))
        else:
            source.seek(0)
            yield from pa.ipc.open_stream(source)

    return _read("read_arrow", paths, columns, missing, check_utf8, progress, read)


def _names(columns: Columns) -> list[str] | None:
    return [columns] if isinstance(columns, str) else None if columns is None else list(columns)


def _without_values(error: Exception) -> str:
    """The text of an error without the values of the file."""
    return re.sub(r"(invalid value|got \d+|invalid UTF8 data)(.|\n)*", r"\1", str(error).split("\n")[0])


def _first_bad_line(file: Iterable[bytes]) -> int | None:
    for number, line in enumerate(file, 1):
        try:
            if line.strip() and not isinstance(json.loads(line.decode(errors="replace")), dict):
                return number
        except ValueError:
            return number
    return None


def _read(
    op: str,
    paths: Paths,
    columns: Columns,
    missing: str | bytes | None,
    check_utf8: bool,
    progress: bool,
    read: Callable[[Path], Batches],
    names_rows: int = 0,
) -> Any:
    arrow_error = pyarrow_module(op).ArrowException
    found: dict[str, list[Any]] = {}
    wanted = _names(columns)
    for path in with_progress(op, expand(op, paths), progress):
        open(path, "rb").close()  # an OSError if it cannot be read
        row = names_rows
        try:
            for batch in read(path):
                names = batch.schema.names
                for name in names if wanted is None else wanted:
                    if name not in names:
                        raise ValueError(f"expected a column {name!r}")
                    _add(found, name, batch.column(names.index(name)), row, missing, check_utf8)
                row += batch.num_rows
            if found and len({sum(map(len, chunks)) for chunks in found.values()}) != 1:
                raise ValueError(f"expected the columns of the files before, {list(found)}")
        except (arrow_error, ValueError, KeyError, OSError) as error:
            if getattr(error, "errno", None):
                raise
            raise ValueError(
                f"{op}: {path}: {error if type(error) is ValueError else _without_values(error)}"
            ) from None
    made = {name: _joined(chunks) for name, chunks in found.items()}
    for name in wanted or ():  # of files without rows
        made.setdefault(name, StringColumn())
    return made[columns] if isinstance(columns, str) else made


def _add(
    found: dict[str, list[Any]],
    name: str,
    array: Any,
    row: int,
    missing: str | bytes | None,
    check_utf8: bool,
) -> None:
    """Appends an Arrow array to the chunks of a column."""
    # Buffers of a damaged file may be shorter than the array needs. Indices of dictionaries are checked one by one.
    array.validate(full=pyarrow_module("reading tables", "pyarrow.types").is_dictionary(array.type))
    chunk = convert_column(array, name, row, missing)
    if check_utf8 and isinstance(chunk, StringTensor) and not bool((valid := chunk.is_utf8()).all()):
        raise ValueError(f"column {name!r}, row {row + int((~valid).nonzero()[0]) + 1}: expected UTF-8")
    chunks = found.setdefault(name, [])
    if not chunks:
        chunks.append(chunk)
    elif _kind(chunk) != _kind(chunks[0]):
        raise ValueError(f"column {name!r}: expected {_kind(chunks[0])} as before, got {_kind(chunk)}")
    elif isinstance(chunk, StringTensor) and chunks[-1].nbytes + chunk.nbytes < PIECE_BYTES // 16:
        chunks[-1] = torch.cat([chunks[-1], chunk])  # type: ignore[list-item]
    else:
        chunks.append(chunk)


def _kind(chunk: Any) -> str:
    return str(chunk.dtype) if isinstance(chunk, Tensor) else "strings"


def convert_column(array: Any, name: str, row: int, missing: str | bytes | None) -> StringTensor | Tensor:
    """Strings or numbers of an Arrow array; errors name the column, and `row`, the number of rows before."""
    types = pyarrow_module("reading tables", "pyarrow.types")
    kind = array.type.value_type if types.is_dictionary(array.type) else array.type
    number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    if types.is_null(kind):  # a column of missing values
        array, number = array.cast(pyarrow_module("reading tables").utf8()), False
    if not number:
        try:
            return StringTensor.from_arrow(array, missing=missing)
        except (TypeError, ValueError) as error:
            raise ValueError(f"column {name!r}, rows from {row + 1}: {error}") from None
    if array.null_count:
        raise ValueError(f"column {name!r}, rows from {row + 1}: expected no missing numbers")
    numbers = array.to_numpy(zero_copy_only=False)
    return tensor_of(numbers.copy())


def _joined(chunks: list[Any]) -> StringColumn | Tensor:
    return torch.cat(chunks) if isinstance(chunks[0], Tensor) else StringColumn(chunks)
