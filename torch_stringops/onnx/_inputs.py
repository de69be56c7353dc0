"""The inputs of a loaded model: strings in any form that `as_strings` accepts, tensors of the dtype of the file."""

from __future__ import annotations

from typing import Any

import onnx
import torch
from torch import Tensor

from torch_stringops._arguments import as_strings
from torch_stringops.onnx._tensors import DTYPES, STRING
from torch_stringops.string_tensor import StringTensor


def input_reader(value: onnx.ValueInfoProto) -> tuple[Any, ...] | None:
    """The function that reads an input, and its arguments after the input; None for a value of another kind."""
    kind = value.type
    is_optional = kind.HasField("optional_type")
    if is_optional:
        kind = kind.optional_type.elem_type
    is_sequence = kind.HasField("sequence_type")
    if is_sequence:
        kind = kind.sequence_type.elem_type
    if not kind.HasField("tensor_type"):
        return None
    number = kind.tensor_type.elem_type
    if number != STRING and number not in DTYPES:
        raise ValueError(f"load: input {value.name!r}: expected a type that torch has, got type {number} of ONNX")
    read = read_sequence if is_sequence else read_value
    return read, value.name, DTYPES.get(number), is_optional


def read_value(value: Any, name: str, dtype: torch.dtype | None, is_optional: bool) -> Any:
    """Converts or checks an input; a `dtype` of None stands for strings."""
    if value is None and is_optional:
        return None
    if dtype is None:
        return value if isinstance(value, StringTensor) else as_strings(value)
    if not isinstance(value, Tensor):
        raise TypeError(f"expected the input `{name}` to be a Tensor, got {type(value).__name__}")
    if value.dtype != dtype:
        raise TypeError(f"expected the input `{name}` to be of {dtype}, got {value.dtype}")
    return value


def read_sequence(values: Any, name: str, dtype: torch.dtype | None, is_optional: bool) -> Any:
    """Same as above, for a list of tensors."""
    if values is None and is_optional:
        return None
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"expected the input `{name}` to be a list of tensors, got {type(values).__name__}")
    return [read_value(value, name, dtype, False) for value in values]
