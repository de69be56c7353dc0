"""Python strings <-> buffers."""

from typing import Any

import numpy as np
import torch
from torch import Tensor


def strings_from_list(values: Any) -> tuple[Tensor, Tensor, bool]:
    """`data`, `offsets` and whether `values` is one bare string."""
    array = np.array(values, dtype=object)
    raw = [v.encode() if isinstance(v, str) else v for v in array.reshape(-1).tolist()]
    for i, v in enumerate(raw):
        if not isinstance(v, bytes):
            raise TypeError(f"StringTensor.from_list: expected str or bytes, got {type(v).__name__} at index {i}")
    data = torch.from_numpy(np.frombuffer(b"".join(raw), dtype=np.uint8).copy())
    ends = np.cumsum([0] + [len(v) for v in raw]).astype(np.int32)
    if array.ndim == 0:
        return data, torch.from_numpy(ends), True
    offsets = np.zeros([*array.shape[:-1], array.shape[-1] + 1], dtype=np.int32)
    offsets[..., :-1] = ends[:-1].reshape(array.shape)
    offsets[..., 1:] = ends[1:].reshape(array.shape)
    return data, torch.from_numpy(offsets), False


def strings_to_list(
    data: Tensor, offsets: Tensor, *, scalar: bool = False, as_bytes: bool = False, errors: str = "strict"
) -> Any:
    """The strings as nested lists of `str`, or of `bytes`."""
    raw = data.numpy().tobytes()

    def row(o: list[Any]) -> list[Any]:
        if o and isinstance(o[0], list):
            return [row(x) for x in o]
        pieces = [raw[a:b] for a, b in zip(o, o[1:], strict=False)]
        return pieces if as_bytes else [p.decode(errors=errors) for p in pieces]

    strings = row(offsets.tolist())
    return strings[0] if scalar else strings
