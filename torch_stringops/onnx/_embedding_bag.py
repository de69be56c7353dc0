"""Translations of aten.embedding_bag for ragged rows of ids, without loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
import torch
from onnxscript import evaluator

# The modes of torch.
_SUM, _MEAN, _MAX = 0, 1, 2


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """The table for torch.onnx.export."""
    aten = torch.ops.aten
    return {aten.embedding_bag.padding_idx: _translate, aten.embedding_bag.default: _translate}


def _translate(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = _SUM,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The sum, the mean or the maximum of the rows of `weight` of each bag of ids.

    The bag of an id is the number of offsets up to its position, minus one: the cumulative sum of ones that are added
    at the offsets. An offset may be the number of ids, so these sums have one more element. There is one more bag than
    results, for the ids of `padding_idx`.
    """
    recorder: Any = evaluator.default()
    op = recorder.opset

    def constant(value: Any, dtype: Any = np.int64) -> Any:
        return op.Constant(value=ir.tensor(np.array(value, dtype)))

    zero, one = constant([0]), constant([1])
    indices = op.Cast(indices, to=ir.DataType.INT64)
    offsets = op.Cast(offsets, to=ir.DataType.INT64)
    num_ids, num_bags = op.Shape(indices), op.Shape(offsets)
    if include_last_offset:
        num_bags = op.Sub(num_bags, one)
        offsets = op.Slice(offsets, zero, num_bags, zero)
    shape = op.Add(num_ids, one)
    begins = op.ScatterElements(op.Expand(zero, shape), offsets, op.Expand(one, num_bags), axis=0, reduction="add")
    bag = op.Slice(op.Sub(op.CumSum(begins, constant(0)), one), zero, num_ids, zero)
    # Ids before the first offset are in no bag.
    is_dropped = op.Less(bag, constant(0))
    if padding_idx is not None:
        is_dropped = op.Or(is_dropped, op.Equal(indices, constant(padding_idx)))
    bag = op.Where(is_dropped, num_bags, bag)

    dtype = weight.dtype.numpy()
    values = op.Gather(weight, indices, axis=0)
    if per_sample_weights is not None:
        values = op.Mul(values, op.Unsqueeze(per_sample_weights, one))
    width = op.Shape(weight, start=1, end=2)
    sums = op.Expand(constant(0, dtype), op.Concat(op.Add(num_bags, one), width, axis=0))
    lowest = constant(-np.inf, dtype) if mode == _MAX else None
    if lowest is not None:
        sums = op.Add(sums, lowest)
    # ScatterND of onnxruntime adds to the same row from several threads without a lock; ScatterElements has one thread.
    at = op.Expand(op.Unsqueeze(bag, one), op.Shape(values))
    sums = op.ScatterElements(sums, at, values, axis=0, reduction="max" if mode == _MAX else "add")
    counts = op.ScatterElements(
        op.Expand(constant(0, dtype), op.Add(num_bags, one)),
        bag,
        op.Expand(constant(1, dtype), num_ids),
        axis=0,
        reduction="add",
    )
    counts = op.Unsqueeze(counts, one)
    if mode == _MEAN:
        sums = op.Div(sums, op.Max(counts, constant(1, dtype)))
    elif mode == _MAX:
        sums = op.Where(op.Equal(counts, constant(0, dtype)), constant(0, dtype), sums)
    # The other results are for the derivative; nothing uses these copies, and the graph loses them.
    return op.Slice(sums, zero, num_bags, zero), *(op.Identity(offsets) for _ in range(3))
