"""StringTensor: strings as two tensors."""

import torch
from torch import Tensor


class StringTensor:
    """Strings of shape `[*S]` as `data` (uint8 bytes) and `offsets` (int32 `[*S[:-1], S[-1] + 1]`)."""

    __slots__ = ("_scalar", "data", "offsets")

    def __init__(self, data: Tensor, offsets: Tensor) -> None:
        self.data = data
        self.offsets = offsets
        self._scalar = False

    def reshape(self, *shape: int) -> "StringTensor":
        raise RuntimeError("not here yet")

    def tolist(self) -> list[str]:
        raw = bytes(self.data.numpy())
        o = self.offsets.tolist()
        return [raw[a:b].decode() for a, b in zip(o, o[1:], strict=False)]
