"""Sequences, which are Python lists of tensors, and optional values, which are None or the value."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import torch_stringops
from torch_stringops.onnx import ops
from torch_stringops.onnx._registry import as_tensor, number, operator
from torch_stringops.string_tensor import StringTensor

operator("SplitToSequence", host=[1])(ops.SplitToSequence)


@operator("SequenceConstruct")
def sequence_construct(*tensors: Any) -> list[Any]:
    return list(tensors)


@operator("SequenceEmpty")
def sequence_empty(*, dtype: int = 1) -> list[Any]:
    return []


def _place(sequence: list[Any], position: Any, count: int) -> int:
    at = int(number(position))
    if not -count <= at < count:
        raise IndexError(f"expected a position within a sequence of {len(sequence)}, got {at}")
    return at % count


@operator("SequenceAt", host=[1])
def sequence_at(sequence: list[Any], position: Any) -> Any:
    return sequence[_place(sequence, position, len(sequence))]


@operator("SequenceInsert", host=[2])
def sequence_insert(sequence: list[Any], tensor: Any, position: Any = None) -> list[Any]:
    at = len(sequence) if position is None else int(number(position))
    if not -len(sequence) <= at <= len(sequence):
        raise IndexError(f"SequenceInsert: expected a position within {len(sequence)} elements, got {at}")
    at = at + len(sequence) if at < 0 else at
    return [*sequence[:at], tensor, *sequence[at:]]


@operator("SequenceErase", host=[1])
def sequence_erase(sequence: list[Any], position: Any = None) -> list[Any]:
    at = _place(sequence, -1 if position is None else position, len(sequence))
    return [*sequence[:at], *sequence[at + 1 :]]


@operator("SequenceLength", gives_sizes=True)
def sequence_length(sequence: list[Any]) -> int:
    return len(sequence)


@operator("ConcatFromSequence")
def concat_from_sequence(sequence: list[Any], *, axis: int, new_axis: int = 0) -> Any:
    tensors = [as_tensor(value) for value in sequence]
    if tensors and isinstance(tensors[0], StringTensor):
        return torch_stringops.stack(tensors, axis) if new_axis else torch_stringops.cat(tensors, axis)
    return torch.stack(tensors, axis) if new_axis else torch.cat(tensors, axis)


@operator("Optional")
def optional(value: Any = None, *, type: Any = None) -> Any:
    return value


@operator("OptionalHasElement")
def optional_has_element(value: Any = None) -> Tensor:
    return torch.tensor(value is not None)


@operator("OptionalGetElement")
def optional_get_element(value: Any) -> Any:
    if value is None:
        raise ValueError("OptionalGetElement: expected a value, got none")
    return value
