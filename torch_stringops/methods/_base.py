"""The base class of the classes of methods: what they share, and the types of `self` and of other arguments."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import MAX_BYTES, MAX_OFFSETS, utf8
from torch_stringops._names import name_methods
from torch_stringops._tracing import is_eager
from torch_stringops.interop.strings import argument
from torch_stringops.tensor import strings
from torch_stringops.tensor.strings import S, Strings

if TYPE_CHECKING:
    from typing_extensions import Self

# The maximum number of bytes of an argument whose string is kept for the next call with it.
_MAX_KEPT = 256


class Methods(Strings):
    """Conversion of the arguments of methods to strings. StringTensor inherits from one subclass for each family."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Names the methods in their errors. Those that are not named cannot fail, or name themselves."""
        unnamed = """
            shape ndim device nbytes is_cuda is_cpu dim numel nelement size __init__ __getitem__
        """.split()  # noqa: SIM905
        name_methods(cls, vars(cls), "StringTensor", unnamed)

    def _argument(self, op: str, name: str, value: Any) -> Self:
        """Converts the argument `name` to strings on the device of this tensor."""
        if isinstance(value, Methods):
            return value  # type: ignore[return-value]
        if isinstance(value, (str, bytes)) and self._data.is_cpu and not torch.compiler.is_compiling():
            # A fast path for the most common argument of comparisons.
            raw = utf8(op, name, value)
            if len(raw) <= _MAX_KEPT and is_eager() and not torch.is_inference_mode_enabled():
                return _kept_string(type(self), raw)  # type: ignore[arg-type, no-any-return]
            if 0 < len(raw) <= MAX_BYTES:
                return _new_string(type(self), raw)
        converted = self._converted(*argument(op, name, value))
        return strings.to(converted, self._data.device, dtype=None, non_blocking=False, copy=False)

    def _list(self, op: str, name: str, value: Any) -> Self:
        """The same for a list of strings."""
        found = self._argument(op, name, value)
        if found._offsets.dim() != 1:
            *rows, size = found._offsets.shape
            raise ValueError(f"{op}: expected `{name}` of rank 1, got shape {[*rows, size - 1]}")
        return found

    @classmethod
    def _converted(cls, data: Tensor, offsets: Tensor, scalar: bool = False) -> Self:
        # The functions of interop/ return valid tensors; only their sizes need a check.
        if data.numel() > MAX_BYTES or offsets.numel() > MAX_OFFSETS:
            strings.check(data, offsets, scalar)
        return cls._new(data, offsets, scalar)


def _new_string(cls: type[S], raw: bytes) -> S:
    offsets = torch.from_numpy(np.array([0, len(raw)], dtype=np.int32))
    data = torch.frombuffer(bytearray(raw), dtype=torch.uint8) if raw else offsets.new_empty(0, dtype=torch.uint8)
    return cls._new(data, offsets, True)


_kept_string = functools.lru_cache(256)(_new_string)
