"""Verbs that choose some of the strings, or put them in another order along an axis."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops._errors import brief_errors
from torch_stringops._fake import shape_text
from torch_stringops._indexing import getitem
from torch_stringops._layout import check_count, index_tensor, move, shape_after, sizes_of, wrap_dim
from torch_stringops._shape_verbs import ShapeVerbs

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class SelectVerbs(ShapeVerbs):
    """Indexing, cutting, gathering."""

    __slots__ = ()

    @brief_errors
    def _along(self, dim: int, fn: Callable[[Tensor], Tensor]) -> StringTensor:
        """`fn` works along `dim`: on `offsets` alone, unless that is the last axis."""
        if not self._scalar and wrap_dim(dim, self.ndim) != self.ndim - 1:
            return self._new(self.data, fn(self.offsets))
        return move(self._self(), fn)

    def __getitem__(self, index: Any) -> StringTensor:
        return getitem(self._self(), index)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError(
            "StringTensor: strings are not assigned in place; make a new tensor: "
            "torch.where(mask, s, t), s.where(mask, t) or torch.cat"
        )

    def __getitems__(self, indices: Any) -> StringTensor:
        """A whole batch for DataLoader, to which a string tensor is a dataset."""
        return self[index_tensor(indices)]

    def __iter__(self) -> Iterator[StringTensor]:
        if self._scalar:
            raise TypeError("iteration over a 0-d StringTensor")
        return iter(self.unbind(0))

    def select(self, dim: int, index: int) -> StringTensor:
        """The slice at `index` of axis `dim`, without that axis.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).select(1, 0).tolist()
            ['a', 'c']
        """
        if self._scalar:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        if isinstance(index, Tensor):
            if index.numel() != 1 or index.is_floating_point() or index.is_complex():
                raise TypeError(
                    "select: expected `index` to be an int, or a tensor of one, "
                    f"got {index.dtype} of shape {shape_text(index)}"
                )
            index = index.reshape(()).long()  # with axes, it would keep them; of uint8 or bool, be a mask
        elif isinstance(index, bool) or not isinstance(index, (int, torch.SymInt)):
            index = int(operator.index(index))  # a bool in an index would be a mask
        return self[(slice(None),) * wrap_dim(dim, self.ndim) + (index,)]

    @brief_errors
    def narrow(self, dim: int, start: int, length: int) -> StringTensor:
        """Slices `start` to `start + length` of axis `dim`; shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).narrow(0, 1, 2).tolist()
            ['b', 'c']
        """
        if self._scalar:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        dim = wrap_dim(dim, self.ndim)
        if dim == self.ndim - 1:
            shape_after(self._self(), lambda t: t.narrow(dim, start, length))  # torch's checks
            start = start + self.shape[dim] if start < 0 else start
            return self._new(self.data, self.offsets.narrow(dim, start, length + 1))
        return self._new(self.data, self.offsets.narrow(dim, start, length))

    @brief_errors
    def _cut(self, dim: int, fn: Callable[[Tensor], Any]) -> tuple[StringTensor, ...]:
        """The parts into which `fn` cuts axis `dim`."""
        shapes = [part.shape for part in fn(self.offsets.new_empty(()).expand(self.shape))]
        dim = wrap_dim(dim, self.ndim)
        parts, start = [], 0
        for shape in shapes:
            parts.append(self.narrow(dim, start, shape[dim]))
            start = start + shape[dim]
        return tuple(parts)

    def _tensor_split(self, split_size_or_sections: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """torch.split."""
        return self._cut(dim, lambda t: t.split(split_size_or_sections, dim))

    def split_with_sizes(self, split_sizes: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """Parts of these sizes along `dim`, sharing `data`.

        Example:
            >>> [part.tolist() for part in StringTensor.from_list(["a", "b", "c"]).split_with_sizes([1, 2])]
            [['a'], ['b', 'c']]
        """
        return self._cut(dim, lambda t: t.split_with_sizes(split_sizes, dim))

    def chunk(self, chunks: int, dim: int = 0) -> tuple[StringTensor, ...]:
        """At most `chunks` parts along `dim`, sharing `data`.

        Example:
            >>> [part.tolist() for part in StringTensor.from_list(["a", "b", "c"]).chunk(2)]
            [['a', 'b'], ['c']]
        """
        return self._cut(dim, lambda t: t.chunk(chunks, dim))

    def tensor_split(self, indices_or_sections: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """Parts along `dim`, as `torch.tensor_split`: so many, or cut at indices, which may go back.

        Example:
            >>> [part.tolist() for part in StringTensor.from_list(["a", "b", "c"]).tensor_split((1,))]
            [['a'], ['b', 'c']]
        """
        where = indices_or_sections
        if not isinstance(where, (list, tuple)) and not (isinstance(where, Tensor) and where.dim()):
            return self._cut(dim, lambda t: t.tensor_split(where, dim))
        shape_after(self._self(), lambda t: t.tensor_split(where, dim)[0])  # torch's checks
        indices = where.tolist() if isinstance(where, Tensor) else where
        before = (slice(None),) * wrap_dim(dim, self.ndim)
        starts, ends = [0, *indices], [*indices, None]
        return tuple(self[(*before, slice(a, b))] for a, b in zip(starts, ends, strict=True))

    def unbind(self, dim: int = 0) -> tuple[StringTensor, ...]:
        """All slices along `dim`, without that axis.

        Example:
            >>> [part.item() for part in StringTensor.from_list(["a", "b"]).unbind()]
            ['a', 'b']
        """
        dim = wrap_dim(dim, self.ndim)
        if self._scalar:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        if dim != self.ndim - 1:
            return tuple(self._new(self.data, offsets) for offsets in self.offsets.unbind(dim))
        if self.ndim == 1:
            return tuple(
                self._new(self.data, pair, scalar=True) for pair in self.unsqueeze(-1).offsets.unbind(0)
            )
        return self.movedim(-1, 0).unbind(0)

    def index_select(self, dim: int, index: Tensor) -> StringTensor:
        """Slices of axis `dim` at int positions `index` `[K]`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).index_select(0, torch.tensor([1, 1])).tolist()
            ['b', 'b']
        """
        _check_index("index_select", index)
        return self._along(dim, lambda t: t.index_select(dim, index))

    def masked_select(self, mask: Tensor) -> StringTensor:
        """The strings where `mask` (bool, broadcast) is true, as `[K]`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).masked_select(torch.tensor([False, True])).tolist()
            ['b']
        """
        return move(self._self(), lambda t: t.masked_select(mask))

    def take(self, index: Tensor) -> StringTensor:
        """Strings at positions of the flattened tensor, in the shape of `index`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).take(torch.tensor([[1], [0]])).tolist()
            [['b'], ['a']]
        """
        _check_index("take", index)
        return move(self._self(), lambda t: t.take(index))

    def gather(self, dim: int, index: Tensor) -> StringTensor:
        """Strings at int64 positions along `dim`, as `torch.gather`.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).gather(1, torch.tensor([[1], [0]])).tolist()
            [['b'], ['c']]
        """
        _check_index("gather", index)
        return move(self._self(), lambda t: t.gather(dim, index))

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> StringTensor:
        """As `gather`, with broadcasting: takes what `argsort` returns. Without `dim`, from the flattened strings."""
        return move(self._self(), lambda t: torch.take_along_dim(t.contiguous(), indices, dim))

    def flip(self, *dims: Any) -> StringTensor:
        """The order along each axis of `dims` reversed.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).flip(0).tolist()
            ['c', 'b', 'a']
        """
        axes = [wrap_dim(d, self.ndim) for d in sizes_of(dims)]
        if self._scalar or self.ndim - 1 in axes:
            return move(self._self(), lambda t: t.flip(axes))
        return self._new(self.data, self.offsets.flip(axes))

    def roll(self, shifts: Any, dims: Any = None) -> StringTensor:
        """Strings shifted along `dims`, as `torch.roll`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).roll(1).tolist()
            ['c', 'a', 'b']
        """
        return move(self._self(), lambda t: t.roll(shifts, dims))

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> StringTensor:
        """The diagonal of axes `dim1` and `dim2`, as the last axis."""
        return move(self._self(), lambda t: t.diagonal(offset, dim1, dim2))


def _check_index(op: str, index: Any) -> None:
    """An index that repeats one element may be of any size; what is no tensor torch refuses."""
    if isinstance(index, Tensor):
        check_count(op, index.numel())
