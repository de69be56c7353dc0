"""StringTensor: strings of any shape as two tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torch_stringops import _serialization
from torch_stringops._printing import formatted, to_text
from torch_stringops._text_verbs import TextVerbs
from torch_stringops._torch_function import dispatch
from torch_stringops.interop.arrow import arrow_schema, strings_from_arrow, strings_to_arrow
from torch_stringops.interop.numpy import as_dtype, strings_from_numpy, strings_to_numpy
from torch_stringops.interop.python import strings_from_list, strings_to_list


class StringTensor(TextVerbs):
    """Strings of shape `[*S]`, held as two ordinary tensors.

    The string at `[i, ..., j]` is `data[offsets[i, ..., j] : offsets[i, ..., j + 1]]`. Strings are bytes,
    UTF-8 by convention. A StringTensor is immutable: its verbs return new ones, which share `data` where they
    can. torch's own functions take it (`torch.cat([s, t])`, `torch.where(mask, s, t)`, `s == t`), and so do
    torch.compile, torch.export, DataLoader and torch.save.

    Args:
        data: uint8 `[num_bytes]`, contiguous.
        offsets: int32 `[*S[:-1], S[-1] + 1]`, in bytes; each row non-decreasing within `[0, num_bytes]`.
            Operators check the values at their entry, the constructor does not; see `validate`.
        scalar: the one string of `offsets` `[2]` has rank 0.

    Raises:
        TypeError: an argument is no tensor.
        ValueError: a dtype, shape or device is another.

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

    @staticmethod
    def from_list(values: Any, *, missing: str | bytes | None = None) -> StringTensor:
        """Strings from Python's. `torch_stringops.as_strings` takes columns of tables, too.

        Args:
            values: `str` or `bytes` (gives rank 0), lists or tuples of them nested to any depth, a NumPy
                array of strings, or a StringTensor (returned as is). `str` is stored as UTF-8, `bytes` as is.
            missing: what to put in the place of a missing string (None, NaN); None to allow none.

        Raises:
            TypeError: an element is not a string.
            ValueError: lists of one level differ in length; the message names the place.

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
        data, offsets, scalar = strings_from_list(values, missing=missing)
        return StringTensor(data, offsets, scalar=scalar)

    @staticmethod
    def from_numpy(array: np.ndarray[Any, Any], *, missing: str | bytes | None = None) -> StringTensor:
        """Strings of the shape of a NumPy array, copied.

        Args:
            array: dtype `str_` (`U`), `bytes_` (`S`), `object` (of `str` and `bytes`) or `StringDType`.
            missing: what to put in the place of a missing string (None, NaN, a masked element); None to allow
                none.

        Raises:
            TypeError: the dtype is another, or an object is not a string.

        Example:
            >>> StringTensor.from_numpy(np.array([["a", "bc"]])).tolist()
            [['a', 'bc']]
        """
        data, offsets, scalar = strings_from_numpy(array, missing=missing)
        return StringTensor(data, offsets, scalar=scalar)

    @staticmethod
    def from_arrow(column: Any, *, missing: str | bytes | None = None) -> StringTensor:
        """Strings `[n]` from an Arrow column; they share its memory if it is one chunk of `utf8` or `binary`.

        Args:
            column: a pyarrow Array or ChunkedArray, a polars or pandas Series, or anything else that speaks
                the Arrow PyCapsule protocol (`__arrow_c_array__`, `__arrow_c_stream__`).
            missing: what to put in the place of a missing string (null); None to allow none.

        Raises:
            TypeError: `column` is no Arrow column, or holds no strings.
            ValueError: a string is missing; the message names the first.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> StringTensor.from_arrow(s).data.data_ptr() == s.data.data_ptr()
            True
        """
        return StringTensor(*strings_from_arrow(column, missing=missing))

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Rank 1 as an Arrow `utf8` array (`binary` if that is asked for), which shares the memory."""
        if self._scalar:
            raise ValueError(
                "StringTensor.__arrow_c_array__: expected strings of rank 1, got shape [] (use .reshape(1))"
            )
        return strings_to_arrow(self.data, self.offsets, requested_schema)

    def __arrow_c_schema__(self) -> Any:
        """The Arrow type of `__arrow_c_array__`: `utf8`."""
        return arrow_schema()

    def tolist(self, *, as_bytes: bool = False, errors: str = "strict") -> Any:
        """The strings as nested lists; rank 0 gives the string itself.

        Args:
            as_bytes: give `bytes`, not `str`.
            errors: what to do with invalid UTF-8, as in `bytes.decode`.

        Raises:
            ValueError: a string is not UTF-8 and `errors` is "strict"; the message says which one.

        Example:
            >>> StringTensor.from_list([b"caf\\xc3\\xa9", b"\\xff"]).tolist(errors="replace")
            ['café', '\\ufffd']
            >>> StringTensor.from_list(["a"]).tolist(as_bytes=True)
            [b'a']
        """
        s = self.cpu()
        return strings_to_list(s.data, s.offsets, scalar=self._scalar, as_bytes=as_bytes, errors=errors)

    def item(self, *, as_bytes: bool = False, errors: str = "strict") -> Any:
        """The one string of a tensor that holds one, as a `str`.

        Raises:
            RuntimeError: there are more, or none.

        Example:
            >>> StringTensor.from_list(["a", "b"])[1].item()
            'b'
        """
        if self.numel() != 1:
            raise RuntimeError(f"a StringTensor with {self.numel()} elements cannot be converted to str")
        one = self.reshape(()).cpu()
        return strings_to_list(
            one.data, one.offsets, scalar=True, as_bytes=as_bytes, errors=errors, op="StringTensor.item"
        )

    def numpy(self, dtype: Any = object, *, errors: str = "strict") -> np.ndarray[Any, Any]:
        """The strings as a NumPy array, a copy.

        Args:
            dtype: `object` (of `str`), `np.dtypes.StringDType()`, `"U"`, or `"S"` (the bytes, not decoded).
            errors: what to do with invalid UTF-8, as in `bytes.decode`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).numpy()
            array(['a', 'b'], dtype=object)
            >>> StringTensor.from_list(["a", "b"]).numpy("U")
            array(['a', 'b'], dtype='<U1')
        """
        s = self.cpu()
        return strings_to_numpy(s.data, s.offsets, dtype=dtype, scalar=self._scalar, errors=errors)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("StringTensor.__array__: a NumPy array of str cannot share the bytes")
        if dtype is None:
            return self.numpy()
        wanted = as_dtype("StringTensor.__array__", dtype)
        try:
            return self.numpy().astype(wanted)
        except (TypeError, ValueError):
            name = wanted.name
        raise ValueError(
            f"StringTensor.__array__: expected strings that NumPy converts to {name}, got others"
        )

    def validate(self) -> StringTensor:
        """Checks the values of `offsets`, which every operator does at its entry; returns the tensor.

        Raises:
            ValueError: an offset is smaller than the one before it in its row, negative, or beyond `data`.

        Example:
            >>> three_bytes = torch.zeros(3, dtype=torch.uint8)
            >>> StringTensor(three_bytes, torch.tensor([0, 4], dtype=torch.int32)).validate()
            Traceback (most recent call last):
            ValueError: StringTensor: expected `offsets` non-decreasing within [0, 3] in each row, got 4 at
            row 0, position 1
        """
        size = self.data.shape[0]
        # A copy, since another thread may write. NumPy's, since torch's threads must not be woken in a forked child,
        # where pickles are read.
        o = self.offsets.cpu().numpy().copy()
        rows = o.reshape(math.prod(o.shape[:-1]), o.shape[-1])
        bad = (rows[:, 0] < 0) | (rows[:, -1] > size) | (rows[:, 1:] < rows[:, :-1]).any(axis=1)
        if bad.any():
            row = int(bad.argmax())
            values = rows[row].tolist()
            befores = [0, *values[:-1]]
            at = next(
                i
                for i, (v, before) in enumerate(zip(values, befores, strict=True))
                if not before <= v <= size
            )
            got, previous = values[at], befores[at]
            how = "" if got > size else " first" if at == 0 else f" after {previous}"
            raise ValueError(
                f"StringTensor: expected `offsets` non-decreasing within [0, {size}] in each row, "
                f"got {got}{how} at row {row}, position {at}"
            )
        return self

    def __repr__(self) -> str:
        return to_text(self)

    def __format__(self, spec: str) -> str:
        return formatted(self, spec)

    # torch's functions, pickle and copy.

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return dispatch(function, args, kwargs or {})

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _serialization.reduce(self)

    def __copy__(self) -> StringTensor:
        return self._new(self.data, self.offsets, scalar=self._scalar)

    def __deepcopy__(self, memo: dict[int, Any]) -> StringTensor:
        return _serialization.deepcopy(self, memo)
