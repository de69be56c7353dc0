"""What the operators on ragged rows share: the checks of `csrc/ops/ragged.h`, in the same words."""

import torch
from torch import Tensor

from torch_stringops._fake import Size, check_dtype, shape_text


def check_side(op: str, side: str) -> None:
    if side not in ("left", "right"):
        got = f"another string of {len(side.encode(errors='surrogateescape'))} bytes"
        raise ValueError(f'{op}: expected `side` to be "left" or "right", got {got}')


def check_row_splits(op: str, row_splits: Tensor) -> None:
    check_dtype(op, "row_splits", row_splits, torch.int64)
    if row_splits.dim() != 1 or (isinstance(row_splits.shape[0], int) and row_splits.shape[0] < 1):
        raise ValueError(
            f"{op}: expected `row_splits` of shape [n + 1] with n >= 0, got shape {shape_text(row_splits)}"
        )


def check_width(op: str, width: Size | None) -> None:
    if isinstance(width, int) and width < 0:
        raise ValueError(f"{op}: expected `width` >= 0 or None, got {width}")
