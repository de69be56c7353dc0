"""Pickling of strings, as compact tensors whose storages hold no other bytes; and sending them to another process.

torch.multiprocessing, and thus DataLoader, puts each tensor into a file of shared memory. Such a file costs as much
time as a few hundred strings, so that small tensors are sent as bytes.
"""

import multiprocessing.context
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from torch_stringops._checks import check_storage
from torch_stringops._tracing import can_read
from torch_stringops.tensor.strings import S, Strings, check, compact, validate

# Copies that were pickled for a child process, by the handle of the process. A spawned child receives a file descriptor
# after pickling, which torch closes together with the tensor; so the tensor must be kept alive until then.
_in_transit: WeakKeyDictionary[Any, list[tuple[Tensor, Tensor]]] = WeakKeyDictionary()

# Bytes of strings that are sent as bytes. Measured with DataLoader: shared memory is faster from 500 KB.
MAX_SENT_BYTES = 2**18


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


def to_send(s: Strings) -> tuple[bytes, bytes, tuple[int, ...], bool] | None:
    """The bytes of compact strings and the shape of `offsets`; None if the tensors are to be sent."""
    data, offsets = s.data, s.offsets
    if not (can_read(offsets) and can_read(data) and data.is_cpu and offsets.is_contiguous()):
        return None
    if data.nbytes + offsets.nbytes > MAX_SENT_BYTES or data.untyped_storage().is_shared():
        return None
    check_storage("StringTensor", "data", data)
    return data.numpy().tobytes(), offsets.numpy().tobytes(), tuple(offsets.shape), s._scalar


def from_sent(kind: type[S], data: bytes, offsets: bytes, shape: tuple[int, ...], scalar: bool) -> S:
    """The strings for `to_send`, validated."""
    # Copies, since the memory of tensors must be writable. Pickle takes longer for a bytearray.
    read = from_bytes(bytearray(offsets), torch.int32).view(shape)
    s = kind._new(from_bytes(bytearray(data), torch.uint8), read, bool(scalar))
    validate(s)
    if scalar or len(data) > MAX_SENT_BYTES:
        check(s.data, s.offsets, s._scalar)
    return s


def from_bytes(raw: bytearray, dtype: torch.dtype) -> Tensor:
    return torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype, device="cpu")


def check_pickled(s: Strings) -> None:
    """Validates the offsets of unpickled strings, if they can be read."""
    if can_read(s.offsets) and can_read(s.data):
        validate(s)
