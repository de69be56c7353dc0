"""What the operators on ragged rows share: the checks of `csrc/ops/ragged.h`, in the same words."""

import torch
from torch import Tensor

from torch_stringops._errors import choice_error
from torch_stringops._fake import MAX_OFFSETS, Size, check_dtype, check_most, shape_text


def check_side(op: str, side: str) -> None:
    if side not in ("left", "right"):
        raise choice_error(op, "side", "'left' or 'right'", side)


def check_row_splits(op: str, row_splits: Tensor) -> None:
    check_dtype(op, "row_splits", row_splits, torch.int64)
    if row_splits.dim() != 1 or (isinstance(row_splits.shape[0], int) and row_splits.shape[0] < 1):
        raise ValueError(
            f"{op}: expected `row_splits` of shape [n + 1] with n >= 0, got shape {shape_text(row_splits)}"
        )
    if not torch.compiler.is_compiling():
        check_most(op, "row_splits", row_splits.numel(), MAX_OFFSETS, "elements")


def check_padded_size(op: str, rows: Size, width: Size) -> None:
    """One long row beside many short ones makes a dense tensor of almost nothing but padding."""
    if type(rows) is int and type(width) is int and rows * width > MAX_OFFSETS:
        raise ValueError(
            f"{op}: padding {rows} rows to {width} elements needs more than {MAX_OFFSETS} "
            "(keep the rows ragged, or pass a smaller `width`)"
        )


def check_width(op: str, width: Size | None) -> None:
    if isinstance(width, int) and width < 0:
        raise ValueError(f"{op}: expected `width` >= 0 or None, got {width}")
