"""Comparing strings, and choosing between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops import _joining
from torch_stringops._base import Strings
from torch_stringops._errors import utf8
from torch_stringops._memory_verbs import MemoryVerbs
from torch_stringops.interop.python import strings_from_list

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class CompareVerbs(MemoryVerbs):
    """Equality, with broadcasting; `where`; truth."""

    __slots__ = ()

    def _text(self, op: str, other: Any) -> StringTensor:
        """`other` as strings to compare with or choose from."""
        if isinstance(other, CompareVerbs):
            return other._self()
        if not isinstance(other, (str, bytes)):
            raise TypeError(
                f"{op}: expected `other` to be a StringTensor, str or bytes, got {type(other).__name__}"
            )
        data, offsets, _ = strings_from_list(utf8(op, "other", other), op=op)
        return self._new(data.to(self.device), offsets.to(self.device), scalar=True)

    def eq(self, other: StringTensor | str | bytes) -> Tensor:
        """Which strings are equal to those of `other`, with broadcasting; what `==` gives.

        Example:
            >>> StringTensor.from_list(["a", "b"]).eq("b")
            tensor([False,  True])
        """
        text = self._text("eq", other)
        equal: Tensor = torch.ops.stringops.string_equal(self.data, self.offsets, text.data, text.offsets)
        return equal.reshape(()) if self._scalar and text._scalar else equal

    def ne(self, other: StringTensor | str | bytes) -> Tensor:
        """Which strings differ from those of `other`, with broadcasting; what `!=` gives."""
        return ~self.eq(other)

    def equal(self, other: StringTensor) -> bool:
        """Whether both have one shape and the same strings.

        Example:
            >>> StringTensor.from_list(["a"]).equal(StringTensor.from_list([["a"]]))
            False
        """
        if not isinstance(other, Strings):
            raise TypeError(f"equal: expected `other` to be a StringTensor, got {type(other).__name__}")
        return self.shape == other.shape and bool(self.eq(other).all())

    def __eq__(self, other: Any) -> Any:
        return self.eq(other) if _comparable(other) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return self.ne(other) if _comparable(other) else NotImplemented

    # As torch's tensors: by identity, since == compares element by element.
    __hash__ = object.__hash__

    def __contains__(self, value: Any) -> bool:
        return _comparable(value) and bool(self.eq(value).any())

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError(
                f"the truth of a StringTensor with {self.numel()} strings is ambiguous "
                "(compare, then use .any() or .all())"
            )
        return self.reshape(()).compact().data.numel() > 0

    def where(self, condition: Tensor, other: StringTensor | str | bytes) -> StringTensor:
        """These strings where `condition` (bool) is true, else `other`'s, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.where(s != "b", "?").tolist()
            ['a', '?']
        """
        return _joining.where(condition, self._self(), self._text("where", other))

    def masked_fill(self, mask: Tensor, value: StringTensor | str | bytes) -> StringTensor:
        """`value`, one string, where `mask` (bool) is true, else these strings, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "", "c"])
            >>> s.masked_fill(s == "", "?").tolist()
            ['a', '?', 'c']
        """
        text = self._text(value)
        if text is None:
            raise TypeError(
                f"masked_fill: expected `value` to be a StringTensor, str or bytes, got {type(value).__name__}"
            )
        if text.ndim != 0:
            raise RuntimeError(f"masked_fill: expected `value` of rank 0, got shape {list(text.shape)}")
        return _joining.where(mask, text, self._self(), op="masked_fill", condition_name="mask")


def _comparable(value: Any) -> bool:
    return isinstance(value, (Strings, str, bytes))
