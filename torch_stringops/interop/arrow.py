"""Conversion between Arrow columns of strings and `data` and `offsets`, by the Arrow PyCapsule protocol.

It does not need pyarrow. Strings of rank 1 have the layout of Arrow's `utf8` and `binary`: conversions are zero-copy if
possible, and otherwise copy once.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import check_storage, shape_text, utf8


def strings_from_arrow(
    column: Any, *, missing: str | bytes | None = None, op: str = "StringTensor.from_arrow"
) -> tuple[Tensor, Tensor]:
    """Converts a column of strings to `data` and `offsets`, for StringTensor.from_arrow; errors begin with `op`.

    A single chunk of `utf8` or `binary` is zero-copy: the tensors are views of Arrow's memory, which they keep alive
    and which must not be written. `large_utf8` and `large_binary` share `data`. String views, columns of several
    chunks, dictionary-encoded columns and columns with nulls are copied.

    Example:
        >>> from torch_stringops import StringTensor
        >>> data, offsets = strings_from_arrow(StringTensor.from_list(["a", "bc"]))
        >>> bytes(data.numpy()), offsets.tolist()
        (b'abc', [0, 1, 3])
    """
    data, offsets, _ = column_from_arrow(column, missing=missing, op=op, lists=False)
    return data, offsets


def column_from_arrow(
    column: Any, *, missing: str | bytes | None, op: str, lists: bool = True
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Same as `strings_from_arrow`, but with `lists` also accepts columns of lists of strings.

    The last result is int64 `row_splits` `[n + 1]` for a column of lists, and None for a column of strings.
    """
    if hasattr(column, "__arrow_c_array__"):
        capsules = column.__arrow_c_array__()
        if not isinstance(capsules, (tuple, list)) or len(capsules) != 2:
            raise TypeError(
                f"{op}: expected `column.__arrow_c_array__()` to give a pair of PyCapsules, "
                f"got {type(capsules).__name__}"
            )
        schema, array = capsules
        return _read(schema, array, None, missing, op, lists)
    if hasattr(column, "__arrow_c_stream__"):
        return _read(None, None, column.__arrow_c_stream__(), missing, op, lists)
    raise TypeError(
        f"{op}: expected an Arrow column (a pyarrow Array or ChunkedArray, a polars or pandas Series), "
        f"got {type(column).__name__}"
    )


def _read(
    schema: Any, array: Any, stream: Any, missing: str | bytes | None, op: str, lists: bool = True
) -> tuple[Tensor, Tensor, Tensor | None]:
    fill = None if missing is None else utf8(op, "missing", missing)
    return _converted(_convert.arrow_import(schema, array, stream, fill, op, lists), fill)


def _converted(imported: tuple[Any, ...], fill: bytes | None) -> tuple[Tensor, Tensor, Tensor | None]:
    """Converts a result of `_convert.arrow_import`."""
    if imported[0] is None:
        return *_write(*imported[1:]), None
    nesting, nested, inner, size, first_missing = imported
    data, offsets, _ = _converted(inner, fill)
    begins, ends = torch.empty([2, size], dtype=torch.int64, device="cpu")
    _convert.arrow_positions(nested, begins.data_ptr(), ends.data_ptr(), size)
    if nesting == "list":
        return _lists(data, offsets, begins, ends)
    if first_missing >= 0:
        # One more dictionary entry, for missing rows.
        word = torch.tensor(list(fill or b""), dtype=torch.uint8, device="cpu")
        data = torch.cat([data, word])
        begins = torch.where(begins < 0, offsets.numel() - 1, begins)
        offsets = torch.cat([offsets, offsets[-1:] + len(word)])
    word_begins, word_ends = offsets[:-1], offsets[1:]
    return *torch.ops.stringops.string_tensor_pack(word_begins[begins], word_ends[begins], data), None


def _lists(data: Tensor, offsets: Tensor, begins: Tensor, ends: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Converts lists of strings to ragged rows. The lists need not be adjacent."""
    row_splits = torch.zeros(begins.numel() + 1, dtype=torch.int64, device="cpu")
    torch.cumsum(ends - begins, 0, out=row_splits[1:])
    first = int(begins[0]) if begins.numel() else 0
    if torch.equal(begins, row_splits[:-1] + first):
        return data, offsets[first : first + int(row_splits[-1]) + 1], row_splits
    rows = torch.repeat_interleave(begins - row_splits[:-1], ends - begins)
    at = rows + torch.arange(rows.numel(), device="cpu")
    return *torch.ops.stringops.string_tensor_pack(offsets[:-1][at], offsets[1:][at], data), row_splits


def _write(column: Any, size: int, num_bytes: int, shares_data: bool, shares_offsets: bool) -> tuple[Tensor, Tensor]:
    """Converts a column of strings that is not nested: zero-copy, or by a single copy."""
    if shares_offsets:
        return _shared(column, False), _shared(column, True)
    offsets = torch.empty(size + 1, dtype=torch.int32, device="cpu")
    data = torch.empty(0 if shares_data else num_bytes, dtype=torch.uint8, device="cpu")
    _convert.arrow_write(column, data.data_ptr(), data.numel(), offsets.data_ptr(), offsets.numel())
    # Shared only after the offsets have been checked.
    return _shared(column, False) if shares_data else data, offsets


def _shared(column: Any, of_offsets: bool) -> Tensor:
    """A tensor on the memory of a column, which it keeps alive."""
    address, size = _convert.arrow_share(column, of_offsets)
    described = {"version": 3, "data": (address, False), "shape": (size,), "typestr": "<i4" if of_offsets else "|u1"}
    return torch.from_numpy(np.asarray(SimpleNamespace(__array_interface__=described, column=column)))


def arrow_schema() -> Any:
    """Returns the capsule of `__arrow_c_schema__`: `utf8`."""
    empty = torch.zeros(1, dtype=torch.int32, device="cpu")
    return _convert.arrow_export(empty, 0, 0, empty.data_ptr(), 1, False, "arrow_schema")[0]


def strings_to_arrow(
    data: Tensor, offsets: Tensor, requested_schema: Any = None, *, op: str = "StringTensor.__arrow_c_array__"
) -> tuple[Any, Any]:
    """Returns the capsules of `__arrow_c_array__`. Zero-copy; the consumer must not write to the memory.

    The type is `utf8`, or `binary`, which accepts any bytes, if the capsule `requested_schema` requests it.
    """
    if offsets.dim() != 1:
        raise ValueError(
            f"{op}: expected strings of rank 1, got `offsets` of shape {shape_text(offsets)} (use .reshape(-1))"
        )
    for name, t in (("data", data), ("offsets", offsets)):
        if not t.is_cpu:
            raise ValueError(f"{op}: expected `{name}` on the CPU (move it with .cpu())")
        check_storage(op, name, t)
    binary = requested_schema is not None and _convert.arrow_wants_binary(requested_schema, op)
    owner = (data.contiguous(), offsets.contiguous())
    capsules: tuple[Any, Any] = _convert.arrow_export(
        owner,
        owner[0].data_ptr(),
        owner[0].numel(),
        owner[1].data_ptr(),
        owner[1].numel(),
        binary,
        op,
    )
    return capsules


def strings_to_pyarrow(strings: Any, wanted: Any) -> Any:
    """Returns a pyarrow Array of the type `wanted`. pyarrow fails to cast what `__arrow_c_array__` gives itself."""
    import pyarrow

    op = "StringTensor.__arrow_array__"
    binary = wanted is not None and _convert.arrow_wants_binary(wanted.__arrow_c_schema__(), op)
    exported = SimpleNamespace(__arrow_c_array__=strings.__arrow_c_array__)
    array = pyarrow.array(exported, pyarrow.binary() if binary else None)
    return array if wanted is None or array.type == wanted else array.cast(wanted)
