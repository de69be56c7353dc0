"""Methods that select, gather and reorder strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from torch_stringops._checks import sizes_of
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import Index, Sizes, StringsLike
from torch_stringops.methods._base import Methods
from torch_stringops.tensor import indexing, joining, splitting

if TYPE_CHECKING:
    from typing_extensions import Self


class IndexingMethods(Methods):
    """Indexing, slicing, splitting, gathering, reordering (tensor/indexing.py)."""

    __slots__ = ()

    def __getitem__(self, index: Index) -> Self:
        try:
            return indexing.getitem(self, index)
        except ERRORS as error:
            name_error(error, "StringTensor.__getitem__")
            raise

    if not TYPE_CHECKING:  # for type checkers, strings have no assignment

        def __setitem__(self, index: Index, value: StringsLike) -> None:
            raise TypeError(
                "StringTensor: strings are not assigned in place; make a new tensor: "
                "torch.where(mask, s, t), s.where(mask, t) or torch.cat"
            )

    def __getitems__(self, indices: Tensor | Sequence[int]) -> Self:
        """Returns a whole batch to DataLoader, for which a StringTensor is a map-style dataset."""
        return self[indexing.index_tensor(indices)]

    def __iter__(self) -> Iterator[Self]:
        if self._scalar:
            raise TypeError("iteration over a 0-d StringTensor")
        return iter(self.unbind(0))

    def select(self, dim: int, index: int) -> Self:
        """Slices axis `dim` at `index`, and removes that axis.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).select(1, 0).tolist()
            ['a', 'c']
        """
        return indexing.select(self, dim, index)

    def narrow(self, dim: int, start: int, length: int) -> Self:
        """Returns positions `start` to `start + length` of axis `dim`. Shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).narrow(0, 1, 2).tolist()
            ['b', 'c']
        """
        return indexing.narrow(self, dim, start, length)

    def split_with_sizes(self, split_sizes: Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        """Splits the tensor into chunks of the given sizes along `dim`. The chunks share `data`.

        Example:
            >>> [chunk.tolist() for chunk in StringTensor.from_list(["a", "b", "c"]).split_with_sizes([1, 2])]
            [['a'], ['b', 'c']]
        """
        return tuple(splitting.split_with_sizes(self, split_sizes, dim))

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Self, ...]:
        """Splits the tensor into at most `chunks` chunks along `dim`. The chunks share `data`.

        Example:
            >>> [chunk.tolist() for chunk in StringTensor.from_list(["a", "b", "c"]).chunk(2)]
            [['a', 'b'], ['c']]
        """
        return tuple(splitting.chunk(self, chunks, dim))

    def tensor_split(self, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0) -> tuple[Self, ...]:
        """Splits the tensor into a number of chunks, or at indices, along `dim`, like `torch.tensor_split`.

        Example:
            >>> [chunk.tolist() for chunk in StringTensor.from_list(["a", "b", "c"]).tensor_split((1,))]
            [['a'], ['b', 'c']]
        """
        return tuple(splitting.tensor_split(self, indices_or_sections, dim))

    def unbind(self, dim: int = 0) -> tuple[Self, ...]:
        """Removes axis `dim`, and returns a tuple of all slices along it.

        Example:
            >>> [string.item() for string in StringTensor.from_list(["a", "b"]).unbind()]
            ['a', 'b']
        """
        return tuple(splitting.unbind(self, dim))

    def index_select(self, dim: int, index: Tensor) -> Self:
        """Selects the positions `index`, int32 or int64 `[K]`, of axis `dim`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).index_select(0, torch.tensor([1, 1])).tolist()
            ['b', 'b']
        """
        return indexing.index_select(self, dim, index)

    def masked_select(self, mask: Tensor) -> Self:
        """Returns the strings for which `mask` is true, as `[K]`. `mask` is bool and broadcasts.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).masked_select(torch.tensor([False, True])).tolist()
            ['b']
        """
        return indexing.masked_select(self, mask)

    def take(self, index: Tensor) -> Self:
        """Returns the strings at positions of the flattened tensor, with the shape of `index`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).take(torch.tensor([[1], [0]])).tolist()
            [['b'], ['a']]
        """
        return indexing.take(self, index)

    def gather(self, dim: int, index: Tensor) -> Self:
        """Gathers strings along axis `dim` at the positions `index`, int64, like `torch.gather`.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).gather(1, torch.tensor([[1], [0]])).tolist()
            [['b'], ['c']]
        """
        return indexing.gather(self, dim, index)

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> Self:
        """Selects strings along `dim` at int64 positions that broadcast, like `torch.take_along_dim`."""
        return indexing.take_along_dim(self, indices, dim)

    def flip(self, *dims: Sizes) -> Self:
        """Reverses the order of the strings along each axis in `dims`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).flip(0).tolist()
            ['c', 'b', 'a']
        """
        return indexing.flip(self, sizes_of(dims))

    def roll(self, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Self:
        """Rolls the strings along `dims`, like `torch.roll`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).roll(1).tolist()
            ['c', 'a', 'b']
        """
        return indexing.roll(self, shifts, dims)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Self:
        """Returns the diagonal of axes `dim1` and `dim2` as the last axis, like `torch.diagonal`."""
        return indexing.diagonal(self, offset, dim1, dim2)

    def where(self, condition: Tensor, other: StringsLike) -> Self:
        """Selects strings of `self` if `condition` (bool) is true, otherwise of `other`, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.where(s != "b", "?").tolist()
            ['a', '?']
        """
        return joining._where(condition, self, self._argument("where", "other", other))

    def masked_fill(self, mask: Tensor, value: StringsLike) -> Self:
        """Replaces the strings for which `mask` (bool) is true by `value`, a single string, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "", "c"])
            >>> s.masked_fill(s == "", "?").tolist()
            ['a', '?', 'c']
        """
        return joining.masked_fill(self, mask, self._argument("masked_fill", "value", value))
