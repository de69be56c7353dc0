"""Limits of string tensors, checks of arguments, and error messages.

A message names the function and the argument, what was expected, and what was given. Its length is bounded, unlike that
of messages of torch and Python, which may quote a whole argument.
"""

import math
import numbers
import operator
import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._tracing import Size, known

# Maximum number of bytes, which int32 offsets address, and of offsets of one tensor.
MAX_BYTES = MAX_OFFSETS = 2**31 - 1
# Maximum number of axes of a tensor, that of torch's iterators.
MAX_RANK = 64

# Bytes of a string that a message quotes.
_MAX_QUOTED = 32

# The message with which torch rejects an argument of an operator; the whole value follows on the next line.
_MISMATCH = re.compile(r"\S*\(\) Expected a value of type '([^'\n]+)' for argument '(\w+)' but instead found type ")


def quoted(text: str | bytes) -> str:
    """Quotes at most 32 bytes of `text` in printable ASCII, as csrc/core/quote.h does."""
    raw = text[: _MAX_QUOTED + 1]
    raw = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    shown = "".join(
        f"\\x{byte:02x}" if not 32 <= byte <= 126 else f"\\{byte:c}" if byte in b"'\\" else chr(byte)
        for byte in raw[:_MAX_QUOTED]
    )
    return f"'{shown}'" + ("..." if len(raw) > _MAX_QUOTED else "")


def number(value: int) -> str:
    """Formats an int for a message; Python refuses to convert an int of more than 4300 digits to str."""
    return str(value) if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"


def check_int(op: str, name: str, value: Any, low: int, high: int | None = None) -> int:
    """Converts `value` to an int within `[low, high]`. NumPy integers are accepted; floats and bools are not."""
    # operator.index would make a symbolic int a constant of the graph.
    is_int = type(value) is int or isinstance(value, torch.SymInt)
    try:
        given = value if is_int else None if isinstance(value, bool) else operator.index(value)
    except (TypeError, ValueError, RuntimeError):  # the last two: tensors
        given = None
    if given is None:
        raise TypeError(f"{op}: expected `{name}` to be an int, got {type(value).__name__}")
    if known(given < low) or (high is not None and known(given > high)):
        expected = f">= {low}" if high is None else f"within [{low}, {_int_text(high)}]"
        raise ValueError(f"{op}: expected `{name}` {expected}, got {_int_text(given)}")
    return given


def as_int(op: str, name: str, value: Any, expected: str = "an int") -> Any:
    """Converts to an int, NumPy's integers too; a symbolic size is returned as it is."""
    if isinstance(value, int | torch.SymInt):
        return value
    try:
        return operator.index(value)
    except (TypeError, ValueError, RuntimeError):  # the last two: tensors
        raise TypeError(f"{op}: expected `{name}` to be {expected}, got {type(value).__name__}") from None


def check_number(op: str, name: str, value: Any) -> float:
    """Converts a number of Python or NumPy to a float; bools are none."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{op}: expected `{name}` to be a number, got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def check_flag(op: str, name: str, value: Any) -> bool:
    """A bool, or an int that is taken for one."""
    if isinstance(value, int):
        return bool(value)
    raise TypeError(f"{op}: expected `{name}` to be a bool, got {type(value).__name__}")


def _int_text(value: int) -> str:
    return "2**62" if value == 2**62 else number(value)


def choice_error(op: str, name: str, choices: str, got: Any) -> Exception:
    """The error for an argument that is not one of the names listed in `choices`."""
    expected = f"{op}: expected `{name}` to be {choices}, got "
    if not isinstance(got, (str, bytes)):
        return TypeError(expected + type(got).__name__)
    return ValueError(expected + quoted(utf8(op, name, got)))


def check_choice(op: str, name: str, value: Any, choices: Sequence[str | None]) -> Any:
    """Returns `value` if it is one of the choices."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        expected = ", ".join("None" if choice is None else f'"{choice}"' for choice in choices)
        got = f'"{value}"' if isinstance(value, str) else type(value).__name__
        raise ValueError(f"{op}: expected `{name}` to be one of {expected}, got {got}")
    return value


def check_unit_or_cluster(op: str, unit: Any) -> None:
    """For methods that also take clusters, which operators do not."""
    if not isinstance(unit, str) or unit not in ("codepoint", "byte", "grapheme"):
        raise choice_error(op, "unit", "'codepoint', 'byte' or 'grapheme'", unit)


def utf8(op: str, name: str, text: str | bytes) -> bytes:
    """Encodes a `str` argument as UTF-8; `bytes` are returned as they are."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError(f"{op}: expected `{name}` to be str or bytes, got {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        at = error.start
    raise ValueError(
        f"{op}: expected `{name}` to be text that UTF-8 can hold, got a lone surrogate at codepoint {at} "
        "(encode it yourself, and pass bytes)"
    )


def argument_error(
    error: Exception, op: str, schema: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception | None:
    """The error for an argument that torch could not convert to its type in the schema, or None for other errors."""
    positional = [argument.name for argument in schema.arguments if not argument.kwarg_only]
    if len(args) > len(positional):
        return TypeError(f"{op}: expected at most {len(positional)} positional arguments, got {len(args)}")
    if unknown := kwargs.keys() - {argument.name for argument in schema.arguments}:
        return TypeError(f"{op}: got an unexpected argument `{min(unknown)}`")
    given = dict(zip(positional, args, strict=False)) | kwargs
    for argument in schema.arguments:
        name, value = argument.name, given.get(argument.name, 0)
        # For None, torch reports a long error of dispatch; for an int, the message may be too long.
        if value is None and str(argument.type) == "Tensor":
            return TypeError(f"{op}: expected `{name}` to be a Tensor, got NoneType")
        if type(value) is int and not -(2**63) <= value < 2**63:
            return ValueError(f"{op}: expected `{name}` within [-2**63, 2**63 - 1], got {number(value)}")
    if "Not yet supported ScalarType" in str(error):
        got = ", ".join(f"`{n}` {str(v.dtype).removeprefix('torch.')}" for n, v in given.items() if hasattr(v, "dtype"))
        return ValueError(
            f"{op}: expected dtypes that LibTorch's stable ABI has, got {got} (pass a view: t.view(torch.uint8))"
        )
    match = _MISMATCH.match(str(error))
    if not match:
        return None
    expected, name = match.groups()
    return type_error(op, name, expected, given[name])


def type_error(op: str, name: str, expected: str, value: Any) -> Exception:
    """The error for an argument that is not of the type `expected`, as a schema writes it."""
    expected = re.sub(r"^Optional\[(.*)\]$", r"\1", expected)
    if expected == "List[str]" and isinstance(value, (list, tuple)):
        expected = "str"
        for i, item in enumerate(value):
            if not isinstance(item, (str, bytes)) or _has_surrogate(item):
                name, value = f"{name}[{i}]", item
                break
    if expected == "str" and isinstance(value, str):
        try:
            utf8(op, name, value)
        except ValueError as surrogate:
            return surrogate
    return TypeError(f"{op}: expected `{name}` to be {expected}, got {type(value).__name__}")


def _has_surrogate(text: str | bytes) -> bool:
    try:
        return isinstance(text, str) and not text.encode()
    except UnicodeEncodeError:
        return True


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def shape_text(t: Tensor) -> str:
    return "[" + ", ".join(str(s) for s in t.shape) + "]"


def check_tensor(op: str, name: str, value: Any) -> None:
    """For public functions that use attributes of `value`. torch checks the types of operators' arguments."""
    if not isinstance(value, Tensor):
        hint = f" (pass torch.tensor({name}))" if isinstance(value, list | tuple) else ""
        raise TypeError(f"{op}: expected `{name}` to be a Tensor, got {type(value).__name__}{hint}")


def check_tensor_or_strings(op: str, name: str, value: Any) -> None:
    """For functions of tensors and strings; `value` is not a StringTensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{op}: expected `{name}` to be a Tensor or a StringTensor, got {type(value).__name__}")


def check_dtype(op: str, name: str, t: Tensor, expected: torch.dtype) -> None:
    if t.dtype != expected:
        want = dtype_name(expected)
        raise ValueError(
            f"{op}: expected `{name}` to be {want}, got {dtype_name(t.dtype)} (convert with .to(torch.{want}))"
        )


def check_storage(op: str, name: str, t: Tensor) -> None:
    """Checks a tensor that is read without an operator. Its storage may have been resized."""
    count = t.numel()
    if count and not t.is_contiguous():  # the elements up to the last one, whose place the strides give
        count = 1 + sum((size - 1) * stride for size, stride in zip(t.shape, t.stride(), strict=True))
    need = (t.storage_offset() + count) * t.itemsize if count else 0
    got = t.untyped_storage().nbytes()
    if need > got:
        raise ValueError(
            f"{op}: expected `{name}` with a storage of at least {need} bytes, got {got} (the storage was resized)"
        )


def check_rank(op: str, name: str, t: Tensor, expected: int) -> None:
    if t.dim() != expected:
        raise ValueError(f"{op}: expected `{name}` of rank {expected}, got shape {shape_text(t)}")


def check_max_size(op: str, name: str, size: Size, max_size: int, unit: str) -> None:
    """Symbolic sizes are checked at run time, by the operator."""
    if type(size) is int and size > max_size:
        cure = "pass fewer or shorter strings" if unit == "bytes" else "split the batch"
        raise ValueError(f"{op}: expected `{name}` of at most {max_size} {unit}, got {size} ({cure})")


def check_elements(op: str, name: str, t: Tensor) -> None:
    """Limits the elements of an argument; those of traced calls are checked at run time, by the operator."""
    if torch.compiler.is_compiling():
        return
    check_max_size(op, name, t.numel(), MAX_OFFSETS, "elements")
    if _extent(t.shape) > MAX_OFFSETS:
        raise ValueError(
            f"{op}: expected `{name}` of sizes whose product, without those of 0, is at most {MAX_OFFSETS}, "
            f"got shape {shape_text(t)} (split the batch)"
        )


def _extent(sizes: Sequence[Size]) -> int:
    """Elements of a tensor of these sizes, of which 0 counts as 1, so that empty tensors have the same limit.

    Symbolic sizes count as 1.
    """
    return math.prod(max(size, 1) for size in sizes if type(size) is int)


def check_result_offsets(op: str, sizes: Sequence[Size]) -> None:
    """`sizes` are those of the offsets."""
    count = _extent(sizes)
    if count > MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result needs {count} offsets; a tensor has at most {MAX_OFFSETS} "
            "(pass fewer or shorter strings)"
        )


def check_same_device(op: str, **tensors: Tensor) -> None:
    """Operators run on the CPU only; a call that mixes devices must not reach one with a fake tensor."""
    devices = {t.device.type for t in tensors.values()}
    if len(devices) > 1:
        names = ", ".join(f"`{name}` on {t.device.type}" for name, t in tensors.items())
        raise ValueError(f"{op}: expected all tensors on one device, got {names}")


def check_strings(
    op: str, data: Tensor, offsets: Tensor, data_name: str = "data", offsets_name: str = "offsets"
) -> None:
    check_same_device(op, **{data_name: data, offsets_name: offsets})
    check_dtype(op, data_name, data, torch.uint8)
    check_rank(op, data_name, data, 1)
    if not torch.compiler.is_compiling():
        check_max_size(op, data_name, data.shape[0], MAX_BYTES, "bytes")
    check_dtype(op, offsets_name, offsets, torch.int32)
    if offsets.dim() < 1 or (isinstance(offsets.shape[-1], int) and offsets.shape[-1] < 1):
        raise ValueError(
            f"{op}: expected `{offsets_name}` of shape [..., n + 1] with n >= 0, got shape {shape_text(offsets)}"
        )
    check_elements(op, offsets_name, offsets)


def check_count(op: str, count: Any) -> None:
    """Rejects more strings than a tensor has offsets for, before allocation."""
    if not torch.compiler.is_compiling() and type(count) is int and count >= MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result has {count} strings; a tensor has at most {MAX_OFFSETS} offsets (make fewer at once)"
        )


def check_shape(op: str, shape: Sequence[Size]) -> None:
    """Rejects shapes with too many strings. Sizes of 0 count as 1, so that empty tensors have the same limit."""
    if torch.compiler.is_compiling() or not all(type(size) is int for size in shape):
        return
    if math.prod(max(abs(size), 1) for size in shape) >= MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result has shape {list(shape)}; a tensor has at most {MAX_OFFSETS} offsets (make fewer at once)"
        )


def check_bytes(op: str, num_bytes: Any) -> None:
    if known(num_bytes > MAX_BYTES):
        raise ValueError(
            f"{op}: the result needs {num_bytes} bytes; "
            f"int32 offsets address at most {MAX_BYTES} (pass fewer or shorter strings)"
        )


def wrap_dim(dim: int, rank: int, op: str = "") -> int:
    """Converts `dim` to a non-negative axis; as in torch, rank 0 accepts 0 and -1."""
    if type(dim) is not int:
        try:
            dim = operator.index(dim)
        except TypeError:
            raise TypeError(f"{op}expected `dim` to be an int, got {type(dim).__name__}") from None
    low = max(rank, 1)
    if not -low <= dim < low:
        raise IndexError(
            f"{op}Dimension out of range (expected to be in range of [{-low}, {low - 1}], but got {number(dim)})"
        )
    return dim % low


def sizes_of(args: tuple[Any, ...]) -> list[Size]:
    """The sizes in variadic arguments: `(2, 3)`, or a single sequence `((2, 3),)`."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], Sequence) else args
    if isinstance(sizes, (str, bytes)):
        raise TypeError(f"StringTensor: expected sizes or axes to be ints, got {type(sizes).__name__}")
    if len(sizes) > MAX_RANK:
        raise ValueError(f"StringTensor: expected at most {MAX_RANK} sizes or axes, got {len(sizes)}")
    return list(sizes)


def shape_of(op: str, other: Any) -> list[Size]:
    shape = getattr(other, "shape", None)
    if not isinstance(shape, Sequence):
        raise TypeError(f"{op}: expected `other` to be a StringTensor or a Tensor, got {type(other).__name__}")
    return list(shape)
