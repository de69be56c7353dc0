"""Compares settings of ranks, without a collective that one of them might not reach."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch.distributed as dist
from torch.distributed.distributed_c10d import _get_default_store

_compared = 0  # calls of this process


def check_same_on_ranks(op: str, settings: dict[str, Any]) -> None:
    """Raises ValueError if a rank that came here before, in its call of the same number, has other settings.

    The first rank leaves a digest of each setting in the store of torch.distributed, and the others compare theirs.
    Ranks need not wait for each other: of two that differ, at least one raises.
    """
    global _compared
    _compared += 1
    mine = {name: _digest(value) for name, value in settings.items()}
    store: Any = _get_default_store()
    first = store.compare_set(f"torch_stringops/{op}/{_compared}", "", json.dumps(mine))
    theirs = json.loads(first.decode())
    for name, digest in mine.items():
        if theirs.get(name) != digest:
            raise ValueError(
                f"{op}: expected the same `{name}` on all ranks, got another on rank {dist.get_rank()} than on the "
                "first rank that came here"
            )


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
