"""Arguments of functions of ragged rows: tensors, or lists and arrays of their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor, check_tensor_or_strings
from torch_stringops.interop.python import is_missing
from torch_stringops.interop.strings import is_column
from torch_stringops.string_tensor import StringTensor

NUMBERS = (bool, int, float, complex, np.number, np.bool_)


def holds_numbers(values: Any) -> bool:
    """Whether the first element of nested lists that is not missing is a number."""
    while isinstance(values, (list, tuple)):
        values = next((v for v in values if not is_missing(v)), None)
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "biufc"
    return isinstance(values, NUMBERS)


def tensor_argument(op: str, name: str, value: Any, dtype: torch.dtype | None = None) -> Tensor:
    """Converts a list, a tuple or an array of numbers to a tensor; without numbers, of `dtype`."""
    if isinstance(value, (list, tuple, range, np.ndarray)):
        values = list(value) if isinstance(value, range) else value
        try:
            t = torch.tensor(values, device="cpu")
        except (TypeError, ValueError, RuntimeError, OverflowError):
            if (place := _place_of_missing(values)) is not None:
                raise ValueError(
                    f"{op}: expected no missing numbers in `{name}`, got one at {place}"
                ) from None
            raise TypeError(
                f"{op}: expected `{name}` to be a Tensor or numbers in a list, got a {type(value).__name__} of others"
            ) from None
        return t.to(dtype) if dtype is not None and (t.numel() == 0 or not t.is_floating_point()) else t
    check_tensor(op, name, value)
    tensor: Tensor = value
    return tensor


def _place_of_missing(values: Any) -> list[int] | None:
    """The indices of the first missing value of nested lists, or None. NaN is a number."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        for i, value in enumerate(values):
            if (place := _place_of_missing(value)) is not None:
                return [i, *place]
        return None
    return [] if is_missing(values) and not isinstance(values, float) else None


def row_splits_argument(op: str, value: Any) -> Tensor:
    """Converts row splits in a list or an array to int64; a tensor is used as it is."""
    return value if isinstance(value, Tensor) else tensor_argument(op, "row_splits", value, torch.int64)


def values_argument(op: str, name: str, value: Any) -> Any:
    """Converts lists and arrays of numbers to a tensor, and strings in any form to a StringTensor."""
    if isinstance(value, (Tensor, StringTensor)):
        return value
    if holds_numbers(value) or (isinstance(value, (list, tuple)) and len(value) == 0):
        return tensor_argument(op, name, value)
    if isinstance(value, (list, tuple)) or is_column(value):
        return strings_argument(op, name, value)
    check_tensor_or_strings(op, name, value)
    return value
