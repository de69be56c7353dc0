"""Oracle of ragged_mask: true where ragged_to_dense puts an element."""

import itertools
from typing import Any

from torch import Tensor


def ragged_mask_ref(row_splits: Tensor, width: int | None = None, side: str = "right") -> tuple[Any]:
    splits = row_splits.tolist()
    lengths = [b - a for a, b in itertools.pairwise(splits)]
    if width is None:
        width = max(lengths, default=0)
    rows = [[True] * min(n, width) + [False] * (width - min(n, width)) for n in lengths]
    return ([row if side == "right" else row[::-1] for row in rows],)
