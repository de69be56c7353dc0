"""Methods that depend on the order of strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from torch import Tensor

from torch_stringops._types import StringsLike
from torch_stringops.methods._base import Methods
from torch_stringops.ops import compare
from torch_stringops.ops import sort as ops
from torch_stringops.tensor import joining, strings

if TYPE_CHECKING:
    from typing_extensions import Self

    from torch_stringops.ops.sort import ValuesAndIndices


class SortMethods(Methods):
    """Sorting, extremes and binary search, in the order of bytes: for UTF-8, of code points, as Python's `str`."""

    __slots__ = ()

    def sort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> ValuesAndIndices[Self]:
        """Sorts the strings along axis `dim`, like `torch.sort`.

        They are in the order of their bytes: for UTF-8, of code points, like Python's `str`.

        Args:
            dim: the axis to sort along.
            descending: sort in descending order.
            stable: ignored: equal strings always keep their order.

        Returns:
            A named tuple `(values, indices)`: the sorted strings `[*S]`, and int64 `[*S]`, their positions before.

        Raises:
            IndexError: `dim` is out of range.

        Example:
            >>> values, indices = StringTensor.from_list(["b", "a", "é", "B"]).sort()
            >>> values.tolist(), indices.tolist()
            (['B', 'a', 'b', 'é'], [3, 1, 0, 2])
        """
        return ops.ValuesAndIndices(*ops._string_sort(self, dim, descending))

    def argsort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
        """Returns the positions of the strings in sorted order along axis `dim`, like `torch.argsort`.

        Strings are in the order of their bytes: for UTF-8, of code points, like Python's `str`.

        Args:
            dim: the axis to sort along.
            descending: sort in descending order.
            stable: ignored: equal strings always keep their order.

        Returns:
            int64 `[*S]`.

        Raises:
            IndexError: `dim` is out of range.

        Example:
            >>> StringTensor.from_list([["b", "a", "b"]]).argsort()
            tensor([[1, 0, 2]])
            >>> StringTensor.from_list([["b", "a", "b"]]).argsort(descending=True)
            tensor([[0, 2, 1]])
        """
        return ops._string_argsort(self, dim, descending)

    @overload
    def min(self, dim: None = None, keepdim: bool = False) -> Self: ...
    @overload
    def min(self, dim: int, keepdim: bool = False) -> ValuesAndIndices[Self]: ...

    def min(self, dim: int | None = None, keepdim: bool = False) -> Self | ValuesAndIndices[Self]:
        """Returns the least string, or that of each row along axis `dim`, like `torch.min`.

        Strings are in the order of their bytes: for UTF-8, of code points, like Python's `str`.

        Args:
            dim: the axis to reduce; None for all strings.
            keepdim: whether the result keeps the axis, with size 1.

        Returns:
            A single string; or with `dim` a named tuple `(values, indices)`: strings `[*S]` without the axis, and
            int64 of the same shape, their positions in it (the first of equal ones).

        Raises:
            ValueError: there are no strings to compare.
            IndexError: `dim` is out of range.

        Example:
            >>> s = StringTensor.from_list([["b", "a"], ["c", "d"]])
            >>> s.min()
            StringTensor('a', shape=[])
            >>> s.min(dim=0).values.tolist(), s.min(dim=0).indices.tolist()
            (['b', 'a'], [0, 0])
        """
        found = ops.ValuesAndIndices(*ops._string_min(self, dim, keepdim))
        return found.values if dim is None else found

    @overload
    def max(self, dim: None = None, keepdim: bool = False) -> Self: ...
    @overload
    def max(self, dim: int, keepdim: bool = False) -> ValuesAndIndices[Self]: ...

    def max(self, dim: int | None = None, keepdim: bool = False) -> Self | ValuesAndIndices[Self]:
        """Returns the greatest string, or that of each row along axis `dim`, like `torch.max`. See `min`.

        Args:
            dim: the axis to reduce; None for all strings.
            keepdim: whether the result keeps the axis, with size 1.

        Returns:
            A single string; or with `dim` a named tuple `(values, indices)`: strings `[*S]` without the axis, and
            int64 of the same shape, their positions in it (the first of equal ones).

        Raises:
            ValueError: there are no strings to compare.
            IndexError: `dim` is out of range.

        Example:
            >>> StringTensor.from_list(["b", "é", "c"]).max().item()
            'é'
        """
        found = ops.ValuesAndIndices(*ops._string_max(self, dim, keepdim))
        return found.values if dim is None else found

    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Returns the position of the least string, or of that of each row along axis `dim`, like `torch.argmin`.

        Args:
            dim: the axis to reduce; None for all strings, in row-major order.
            keepdim: whether the result keeps the axes that are reduced, with size 1.

        Returns:
            int64 `[*S]` without the axis, or of rank 0: the first position of equal strings.

        Raises:
            ValueError: there are no strings to compare.
            IndexError: `dim` is out of range.

        See also: `min`.

        Example:
            >>> s = StringTensor.from_list([["b", "a"], ["a", "d"]])
            >>> s.argmin(), s.argmin(dim=1)
            (tensor(1), tensor([1, 0]))
        """
        return ops.position(self, ops._string_min, dim, keepdim)

    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        """Returns the position of the greatest string, or of that of each row along axis `dim`, like `torch.argmax`.

        Args:
            dim: the axis to reduce; None for all strings, in row-major order.
            keepdim: whether the result keeps the axes that are reduced, with size 1.

        Returns:
            int64 `[*S]` without the axis, or of rank 0: the first position of equal strings.

        Raises:
            ValueError: there are no strings to compare.
            IndexError: `dim` is out of range.

        See also: `max`.

        Example:
            >>> StringTensor.from_list(["b", "é", "c", "é"]).argmax()
            tensor(1)
        """
        return ops.position(self, ops._string_max, dim, keepdim)

    def minimum(self, other: StringsLike) -> Self:
        """Returns the lesser of two strings, element by element, with broadcasting, like `torch.minimum`.

        Args:
            other: strings, in any form that `as_strings` accepts.

        Returns:
            Strings of the broadcast shape, compact.

        Raises:
            ValueError: the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

        See also: `min`, of the strings of one tensor.

        Example:
            >>> StringTensor.from_list(["a", "d"]).minimum(["b", "c"]).tolist()
            ['a', 'c']
        """
        text = self._argument("string_minimum", "other", other)
        return joining._where(compare._string_less_equal(self, text), self, text)

    def maximum(self, other: StringsLike) -> Self:
        """Returns the greater of two strings, element by element, with broadcasting, like `torch.maximum`.

        Args:
            other: strings, in any form that `as_strings` accepts.

        Returns:
            Strings of the broadcast shape, compact.

        Raises:
            ValueError: the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

        See also: `max`, of the strings of one tensor.

        Example:
            >>> StringTensor.from_list(["a", "d"]).maximum("c").tolist()
            ['c', 'd']
        """
        text = self._argument("string_maximum", "other", other)
        return joining._where(compare._string_greater_equal(self, text), self, text)

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices[Self]:
        """Returns the `k` greatest strings, or the least ones, along axis `dim`, like `torch.topk`.

        Args:
            k: number of strings, at most the size of the axis.
            dim: the axis to search.
            largest: the greatest strings; False for the least.
            sorted: ignored: the strings are always in order, the greatest (or least) first.

        Returns:
            A named tuple `(values, indices)`: the strings `[*S]` with size `k` along the axis, and int64 of the same
            shape, their positions in it. Of equal strings, those that appear first are taken.

        Raises:
            RuntimeError: `k` is out of range.
            IndexError: `dim` is out of range.

        See also: `sort`.

        Example:
            >>> values, indices = StringTensor.from_list(["b", "d", "a", "d"]).topk(3)
            >>> values.tolist(), indices.tolist()
            (['d', 'd', 'b'], [1, 3, 0])
        """
        return ops.ValuesAndIndices(*ops.topk(self, k, dim, largest))

    def searchsorted(self, values: StringsLike, right: bool = False) -> Tensor:
        """Finds the positions at which values would be inserted to keep these strings sorted.

        Like `torch.searchsorted`. The strings, `[N]` or `[*B, N]`, must be sorted along the last axis, as `sort`
        returns them; if they are not, the positions are arbitrary.

        Args:
            values: strings, in any form that `as_strings` accepts: of any shape `[*R]` if these are `[N]`, else
                `[*B, M]`.
            right: whether the position is after the strings that equal the value, like `bisect.bisect_right`; else
                before them.

        Returns:
            int64, of the shape of `values`, within [0, N].

        Raises:
            ValueError: these strings have leading axes that differ from those of `values`.

        Example:
            >>> s = StringTensor.from_list(["a", "b", "b", "d"])
            >>> s.searchsorted(["b", "c", ""]), s.searchsorted("b", right=True)
            (tensor([1, 3, 0]), tensor(3))
        """
        return ops._string_searchsorted(self, self._argument("string_searchsorted", "values", values), right)

    def bucketize(self, boundaries: StringsLike, right: bool = False) -> Tensor:
        """Returns the number of the interval between `boundaries` in which each string is, like `torch.bucketize`.

        Args:
            boundaries: strings `[K]` in sorted order, in any form that `as_strings` accepts.
            right: whether an interval includes its lower boundary, `boundaries[i - 1] <= s < boundaries[i]`;
                else it includes its upper one, `boundaries[i - 1] < s <= boundaries[i]`.

        Returns:
            int64 `[*S]`, within [0, K].

        Raises:
            ValueError: `boundaries` is not of rank 1.

        See also: `searchsorted`, with the arguments exchanged.

        Example:
            >>> names = StringTensor.from_list(["anna", "mary", "zoe", "h"])
            >>> names.bucketize(["h", "p"])
            tensor([0, 1, 2, 0])
        """
        bounds = self._argument("string_bucketize", "boundaries", boundaries)
        if strings.rank(bounds) != 1:
            raise ValueError(f"string_bucketize: expected `boundaries` of rank 1, got shape {strings.shape(bounds)}")
        return ops._string_searchsorted(bounds, self, right)
