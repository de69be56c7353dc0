"""Checks of the arguments of Vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_int, dtype_name, utf8
from torch_stringops.tensor.indexing import index_tensor

# The limit of csrc/ops/vocabulary.h, so that ids do not overflow.
MAX_BUCKETS = 2**62


def check_buckets(op: str, value: Any, unknown_token: Any) -> int:
    """The number of buckets for unknown strings. By default their ids are rows of an embedding, not -1."""
    if value is None:
        return 1 if unknown_token is None else 0
    return check_int(op, "num_oov_buckets", value, 0, MAX_BUCKETS)


def check_roles(op: str, pad_token: Any, unknown_token: Any) -> dict[str, bytes]:
    """The bytes of the pad and unknown tokens that are given, by argument name."""
    named = {"pad_token": pad_token, "unknown_token": unknown_token}
    roles = {name: utf8(op, name, value) for name, value in named.items() if value is not None}
    if len(set(roles.values())) < len(roles):
        raise ValueError(f"{op}: expected `pad_token` and `unknown_token` to differ, got equal ones")
    return roles


def check_specials(op: str, value: Any) -> list[bytes]:
    """The bytes of each special token. Rejects a single string, which would be taken as a sequence of characters."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray | memoryview):
        hint = " (pass a tuple of one)" if isinstance(value, str | bytes) else ""
        raise TypeError(
            f"{op}: expected `specials` to be a tuple or list of str or bytes, got {type(value).__name__}{hint}"
        )
    specials = [utf8(op, f"specials[{at}]", special) for at, special in enumerate(value)]
    position_of: dict[bytes, int] = {}
    for at, special in enumerate(specials):
        first = position_of.setdefault(special, at)
        if first != at:
            raise ValueError(f"{op}: expected distinct `specials`, got equal ones at positions {first} and {at}")
    return specials


def check_ids(op: str, ids: Any) -> Tensor:
    """Converts a tensor, a NumPy array, an int or (nested) lists to an int32 or int64 tensor on the CPU."""
    if not isinstance(ids, Tensor):
        try:
            t = index_tensor(ids)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(
                f"{op}: expected `ids` to be a tensor, a NumPy array or a list of ints, got {type(ids).__name__}"
            ) from None
        ids = t.long() if isinstance(ids, list | tuple) and t.numel() == 0 else t
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise ValueError(f"{op}: expected `ids` of an integer dtype, got {dtype_name(ids.dtype)}")
    ids = ids.cpu()
    result: Tensor = ids if ids.dtype in (torch.int32, torch.int64) else ids.long()
    return result
