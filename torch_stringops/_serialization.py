"""Pickle, copy, torch.save: what leaves a process is compact, what comes in is validated."""

from __future__ import annotations

import copy
import multiprocessing.context
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from torch_stringops._layout import can_read

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


# Copies that were made for a child process, by the handle of the process. What a spawned child gets of a tensor is a
# file descriptor, passed on after pickling: torch closes it with the tensor, so the tensor has to live until then.
_in_transit: WeakKeyDictionary[Any, list[StringTensor]] = WeakKeyDictionary()


def owned(s: StringTensor) -> StringTensor:
    """`s` compact, in storages that hold nothing else: pickle writes storages, not views."""
    s = s.compact()
    data, offsets = (_alone(t) for t in (s.data, s.offsets))
    return s if data is s.data and offsets is s.offsets else s._new(data, offsets, scalar=s._scalar)


def _alone(t: Tensor) -> Tensor:
    if t.is_contiguous() and t.untyped_storage().nbytes() == t.nbytes:
        return t
    return t.clone(memory_format=torch.contiguous_format)


def rebuild(data: Tensor, offsets: Tensor, scalar: bool) -> StringTensor:
    """What a pickle calls."""
    from torch_stringops.string_tensor import StringTensor

    s = StringTensor(data, offsets, scalar=bool(scalar))
    return s.validate() if can_read(s.offsets) and can_read(s.data) else s


def reduce(s: StringTensor) -> tuple[Any, ...]:
    """What a pickle holds."""
    s = owned(s)
    child = multiprocessing.context.get_spawning_popen()
    if child is not None:
        _in_transit.setdefault(child, []).append(s)
    return rebuild, (s.data, s.offsets, s._scalar)


def deepcopy(s: StringTensor, memo: dict[int, Any]) -> StringTensor:
    return s._new(copy.deepcopy(s.data, memo), copy.deepcopy(s.offsets, memo), scalar=s._scalar)


torch.serialization.add_safe_globals([rebuild])
