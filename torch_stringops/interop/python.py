"""Conversion between Python lists and `data` and `offsets`, by native code (`_convert`).

There are two passes: the first computes sizes, the second writes into the allocated tensors. Neither creates Python
objects, nor caches UTF-8 in the `str` objects.
"""

import codecs
import math
from typing import Any

import torch
from torch import Tensor
from torch._compile import _disable_dynamo

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import (
    MAX_BYTES,
    MAX_OFFSETS,
    check_dtype,
    check_max_size,
    check_rank,
    check_storage,
    quoted,
    shape_text,
    utf8,
)
from torch_stringops.tensor.strings import Strings, is_valid
from torch_stringops.tensor.strings import shape as shape_of

# The device of all new tensors, whatever torch's default is. torch takes longer to read its name.
_CPU = torch.device("cpu")

# The end of the message for a missing string, also in csrc/convert.
PASS_MISSING = "(pass missing= to replace it)"

# The built-in error handlers of the codec. Others are Python code, which must not run during the native conversion.
_NATIVE_ERRORS = ("strict", "replace", "ignore", "surrogateescape")


def strings_from_list(
    values: Any, *, missing: str | bytes | None = None, op: str = "StringTensor.from_list"
) -> tuple[Tensor, Tensor, bool]:
    """Converts lists to `data`, `offsets` and whether the rank is 0, for StringTensor.from_list.

    Errors begin with `op`.

    Example:
        >>> data, offsets, scalar = strings_from_list(["a", "bcd", ""])
        >>> bytes(data.numpy()), offsets.tolist(), scalar
        (b'abcd', [0, 1, 4, 4], False)
    """
    if not isinstance(values, str | bytes | list | tuple):
        hint = " (pass list(values))" if hasattr(values, "__iter__") else ""
        raise TypeError(f"{op}: expected str, bytes, or a list or tuple of them, got {type(values).__name__}{hint}")
    if torch.compiler.is_compiling():
        if torch.compiler.is_dynamo_compiling():
            from torch._dynamo.comptime import comptime

            comptime(_check_constant)
        return _trace_constants(values if missing is None else _plain(values, missing, op), op)
    return strings_from_nested(values, -1, op, missing)


def _check_constant(context: Any) -> None:
    """Raises, while torch.compile traces `strings_from_list`, if `values` is an input of the compiled function.

    torch would compile the function again for each list, and fail at the ninth. Without `fullgraph`, it does not fail,
    and the inputs of a graph after a break may be constants of the model.
    """
    from torch._dynamo.source import LocalSource

    if not context._i_will_not_complain_if_bc_breaks_InstructionTranslator().one_graph:
        return
    values = context.get_local("values")._i_will_not_complain_if_bc_breaks_VariableTracker().realize()
    kind = values.python_type()
    if kind not in (list, tuple):  # a single text is an option, such as a separator
        return
    source: Any = values.source or next((item.source for item in values.items), None)
    while "GetItem" in type(source).__name__:
        source = source.base
    if isinstance(source, LocalSource) and source.is_input:
        op = context.get_local("op").as_python_constant()
        raise TypeError(
            f"{op}: expected a StringTensor, got a {kind.__name__} that is an input of a compiled function "
            "(pass as_strings(...), or collate_fn=collate_strings to the DataLoader)"
        )


def _trace_constants(values: Any, op: str) -> tuple[Tensor, Tensor, bool]:
    """`strings_from_list` for torch.compile and torch.export, which trace it; the strings become constants."""
    level = [values]
    shape: list[int] = []
    while level and isinstance(level[0], list | tuple):
        shape.append(len(level[0]))
        for v in level:
            if not isinstance(v, list | tuple) or len(v) != shape[-1]:
                raise ValueError(f"{op}: expected every list of dimension {len(shape) - 1} to hold {shape[-1]}")
        level = [v for row in level for v in row]
    ends = [0]
    raw: list[int] = []
    for v in level:
        if is_missing(v):
            raise ValueError(f"{op}: expected no missing strings, got one {PASS_MISSING}")
        if not isinstance(v, str | bytes):
            raise TypeError(f"{op}: expected str or bytes, got {type(v).__name__}")
        raw += list(utf8(op, "values", v))
        ends.append(len(raw))
    cols = shape[-1] if shape else 1
    rows = math.prod(shape[:-1])
    offsets = [ends[row * cols : (row + 1) * cols + 1] for row in range(rows)]
    data = torch.tensor(raw, dtype=torch.uint8, device="cpu")
    return (
        data,
        torch.tensor(offsets, dtype=torch.int32, device="cpu").reshape(*shape[:-1], cols + 1),
        not shape,
    )


def is_missing(value: Any) -> bool:
    """Whether `value` is a missing value of Python, NumPy or pandas."""
    if isinstance(value, str | bytes):
        return False
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _plain(values: Any, missing: str | bytes | None, op: str) -> Any:
    """Replaces the missing strings of nested lists by `missing`, and single StringTensors by their bytes."""
    if isinstance(values, list | tuple):
        return (list if isinstance(values, list) else tuple)(_plain(v, missing, op) for v in values)
    if isinstance(values, Strings) and values._scalar:
        return strings_to_list(values.data.cpu(), values.offsets.cpu(), scalar=True, as_bytes=True, op=op)
    if isinstance(values, Strings):
        raise TypeError(
            f"{op}: expected str or bytes in a list, got a StringTensor of shape {shape_of(values)} "
            "(join them by torch.stack or torch.cat)"
        )
    return values if missing is None or not is_missing(values) else missing


def strings_from_nested(
    values: Any, max_rank: int, op: str, missing: str | bytes | None = None
) -> tuple[Tensor, Tensor, bool]:
    """`strings_from_list` of at most `max_rank` dimensions (-1: no limit)."""
    try:
        sizes, num_bytes = _convert.measure(values, max_rank, op)
    except (TypeError, ValueError) as error:
        if missing is None and "got StringTensor" not in str(error):
            raise
        sizes = None
    if sizes is None:  # only after a failure, since most lists hold neither missing strings nor StringTensors
        values = _plain(values, missing, op)
        sizes, num_bytes = _convert.measure(values, max_rank, op)
    *leading, last = sizes or (1,)
    size: Any = (*leading, last + 1) if leading else last + 1  # torch takes longer to read a tuple
    data = torch.empty(num_bytes, dtype=torch.uint8, device=_CPU)
    offsets = torch.empty(size, dtype=torch.int32, device=_CPU)
    _convert.write(values, sizes, op, data.data_ptr(), num_bytes, offsets.data_ptr(), offsets.numel())
    return data, offsets, not sizes


def strings_to_list(
    data: Tensor,
    offsets: Tensor,
    *,
    scalar: bool = False,
    as_bytes: bool = False,
    errors: str = "strict",
    op: str = "StringTensor.tolist",
) -> Any:
    """Converts strings on the CPU to nested lists, for StringTensor.tolist; errors begin with `op`.

    Example:
        >>> data = torch.tensor(list(b"abcd"), dtype=torch.uint8)
        >>> strings_to_list(data, torch.tensor([[0, 1, 4], [4, 4, 4]], dtype=torch.int32))
        [['a', 'bcd'], ['', '']]
    """
    if torch.compiler.is_dynamo_compiling():  # breaks the graph
        return _untraced_list(data, offsets, scalar=scalar, as_bytes=as_bytes, errors=errors, op=op)
    if not is_valid(data, offsets) or not data.is_cpu:
        _check_pair(op, data, offsets)
    *leading, last = offsets.shape
    shape = (*leading, last - 1)
    if scalar and shape != (1,):
        raise ValueError(f"{op}: expected `offsets` of shape [2] for one string alone, got shape {shape_text(offsets)}")
    check_storage(op, "data", data)
    check_storage(op, "offsets", offsets)
    native = as_bytes or _is_native(op, errors)
    if not offsets.is_contiguous():
        offsets = offsets.contiguous()
    lists = _convert.to_list(
        data.data_ptr(),
        data.numel(),
        offsets.data_ptr(),
        offsets.numel(),
        shape,
        as_bytes or not native,
        errors if native and errors != "strict" else None,
        op,
    )
    if not native:
        lists = _decode(lists, errors)
    return lists[0] if scalar else lists


_untraced_list = _disable_dynamo(strings_to_list)


def _is_native(op: str, errors: str) -> bool:
    """Whether `errors` is a built-in error handler. Raises LookupError if no handler has this name."""
    if not isinstance(errors, str):
        raise TypeError(f"{op}: expected `errors` to be a str, got {type(errors).__name__}")
    if errors in _NATIVE_ERRORS:
        return True
    try:
        codecs.lookup_error(errors)
    except (LookupError, ValueError):
        known = "', '".join(_NATIVE_ERRORS)
        raise LookupError(
            f"{op}: expected `errors` to be '{known}' or the name of a registered handler, got {quoted(errors)}"
        ) from None
    return False


def _check_pair(op: str, data: Tensor, offsets: Tensor) -> None:
    if torch.compiler.is_compiling():
        raise RuntimeError(
            f"{op}: the strings of a traced call have no values yet (return the StringTensor from the model, and read "
            "the strings of its result)"
        )
    for name, t in (("data", data), ("offsets", offsets)):
        if not t.is_cpu:
            raise ValueError(f"{op}: expected `{name}` on the CPU (move it with .cpu())")
    check_dtype(op, "data", data, torch.uint8)
    check_rank(op, "data", data, 1)
    if not data.is_contiguous():
        raise ValueError(f"{op}: expected `data` to be contiguous, got stride {data.stride(0)} (use .contiguous())")
    check_max_size(op, "data", data.numel(), MAX_BYTES, "bytes")
    check_dtype(op, "offsets", offsets, torch.int32)
    if offsets.dim() < 1 or offsets.shape[-1] < 1:
        raise ValueError(f"{op}: expected `offsets` of shape [..., n + 1] with n >= 0, got shape {shape_text(offsets)}")
    check_max_size(op, "offsets", offsets.numel(), MAX_OFFSETS, "elements")


def _decode(lists: Any, errors: str) -> Any:
    if isinstance(lists, bytes):
        return lists.decode("utf-8", errors)
    return [_decode(item, errors) for item in lists]
