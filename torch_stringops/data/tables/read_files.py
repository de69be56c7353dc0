"""The columns of all files of a table, which readers of each kind of files give in rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from torch import Tensor

from torch_stringops.data.columns.column import StringColumn
from torch_stringops.data.columns.ragged_column import RaggedColumn
from torch_stringops.data.files.arrow import pyarrow_module
from torch_stringops.data.files.copies import local_copies
from torch_stringops.data.files.local import Paths, errors_of
from torch_stringops.data.tables.builder import Column, Nulls
from torch_stringops.data.tables.lists import Place
from torch_stringops.data.tables.source import Columns, Rows, Source, as_names
from torch_stringops.data.tables.values import Missing, check_filled, check_missing

Names: TypeAlias = list[str] | tuple[str, ...] | None
# Strings, numbers or bools; or rows of lists of these, as values and row splits.
TableColumn: TypeAlias = StringColumn | Tensor | tuple[StringColumn | Tensor, Tensor]
Table: TypeAlias = dict[str, TableColumn]


def read_tables(
    op: str,
    paths: Paths,
    columns: Columns,
    text: str | Sequence[str],
    missing: Missing,
    storage_options: Mapping[str, object] | None,
    read: Callable[[Source, Names, list[str]], Iterator[Rows]],
) -> Table | TableColumn:
    """The columns of all files, of which `read` gives those of one in blocks."""
    pyarrow_module(op)
    check_missing(op, missing)
    names, texts = as_names(op, columns), as_names(op, text, "text") or []
    with local_copies(op, paths, storage_options) as files:
        found: dict[str, Column] | None = None
        empty: dict[str, Column] = {}  # columns of files without rows
        for path in files:
            with errors_of(op, path):
                blocks = read(Source(path), names, texts)
                has_text, first_row = op in ("read_csv", "read_jsonl"), int(op == "read_csv")
                count, table = _table(blocks, path, missing, first_row, has_text)
                if not count:
                    empty = empty or table
                elif found is None:
                    found = table
                elif found.keys() != table.keys():
                    raise ValueError(f"expected the columns of the files before, {list(found)}, got {list(table)}")
                else:
                    for name, column in table.items():
                        found[name].extend(column)
    found = empty if found is None else found
    if columns is None and found:
        check_filled(op, missing, found)
    try:
        made = {name: _plain(column.finish()) for name, column in found.items()}
        for name in names or ():  # of files without names
            made.setdefault(name, Column(name, None, False).finish())
    except ValueError as error:
        raise ValueError(f"{op}: {error}") from None
    return made[columns] if isinstance(columns, str) else made if names is None else {n: made[n] for n in names}


def _plain(column: Any) -> Any:
    return (column.values, column.row_splits) if isinstance(column, RaggedColumn) else column


def _table(
    blocks: Iterator[Rows],
    path: Path,
    missing: Missing,
    first_row: int,
    has_text: bool,
) -> tuple[int, dict[str, Column]]:
    """The number of rows of a file, and its columns. A column that a block lacks is missing there."""
    found: dict[str, Column] = {}
    row, where = first_row, str(path)
    for rows in blocks:
        for name, array in rows.columns.items():
            if name not in found:
                found[name] = Column(name, missing, has_text)
                if row > first_row:
                    found[name].add(Place(where, first_row), Nulls(row - first_row))
            if isinstance(array, Nulls):
                found[name].add(Place(where, row), array)
            else:
                found[name].add_array(Place(where, row), array)
        for name in found.keys() - rows.columns.keys():
            if rows.count:
                found[name].add(Place(where, row), Nulls(rows.count))
        row += rows.count
    return row - first_row, found
