"""Comparing strings, and choosing between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops import _joining
from torch_stringops._base import Strings
from torch_stringops._memory_verbs import MemoryVerbs

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class CompareVerbs(MemoryVerbs):
    """Equality, with broadcasting; `where`; truth."""

    __slots__ = ()

    def _text(self, other: Any) -> StringTensor | None:
        """`other` as strings to compare with or choose from, if it is any."""
        if isinstance(other, CompareVerbs):
            return other._self()
        if not isinstance(other, (str, bytes)):
            return None
        raw = other.encode() if isinstance(other, str) else other
        data = torch.tensor(list(raw), dtype=torch.uint8, device=self.device)
        offsets = torch.tensor([0, len(raw)], dtype=torch.int32, device=self.device)
        return self._new(data, offsets, scalar=True)

    def eq(self, other: StringTensor | str | bytes) -> Tensor:
        """Which strings are equal to those of `other`, with broadcasting; what `==` gives.

        Example:
            >>> StringTensor.from_list(["a", "b"]).eq("b")
            tensor([False,  True])
        """
        text = self._text(other)
        if text is None:
            raise TypeError(
                f"eq: expected `other` to be a StringTensor, str or bytes, got {type(other).__name__}"
            )
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
        text = self._text(other)
        if text is None:
            raise TypeError(
                f"where: expected `other` to be a StringTensor, str or bytes, got {type(other).__name__}"
            )
        return _joining.where(condition, self._self(), text)


def _comparable(value: Any) -> bool:
    return isinstance(value, (Strings, str, bytes))
