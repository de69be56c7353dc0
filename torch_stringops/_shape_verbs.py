"""Verbs that give the same strings another shape or order of axes, with torch's arguments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from torch_stringops._base import Strings
from torch_stringops._errors import brief_errors
from torch_stringops._layout import (
    can_read,
    check_copies,
    check_count,
    check_shape,
    known,
    move,
    ranges,
    reshaped,
    shape_after,
    shape_of,
    sizes_of,
    wrap_dim,
)

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class ShapeVerbs(Strings):
    """Reshaping, transposing, repeating."""

    __slots__ = ()

    def _self(self) -> StringTensor:
        return self  # type: ignore[return-value]

    def reshape(self, *shape: Any) -> StringTensor:
        """The same strings, in row-major order, in another shape; one size may be -1.

        Shares `data` wherever the bytes lie in that order (always, for compact strings), and gathers them
        otherwise.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).reshape(2, -1).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        sizes = sizes_of(shape)
        return reshaped(self._self(), shape_after(self._self(), lambda t: t.reshape(sizes)))

    def view(self, *shape: Any) -> StringTensor:
        """As `reshape`: strings are never written in place, so nobody can tell a view from a copy.

        Example:
            >>> StringTensor.from_list(["a", "b"]).view(2, 1).shape
            torch.Size([2, 1])
        """
        return self.reshape(*shape)

    def reshape_as(self, other: Any) -> StringTensor:
        """As `reshape(other.shape)`."""
        return self.reshape(shape_of("reshape_as", other))

    def view_as(self, other: Any) -> StringTensor:
        """As `view(other.shape)`."""
        return self.reshape(shape_of("view_as", other))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> StringTensor:
        """Axes `start_dim` to `end_dim` made one.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).flatten().tolist()
            ['a', 'b', 'c', 'd']
        """
        return reshaped(self._self(), shape_after(self._self(), lambda t: t.flatten(start_dim, end_dim)))

    def ravel(self) -> StringTensor:
        """All axes made one."""
        return self.flatten()

    def unflatten(self, dim: int, sizes: Any) -> StringTensor:
        """Axis `dim` made several.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).unflatten(0, (2, 2)).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        return reshaped(self._self(), shape_after(self._self(), lambda t: t.unflatten(dim, sizes)))

    def squeeze(self, dim: int | tuple[int, ...] | None = None) -> StringTensor:
        """Without the axes (of those given in `dim`) whose size is 1.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).squeeze(1).tolist()
            ['a', 'b']
        """
        if dim is None:
            shape = [size for size in self.shape if not known(size == 1)]
        else:
            dims = [wrap_dim(d, self.ndim) for d in (dim if isinstance(dim, (list, tuple)) else (dim,))]
            if len(set(dims)) < len(dims):
                raise RuntimeError("squeeze: a dim appears multiple times in the list of dims")
            shape = [size for d, size in enumerate(self.shape) if not (d in dims and known(size == 1))]
        return reshaped(self._self(), shape)

    def unsqueeze(self, dim: int) -> StringTensor:
        """With an axis of size 1 put before axis `dim`; shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).unsqueeze(-1).tolist()
            [['a'], ['b']]
        """
        dim = wrap_dim(dim, self.ndim + 1)
        if dim == self.ndim:
            begins, ends = ranges(self._self())
            return self._new(self.data, torch.stack([begins, ends], dim=-1))
        return self._new(self.data, self.offsets.unsqueeze(dim))

    def permute(self, *dims: Any) -> StringTensor:
        """Axes in another order; shares `data` where the last axis stays the last.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).permute(1, 0).tolist()
            [['a', 'c'], ['b', 'd']]
        """
        order = sizes_of(dims)
        shape_after(self._self(), lambda t: t.permute(order))  # torch's checks
        if order and order[-1] % self.ndim == self.ndim - 1:
            return self._new(self.data, self.offsets.permute(order))
        return move(self._self(), lambda t: t.permute(order))

    def transpose(self, dim0: int, dim1: int) -> StringTensor:
        """Axes `dim0` and `dim1` exchanged.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).transpose(0, 1).tolist()
            [['a'], ['b']]
        """
        a, b = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
        order = list(range(self.ndim))
        if self.ndim:
            order[a], order[b] = order[b], order[a]
        return self.permute(order)

    swapaxes = transpose
    swapdims = transpose

    def t(self) -> StringTensor:
        """A matrix transposed; a vector or a single string as it is."""
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return self.permute(list(range(self.ndim))[::-1])

    @property
    def T(self) -> StringTensor:
        """All axes in reverse order."""
        return self.permute(list(range(self.ndim))[::-1])

    @property
    def mT(self) -> StringTensor:
        """The last two axes exchanged."""
        if self.ndim == 1:
            raise RuntimeError("mT needs at least 2 dimensions, got 1")
        return self.transpose(-2, -1) if self.ndim else self._self()

    @brief_errors
    def movedim(self, source: Any, destination: Any) -> StringTensor:
        """Axes moved to other places, the rest in their order.

        Example:
            >>> StringTensor.from_list([[["a", "b"]]]).movedim(-1, 0).shape
            torch.Size([2, 1, 1])
        """
        # The order of axes that torch makes of it, read off a tensor whose sizes are their own names.
        names = self.offsets.new_empty(()).expand(list(range(1, self.ndim + 1)))
        return self.permute([int(size) - 1 for size in names.movedim(source, destination).shape])

    moveaxis = movedim

    def expand(self, *sizes: Any) -> StringTensor:
        """Axes of size 1 repeated; new axes come in front; -1 keeps a size.

        Costs no bytes for all axes but the last one, for which the strings are repeated in memory.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).expand(-1, 2).tolist()
            [['a', 'a'], ['b', 'b']]
        """
        given = sizes_of(sizes)
        shape = shape_after(self._self(), lambda t: t.expand(given))
        check_shape("expand", shape)
        if not self._scalar and known(shape[-1] == self.shape[-1]):
            return self._new(self.data, self.offsets.expand([*shape[:-1], shape[-1] + 1]))
        # Its last axis is 1, or it is one string alone.
        if can_read(self.offsets):
            check_copies("expand", self._self(), math.prod(shape) // max(self.numel(), 1))
        return move(self._self(), lambda t: t.expand(shape))

    def expand_as(self, other: Any) -> StringTensor:
        """As `expand(other.shape)`."""
        return self.expand(shape_of("expand_as", other))

    def broadcast_to(self, shape: Any) -> StringTensor:
        """As `expand(shape)`."""
        return self.expand(shape)

    def repeat(self, *repeats: Any) -> StringTensor:
        """The whole tensor repeated along each axis, as `torch.Tensor.repeat`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat(2, 1).tolist()
            [['a', 'b'], ['a', 'b']]
        """
        times = sizes_of(repeats)
        if can_read(self.offsets):
            counts = [int(n) for n in times]
            if any(n < 0 for n in counts):
                raise RuntimeError(f"repeat: expected counts of at least 0, got {counts}")
            sizes = [1] * (len(counts) - self.ndim) + list(self.shape)
            check_shape("repeat", [n * size for n, size in zip(counts, sizes, strict=False)])
            check_copies("repeat", self._self(), math.prod(counts))
        if not self._scalar and len(times) >= self.ndim and isinstance(times[-1], int) and times[-1] == 1:
            return self._new(self.data, self.offsets.repeat(times))
        return move(self._self(), lambda t: t.repeat(times))

    def tile(self, *dims: Any) -> StringTensor:
        """As `repeat`, with missing leading counts taken as 1."""
        times = sizes_of(dims)
        return self.repeat([1] * max(0, self.ndim - len(times)) + times)

    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> StringTensor:
        """Each string, or each slice along `dim`, repeated in place.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat_interleave(2).tolist()
            ['a', 'a', 'b', 'b']
        """
        if isinstance(repeats, int):
            check_copies("repeat_interleave", self._self(), repeats)
        elif (
            isinstance(repeats, torch.Tensor)
            and can_read(self.offsets)
            and can_read(repeats)
            and repeats.numel()
        ):
            if int(repeats.min()) < 0:
                raise RuntimeError("repeat_interleave: repeats can not be negative")
            slices = self.numel() if dim is None or self._scalar else self.size(dim)
            # Of int64 the sum may wrap; torch then writes out of bounds.
            total = int(repeats.sum(dtype=torch.float64))
            count = total * (slices if repeats.numel() == 1 else 1)
            check_count("repeat_interleave", count * self.numel() // max(slices, 1))
        return move(self._self(), lambda t: t.repeat_interleave(repeats, dim))
