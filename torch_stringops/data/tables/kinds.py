"""The kinds of columns, and those of files together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from torch_stringops.data.files.arrow import pa, types
from torch_stringops.data.tables.builder import Kind, ListKind, Nulls
from torch_stringops.data.tables.lists import Place, check_elements, is_list, width_of
from torch_stringops.data.tables.values import (
    STRINGS,
    Fill,
    Missing,
    common_dtype,
    convert_column,
    dtype_with,
    fill_of,
    kind_of_fill,
    numpy_dtype,
)

Kinds = dict[str, Kind]


def kind_of(array: Any, name: str, missing: Missing, may_lack: bool) -> Kind:
    """The kind of an Arrow array, without its values. `may_lack` says whether it may have missing values."""
    if isinstance(array, Nulls) or types.is_null(array.type):
        return None
    if is_list(array.type):
        check_elements(name, array.type)
        element = kind_of(pa.nulls(0, array.type.value_type), name, missing, may_lack=True)
        return ListKind(element, width_of(array.type))
    empty = convert_column(array.slice(0, 0), name, Place("", 0), None)
    if not isinstance(empty, torch.Tensor):
        return STRINGS
    return dtype_with(empty.dtype, fill_of(missing, name)) if may_lack else empty.dtype


def unite(op: str, files: Iterable[tuple[Path, Kinds]], has_text: bool, missing: Missing) -> Kinds:
    """The kinds of columns of all files, in the order of the first one. `missing` decides those without values.

    Raises:
        ValueError: files have other names of columns, or strings in one and numbers in another.
    """
    found: Kinds = {}
    origin: dict[str, Path] = {}
    first: Path | None = None
    for path, kinds in files:
        if first is None:
            first, found = path, dict.fromkeys(kinds)
        if kinds.keys() != found.keys():
            raise ValueError(
                f"{op}: expected files of equal columns, got {list(found)} in {first} and {list(kinds)} in {path}"
            )
        for name, kind in kinds.items():
            try:
                both = _common_kind(found[name], kind)
            except TypeError:
                lists = isinstance(kind, ListKind) or isinstance(found[name], ListKind)
                advice = f" (pass text=[{name!r}] to read strings)" if has_text and not lists else ""
                raise ValueError(
                    f"{op}: column {name!r}: expected files of one type, got {found[name]} in {origin[name]} and "
                    f"{kind} in {path}{advice}"
                ) from None
            if kind is not None:
                origin.setdefault(name, path)
            found[name] = both
    return {name: _known(kind, fill_of(missing, name)) for name, kind in found.items()}


def _known(kind: Kind, fill: Fill | None) -> Kind:
    if isinstance(kind, ListKind):
        return ListKind(_known(kind.element, fill), kind.width)
    return kind_of_fill(fill) if kind is None else kind


def _common_kind(a: Kind, b: Kind) -> Kind:
    """The kind that holds values of both; TypeError if there is none."""
    if a is None or b is None or a == b:
        return b if a is None else a
    if isinstance(a, ListKind) and isinstance(b, ListKind) and a.width == b.width:
        return ListKind(_common_kind(a.element, b.element), a.width)
    if isinstance(a, torch.dtype) and isinstance(b, torch.dtype) and torch.bool not in (a, b):
        both = common_dtype({numpy_dtype(a), numpy_dtype(b)})
        return torch.from_numpy(np.empty(0, both)).dtype
    raise TypeError
