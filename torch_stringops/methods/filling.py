"""Methods that fill strings with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, overload

from torch import Tensor

from torch_stringops._checks import sizes_of
from torch_stringops._types import Sizes, StringsLike
from torch_stringops.interop.strings import argument
from torch_stringops.methods._base import Methods
from torch_stringops.tensor import filling, ranges

if TYPE_CHECKING:
    from typing_extensions import Self


class FillingMethods(Methods):
    """Scattering, padding, tensors of equal strings (tensor/filling.py)."""

    __slots__ = ()

    @classmethod
    def full(cls, size: Sizes, fill_value: StringsLike) -> Self:
        """Returns a tensor of shape `size`, filled with one string, like `torch.full`.

        Args:
            size: the shape, a sequence of ints.
            fill_value: the string.

        Raises:
            RuntimeError: `fill_value` is not a single string.
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.full((2, 2), "[PAD]").tolist()
            [['[PAD]', '[PAD]'], ['[PAD]', '[PAD]']]
        """
        value = (
            fill_value if isinstance(fill_value, cls) else cls._converted(*argument("full", "fill_value", fill_value))
        )
        return filling.full(value, sizes_of((size,)))

    def new_full(self, size: Sizes, fill_value: StringsLike) -> Self:
        """Returns a tensor of shape `size`, filled with one string, on the device of this tensor.

        Example:
            >>> StringTensor.from_list(["a"]).new_full((2,), "b").tolist()
            ['b', 'b']
        """
        return filling.full(self._argument("new_full", "fill_value", fill_value), sizes_of((size,)))

    def new_empty(self, *size: Sizes) -> Self:
        """Returns a tensor of empty strings of the given shape, on the device of this tensor.

        `torch.empty_like(s)` is `s.new_empty(s.shape)`.

        Example:
            >>> StringTensor.from_list(["a"]).new_empty(2, 1).tolist()
            [[''], ['']]
        """
        return filling.full(self._argument("new_empty", "fill_value", ""), sizes_of(size))

    def scatter(self, dim: int, index: Tensor, src: StringsLike) -> Self:
        """Returns the strings with those of `src` at the positions `index` along `dim`, like `torch.scatter`.

        If a position occurs several times, the last string in the order of `src` is kept (torch leaves it open).

        Args:
            dim: the axis to index.
            index: int64, of the rank of this tensor, positions within axis `dim`.
            src: strings, at least as large as `index` in each axis; or one string, for all positions.

        Raises:
            RuntimeError: the shapes do not match, or a position is out of bounds.

        Example:
            >>> s = StringTensor.from_list(["a", "b", "c"])
            >>> s.scatter(0, torch.tensor([2, 0, 2]), ["x", "y", "z"]).tolist()
            ['y', 'b', 'z']
        """
        return filling.scatter(self, dim, index, self._argument("scatter", "src", src))

    def pad(self, pad: Sequence[int], value: StringsLike = "") -> Self:
        """Extends axes by copies of one string. Same as `torch.nn.functional.pad(s, pad, value=value)`.

        Args:
            pad: number of strings to add before and after, for the last axis, then for the one before it, and so on;
                negative numbers remove strings.
            value: the string to add.

        Raises:
            RuntimeError: `pad` has an odd number of sizes or too many, or `value` is not a single string.

        Example:
            >>> StringTensor.from_list(["a", "b"]).pad((1, 2), "-").tolist()
            ['-', 'a', 'b', '-', '-']
        """
        return filling.pad(self, pad, self._argument("pad", "value", value))

    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor: ...
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...

    def nonzero(self, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
        """Returns the positions of the strings that are not empty, like `torch.nonzero`.

        Returns:
            int64 `[K, rank]`; with `as_tuple`, a tuple of int64 `[K]` for each axis.

        Example:
            >>> StringTensor.from_list(["a", "", "b"]).nonzero().tolist()
            [[0], [2]]
        """
        begins, ends = ranges.ranges(self)
        mask = begins < ends
        return mask.nonzero(as_tuple=True) if as_tuple else mask.nonzero()
