"""Tables in pieces: the columns of some rows of a file, in the types that all files have together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch_stringops.data.tables.builder import Column, Nulls
from torch_stringops.data.tables.kinds import Kinds
from torch_stringops.data.tables.lists import Place
from torch_stringops.data.tables.values import Missing


@dataclass
class Reading:
    """How the tables of a dataset are read."""

    columns: list[str] | None = None
    text: list[str] = field(default_factory=list)
    missing: Missing = None
    kinds: Kinds = field(default_factory=dict)  # of all files; empty until they have been opened


def read_columns(
    arrays: Mapping[str, Any], count: int, path: Path, row: int, reading: Reading, has_text: bool
) -> dict[str, Any]:
    """The columns of `count` rows: Arrow arrays, chunked arrays or Nulls, after `row` rows of the file."""
    made = {}
    for name in reading.kinds or arrays:
        column = Column(name, reading.missing, has_text)
        column.expect(reading.kinds.get(name))
        array = arrays.get(name, Nulls(count))
        if isinstance(array, Nulls):
            column.add(Place(str(path), row), array)
        else:
            at = row
            for chunk in getattr(array, "chunks", [array]):
                column.add_array(Place(str(path), at), chunk)
                at += len(chunk)
        made[name] = column.finish()
    return made
