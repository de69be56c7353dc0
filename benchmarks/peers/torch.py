"""torch itself: the same result by its own operations, or the same operation on numbers."""

from functools import partial
from typing import Any

import torch

from benchmarks.inputs import WIDTH

COLUMNS = torch.arange(WIDTH)


def numbers(array: Any) -> Any:
    return torch.tensor(array)


def to_dense(values: Any, splits: Any, width: int) -> Any:
    nested = torch.nested.nested_tensor_from_jagged(torch.tensor(values), torch.tensor(splits))
    return partial(nested.to_padded_tensor, 0, [len(splits) - 1, width])


CALLS: dict[str, Any] = {
    "dense_to_ragged": lambda dense, lengths: (
        dense[lengths[:, None] > COLUMNS],
        torch.nn.functional.pad(lengths.cumsum(0), (1, 0)),
    ),
    "ragged_mask": lambda splits, width: splits.diff()[:, None] > COLUMNS,
    "split_to_sequence": torch.split,
}
MADE: dict[str, Any] = {"ragged_to_dense": to_dense}
READS: dict[str, Any] = {"split_to_sequence": torch.cat}
