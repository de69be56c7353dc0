"""StringTensor: strings of any shape, stored as two tensors. Methods on them stand in methods/, by family."""

from __future__ import annotations

import contextlib
import copy
import pickle
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from torch_stringops._names import ERRORS, name_error, reject_script
from torch_stringops._tracing import can_read
from torch_stringops._types import ArrowArray, ArrowStream, NestedOptionals, StringArray, Text
from torch_stringops.interop.arrow import (
    arrow_schema,
    strings_from_arrow,
    strings_to_arrow,
    strings_to_pyarrow,
)
from torch_stringops.interop.numpy import as_dtype, strings_from_numpy, strings_to_numpy
from torch_stringops.interop.python import strings_from_list, strings_to_list
from torch_stringops.methods.build import BuildMethods
from torch_stringops.methods.case import CaseMethods
from torch_stringops.methods.classes import ClassMethods
from torch_stringops.methods.compare import CompareMethods
from torch_stringops.methods.datetime import DatetimeMethods
from torch_stringops.methods.distinct import DistinctMethods
from torch_stringops.methods.edit import EditMethods
from torch_stringops.methods.encoding import EncodingMethods
from torch_stringops.methods.escape import EscapeMethods
from torch_stringops.methods.filling import FillingMethods
from torch_stringops.methods.hash import HashMethods
from torch_stringops.methods.indexing import IndexingMethods
from torch_stringops.methods.join import JoinMethods
from torch_stringops.methods.json import JsonMethods
from torch_stringops.methods.length import LengthMethods
from torch_stringops.methods.memory import MemoryMethods
from torch_stringops.methods.ngram import NgramMethods
from torch_stringops.methods.normalize import NormalizeMethods
from torch_stringops.methods.number import NumberMethods
from torch_stringops.methods.regex import RegexMethods
from torch_stringops.methods.search import SearchMethods
from torch_stringops.methods.search_many import SearchManyMethods
from torch_stringops.methods.segments import SegmentsMethods
from torch_stringops.methods.shape import ShapeMethods
from torch_stringops.methods.sort import SortMethods
from torch_stringops.methods.split import SplitMethods
from torch_stringops.methods.strip import StripMethods
from torch_stringops.ops import gather as gather  # registers fake kernels
from torch_stringops.tensor import dispatch, printing, serialization, strings


class StringTensor(
    ShapeMethods,
    IndexingMethods,
    CaseMethods,
    ClassMethods,
    CompareMethods,
    DistinctMethods,
    BuildMethods,
    DatetimeMethods,
    EditMethods,
    EncodingMethods,
    EscapeMethods,
    FillingMethods,
    HashMethods,
    JoinMethods,
    JsonMethods,
    LengthMethods,
    MemoryMethods,
    NgramMethods,
    NormalizeMethods,
    NumberMethods,
    RegexMethods,
    SearchMethods,
    SearchManyMethods,
    SegmentsMethods,
    SortMethods,
    SplitMethods,
    StripMethods,
):
    """Strings of shape `[*S]`, stored as two ordinary tensors.

    The string at `[i, ..., j]` is `data[offsets[i, ..., j] : offsets[i, ..., j + 1]]`. Strings are bytes,
    UTF-8 by convention. A StringTensor is immutable: its methods return new StringTensors, which share
    `data` if possible. torch's own functions accept it (`torch.cat([s, t])`, `torch.where(mask, s, t)`, `s == t`),
    and so do torch.compile, torch.export, DataLoader and torch.save.

    Args:
        data: uint8 `[num_bytes]`, contiguous.
        offsets: int32 `[*S[:-1], S[-1] + 1]`, in bytes; each row non-decreasing within `[0, num_bytes]`.
            Operators check the values, the constructor does not; see `validate`.
        scalar: whether this is a single string of rank 0; `offsets` is then `[2]`.

    Raises:
        TypeError: an argument is not a tensor.
        ValueError: a dtype or shape is not as above, or the devices differ.

    Example:
        >>> s = StringTensor.from_list([["to", "be"], ["or", "not"]])
        >>> s
        StringTensor([['to', 'be'],
                      ['or', 'not']],
                     shape=[2, 2])
        >>> s[:, 0].tolist()
        ['to', 'or']
        >>> torch.cat([s, s], dim=1).shape
        torch.Size([2, 4])
        >>> s == "be"
        tensor([[False,  True],
                [False, False]])
    """

    __slots__ = ("__weakref__",)

    # NumPy's operators leave `array == s` and `array + s` to this class, and make no arrays of objects of it.
    __array_ufunc__ = None

    __prepare_scriptable__ = reject_script

    def __init__(self, data: Tensor, offsets: Tensor = None, *, scalar: bool = False) -> None:  # type: ignore[assignment]
        if offsets is None:
            raise TypeError(
                f"StringTensor: expected the tensors `data` and `offsets`, got {type(data).__name__} alone "
                "(use StringTensor.from_list for Python strings)"
            )
        try:
            if scalar or not strings.is_valid(data, offsets):
                strings.check(data, offsets, scalar)
        except ERRORS as error:
            name_error(error, "StringTensor")
            raise
        self._data = data
        self._offsets = offsets
        self._scalar = scalar

    # Conversion from and to Python lists, NumPy arrays and Arrow columns.

    @staticmethod
    def from_list(values: Text | NestedOptionals, *, missing: Text | None = None) -> StringTensor:
        """Creates a StringTensor from Python strings. `torch_stringops.as_strings` also accepts columns of tables.

        Args:
            values: `str` or `bytes` (gives rank 0), lists or tuples of them nested to any depth, a NumPy
                array of strings, or a StringTensor (returned as is). `str` is stored as UTF-8, `bytes` as is.
            missing: replaces missing strings (None, NaN). Default: None, a missing string is an error.

        Raises:
            TypeError: an element is not a string.
            ValueError: lists of one level differ in length; the message gives the position.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", ""]]).tolist()
            [['a', 'b'], ['c', '']]
            >>> StringTensor.from_list("a").shape
            torch.Size([])
        """
        if isinstance(values, StringTensor):
            return values
        if isinstance(values, np.ndarray):
            return StringTensor.from_numpy(values, missing=missing)
        return StringTensor._converted(*strings_from_list(values, missing=missing))

    @staticmethod
    def from_numpy(array: StringArray, *, missing: Text | None = None) -> StringTensor:
        """Creates a StringTensor from a NumPy array of the same shape. The strings are copied.

        Args:
            array: dtype `str_` (`U`), `bytes_` (`S`), `object` (of `str` and `bytes`) or `StringDType`.
            missing: replaces missing strings (None, NaN, masked elements). Default: None, a missing string is an
                error.

        Raises:
            TypeError: the dtype is not one of these, or an object is not a string.

        Example:
            >>> StringTensor.from_numpy(np.array([["a", "bc"]])).tolist()
            [['a', 'bc']]
        """
        return StringTensor._converted(*strings_from_numpy(array, missing=missing))

    @staticmethod
    def from_arrow(column: ArrowArray | ArrowStream, *, missing: Text | None = None) -> StringTensor:
        """Creates a StringTensor `[n]` from an Arrow column. A single chunk of `utf8` or `binary` is zero-copy.

        Args:
            column: a pyarrow Array or ChunkedArray, a polars or pandas Series, or any other object that implements
                the Arrow PyCapsule protocol (`__arrow_c_array__`, `__arrow_c_stream__`).
            missing: replaces missing strings (nulls). Default: None, a missing string is an error.

        Raises:
            TypeError: `column` is not an Arrow column of strings.
            ValueError: a string is missing; the message gives the position of the first.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> StringTensor.from_arrow(s).data.data_ptr() == s.data.data_ptr()
            True
        """
        return StringTensor._converted(*strings_from_arrow(column, missing=missing))

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Exports strings of rank 1 as an Arrow `utf8` array, or `binary` if requested. Zero-copy."""
        if self._scalar:
            raise ValueError(
                "StringTensor.__arrow_c_array__: expected strings of rank 1, got shape [] (use .reshape(1))"
            )
        return strings_to_arrow(self.data, self.offsets, requested_schema)

    def __arrow_array__(self, type: object | None = None) -> object:
        """Returns a pyarrow Array, for `pyarrow.array(s, type)`; `utf8` or `binary` is zero-copy."""
        return strings_to_pyarrow(self, type)

    def __arrow_c_schema__(self) -> object:
        """Exports the Arrow type of `__arrow_c_array__`: `utf8`."""
        return arrow_schema()

    def tolist(self, *, as_bytes: bool = False, errors: str = "strict") -> Any:
        """Returns the strings as a nested list; for rank 0, the string itself.

        Args:
            as_bytes: return `bytes` instead of `str`.
            errors: how to handle invalid UTF-8, as in `bytes.decode`.

        Raises:
            ValueError: a string is not UTF-8 and `errors` is "strict"; the message gives its position.

        Example:
            >>> StringTensor.from_list([b"caf\\xc3\\xa9", b"\\xff"]).tolist(errors="replace")
            ['café', '\\ufffd']
            >>> StringTensor.from_list(["a"]).tolist(as_bytes=True)
            [b'a']
        """
        s = self if self._data.is_cpu else self.cpu()
        return strings_to_list(s._data, s._offsets, scalar=self._scalar, as_bytes=as_bytes, errors=errors)

    @overload
    def item(self, *, as_bytes: Literal[False] = False, errors: str = "strict") -> str: ...
    @overload
    def item(self, *, as_bytes: Literal[True], errors: str = "strict") -> bytes: ...

    def item(self, *, as_bytes: bool = False, errors: str = "strict") -> str | bytes:
        """Returns the string of a tensor with exactly one element.

        Args:
            as_bytes: return `bytes` instead of `str`.
            errors: how to handle invalid UTF-8, as in `bytes.decode`.

        Raises:
            RuntimeError: the tensor does not have exactly one element.

        Example:
            >>> StringTensor.from_list(["a", "b"])[1].item()
            'b'
        """
        if self.numel() != 1:
            raise RuntimeError(f"a StringTensor with {self.numel()} elements cannot be converted to str")
        s = self if self.data.is_cpu else self.cpu()
        offsets = s.offsets if self._scalar else s.offsets.reshape(2)
        string: str | bytes = strings_to_list(
            s.data, offsets, scalar=True, as_bytes=as_bytes, errors=errors, op="StringTensor.item"
        )
        return string

    @overload
    def numpy(self, dtype: type[object] = object, *, errors: str = "strict") -> NDArray[np.object_]: ...
    @overload
    def numpy(self, dtype: Literal["U"], *, errors: str = "strict") -> NDArray[np.str_]: ...
    @overload
    def numpy(self, dtype: Literal["S"], *, errors: str = "strict") -> NDArray[np.bytes_]: ...
    @overload
    def numpy(self, dtype: DTypeLike, *, errors: str = "strict") -> NDArray[Any]: ...

    def numpy(self, dtype: DTypeLike = object, *, errors: str = "strict") -> NDArray[Any]:
        """Returns a copy of the strings as a NumPy array.

        Args:
            dtype: `object` (of `str`), `np.dtypes.StringDType()`, `"U"`, or `"S"` (the bytes, not decoded).
            errors: how to handle invalid UTF-8, as in `bytes.decode`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).numpy()
            array(['a', 'b'], dtype=object)
            >>> StringTensor.from_list(["a", "b"]).numpy("U")
            array(['a', 'b'], dtype='<U1')
        """
        s = self.cpu()
        if s.dim() > 1:
            # This makes no list for each row. Errors are raised below, with the position of the string.
            with contextlib.suppress(ValueError):
                flat = s.flatten()
                strings = strings_to_numpy(flat.data, flat.offsets, dtype=dtype, errors=errors)
                return strings.reshape(s.shape)
        return strings_to_numpy(s.data, s.offsets, dtype=dtype, scalar=self._scalar, errors=errors)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("StringTensor.__array__: a NumPy array of str cannot share the bytes")
        if dtype is None:
            return self.numpy()
        wanted = as_dtype("StringTensor.__array__", dtype)
        try:
            return self.numpy().astype(wanted)
        except (TypeError, ValueError):
            name = wanted.name
        raise ValueError(f"StringTensor.__array__: NumPy cannot convert the strings to {name}")

    # Truth, printing, torch functions, pickling and copying.

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError(
                f"the truth of a StringTensor with {self.numel()} strings is ambiguous "
                "(compare, then use .any() or .all())"
            )
        if self._scalar and can_read(self.offsets):
            strings.validate(self)
            begin, end = self.offsets.tolist()
            return bool(begin < end)
        return self.reshape(()).contiguous().data.numel() > 0

    def __repr__(self) -> str:
        return printing.to_text(self)

    def __str__(self) -> str:  # Dynamo traces no `object.__str__`, and would call it on an object without tensors
        return printing.to_text(self)

    def __format__(self, spec: str) -> str:
        if not printing.can_format(self):
            return object.__format__(self, spec)
        try:
            return format(self.item(errors="replace"), spec)
        except (ValueError, RuntimeError):  # malformed offsets
            return format(repr(self), spec)

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return dispatch.dispatch(function, args, kwargs or {})

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild, serialization.to_pickle(self)

    def __copy__(self) -> StringTensor:
        return self._new(self.data, self.offsets, self._scalar)

    def __deepcopy__(self, memo: dict[int, Any]) -> StringTensor:
        return self._new(copy.deepcopy(self.data, memo), copy.deepcopy(self.offsets, memo), self._scalar)


def rebuild(data: Tensor, offsets: Tensor, scalar: bool) -> StringTensor:
    """Creates and validates a StringTensor from a pickle."""
    s = StringTensor(data, offsets, scalar=bool(scalar))
    serialization.check_pickled(s)
    return s


def reduce_to_send(s: StringTensor) -> Any:
    """Same as `__reduce_ex__`, for strings that torch.multiprocessing sends to another process."""
    s = s.contiguous()
    sent = serialization.to_send(s)
    return s.__reduce_ex__(pickle.HIGHEST_PROTOCOL) if sent is None else (rebuild_sent, sent)


def rebuild_sent(data: bytes, offsets: bytes, shape: tuple[int, ...], scalar: bool) -> StringTensor:
    """Creates and validates a StringTensor from the bytes that another process has sent."""
    return serialization.from_sent(StringTensor, data, offsets, shape, scalar)
