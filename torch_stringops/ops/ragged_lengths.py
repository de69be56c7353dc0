"""ragged_lengths: elements in each row."""

from torch import Tensor

from torch_stringops._fake import check_tensor
from torch_stringops.ops._ragged import check_row_splits


def ragged_lengths(row_splits: Tensor) -> Tensor:
    """Elements in each row.

    Args:
        row_splits: int64 `[N + 1]`, in elements. Its order is not checked.

    Returns:
        int64 `[N]`.

    Raises:
        TypeError: `row_splits` is not a tensor.
        ValueError: `row_splits` has another dtype or shape.

    See also: ragged_mask. `torch.cumsum` is the way back.

    Example:
        >>> import torch
        >>> ragged_lengths(torch.tensor([0, 3, 3, 4]))
        tensor([3, 0, 1])
    """
    check_tensor("ragged_lengths", "row_splits", row_splits)
    check_row_splits("ragged_lengths", row_splits)
    return row_splits[1:] - row_splits[:-1]
