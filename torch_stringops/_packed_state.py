"""Several tensors as one tensor of bytes, in the layout of a safetensors file, and digests of tensors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_rank
from torch_stringops.string_tensor import StringTensor

# The key of the extra state of a module in a state_dict.
EXTRA_STATE = "_extra_state"
_TYPES = {
    "U8": torch.uint8,
    "I32": torch.int32,
    "I64": torch.int64,
    "F32": torch.float32,
    "F64": torch.float64,
}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
# One string of a StringTensor has fewer bytes.
_BYTES_PER_HASH = 2**30
_MULTIPLIER = 0x9E3779B97F4A7C15


def packed(tensors: Mapping[str, Tensor]) -> Tensor:
    """Returns uint8 `[B]`: the length of the header in 8 bytes, a header in JSON, and the bytes of the tensors."""
    header: dict[str, Any] = {}
    parts, end = [], 0
    for name, t in tensors.items():
        parts.append(_bytes_of(t))
        begin, end = end, end + len(parts[-1])
        header[name] = {"dtype": _NAMES[t.dtype], "shape": list(t.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    head = bytearray(len(text).to_bytes(8, "little") + text)
    return torch.cat([torch.frombuffer(head, dtype=torch.uint8), *parts])


def unpacked(op: str, state: Any, names: Iterable[str]) -> dict[str, Tensor]:
    """Returns the tensors of untrusted bytes, among them those of these names. They do not share their memory."""
    if not isinstance(state, Tensor):
        raise TypeError(f"{op}: expected the state to be a Tensor, got {type(state).__name__}")
    check_dtype(op, EXTRA_STATE, state, torch.uint8)
    check_rank(op, EXTRA_STATE, state, 1)
    try:
        state = state.cpu()
        start = 8 + int.from_bytes(state[:8].numpy().tobytes(), "little")
        header = json.loads(state[8:start].numpy().tobytes())
        found = {
            name: state[start:][slice(*part["data_offsets"])].clone().view(_TYPES[part["dtype"]]).reshape(part["shape"])
            for name, part in header.items()
        }
    except (LookupError, OverflowError, TypeError, ValueError, RuntimeError, RecursionError, AttributeError):
        raise ValueError(f"{op}: expected a state of state_dict, got other bytes") from None
    if any(name not in found for name in names):
        raise ValueError(f"{op}: expected a state of {', '.join(names)}, got one of {', '.join(found)}")
    return found


def saved_tensors(op: str, state_dict: Mapping[str, Any], prefix: str, names: Iterable[str]) -> dict[str, Any] | None:
    """The tensors of these names in a state_dict, from its bytes or, as earlier versions saved them, one by one.

    None if there are none. They are not checked.
    """
    if prefix + EXTRA_STATE in state_dict:
        return unpacked(op, state_dict[prefix + EXTRA_STATE], names)
    if all(prefix + name in state_dict for name in names):
        return {name: state_dict[prefix + name] for name in names}
    return None


def digest(tensors: Mapping[str, Tensor]) -> list[float]:
    """The bytes of a hash of the tensors."""
    found = 0
    for t in tensors.values():
        for part in _bytes_of(t).split(_BYTES_PER_HASH):
            offsets = torch.tensor([0, len(part)], dtype=torch.int32, device="cpu")
            found = (found * _MULTIPLIER + int(StringTensor(part, offsets).hash())) % 2**64
    return [float(byte) for byte in found.to_bytes(8, "little")]


def _bytes_of(t: Tensor) -> Tensor:
    return t.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
