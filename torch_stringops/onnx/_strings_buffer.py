"""Strings that a module holds as two buffers, so that they are saved, exported and packaged with it."""

from __future__ import annotations

from torch import nn

from torch_stringops._arguments import strings_argument
from torch_stringops._types import StringsLike
from torch_stringops.string_tensor import StringTensor


class StringsBuffer(nn.Module):
    """Returns the strings that it was made of."""

    def __init__(self, strings: StringsLike, op: str, name: str) -> None:
        super().__init__()
        strings = strings_argument(op, name, strings).contiguous()
        self.register_buffer("data", strings.data)
        self.register_buffer("offsets", strings.offsets)
        self.scalar = strings.dim() == 0

    def forward(self) -> StringTensor:
        return StringTensor(self.data, self.offsets, scalar=self.scalar)  # type: ignore[arg-type]
