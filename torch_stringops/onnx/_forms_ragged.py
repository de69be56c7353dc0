"""Portable forms of ragged rows: rows from padded ones, padding, masks, lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from torch_stringops.onnx._call import Call, NoForm
from torch_stringops.onnx._forms import form
from torch_stringops.string_tensor import StringTensor

_INT64 = ir.DataType.INT64


def splits_of(c: Call, counts: Any) -> Any:
    """Row splits, from the number of elements of each row."""
    return c.add("Concat", [0], c.add("CumSum", counts, c.constant(0)), axis=0)


def rows_of(c: Call, padded: Any, is_element: Any) -> tuple[Any, Any]:
    """The elements of a padded matrix for which the mask is true, and their row splits."""
    values = c.add("Compress", c.add("Reshape", padded, [-1]), c.add("Reshape", is_element, [-1]), axis=0)
    counts = c.add("ReduceSum", c.add("Cast", is_element, to=_INT64), [1], keepdims=0)
    return values, splits_of(c, counts)


def below(c: Call, counts: Any, width: Any) -> Any:
    """The mask of the first elements of rows, of shape `[n, width]`; `width` has rank 0."""
    columns = c.add("Range", c.constant(0), width, c.constant(1))
    return c.add("Less", columns, c.add("Unsqueeze", counts, [1]))


def counts_of(c: Call, row_splits: Any) -> Any:
    """The number of elements of each row."""
    return c.add("Sub", c.add("Slice", row_splits, [1], [2**63 - 1]), c.add("Slice", row_splits, [0], [-1]))


def width_of(c: Call, counts: Any) -> Any:
    """The width of the dense tensor, rank 0: that of the argument, or of the longest row within its limits."""
    width = c.input("width")
    if width is not None:
        return width
    # The 0 is for no rows.
    longest = c.add("ReduceMax", c.add("Concat", counts, [0], axis=0), keepdims=0)
    if "max_width" not in [p.name for p in c.operator.inputs]:
        return longest
    longest = c.add("Max", longest, c.tensor("min_width"))
    limit, multiple = c.input("max_width"), c.tensor("pad_to_multiple_of")
    if limit is not None:
        longest = c.add("Min", longest, limit)
    more = c.add("Sub", multiple, c.constant(1))
    return c.add("Mul", c.add("Div", c.add("Add", longest, more), multiple), multiple)


def positions(c: Call, row_splits: Any, width: Any, side: str, padding: Any) -> Any:
    """The position in the values of each element of the dense tensor; `padding` for padding."""
    counts = counts_of(c, row_splits)
    columns = c.add("Range", c.constant(0), width, c.constant(1))
    begins = c.add("Slice", row_splits, [0], [-1])
    if side == "left":  # the last elements of a row, which end at the last column
        begins = c.add("Sub", c.add("Slice", row_splits, [1], [2**63 - 1]), width)
        is_element = c.add("GreaterOrEqual", columns, c.add("Unsqueeze", c.add("Sub", width, counts), [1]))
    else:
        is_element = c.add("Less", columns, c.add("Unsqueeze", counts, [1]))
    at = c.add("Add", columns, c.add("Unsqueeze", begins, [1]))
    return c.add("Where", is_element, at, padding)


def _dense(c: Call, values: Any, padding: Any, gather: str) -> Any:
    row_splits = c.tensor("row_splits")
    num_values = c.add("Squeeze", c.add("Shape", values, start=0, end=1))
    width = width_of(c, counts_of(c, row_splits))
    at = positions(c, row_splits, width, c.attribute("side"), num_values)
    padded = c.add("Concat", values, padding, axis=0)
    return c.add(gather, padded, at if gather == "Gather" else c.add("Unsqueeze", at, [-1]))


@form("ragged_to_dense", nodes="Gather, Where, Range")
def _ragged_to_dense(c: Call) -> None:
    values = c.tensor("values")
    assert values.dtype is not None
    padding = c.input("padding_value")
    if padding is None:
        padding = c.constant(np.zeros((), values.dtype.numpy()))
    element = c.add("Concat", [1], c.add("Shape", values, start=1), axis=0)
    c.returns(_dense(c, values, c.add("Expand", padding, element), "Gather"))


@form("_strings_to_dense", nodes="GatherND, Where, Range")
def _strings_to_dense(c: Call) -> None:
    strings = c.strings()
    padding = c.constant(StringTensor.from_list([c.attribute("padding_value")]))
    element = c.add("Concat", [1], c.add("Shape", strings, start=1), axis=0)
    # Gather of onnxruntime copies only the first string of each element that has an axis.
    c.returns_strings(_dense(c, strings, c.add("Expand", padding, element), "GatherND"))


@form("ragged_mask", nodes="Less, Range")
def _ragged_mask(c: Call) -> None:
    counts = counts_of(c, c.tensor("row_splits"))
    width = width_of(c, counts)
    if c.attribute("side") == "right":
        c.returns(below(c, counts, width))
        return
    begins = c.add("Sub", width, c.add("Min", counts, width))
    columns = c.add("Range", c.constant(0), width, c.constant(1))
    c.returns(c.add("GreaterOrEqual", columns, c.add("Unsqueeze", begins, [1])))


@form("_ragged_lengths", nodes="Sub")
def _ragged_lengths(c: Call) -> None:
    c.returns(counts_of(c, c.tensor("row_splits")))


@form("dense_to_ragged", nodes="Compress, CumSum", limits='side="right"; rank 2')
def _dense_to_ragged(c: Call) -> None:
    if c.attribute("side") != "right" or c.rank("dense") != 2:
        raise NoForm('`side` is not "right", or the rank is not 2')
    dense, lengths = c.tensor("dense"), c.add("Cast", c.tensor("lengths"), to=_INT64)
    width = c.add("Squeeze", c.add("Shape", dense, start=1, end=2))
    c.returns(*rows_of(c, dense, below(c, lengths, width)))


@form("ragged_count", nodes="ScatterElements, CumSum")
def _ragged_count(c: Call) -> None:
    ids, row_splits, num_ids = (
        c.add("Cast", c.tensor("ids"), to=_INT64),
        c.tensor("row_splits"),
        c.tensor("num_ids"),
    )
    one = c.constant([1])
    num_rows = c.add("Sub", c.add("Shape", row_splits), one)
    # The row of an id is the number of rows that begin up to its position, minus one: ones added at the beginnings.
    begins = c.add("Slice", row_splits, [0], [-1])
    starts = c.add("Expand", [0], c.add("Add", c.add("Shape", ids), one))
    starts = c.add("ScatterElements", starts, begins, c.add("Expand", one, num_rows), axis=0, reduction="add")
    rows = c.add("Slice", c.add("Sub", c.add("CumSum", starts, c.constant(0)), one), [0], c.add("Shape", ids))
    # Ids that are not counted are in one more column. ScatterND of onnxruntime would add from several threads without a
    # lock, so counts are one axis until ScatterElements has added to them.
    is_id = c.add("And", c.add("GreaterOrEqual", ids, c.constant(0)), c.add("Less", ids, num_ids))
    columns = c.add("Where", is_id, ids, num_ids)
    width = c.add("Reshape", num_ids, [1])
    all_columns = c.add("Add", width, one)
    at = c.add("Add", c.add("Mul", rows, all_columns), columns)
    zeros = c.add("Expand", [0], c.add("Mul", num_rows, all_columns))
    counts = c.add("ScatterElements", zeros, at, c.add("Expand", one, c.add("Shape", ids)), axis=0, reduction="add")
    counts = c.add("Reshape", counts, c.add("Concat", num_rows, all_columns, axis=0), allowzero=1)
    counts = c.add("Slice", counts, [0], width, [1])
    c.returns(c.add("Min", counts, c.constant(1)) if c.attribute("binary") else counts)
