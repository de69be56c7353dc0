"""Values of Arrow arrays as strings or numbers, and the replacement of missing ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops.data.files.arrow import pa, types
from torch_stringops.data.files.local import tensor_of
from torch_stringops.data.tables.lists import Place
from torch_stringops.string_tensor import StringTensor

Fill = str | bytes | int | float
Missing = Fill | Mapping[str, Fill] | None

# Every integer up to this magnitude is a float64.
MAX_EXACT = 2**53


STRINGS = "strings"


def check_missing(op: str, missing: Missing) -> None:
    for value in missing.values() if isinstance(missing, Mapping) else [missing]:
        if not (
            isinstance(value, (str, bytes, int, float, np.integer, np.floating)) or (value is None and missing is None)
        ):
            raise TypeError(
                f"{op}: expected `missing` to be a string, a number, or a dict from columns to these, "
                f"got {type(value).__name__}"
            )


def fill_of(missing: Missing, name: str) -> Fill | None:
    """The replacement of missing values of a column."""
    fill = missing.get(name) if isinstance(missing, Mapping) else missing
    return fill.item() if isinstance(fill, np.generic) else fill


def check_filled(op: str, missing: Missing, names: Iterable[str]) -> None:
    """Raises ValueError if `missing` names a column that is not among `names`."""
    for name in missing if isinstance(missing, Mapping) else ():
        if name not in names:
            raise ValueError(f"{op}: expected names of columns in `missing`, got {name!r}")


def kind_of_fill(fill: Fill | None) -> str | torch.dtype:
    """The kind of a column all of whose values are missing."""
    if not isinstance(fill, (int, float)):
        return STRINGS
    return torch.bool if isinstance(fill, bool) else torch.int64 if isinstance(fill, int) else torch.float64


def dtype_with(dtype: torch.dtype, fill: Fill | None) -> torch.dtype:
    """The dtype of a column of numbers, some of which are missing, with their replacement."""
    is_number = isinstance(fill, (int, float)) and not isinstance(fill, bool)
    if not is_number or dtype is torch.bool:
        return dtype
    number = number_of(fill, "numbers", numpy_dtype(dtype), "", 0, True)
    return torch.from_numpy(np.empty(0, np.result_type(numpy_dtype(dtype), number.dtype))).dtype


def inexact(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A mask of the integers that change in float64 or int64."""
    if dtype.kind != "f":
        return array > np.iinfo(dtype).max
    floats = array.astype(dtype)
    fits = floats < float(np.iinfo(array.dtype).max) + 1
    bad: np.ndarray[Any, Any] = ~fits | (np.where(fits, floats, 0).astype(array.dtype) != array)
    return bad


def numpy_dtype(dtype: torch.dtype) -> np.dtype[Any]:
    return torch.empty(0, dtype=dtype, device="cpu").numpy().dtype


def common_dtype(dtypes: set[np.dtype[Any]]) -> np.dtype[Any]:
    """The smallest dtype for all: float64 for integers with floats, int64 for uint64 with signed integers."""
    kinds = {dtype.kind for dtype in dtypes}
    if "f" in kinds and len(kinds) > 1:
        return np.dtype(np.float64)
    return np.dtype(np.int64) if kinds == {"i", "u"} and np.dtype(np.uint64) in dtypes else np.result_type(*dtypes)


def no_missing(name: str, row: int, what: str) -> str:
    """The error for the row, from 1."""
    advice = {
        "strings": "a string",
        "bools": "True or False",
        "lists": "what replaces an element; a missing list is then empty",
    }
    return (
        f"column {name!r}, row {row}: expected no missing {what}, got one "
        f"(pass missing={{{name!r}: ...}} with {advice.get(what, 'a number')})"
    )


def number_of(
    fill: Fill | None, kind: str, dtype: np.dtype[Any] | None, name: str, row: int, is_own: bool
) -> np.ndarray[Any, Any]:
    """The replacement of a missing number: a scalar of `dtype`, or, if that cannot hold it, of a larger one."""
    suits = isinstance(fill, bool) if kind == "bools" else isinstance(fill, (int, float)) and type(fill) is not bool
    if fill is None or not (suits or is_own):
        raise ValueError(no_missing(name, row, kind))
    if not suits:
        raise ValueError(f"column {name!r}: expected `missing` for {kind}, got {type(fill).__name__}")
    if kind == "bools" or dtype is None:
        return np.array(fill)
    if dtype.kind == "f":
        return np.array(fill, dtype=dtype)
    if isinstance(fill, float) and not fill.is_integer():  # nan too
        return np.array(fill, dtype=np.float64)
    info, number = np.iinfo(dtype), int(fill)
    return np.array(number, dtype=dtype if info.min <= number <= info.max else np.int64)


def convert_column(
    array: Any, name: str, place: Place, missing: Fill | None, is_own: bool = False
) -> StringTensor | Tensor:
    """Strings or numbers of an Arrow array; errors name the column and the row."""
    kind = array.type.value_type if types.is_dictionary(array.type) else array.type
    if types.is_null(kind):  # a column of missing values
        array, kind = array.cast(pa.utf8()), pa.utf8()
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        fill = missing if isinstance(missing, (str, bytes)) else None
        if array.null_count and fill is None and not types.is_nested(kind):
            at = place.row_of(int(np.argmax(array.is_null().to_numpy(zero_copy_only=False))))
            if is_own and missing is not None:
                raise ValueError(f"column {name!r}: expected `missing` for strings, got {type(missing).__name__}")
            raise ValueError(no_missing(name, at, "strings"))
        try:
            return StringTensor.from_arrow(array, missing=fill)
        except (TypeError, ValueError) as error:
            text = str(error).removeprefix("StringTensor.from_arrow: ")
            raise ValueError(f"column {name!r}, rows from {place.row_of(0)}: {text}") from None
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not array.null_count:
        return tensor_of(array.to_numpy(zero_copy_only=False).copy())
    gaps = array.is_null().to_numpy(zero_copy_only=False)
    first = place.row_of(int(gaps.argmax()))
    if types.is_boolean(kind):
        number = number_of(missing, "bools", None, name, first, is_own)
        filled = array.fill_null(bool(number)).to_numpy(zero_copy_only=False)
        return tensor_of(filled.copy())
    dtype = np.dtype(kind.to_pandas_dtype())
    number = number_of(missing, "numbers", dtype, name, first, is_own)
    zero = pa.scalar(np.zeros((), dtype=dtype)[()], type=kind)
    numbers = array.fill_null(zero).to_numpy(zero_copy_only=False)
    if number.dtype != dtype:
        other = np.result_type(dtype, number.dtype)
        if dtype.kind != "f" and other.kind == "f":
            bad = inexact(numbers, other)
            if bad.any():
                raise ValueError(
                    f"column {name!r}, row {place.row_of(int(bad.argmax()))}: expected an integer that {other} holds "
                    "exactly, which `missing` needs, got a larger one"
                )
        numbers = numbers.astype(other)
    return tensor_of(np.where(gaps, number.astype(numbers.dtype), numbers))
