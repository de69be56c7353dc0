"""Methods that return or change the shape of a string tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import torch
from torch import Tensor

from torch_stringops._checks import shape_of, sizes_of, wrap_dim
from torch_stringops._types import Shape, Sizes
from torch_stringops.methods._base import Methods
from torch_stringops.tensor import reshape, strings
from torch_stringops.tensor.strings import Strings

if TYPE_CHECKING:
    from typing_extensions import Self


class ShapeMethods(Methods):
    """The shape; permuting axes, repeating (tensor/reshape.py)."""

    __slots__ = ()

    @property
    def shape(self) -> torch.Size:
        """Returns the shape of the tensor.

        Example:
            >>> StringTensor.from_list([["a", "b", "c"]]).shape
            torch.Size([1, 3])
        """
        if self._scalar:
            return torch.Size([])
        sizes = self._offsets.shape
        return torch.Size([*sizes[:-1], sizes[-1] - 1])

    @overload
    def size(self, dim: None = None) -> torch.Size: ...
    @overload
    def size(self, dim: int) -> int: ...

    def size(self, dim: int | None = None) -> torch.Size | int:
        """Returns the shape, or the size of axis `dim`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).size(0)
            2
        """
        return self.shape if dim is None else self.shape[wrap_dim(dim, self.ndim, "StringTensor.size: ")]

    @property
    def ndim(self) -> int:
        """Returns the number of axes; 0 for a single string."""
        return 0 if self._scalar else self._offsets.dim()

    def dim(self) -> int:
        """Returns the number of axes; 0 for a single string."""
        return self.ndim

    def numel(self) -> int:
        """Returns the number of strings.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).numel()
            4
        """
        count: int = strings.numel(self)
        return count

    nelement = numel

    def __len__(self) -> int:
        if self._scalar:
            raise TypeError(
                "len() of a 0-d StringTensor (use s.length() for its characters; torch.tensor, which calls len, makes "
                "tensors of numbers: use s.to_number(), s.hash(), or the two tensors s.data and s.offsets)"
            )
        return self.shape[0]

    def reshape(self, *shape: Sizes) -> Self:
        """Returns the same strings, in row-major order, with the given shape; one size may be -1.

        The result shares `data` if the bytes are in that order, as those of compact strings always are; otherwise
        the strings are copied.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).reshape(2, -1).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        return reshape.reshape(self, sizes_of(shape))

    def view(self, *shape: Sizes) -> Self:
        """Same as `reshape`. Strings are immutable, so a view and a copy behave alike.

        Example:
            >>> StringTensor.from_list(["a", "b"]).view(2, 1).shape
            torch.Size([2, 1])
        """
        return self.reshape(*shape)

    def reshape_as(self, other: Tensor | Strings) -> Self:
        """Same as `reshape(other.shape)`."""
        return self.reshape(shape_of("reshape_as", other))

    def view_as(self, other: Tensor | Strings) -> Self:
        """Same as `view(other.shape)`."""
        return self.reshape(shape_of("view_as", other))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self:
        """Flattens axes `start_dim` to `end_dim` into one.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).flatten().tolist()
            ['a', 'b', 'c', 'd']
        """
        return reshape.flatten(self, start_dim, end_dim)

    def ravel(self) -> Self:
        """Flattens all axes into one."""
        return self.flatten()

    def unflatten(self, dim: int, sizes: Shape) -> Self:
        """Expands axis `dim` into several axes of the given sizes.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).unflatten(0, (2, 2)).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        return reshape.unflatten(self, dim, sizes)

    def squeeze(self, dim: int | tuple[int, ...] | None = None) -> Self:
        """Removes all axes of size 1, or those in `dim` that have size 1.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).squeeze(1).tolist()
            ['a', 'b']
        """
        return reshape.squeeze(self, dim)

    def unsqueeze(self, dim: int) -> Self:
        """Inserts an axis of size 1 at position `dim`. Shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).unsqueeze(-1).tolist()
            [['a'], ['b']]
        """
        return reshape.unsqueeze(self, dim)

    def permute(self, *dims: Sizes) -> Self:
        """Permutes the axes. Shares `data` if the last axis stays the last; otherwise the strings are copied.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).permute(1, 0).tolist()
            [['a', 'c'], ['b', 'd']]
        """
        return reshape.permute(self, sizes_of(dims))

    def transpose(self, dim0: int, dim1: int) -> Self:
        """Swaps axes `dim0` and `dim1`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).transpose(0, 1).tolist()
            [['a'], ['b']]
        """
        return reshape.transpose(self, dim0, dim1)

    swapaxes = transpose

    swapdims = transpose

    def t(self) -> Self:
        """Transposes a matrix. A vector or a single string is returned as it is."""
        return reshape.t(self)

    @property
    def T(self) -> Self:
        """Returns the strings with all axes reversed."""
        return reshape.reversed_axes(self)

    @property
    def mT(self) -> Self:
        """Returns the strings with the last two axes swapped."""
        return reshape.mT(self)

    def movedim(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Self:
        """Moves axes to other positions; the remaining axes keep their order.

        Example:
            >>> StringTensor.from_list([[["a", "b"]]]).movedim(-1, 0).shape
            torch.Size([2, 1, 1])
        """
        return reshape.movedim(self, source, destination)

    moveaxis = movedim

    def expand(self, *sizes: Sizes) -> Self:
        """Expands axes of size 1 to larger sizes, and prepends new axes; -1 keeps a size.

        Only expanding the last axis copies strings.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).expand(-1, 2).tolist()
            [['a', 'a'], ['b', 'b']]
        """
        return reshape.expand(self, sizes_of(sizes))

    def expand_as(self, other: Tensor | Strings) -> Self:
        """Same as `expand(other.shape)`."""
        return self.expand(shape_of("expand_as", other))

    def broadcast_to(self, shape: Shape) -> Self:
        """Same as `expand(shape)`."""
        return self.expand(shape)

    def repeat(self, *repeats: Sizes) -> Self:
        """Repeats the tensor along each axis, like `torch.Tensor.repeat`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat(2, 1).tolist()
            [['a', 'b'], ['a', 'b']]
        """
        return reshape.repeat(self, sizes_of(repeats))

    def tile(self, *dims: Sizes) -> Self:
        """Same as `repeat`, with missing leading counts taken as 1."""
        return reshape.tile(self, sizes_of(dims))

    def repeat_interleave(self, repeats: int | Tensor, dim: int | None = None) -> Self:
        """Repeats each string, or each slice along `dim`, like `torch.repeat_interleave`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat_interleave(2).tolist()
            ['a', 'a', 'b', 'b']
        """
        return reshape.repeat_interleave(self, repeats, dim)
