"""Translation of aten.index_put that adds at repeated positions, and that of index_add, which torch rewrites to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
import torch
from onnxscript import evaluator


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """The table for torch.onnx.export."""
    aten = torch.ops.aten
    return {aten.index_put.default: _translate, aten._unsafe_index_put.default: _translate}


def _translate(data: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    """ScatterElements of the positions in row-major order.

    torch writes ScatterND, which onnxruntime runs on several threads that add to the same element without a lock. It
    stays where no position repeats: for masks, and for values that replace others.
    """
    if not accumulate or any(i is not None and i.dtype == ir.DataType.BOOL for i in indices):
        from onnxscript.function_libs.torch_lib.ops import core

        return core.aten_index_put(data, indices, values, accumulate)
    recorder: Any = evaluator.default()
    op = recorder.opset

    def constant(value: Any) -> Any:
        return op.Constant(value=ir.tensor(np.array(value, np.int64)))

    def size(axis: int) -> Any:
        return op.Shape(data, start=axis, end=axis + 1)

    axes = range(len(data.shape))
    given = [i for i in axes if i < len(indices) and indices[i] is not None]
    others = [i for i in axes if i not in given]
    rank = max(len(indices[i].shape) for i in given)
    # The axes of the indices are in place of those that they index, or first if these are not adjacent.
    first = given[0] if given == list(range(given[0], given[-1] + 1)) else 0
    after = {axis: sum(i > axis for i in others) + (rank if axis < first else 0) for axis in others}
    at = constant(0)
    for axis in axes:
        if axis in given:
            index = op.Cast(indices[axis], to=ir.DataType.INT64)
            index = op.Where(op.Less(index, constant(0)), op.Add(index, size(axis)), index)
            behind = sum(i >= first for i in others)
        else:
            index = op.Range(constant(0), op.Squeeze(size(axis)), constant(1))
            behind = after[axis]
        if behind:
            index = op.Unsqueeze(index, constant(list(range(-behind, 0))))
        at = op.Add(op.Mul(at, size(axis)), index)
    flat = constant([-1])
    sums = op.ScatterElements(
        op.Reshape(data, flat),
        op.Reshape(at, flat),
        op.Reshape(op.Expand(values, op.Shape(at)), flat),
        axis=0,
        reduction="add",
    )
    return op.Reshape(sums, op.Shape(data), allowzero=1)
