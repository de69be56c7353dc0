"""Columns that the folders of a path give, as in `year=2024/lang=en/part.parquet`: partitions of Hive."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote

from torch_stringops.data.files.arrow import pa
from torch_stringops.data.files.listing import File
from torch_stringops.data.tables.builder import Nulls
from torch_stringops.data.tables.kinds import Kinds, kind_of
from torch_stringops.data.tables.values import STRINGS, Missing

# The value of a folder whose rows have none.
_NULL = "__HIVE_DEFAULT_PARTITION__"
_INTEGER = re.compile(r"-?[0-9]{1,19}")


class Partitions:
    """The columns of partitions of files, which have the same value in all rows of a file.

    Args:
        files: of a table; their paths must have the same names.
        partitioning: "hive", or None if paths give no columns.
        text: names of columns that are strings even if all of them look like numbers.
    """

    def __init__(self, op: str, files: Sequence[File], partitioning: str | None, text: Sequence[str]) -> None:
        if partitioning not in (None, "hive"):
            raise ValueError(f"{op}: expected `partitioning` to be 'hive' or None")
        self.names: list[str] = []
        self.integers: set[str] = set()
        if partitioning is None:
            return
        found = [values_of(op, path) for path in files]
        self.names = list(found[0])
        for path, values in zip(files, found, strict=True):
            if not values:
                raise ValueError(f"{op}: {path}: expected folders `name=value` in the path, for `partitioning`")
            if values.keys() != found[0].keys():
                raise ValueError(
                    f"{op}: expected paths with equal names of partitions, got {self.names} in {files[0]} and "
                    f"{list(values)} in {path}"
                )
        for name in self.names:
            known = [value for values in found if (value := values[name]) is not None]
            if known and name not in text and all(map(_is_int64, known)):
                self.integers.add(name)

    def of_file(self, columns: list[str] | None) -> list[str] | None:
        """The `columns` to read of the files; all, if these are columns of partitions only."""
        if columns is None or not self.names:
            return columns
        return [name for name in columns if name not in self.names] or None

    def add(self, path: File, count: int, columns: Mapping[str, Any], wanted: list[str] | None) -> dict[str, Any]:
        """The columns of `count` rows of a file with those of partitions, which replace columns of the same name."""
        found = dict(columns)
        for name, value in (values_of("", path) if self.names else {}).items():
            if value is None:
                found[name] = Nulls(count)
            elif name in self.integers:
                found[name] = pa.repeat(pa.scalar(int(value), pa.int64()), count)
            else:
                found[name] = pa.repeat(pa.scalar(value, pa.string()), count)
        return found if wanted is None else {name: found[name] for name in wanted if name in found}

    def add_kinds(self, kinds: Kinds, missing: Missing, wanted: list[str] | None) -> Kinds:
        """The kinds of the columns of a file with those of partitions."""
        found = dict(kinds)
        for name in self.names:
            found[name] = STRINGS
            if name in self.integers:
                found[name] = kind_of(pa.nulls(0, pa.int64()), name, missing, may_lack=True)
        return found if wanted is None else {name: found[name] for name in wanted if name in found}


def values_of(op: str, path: File) -> dict[str, str | None]:
    """The values of the folders `name=value` of a path, which are percent-decoded; None for a missing value."""
    values: dict[str, str | None] = {}
    folders = path.parts[:-1] if isinstance(path, PurePath) else path.folders
    for folder in folders:
        name, sign, value = folder.partition("=")
        if not (name and sign):
            continue
        try:
            name, value = unquote(name, errors="strict"), unquote(value, errors="strict")
        except UnicodeDecodeError:
            raise ValueError(f"{op}: {path}: expected UTF-8 in the names of folders") from None
        if name in values:
            raise ValueError(f"{op}: {path}: expected each name of a partition once, got {name!r} twice")
        values[name] = None if value == _NULL else value
    return values


def _is_int64(text: str) -> bool:
    return bool(_INTEGER.fullmatch(text)) and -(2**63) <= int(text) < 2**63
