"""Pickling of strings: as compact tensors, whose storages hold no other bytes."""

import multiprocessing.context
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from torch_stringops._tracing import can_read
from torch_stringops.tensor.ranges import Strings, compact, validate

# Copies that were pickled for a child process, by the handle of the process. A spawned child receives a file descriptor
# after pickling, which torch closes together with the tensor; so the tensor must be kept alive until then.
_in_transit: WeakKeyDictionary[Any, list[tuple[Tensor, Tensor]]] = WeakKeyDictionary()


def to_pickle(s: Strings) -> tuple[Tensor, Tensor, bool]:
    """The tensors to pickle: compact ones, since pickle writes whole storages."""
    s = compact(s)
    data, offsets = _with_own_storage(s.data), _with_own_storage(s.offsets)
    child = multiprocessing.context.get_spawning_popen()
    if child is not None:
        _in_transit.setdefault(child, []).append((data, offsets))
    return data, offsets, s._scalar


def _with_own_storage(t: Tensor) -> Tensor:
    if t.is_contiguous() and t.untyped_storage().nbytes() == t.nbytes:
        return t
    return t.clone(memory_format=torch.contiguous_format)


def check_pickled(s: Strings) -> None:
    """Validates the offsets of unpickled strings, if they can be read."""
    if can_read(s.offsets) and can_read(s.data):
        validate(s)
