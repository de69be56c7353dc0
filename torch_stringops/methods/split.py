"""Methods that split strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from torch import Tensor

from torch_stringops._checks import as_int
from torch_stringops._types import Compat
from torch_stringops.methods._base import Methods
from torch_stringops.ops import split
from torch_stringops.tensor import splitting

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
        sizes = split_size_or_sections
        if not isinstance(sizes, Sequence):
            sizes = as_int("split", "by", sizes, "a delimiter, an int or ints")
        return tuple(splitting.split_by(self, sizes, dim))

    def split_ragged(
        self,
        delimiter: str | bytes | None = "",
        maxsplit: int = -1,
        *,
        compat: Compat = "reference",
        skip_empty: bool = False,
    ) -> tuple[Self, Tensor]:
        """Splits each string at a delimiter, and returns the pieces as ragged rows.

        The pieces are those of `string_split`, without padding, and so a single long string does not make all rows
        wide. `row_splits` can be passed to `nn.EmbeddingBag(offsets=row_splits[:-1])`,
        `torch.nested.nested_tensor_from_jagged` and `ragged_to_dense`.

        Spec: ONNX StringSplit-20, as `string_split`.

        Args:
            delimiter: the delimiter; `""` or None for whitespace.
            maxsplit: maximum number of splits per string; negative for no limit.
            compat: `"reference"` or `"onnxruntime"`.
            skip_empty: drop empty pieces, as in `string_split`.

        Returns:
            pieces: strings `[T]`, compact; T depends on the data.
            row_splits: int64 `[N + 1]`, in elements: the pieces of string i, in row-major order, are
                `pieces[row_splits[i]:row_splits[i + 1]]`.

        Raises:
            ValueError: `compat` is unknown.

        See also: `string_split`.

        Example:
            >>> pieces, row_splits = StringTensor.from_list(["to be", "", "or not"]).split_ragged()
            >>> pieces.tolist(), row_splits.tolist()
            (['to', 'be', 'or', 'not'], [0, 2, 2, 4])
            >>> genres = StringTensor.from_list(["jazz||blues|", "", "pop"])
            >>> pieces, row_splits = genres.split_ragged("|", skip_empty=True)
            >>> pieces.tolist(), row_splits.tolist()
            (['jazz', 'blues', 'pop'], [0, 2, 2, 3])
        """
        return split._string_split_ragged(
            self, split.delimiter_or_whitespace(delimiter), maxsplit, compat=compat, skip_empty=skip_empty
        )

    def rsplit_ragged(self, delimiter: str | bytes | None = "", maxsplit: int = -1) -> tuple[Self, Tensor]:
        """Splits each string at a delimiter from its end, into ragged rows, like Python's `str.rsplit`.

        With `maxsplit`, strings are split at the last delimiters, and the rest is the first piece. Without a
        limit, the pieces are those of `split_ragged`, except for a delimiter that can overlap itself. Neither
        the strings nor the delimiter need to be valid UTF-8.

        Args:
            delimiter: the delimiter; `""` or None for runs of whitespace, as in `string_split_ragged`.
            maxsplit: maximum number of splits per string; negative for no limit.

        Returns:
            pieces: strings `[T]`, compact, in the order of the string; T depends on the data.
            row_splits: int64 `[N + 1]`, in elements: the pieces of string i, in row-major order, are
                `pieces[row_splits[i]:row_splits[i + 1]]`.

        See also: `string_rpartition`, for one split into three tensors.

        Example:
            >>> pieces, row_splits = StringTensor.from_list(["a.tar.gz", "b", ""]).rsplit_ragged(".", 1)
            >>> pieces.tolist(), row_splits.tolist()
            (['a.tar', 'gz', 'b', ''], [0, 2, 3, 4])
        """
        return split._string_rsplit_ragged(self, split.delimiter_or_whitespace(delimiter), maxsplit)

    def splitlines_ragged(self, keepends: bool = False) -> tuple[Self, Tensor]:
        """Splits each string into its lines, as ragged rows, like Python's `str.splitlines`.

        A line ends in a line feed, carriage return, both, vertical tab, form feed, U+001C to U+001E, U+0085, U+2028 or
        U+2029. Unlike `split_ragged("\\n")`, an empty string has no lines, and nothing follows the last boundary. The
        strings need not be valid UTF-8.

        Args:
            keepends: whether lines include their boundaries.

        Returns:
            lines: strings `[T]`, compact; T depends on the data.
            row_splits: int64 `[N + 1]`, in elements: the lines of string i, in row-major order, are
                `lines[row_splits[i]:row_splits[i + 1]]`.

        See also: `data.read_lines`, for files.

        Example:
            >>> lines, row_splits = StringTensor.from_list(["a\\nb\\r\\n", "", "\\n"]).splitlines_ragged()
            >>> lines.tolist(), row_splits.tolist()
            (['a', 'b', ''], [0, 2, 2, 3])
        """
        return split._string_splitlines_ragged(self, keepends)

    def split_exact(self, delimiter: str | bytes | None, n: int) -> tuple[Self, ...]:
        """Splits each string at a delimiter into `n + 1` fields, each a tensor, like `str.split_exact` of polars.

        Fields that a string does not have are "" (null in polars), and those after the first `n + 1` are dropped; for
        the rest of the string in the last field, use `string_split(s, delimiter, n)`.

        Args:
            delimiter: the delimiter; `""` or None for runs of whitespace, as in `string_split`.
            n: the number of splits, at most 2**16.

        Returns:
            `n + 1` StringTensors `[*S]`.

        Raises:
            TypeError: `n` is not an int.
            ValueError: `n` is not within [0, 2**16].

        See also: `string_partition`, `string_split`.

        Example:
            >>> key, value = StringTensor.from_list(["a=1", "b", "c=2=3"]).split_exact("=", 1)
            >>> key.tolist(), value.tolist()
            (['a', 'b', 'c'], ['1', '', '2'])
        """
        return split.split_exact(self, delimiter, n)

    def partition(self, sep: str | bytes) -> tuple[Self, Self, Self]:
        """Splits each string at the first occurrence of `sep`, like Python's `str.partition`.

        Neither the strings nor `sep` need to be valid UTF-8.

        Args:
            sep: the separator, not empty.

        Returns:
            Three StringTensors `[*S]`: the part before the separator, the separator, and the part after it. Without
            an occurrence, these are the string, "" and "".

        Raises:
            ValueError: `sep` is empty.

        See also: `string_rpartition`, at the last occurrence; `string_split_exact`.

        Example:
            >>> key, _, value = StringTensor.from_list(["a=1", "b", "c=2=3"]).partition("=")
            >>> key.tolist(), value.tolist()
            (['a', 'b', 'c'], ['1', '', '2=3'])
        """
        return split.partition(self, sep)

    def rpartition(self, sep: str | bytes) -> tuple[Self, Self, Self]:
        """Splits each string at the last occurrence of `sep`, like Python's `str.rpartition`.

        Neither the strings nor `sep` need to be valid UTF-8.

        Args:
            sep: the separator, not empty.

        Returns:
            Three StringTensors `[*S]`: the part before the separator, the separator, and the part after it. Without
            an occurrence, these are "", "" and the string.

        Raises:
            ValueError: `sep` is empty.

        See also: `string_partition`, at the first occurrence; `string_rsplit_ragged`.

        Example:
            >>> folder, _, name = StringTensor.from_list(["a/b/c.txt", "d.txt"]).rpartition("/")
            >>> folder.tolist(), name.tolist()
            (['a/b', ''], ['c.txt', 'd.txt'])
        """
        return split.rpartition(self, sep)
