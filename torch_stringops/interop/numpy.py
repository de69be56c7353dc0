"""Conversion between NumPy arrays of strings and `data` and `offsets`.

Arrays are read by native code: `StringDType`, whose memory layout is private to NumPy, through NumPy's C API. Those of
`object`, and those with missing strings, are converted as lists of Python strings.
"""

from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import quoted, shape_text
from torch_stringops.interop.python import strings_from_nested, strings_to_list

_MAX = 2**31 - 1


def strings_from_numpy(
    array: np.ndarray[Any, Any],
    *,
    missing: str | bytes | None = None,
    op: str = "StringTensor.from_numpy",
) -> tuple[Tensor, Tensor, bool]:
    """Converts an array to `data`, `offsets` and whether the rank is 0, for StringTensor.from_numpy.

    Errors begin with `op`.

    Example:
        >>> data, offsets, _ = strings_from_numpy(np.array([["a", "bc"], ["", "d"]]))
        >>> bytes(data.numpy()), offsets.tolist()
        (b'abcd', [[0, 1, 3], [3, 3, 4]])
    """
    if not isinstance(array, (np.ndarray, np.generic)):
        raise TypeError(f"{op}: expected `array` to be a NumPy array, got {type(array).__name__}")
    if array.dtype.kind not in "USTO":
        raise TypeError(f"{op}: expected an array of str_, bytes_, object or StringDType, got dtype {array.dtype.name}")
    shape = array.shape or (1,)
    offsets_shape = (*shape[:-1], shape[-1] + 1)
    if array.size == 0:
        data = torch.empty(0, dtype=torch.uint8, device="cpu")
        return data, torch.zeros(offsets_shape, dtype=torch.int32, device="cpu"), False
    # tolist() of a masked array gives None for masked elements.
    if array.dtype.kind == "O" or np.ma.is_masked(array):
        return strings_from_nested(array.tolist(), array.ndim, op, missing)
    if array.size > _MAX:
        raise ValueError(f"{op}: expected at most {_MAX} strings, got {array.size} (split the batch)")
    variable = array.dtype.kind == "T"
    native = array.dtype if variable else array.dtype.newbyteorder("=")
    own = np.ascontiguousarray(array, dtype=native)  # of rank 1 at least
    offsets = torch.empty(offsets_shape, dtype=torch.int32, device="cpu")
    source: tuple[Any, ...]
    if variable:
        api = np._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]  # as NumPy's headers find it
        source = (api, own.dtype, own.ctypes.data, own.size, own.itemsize)
        num_bytes = _convert.string_measure(*source, op)
        if num_bytes == -1:  # a string is missing
            return strings_from_nested(array.tolist(), array.ndim, op, missing)
        write = _convert.string_write
    else:
        of_bytes = own.dtype.kind == "S"
        source = (own.ctypes.data, own.size, own.itemsize // (1 if of_bytes else 4), of_bytes)
        num_bytes, bad_element, bad_unit = _convert.fixed_measure(*source, offsets.data_ptr(), offsets.numel(), op)
        if bad_element >= 0:
            position = "".join(f"[{i}]" for i in np.unravel_index(bad_element, shape))
            raise ValueError(
                f"{op}: expected text that UTF-8 can hold{f' at {position}' if array.ndim else ''}, "
                f"got no Unicode scalar value at codepoint {bad_unit}"
            )
        write = _convert.fixed_write
    if not 0 <= num_bytes <= _MAX:
        needed = f"more than {_MAX}" if num_bytes < 0 else num_bytes  # StringDType is not measured to the end
        raise ValueError(
            f"{op}: the result needs {needed} bytes; int32 offsets address at most {_MAX} "
            "(pass fewer or shorter strings)"
        )
    data = torch.empty(num_bytes, dtype=torch.uint8, device="cpu")
    if not write(*source, shape[-1], data.data_ptr(), num_bytes, offsets.data_ptr(), offsets.numel(), op):
        raise ValueError(f"{op}: `array` was modified by another thread during the call (pass a copy)")
    return data, offsets, array.ndim == 0


def as_dtype(op: str, dtype: Any) -> np.dtype[Any]:
    """Converts `dtype` to a NumPy dtype."""
    try:
        wanted: np.dtype[Any] = np.dtype(dtype)
        return wanted
    except (TypeError, ValueError, OverflowError):
        got = quoted(dtype) if isinstance(dtype, (str, bytes)) else type(dtype).__name__
    raise TypeError(f"{op}: expected `dtype` to be one of NumPy's, got {got}")


def strings_to_numpy(
    data: Tensor,
    offsets: Tensor,
    *,
    dtype: Any = object,
    scalar: bool = False,
    errors: str = "strict",
    op: str = "StringTensor.numpy",
) -> np.ndarray[Any, Any]:
    """Converts strings on the CPU to an array, for StringTensor.numpy; errors begin with `op`.

    Example:
        >>> data = torch.tensor(list(b"abc"), dtype=torch.uint8)
        >>> strings_to_numpy(data, torch.tensor([0, 1, 3], dtype=torch.int32))
        array(['a', 'bc'], dtype=object)
    """
    wanted = as_dtype(op, dtype)
    if wanted.kind not in "USTO":
        raise TypeError(f"{op}: expected `dtype` object, StringDType, U or S, got {wanted.name}")
    strings = strings_to_list(data, offsets, as_bytes=wanted.kind == "S", errors=errors, op=op)
    shape = (*offsets.shape[:-1], offsets.shape[-1] - 1)
    if scalar and shape != (1,):
        raise ValueError(f"{op}: expected `offsets` of shape [2] for one string alone, got shape {shape_text(offsets)}")
    for _ in shape[1:]:
        strings = list(chain.from_iterable(strings))
    if wanted.kind in "US" and wanted.itemsize == 0 and len(strings) > 0:
        longest = max(map(len, strings))
        if len(strings) * longest > _MAX:
            raise ValueError(
                f"{op}: padding {len(strings)} strings to the {longest} characters of the longest one needs more "
                f"than {_MAX} (pass dtype=object, or np.dtypes.StringDType())"
            )
    return np.array(strings, dtype=wanted).reshape(() if scalar else shape)
