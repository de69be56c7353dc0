"""Arrow columns of strings <-> `data` and `offsets`, by the Arrow PyCapsule protocol; needs no pyarrow.

Rank 1 is Arrow's own layout (`utf8`, `binary`): both ways share memory where they can, else copy once.
"""

from typing import Any

import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._errors import utf8
from torch_stringops._fake import shape_text


def strings_from_arrow(
    column: Any, *, missing: str | bytes | None = None, op: str = "StringTensor.from_arrow"
) -> tuple[Tensor, Tensor]:
    """Convert a column of strings to the two tensors of a string tensor of rank 1.

    One chunk of `utf8` or `binary` is shared: the tensors are views of Arrow's memory, which lives as long as
    they do and which nobody may write. `large_utf8` and `large_binary` share their bytes. Views, columns of
    several chunks and those with something missing are copied.

    Args:
        column: a column with `__arrow_c_array__` or `__arrow_c_stream__`: a pyarrow Array or ChunkedArray, a
            polars or pandas Series.
        missing: what to put in the place of a missing string (null); None to allow none.
        op: the name that errors begin with.

    Returns:
        data: uint8 `[num_bytes]`.
        offsets: int32 `[n + 1]`.

    Raises:
        TypeError: `column` does not speak the protocol, or holds no strings.
        ValueError: a string is missing, the strings take more than 2**31 - 1 bytes, or the Arrow structures
            are damaged.
        RuntimeError: the stream failed.

    Example:
        >>> from torch_stringops import StringTensor
        >>> data, offsets = strings_from_arrow(StringTensor.from_list(["a", "bc"]))
        >>> bytes(data.numpy()), offsets.tolist()
        (b'abc', [0, 1, 3])
    """
    schema = array = stream = None
    if hasattr(column, "__arrow_c_array__"):
        capsules = column.__arrow_c_array__()
        if not isinstance(capsules, (tuple, list)) or len(capsules) != 2:
            raise TypeError(
                f"{op}: expected `column.__arrow_c_array__()` to give a pair of PyCapsules, "
                f"got {type(capsules).__name__}"
            )
        schema, array = capsules
    elif hasattr(column, "__arrow_c_stream__"):
        stream = column.__arrow_c_stream__()
    else:
        raise TypeError(
            f"{op}: expected an Arrow column (a pyarrow Array or ChunkedArray, a polars or pandas Series), "
            f"got {type(column).__name__}"
        )
    fill = None if missing is None else utf8(op, "missing", missing)
    taken, size, num_bytes, shares_data, shares_offsets = _convert.arrow_import(
        schema, array, stream, fill, op
    )
    if shares_data:
        data = from_dlpack(_convert.arrow_share(taken, False))
    else:
        data = torch.empty(num_bytes, dtype=torch.uint8, device="cpu")
    if shares_offsets:
        return data, from_dlpack(_convert.arrow_share(taken, True))
    offsets = torch.empty(size + 1, dtype=torch.int32, device="cpu")
    address, room = (0, 0) if shares_data else (data.data_ptr(), num_bytes)
    _convert.arrow_write(taken, address, room, offsets.data_ptr(), offsets.numel())
    return data, offsets


def arrow_schema() -> Any:
    """The capsule of `__arrow_c_schema__`: `utf8`."""
    empty = torch.zeros(1, dtype=torch.int32, device="cpu")
    return _convert.arrow_export(empty, 0, 0, empty.data_ptr(), 1, False, "arrow_schema")[0]


def strings_to_arrow(
    data: Tensor, offsets: Tensor, requested_schema: Any = None, *, op: str = "StringTensor.__arrow_c_array__"
) -> tuple[Any, Any]:
    """The capsules of `__arrow_c_array__`: a `utf8` array that shares the tensors' memory.

    Args:
        data: uint8 `[num_bytes]`, on the CPU.
        offsets: int32 `[n + 1]`, on the CPU.
        requested_schema: the capsule of a schema that the consumer would like; for `binary` it is given,
            which takes any bytes.
        op: the name that errors begin with.

    Returns:
        The capsules of schema and array. The consumer may not write the memory.

    Raises:
        ValueError: the rank is not 1, the tensors are not on the CPU or no valid pair, or (as `utf8`)
            a string is not valid UTF-8.
    """
    if offsets.dim() != 1:
        raise ValueError(
            f"{op}: expected strings of rank 1, got `offsets` of shape {shape_text(offsets)} "
            "(use .reshape(-1))"
        )
    for name, t in (("data", data), ("offsets", offsets)):
        if not t.is_cpu:
            raise ValueError(f"{op}: expected `{name}` on the CPU (move it with .cpu())")
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
