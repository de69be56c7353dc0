"""Verbs that look into strings, named after Python's; they call the operators of torch_stringops.ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import torch
from torch import Tensor

from torch_stringops._compare_verbs import CompareVerbs

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class TextVerbs(CompareVerbs):
    """Cutting, and distinct strings."""

    __slots__ = ()

    @overload
    def split(
        self,
        by: str | bytes | None = None,
        maxsplit: int = -1,
        *,
        delimiter: str | bytes | None = None,
        skip_empty: bool = False,
    ) -> tuple[StringTensor, Tensor]: ...
    @overload
    def split(self, by: int | Sequence[int], dim: int = 0) -> tuple[StringTensor, ...]: ...

    def split(self, by: Any = None, *args: Any, delimiter: Any = None, **kwargs: Any) -> Any:
        """A string (or nothing) cuts the strings, as Python's `str.split`; ints cut the tensor, as
        `torch.split`.

        Args:
            by: a delimiter, or None for runs of whitespace; or the size, or sizes, of the parts.
            maxsplit: with a delimiter: most cuts a string; -1 for no limit.
            skip_empty: with a delimiter: leave out the empty pieces.
            delimiter: another name of `by`, that of `string_split` and `split_ragged`.
            dim: with sizes: the axis to cut.

        Returns:
            With a delimiter: the pieces, strings `[*S, D]` padded with "", and their counts, int64 `[*S]`
            (see `string_split`). With sizes: a tuple of StringTensors that share `data`.

        Example:
            >>> s = StringTensor.from_list(["a", "b", "c"])
            >>> [part.tolist() for part in s.split(2)]
            [['a', 'b'], ['c']]
        """
        if delimiter is not None:
            if by is not None:
                raise TypeError("split: expected one of `by` and `delimiter`, got both")
            by = delimiter
        if by is None or isinstance(by, (str, bytes)):
            from torch_stringops.ops.string_split import string_split

            return string_split(self._self(), by or "", *args, **kwargs)
        return self._tensor_split(by, *args, **kwargs)

    def split_ragged(
        self, delimiter: str | bytes | None = None, maxsplit: int = -1, *, skip_empty: bool = False
    ) -> tuple[StringTensor, Tensor]:
        """Each string cut at `delimiter` (None: at whitespace), the pieces in one vector.

        `skip_empty` leaves out the empty pieces. See `string_split_ragged`.

        Returns:
            The pieces, strings `[T]`, and `row_splits`, int64 `[N + 1]`: string `i` gave pieces
            `row_splits[i]` to `row_splits[i + 1]`.
        """
        from torch_stringops.ops.string_split import string_split_ragged

        return string_split_ragged(self._self(), delimiter or "", maxsplit, skip_empty=skip_empty)

    def unique(self, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
        """The distinct strings, as `torch.unique`; what `torch.unique(s, ...)` calls.

        Args:
            sorted: in the order of their bytes (for UTF-8, of their code points), else in order of first
                appearance, which is faster and can be traced.
            return_inverse: also where each string is among the distinct ones, int64 `[*S]`.
            return_counts: also how often each occurs, int64 `[U]`.

        Returns:
            Strings `[U]`, or a tuple of them and what else was asked for.

        Raises:
            RuntimeError: torch.compile(fullgraph=True) or torch.export traces it with `sorted`.

        Example:
            >>> s = StringTensor.from_list(["b", "a", "b"])
            >>> s.unique(return_counts=True)
            (StringTensor(['a', 'b'], shape=[2]), tensor([1, 2]))
        """
        from torch_stringops.ops.string_unique import string_unique

        if sorted and torch.compiler.is_compiling():
            raise RuntimeError(
                "unique: expected `sorted` to be False under tracing, got True (order the strings outside of "
                "torch.compile and torch.export)"
            )
        strings, inverse, counts = string_unique(self._self())
        if sorted:
            values = strings.tolist(as_bytes=True)
            order = torch.tensor(_argsort(values), dtype=torch.int64, device=counts.device)
            strings, counts = strings[order], counts[order]
            if return_inverse:
                rank = torch.empty_like(order)
                rank[order] = torch.arange(len(values), device=order.device)
                inverse = rank[inverse]
        result = (strings, *([inverse] if return_inverse else []), *([counts] if return_counts else []))
        return result if len(result) > 1 else strings


def _argsort(values: list[bytes]) -> list[int]:
    return sorted(range(len(values)), key=values.__getitem__)
