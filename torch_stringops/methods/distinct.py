"""Methods that find distinct strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from torch import Tensor

from torch_stringops.methods._base import Methods
from torch_stringops.ops import distinct

if TYPE_CHECKING:
    from typing_extensions import Self


class DistinctMethods(Methods):
    """Distinct strings, runs of equal ones, and counts."""

    __slots__ = ()

    @overload
    def unique(
        self,
        sorted: bool = True,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: int | None = None,
    ) -> Self: ...
    @overload
    def unique(
        self,
        sorted: bool,
        return_inverse: Literal[True],
        return_counts: Literal[True],
        dim: int | None = None,
    ) -> tuple[Self, Tensor, Tensor]: ...
    @overload
    def unique(
        self,
        sorted: bool = True,
        *,
        return_inverse: Literal[True],
        return_counts: Literal[True],
        dim: int | None = None,
    ) -> tuple[Self, Tensor, Tensor]: ...
    @overload
    def unique(
        self,
        sorted: bool = True,
        *,
        return_inverse: Literal[True],
        return_counts: Literal[False] = False,
        dim: int | None = None,
    ) -> tuple[Self, Tensor]: ...
    @overload
    def unique(
        self,
        sorted: bool = True,
        return_inverse: Literal[False] = False,
        *,
        return_counts: Literal[True],
        dim: int | None = None,
    ) -> tuple[Self, Tensor]: ...
    @overload
    def unique(
        self,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Self | tuple[Self, Tensor] | tuple[Self, Tensor, Tensor]: ...

    def unique(
        self,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Any:
        """Returns the distinct strings, or the distinct slices along axis `dim`. Same as `torch.unique(s, ...)`.

        Args:
            sorted: sort the strings by their bytes (for UTF-8, by code points). If False, they are in order of first
                appearance, which is faster. With `dim`, the slices are sorted in any case, as by torch.
            return_inverse: also return the position of each string among the distinct ones, int64 `[*S]`; with `dim`,
                that of each slice, int64 `[S[dim]]`.
            return_counts: also return the number of occurrences of each distinct string or slice, int64 `[U]`.
            dim: the axis whose slices are compared; None to compare strings.

        Returns:
            Strings `[U]`; with `dim`, strings of the shape of this tensor, but with `U` slices along the
            axis. If requested, a tuple of these, the inverse and the counts.

        Raises:
            IndexError: `dim` is out of range.
            RuntimeError: the slices are empty.

        Example:
            >>> s = StringTensor.from_list(["b", "a", "b"])
            >>> s.unique(return_counts=True)
            (StringTensor(['a', 'b'], shape=[2]), tensor([1, 2]))
            >>> StringTensor.from_list([["b", "a"], ["a", "c"], ["b", "a"]]).unique(dim=0).tolist()
            [['a', 'c'], ['b', 'a']]
        """
        return distinct.unique(self, sorted, return_inverse, return_counts, dim)

    @overload
    def unique_consecutive(
        self,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: int | None = None,
    ) -> Self: ...
    @overload
    def unique_consecutive(
        self, return_inverse: Literal[True], return_counts: Literal[True], dim: int | None = None
    ) -> tuple[Self, Tensor, Tensor]: ...
    @overload
    def unique_consecutive(
        self,
        return_inverse: Literal[True],
        return_counts: Literal[False] = False,
        dim: int | None = None,
    ) -> tuple[Self, Tensor]: ...
    @overload
    def unique_consecutive(
        self,
        return_inverse: Literal[False] = False,
        *,
        return_counts: Literal[True],
        dim: int | None = None,
    ) -> tuple[Self, Tensor]: ...
    @overload
    def unique_consecutive(
        self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
    ) -> Self | tuple[Self, Tensor] | tuple[Self, Tensor, Tensor]: ...

    def unique_consecutive(
        self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
    ) -> Any:
        """Returns the first of each run of equal strings, or of slices along `dim`, like `torch.unique_consecutive`.

        Args:
            return_inverse: also return the number of the run of each string, int64 `[*S]`; with `dim`, that of each
                slice, int64 `[S[dim]]`.
            return_counts: also return the length of each run, int64 `[U]`.
            dim: the axis whose slices are compared; None to compare strings, in row-major order.

        Returns:
            Strings `[U]`; with `dim`, strings of the shape of this tensor, but with `U` slices along the
            axis. If requested, a tuple of these, the inverse and the counts.

        Raises:
            IndexError: `dim` is out of range.
            RuntimeError: the slices are empty.

        Example:
            >>> s = StringTensor.from_list(["b", "b", "a", "b"])
            >>> s.unique_consecutive(return_counts=True)
            (StringTensor(['b', 'a', 'b'], shape=[3]), tensor([2, 1, 1]))
        """
        return distinct.unique_consecutive(self, return_inverse, return_counts, dim)

    def value_counts(self) -> tuple[Self, Tensor]:
        """Returns the distinct strings and how often each occurs, the most frequent first, like `pandas.value_counts`.

        Of equally frequent strings, the one that appears first is first, as in `collections.Counter.most_common`.

        Returns:
            values: strings `[U]`, the distinct strings.
            counts: int64 `[U]`, in descending order.

        See also: `unique`, in the order of the strings; `VocabularyBuilder`, for text in chunks.

        Example:
            >>> values, counts = StringTensor.from_list([["b", "a"], ["a", "c"]]).value_counts()
            >>> values.tolist(), counts.tolist()
            (['a', 'b', 'c'], [2, 1, 1])
        """
        return distinct.value_counts(self)
