"""ragged_mask: which cells of padded rows hold an element."""

import torch
from torch import Tensor

from torch_stringops._fake import Size, dynamic_size, register_fake
from torch_stringops._library import operator
from torch_stringops.ops._ragged import check_padded_size, check_row_splits, check_side, check_width

_OP = "ragged_mask"

_mask = operator(_OP)


@register_fake(_OP)
def _fake(row_splits: Tensor, width: Size | None = None, side: str = "right") -> Tensor:
    check_row_splits(_OP, row_splits)
    check_width(_OP, width)
    check_side(_OP, side)
    columns = dynamic_size() if width is None else width
    check_padded_size(_OP, row_splits.shape[0] - 1, columns)
    return row_splits.new_empty([row_splits.shape[0] - 1, columns], dtype=torch.bool)


def ragged_mask(row_splits: Tensor, width: int | None = None, side: str = "right") -> Tensor:
    """Which cells of `ragged_to_dense(values, row_splits, width, side=side)` hold an element of `values`.

    Where both are wanted, `ragged_mask(row_splits, dense.shape[1])` tells a tracer that the shapes are equal.

    Args:
        row_splits: int64 `[N + 1]`, in elements: non-decreasing, from 0.
        width: columns; None for the longest row's (data-dependent).
        side: "right" or "left", where rows are padded or cut.

    Returns:
        bool `[N, width]`, true for an element and false for padding: Hugging Face's `attention_mask`, the
        negation of `key_padding_mask` of `nn.MultiheadAttention`.

    Raises:
        ValueError: `row_splits` is not as said, `width` is negative, or `side` is unknown.

    See also: ragged_to_dense, ragged_lengths.

    Example:
        >>> ragged_mask(torch.tensor([0, 3, 3, 4]), width=2)
        tensor([[ True,  True],
                [False, False],
                [ True, False]])
    """
    mask: Tensor = _mask(row_splits, width, side)
    return mask
