"""Methods that split strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from torch import Tensor

from torch_stringops.methods._base import Methods
from torch_stringops.ops import split
from torch_stringops.tensor import indexing

if TYPE_CHECKING:
    from typing_extensions import Self


class SplitMethods(Methods):
    """Splitting at a delimiter or at whitespace."""

    __slots__ = ()

    @overload
    def split(
        self,
        by: str | bytes | None = None,
        maxsplit: int = -1,
        *,
        delimiter: str | bytes | None = None,
        skip_empty: bool = False,
    ) -> tuple[Self, Tensor]: ...
    @overload
    def split(self, by: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]: ...

    def split(self, by: Any = None, *args: Any, delimiter: Any = None, **kwargs: Any) -> Any:
        """Splits each string at a delimiter, like Python's `str.split`; or the tensor into chunks, like `torch.split`.

        Args:
            by: a delimiter, or None for runs of whitespace; or, to split the tensor, the size or sizes of the chunks.
            maxsplit: with a delimiter: maximum number of splits per string; -1 for no limit.
            skip_empty: with a delimiter: drop empty pieces.
            delimiter: the same as `by`, under the name that `string_split` and `split_ragged` use.
            dim: with sizes: the axis to split.

        Returns:
            With a delimiter: the pieces, strings `[*S, D]` padded with "", and their counts, int64 `[*S]`
            (see `string_split`). With sizes: a tuple of StringTensors that share `data`.

        Example:
            >>> s = StringTensor.from_list(["a b", "c"])
            >>> s.split()
            (StringTensor([['a', 'b'],
                          ['c', '']],
                         shape=[2, 2]), tensor([2, 1]))
            >>> [chunk.tolist() for chunk in s.split(1)]
            [['a b'], ['c']]
        """
        if delimiter is not None:
            if by is not None:
                raise TypeError("split: expected one of `by` and `delimiter`, got both")
            by = delimiter
        if by is None or isinstance(by, (str, bytes)):
            return split._string_split(self, by or "", *args, **kwargs)
        return self._tensor_split(by, *args, **kwargs)

    def _tensor_split(self, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        """Splits the tensor like `torch.split`."""
        return tuple(indexing._split(self, dim, lambda t: t.split(split_size_or_sections, dim)))

    def split_ragged(
        self, delimiter: str | bytes | None = None, maxsplit: int = -1, *, skip_empty: bool = False
    ) -> tuple[Self, Tensor]:
        """Splits each string at a delimiter, into ragged rows. See `string_split_ragged`.

        Args:
            delimiter: the delimiter; None for runs of whitespace.
            maxsplit: maximum number of splits per string; -1 for no limit.
            skip_empty: drop empty pieces.

        Returns:
            The pieces, strings `[T]`, and `row_splits`, int64 `[N + 1]`: the pieces of string `i` are at positions
            `row_splits[i]` to `row_splits[i + 1]`.

        Example:
            >>> pieces, row_splits = StringTensor.from_list(["to be", "", "or"]).split_ragged()
            >>> pieces.tolist(), row_splits.tolist()
            (['to', 'be', 'or'], [0, 2, 2, 3])
        """
        return split._string_split_ragged(
            self, split.delimiter_or_whitespace(delimiter), maxsplit, skip_empty=skip_empty
        )
