"""Comparing strings, and choosing between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _joining
from torch_stringops._base import Strings
from torch_stringops._errors import utf8
from torch_stringops._fake import MAX_BYTES
from torch_stringops._memory_verbs import MemoryVerbs

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class CompareVerbs(MemoryVerbs):
    """Equality, with broadcasting; `where`; truth."""

    __slots__ = ()

    def _text(self, op: str, name: str, value: Any) -> StringTensor:
        """The argument `name` as strings to compare with or choose from, where these strings lie."""
        if isinstance(value, CompareVerbs):
            return value._self()
        if isinstance(value, (str, bytes)) and self.data.is_cpu and not torch.compiler.is_compiling():
            # What most comparisons are with, hence without a walk over lists of any shape.
            raw = utf8(op, name, value)
            if 0 < len(raw) <= MAX_BYTES:
                data = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
                return self._new(data, torch.from_numpy(np.array([0, len(raw)], dtype=np.int32)), scalar=True)
        from torch_stringops.interop.strings import strings_argument

        return strings_argument(op, name, value).to(self.device)

    def eq(self, other: Any) -> Tensor:
        """Which strings are equal to those of `other`, with broadcasting; what `==` gives.

        Args:
            other: a StringTensor, `str` or `bytes`, or what else `as_strings` takes.

        Example:
            >>> StringTensor.from_list(["a", "b"]).eq("b")
            tensor([False,  True])
            >>> StringTensor.from_list(["a", "b"]) == ["a", "c"]
            tensor([ True, False])
        """
        text = self._text("eq", "other", other)
        equal: Tensor = torch.ops.stringops.string_equal(self.data, self.offsets, text.data, text.offsets)
        return equal.reshape(()) if self._scalar and text._scalar else equal

    def ne(self, other: Any) -> Tensor:
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
        try:
            text = self._text("eq", "other", other)
        except TypeError:  # not of strings
            return NotImplemented
        return self.eq(text)

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal

    # As torch's tensors: by identity, since == compares element by element.
    __hash__ = object.__hash__

    def __contains__(self, value: Any) -> bool:
        # As torch's, of rank 0 too: whether a string is equal. To look into one: `"b" in s[0].item()`.
        return isinstance(value, (Strings, str, bytes)) and bool(self.eq(value).any())

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError(
                f"the truth of a StringTensor with {self.numel()} strings is ambiguous "
                "(compare, then use .any() or .all())"
            )
        return self.reshape(()).compact().data.numel() > 0

    def where(self, condition: Tensor, other: Any) -> StringTensor:
        """These strings where `condition` (bool) is true, else `other`'s, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.where(s != "b", "?").tolist()
            ['a', '?']
        """
        return _joining.where(condition, self._self(), self._text("where", "other", other))

    def masked_fill(self, mask: Tensor, value: StringTensor | str | bytes) -> StringTensor:
        """`value`, one string, where `mask` (bool) is true, else these strings, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "", "c"])
            >>> s.masked_fill(s == "", "?").tolist()
            ['a', '?', 'c']
        """
        text = self._text("masked_fill", "value", value)
        if text.ndim != 0:
            raise RuntimeError(f"masked_fill: expected `value` of rank 0, got shape {list(text.shape)}")
        return _joining.where(mask, text, self._self(), op="masked_fill", condition_name="mask")
