"""What a pickle of strings holds: compact tensors, in storages that hold nothing else."""

import multiprocessing.context
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from torch_stringops._tracing import can_read
from torch_stringops.tensor.ranges import Strings, compact, validate

# Copies that were made for a child process, by the handle of the process. What a spawned child gets of a tensor is a
# file descriptor, passed on after pickling: torch closes it with the tensor, so the tensor has to live until then.
_in_transit: WeakKeyDictionary[Any, list[tuple[Tensor, Tensor]]] = WeakKeyDictionary()


def to_pickle(s: Strings) -> tuple[Tensor, Tensor, bool]:
    """Of `s`, compact: pickle writes storages, not views. They live until a process that is being spawned has them."""
    s = compact(s)
    data, offsets = _alone(s.data), _alone(s.offsets)
    child = multiprocessing.context.get_spawning_popen()
    if child is not None:
        _in_transit.setdefault(child, []).append((data, offsets))
    return data, offsets, s._scalar


def _alone(t: Tensor) -> Tensor:
    if t.is_contiguous() and t.untyped_storage().nbytes() == t.nbytes:
        return t
    return t.clone(memory_format=torch.contiguous_format)


def check_pickled(s: Strings) -> None:
    """What comes in from outside is validated, if it can be read."""
    if can_read(s.offsets) and can_read(s.data):
        validate(s)
