"""StringTensor: strings of any shape as two tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torch_stringops._fake import check_strings
from torch_stringops._indexing import getitem
from torch_stringops._layout import reshaped, shape_after, sizes_of
from torch_stringops.interop.python import strings_from_list, strings_to_list


class StringTensor:
    """Strings of shape `[*S]` as `data` (uint8 bytes) and `offsets` (int32 `[*S[:-1], S[-1] + 1]`).

    The string at `[i, ..., j]` is `data[offsets[i, ..., j] : offsets[i, ..., j + 1]]`.

    Args:
        data: uint8 `[num_bytes]`, contiguous.
        offsets: int32 `[*S[:-1], S[-1] + 1]`, in bytes; each row non-decreasing within `[0, num_bytes]`.
        scalar: the one string of `offsets` `[2]` has rank 0.

    Example:
        >>> s = StringTensor.from_list([["to", "be"], ["or", "not"]])
        >>> s.shape
        torch.Size([2, 2])
        >>> s[:, 0].tolist()
        ['to', 'or']
    """

    __slots__ = ("_scalar", "data", "offsets")

    data: Tensor
    offsets: Tensor
    _scalar: bool

    def __init__(self, data: Tensor, offsets: Tensor, *, scalar: bool = False) -> None:
        check_strings("StringTensor", data, offsets)
        self.data = data
        self.offsets = offsets
        self._scalar = scalar

    def _new(self, data: Tensor, offsets: Tensor, *, scalar: bool = False) -> StringTensor:
        return StringTensor(data, offsets, scalar=scalar)

    @staticmethod
    def from_list(values: Any) -> StringTensor:
        """Strings from a nested list.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", ""]]).tolist()
            [['a', 'b'], ['c', '']]
        """
        data, offsets, scalar = strings_from_list(values)
        return StringTensor(data, offsets, scalar=scalar)

    def tolist(self) -> Any:
        """The strings as a nested list of `str`; a `str` for rank 0."""
        return strings_to_list(self.data, self.offsets, scalar=self._scalar)

    @property
    def shape(self) -> torch.Size:
        """Shape of the string tensor."""
        if self._scalar:
            return torch.Size([])
        sizes = self.offsets.shape
        return torch.Size([*sizes[:-1], sizes[-1] - 1])

    def numel(self) -> int:
        """Number of strings."""
        if self._scalar:
            return 1
        n: int = self.offsets.shape[-1] - 1
        for size in self.offsets.shape[:-1]:
            n = n * size
        return n

    def __len__(self) -> int:
        if self._scalar:
            raise TypeError("len() of a 0-d StringTensor")
        return self.shape[0]

    def __getitem__(self, index: Any) -> StringTensor:
        return getitem(self, index)

    def reshape(self, *shape: Any) -> StringTensor:
        """The same strings in another shape."""
        sizes = sizes_of(shape)
        return reshaped(self, shape_after(self, lambda t: t.reshape(sizes)))
