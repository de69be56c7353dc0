"""Oracles of ragged_count and of the positions of segments."""

from reference.ragged import rows_of
from torch import Tensor


def ragged_count_ref(ids: Tensor, row_splits: Tensor, num_ids: int, *, binary: bool = False) -> tuple[list[list[int]]]:
    most = 1 if binary else ids.numel()
    rows = rows_of(ids.tolist(), row_splits)
    return ([[min(row.count(i), most) for i in range(num_ids)] for row in rows],)


def ragged_segments_ref(starts: Tensor, lengths: Tensor) -> tuple[list[int]]:
    pairs = zip(starts.tolist(), lengths.tolist(), strict=True)
    return ([start + k for start, length in pairs for k in range(length)],)
