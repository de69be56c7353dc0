"""Parts that the modules share: checks of arguments, buckets of hashes, and ids as counts."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_int
from torch_stringops.functions.ragged_rows import ragged_count
from torch_stringops.string_tensor import StringTensor

# With at most so many buckets, the arithmetic of `bucket` does not overflow.
MAX_BINS = 2**61


def check_salt(op: str, salt: Any) -> list[int] | None:
    """The key of SipHash: two ints, or one for both."""
    if salt is None:
        return None
    pair = list(salt) if isinstance(salt, list | tuple) else [salt, salt]
    if len(pair) != 2:
        raise ValueError(f"{op}: expected `salt` to be an int or two ints, got {len(pair)}")
    return [check_int(op, "salt", value, -(2**63), 2**64 - 1) for value in pair]


def bucket(strings: StringTensor, num_buckets: int, salt: list[int] | None) -> Tensor:
    """Returns int64 `[*S]` within [0, num_buckets): XXH3 without a salt, else SipHash, modulo `num_buckets`."""
    if salt is None:
        return strings.hash_bucket(num_buckets)
    signed = strings.siphash(salt)
    # The remainder of the unsigned hash, in signed arithmetic: that of its upper 63 bits first.
    upper = (signed >> 1) & (2**63 - 1)
    return (upper % num_buckets * 2 + (signed & 1)) % num_buckets


def encode_rows(ids: Tensor, row_splits: Tensor, depth: int, output_mode: str) -> Tensor:
    """Returns "count" or "multi_hot" of ragged rows of ids, int64 `[N, depth]`. Ids outside [0, depth) are left out."""
    return ragged_count(ids, row_splits, depth, binary=output_mode == "multi_hot")


def encode(ids: Tensor, depth: int, output_mode: str) -> Tensor:
    """Encodes ids `[*S]`, where those outside [0, depth) are left out.

    "int" gives the ids. "one_hot" adds an axis, `[*S, depth]`, which replaces a last axis of size 1. "count" and
    "multi_hot" have this axis in the place of the last one.
    """
    if output_mode == "int":
        return ids
    if output_mode == "one_hot":
        if ids.dim() > 1 and ids.shape[-1] == 1:
            ids = ids.squeeze(-1)
        return (ids.unsqueeze(-1) == torch.arange(depth, device="cpu")).to(torch.int64)
    rows = ids.reshape(1) if ids.dim() == 0 else ids
    column = torch.where((rows >= 0) & (rows < depth), rows, depth)  # the last one is left out
    zeros = torch.zeros([*rows.shape[:-1], depth + 1], dtype=torch.int64, device="cpu")
    counts = zeros.scatter_add(-1, column, torch.ones_like(column))[..., :depth]
    return counts.clamp(max=1) if output_mode == "multi_hot" else counts
