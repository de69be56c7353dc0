"""Columns of tables, by pyarrow's parsers: CSV, JSON lines, Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, overload

from torch_stringops._names import named
from torch_stringops.data.files.arrow import pa, parquet
from torch_stringops.data.files.local import Paths
from torch_stringops.data.tables.csv_file import CsvFile
from torch_stringops.data.tables.jsonl_file import JsonlFile
from torch_stringops.data.tables.lists import can_join
from torch_stringops.data.tables.read_files import Names, Table, TableColumn, read_tables
from torch_stringops.data.tables.source import Columns as Columns
from torch_stringops.data.tables.source import Rows, Source, select
from torch_stringops.data.tables.values import Missing
from torch_stringops.data.tables.values import convert_column as convert_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    class _Options(TypedDict, total=False):
        missing: Missing
        storage_options: Mapping[str, object] | None

    class _TextOptions(_Options, total=False):
        text: str | Sequence[str]

    class _CsvOptions(_TextOptions, total=False):
        delimiter: str


_BATCH_ROWS = 2**16


@overload
def read_csv(paths: Paths, *, columns: str, **options: Unpack[_CsvOptions]) -> TableColumn: ...
@overload
def read_csv(paths: Paths, *, columns: Names = None, **options: Unpack[_CsvOptions]) -> Table: ...
@named
def read_csv(
    paths: Paths,
    *,
    columns: Columns = None,
    text: str | Sequence[str] = (),
    delimiter: str = ",",
    missing: Missing = None,
    storage_options: Mapping[str, object] | None = None,
) -> Table | TableColumn:
    """Reads columns of CSV files with pyarrow's parser. The first row has the names. Empty lines are skipped.

    The type of a column is numbers (int64 or float64) or bools if all its fields in a file are, except for
    missing ones: `""`, `NA`, `N/A`, `#N/A`, `<NA>`, `n/a`, `NULL` and `null`. All other columns are strings,
    which hold each field as it is: an empty field is `""`, `NA` is `"NA"`, and dates are strings. So are columns
    with numbers that their type would round: integers beyond int64, or beyond 2**53 beside fractions.

    Files without rows (empty ones, or names alone) have no influence on the names and the types of columns.
    If no file has rows, columns whose type is unknown are strings; without names, the result is empty.

    Args:
        paths: a path, a glob, a URL such as `"s3://bucket/part-*.csv"`, or a list of these; `"-"` is
            standard input. Files compressed by gzip, bzip2, xz, zstd or lz4 are decompressed, whatever their suffix.
            Pipes and devices are read into memory.
        columns: the names of the columns to read. Default: all. A single `str` gives that column instead of a dict.
        text: names of columns that are strings even if all of them look like numbers: `"007"`, or large integers.
        delimiter: the character between fields.
        missing: replaces missing values: a string in columns of strings, a number in columns of numbers, True or False
            in columns of bools; or a dict from the names of columns to these. A fraction or
            NaN in a column of integers makes it float64, and an integer that its dtype cannot hold makes it int64.
            Default: None, a missing value is an error.
        storage_options: options of fsspec for URLs, such as credentials.

    Returns:
        A dict from names to StringColumns `[N]` for strings, and Tensors `[N]` for numbers and bools: the arguments of
        `ColumnDataset`. Numbers of several files have a dtype that holds all of them: int64 and float64 give float64.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is damaged; a row has too few or too many fields; a file lacks a column of `columns` or
            `text`, or has several of a name; a column is numbers in one file and strings in another, or integers beyond
            2**53 in one and floats in another; or a column is neither strings nor numbers. The message gives the
            file, and the row, counted from 1 with the row of the names.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.csv").write_text("text,label\\nto be,1\\nor not,\\n")
        ...     table = read_csv(folder + "/*.csv", missing={"label": -1})
        >>> table["text"][:].tolist(), table["label"]
        (['to be', 'or not'], tensor([ 1, -1]))
    """
    if not isinstance(delimiter, str):
        raise TypeError(f"read_csv: expected `delimiter` to be a str, got {type(delimiter).__name__}")
    if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
        raise ValueError("read_csv: expected `delimiter` to be one ASCII character, no quote or line end")

    def read(source: Source, names: Names, strings: list[str]) -> Iterator[Rows]:
        return CsvFile(source, names, strings, delimiter).table()

    return read_tables("read_csv", paths, columns, text, missing, storage_options, read)


@overload
def read_jsonl(paths: Paths, *, columns: str, **options: Unpack[_TextOptions]) -> TableColumn: ...
@overload
def read_jsonl(paths: Paths, *, columns: Names = None, **options: Unpack[_TextOptions]) -> Table: ...
@named
def read_jsonl(
    paths: Paths,
    *,
    columns: Columns = None,
    text: str | Sequence[str] = (),
    missing: Missing = None,
    storage_options: Mapping[str, object] | None = None,
) -> Table | TableColumn:
    """Reads columns of JSON lines: files with one JSON object per line. pyarrow parses them.

    Arguments, result and errors are those of `read_csv`, with these differences: a name that an object lacks
    is a missing value, like null. JSON's strings are strings, even if they look like dates. Arrays of
    strings, numbers or bools are columns of lists, as in `read_parquet`. An escaped surrogate without its other half
    is U+FFFD, since UTF-8 cannot encode it. Lines may have any length. Objects that span lines are read if their file
    has at most 2 GB.

    Args:
        text: names of columns whose numbers and bools are read as strings, as they are written.

    Raises:
        ValueError: as in `read_csv`; a line is not a JSON object, or has a name twice; or an integer exceeds int64, or
            2**53 in a column of floats. Messages about a line count lines from 1; those about a row, objects.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.jsonl").write_text('{"text": "to be", "n": 1}\\n{"text": "or not", "n": 2}\\n')
        ...     read_jsonl(folder + "/a.jsonl", columns="text")[:].tolist()
        ['to be', 'or not']
    """

    def read(source: Source, names: Names, strings: list[str]) -> Iterator[Rows]:
        return JsonlFile(source, names, strings).table()

    return read_tables("read_jsonl", paths, columns, text, missing, storage_options, read)


@overload
def read_parquet(paths: Paths, *, columns: str, **options: Unpack[_Options]) -> TableColumn: ...
@overload
def read_parquet(paths: Paths, *, columns: Names = None, **options: Unpack[_Options]) -> Table: ...
@named
def read_parquet(
    paths: Paths,
    *,
    columns: Columns = None,
    missing: Missing = None,
    storage_options: Mapping[str, object] | None = None,
) -> Table | TableColumn:
    """Reads columns of Parquet files with pyarrow.

    Arguments, result and errors are those of `read_csv`. In addition, a column of lists of strings, numbers
    or bools becomes a tuple `(values, row_splits)`: the elements of all rows, as StringColumn `[T]` or Tensor
    `[T]`, and int64 `[N + 1]`; row i has the elements from `row_splits[i]` to `row_splits[i + 1]`. Lists of
    numbers of a fixed size k become a Tensor `[N, k]`. `missing` replaces missing elements; if it is given, a
    missing list is empty (or k times `missing`). Lists of lists are errors.

    Example:
        >>> import tempfile, pyarrow.parquet
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pyarrow.parquet.write_table(pyarrow.table({"text": ["to be", None]}), folder + "/a.parquet")
        ...     read_parquet(folder + "/a.parquet", missing="?")["text"][:].tolist()
        ['to be', '?']
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pyarrow.parquet.write_table(pyarrow.table({"ids": [[5, 6], [], [7]]}), folder + "/a.parquet")
        ...     read_parquet(folder + "/a.parquet", columns="ids")
        (tensor([5, 6, 7]), tensor([0, 2, 2, 3]))
    """

    def read(source: Source, names: Names, strings: list[str]) -> Iterator[Rows]:
        with parquet.ParquetFile(source.mapped()) as file:
            schema = file.schema_arrow
            chosen = select(schema.names, names)
            yield _no_rows(schema, chosen)
            # A name selects its leaves, so columns of the same prefix are left out afterwards.
            groups = list(range(file.num_row_groups))
            for part in [groups] if can_join(schema.field(n).type for n in chosen) else [[group] for group in groups]:
                for batch in file.iter_batches(_BATCH_ROWS, row_groups=part, columns=chosen):
                    yield _rows(batch, chosen)

    return read_tables("read_parquet", paths, columns, (), missing, storage_options, read)


@overload
def read_arrow(paths: Paths, *, columns: str, **options: Unpack[_Options]) -> TableColumn: ...
@overload
def read_arrow(paths: Paths, *, columns: Names = None, **options: Unpack[_Options]) -> Table: ...
@named
def read_arrow(
    paths: Paths,
    *,
    columns: Columns = None,
    missing: Missing = None,
    storage_options: Mapping[str, object] | None = None,
) -> Table | TableColumn:
    """Reads columns of Arrow IPC files and streams, also compressed ones.

    Arguments, result and errors are those of `read_parquet`. `load` opens files without reading them.

    Example:
        >>> import tempfile
        >>> from torch_stringops.data import save
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(["to", "be"], folder + "/a.arrow")
        ...     read_arrow(folder + "/a.arrow", columns="text")
        StringColumn(2 strings in 1 chunks)
    """

    def read(source: Source, names: Names, strings: list[str]) -> Iterator[Rows]:
        content = source.mapped()
        is_file = content.size() >= 6 and content.read(6) == b"ARROW1"
        content.seek(0)
        file = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(content)
        chosen = select(file.schema.names, names)
        yield _no_rows(file.schema, chosen)
        for batch in (file.get_batch(i) for i in range(file.num_record_batches)) if is_file else file:
            yield _rows(batch, chosen)

    return read_tables("read_arrow", paths, columns, (), missing, storage_options, read)


def _no_rows(schema: Any, names: Sequence[str]) -> Rows:
    return Rows(0, {name: pa.nulls(0, schema.field(name).type) for name in names})


def _rows(batch: Any, names: Sequence[str]) -> Rows:
    return Rows(batch.num_rows, {name: batch.column(batch.schema.names.index(name)) for name in names})
