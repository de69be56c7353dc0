"""Limits of string tensors, checks of arguments, and the texts of errors.

An error names the function and the argument, says what was expected and what was given. It is short, whatever was
given; torch's and Python's own errors may quote an argument whole.
"""

import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from torch_stringops._tracing import Size, known

F = TypeVar("F", bound=Callable[..., Any])

# Bytes that int32 offsets address, and offsets of one tensor.
MAX_BYTES = MAX_OFFSETS = 2**31 - 1
# Axes of a tensor, as torch's own iterators have it.
MAX_RANK = 64

# Bytes of a text that an error shows.
_MAX_QUOTED = 32

# Characters of an error of torch's.
_MAX_TEXT = 500

# How torch refuses an argument of an operator; the value follows on a line of its own, whole.
_MISMATCH = re.compile(
    r"\S*\(\) Expected a value of type '([^'\n]+)' for argument '(\w+)' but instead found type "
)


def quoted(text: str | bytes) -> str:
    """`text` in quotes, its first 32 bytes at most, in printable ASCII; csrc/core/quote.h writes the same."""
    raw = text[: _MAX_QUOTED + 1]
    raw = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    shown = "".join(
        f"\\x{byte:02x}" if not 32 <= byte <= 126 else f"\\{byte:c}" if byte in b"'\\" else chr(byte)
        for byte in raw[:_MAX_QUOTED]
    )
    return f"'{shown}'" + ("..." if len(raw) > _MAX_QUOTED else "")


def number(value: int) -> str:
    """An int as errors show it: Python itself refuses to write one of more than some thousand digits."""
    return str(value) if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"


def choice_error(op: str, name: str, choices: str, got: Any) -> Exception:
    """Of an argument that is one of a few names, listed in `choices`."""
    expected = f"{op}: expected `{name}` to be {choices}, got "
    if not isinstance(got, (str, bytes)):
        return TypeError(expected + type(got).__name__)
    return ValueError(expected + quoted(utf8(op, name, got)))


def utf8(op: str, name: str, text: str | bytes) -> bytes:
    """The bytes of a `str` argument; those of `bytes` are they themselves."""
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
    """In our words, the error with which torch refused to make a value of the schema's type of an argument."""
    positional = [argument.name for argument in schema.arguments if not argument.kwarg_only]
    if len(args) > len(positional):
        return TypeError(f"{op}: expected at most {len(positional)} positional arguments, got {len(args)}")
    if unknown := kwargs.keys() - {argument.name for argument in schema.arguments}:
        return TypeError(f"{op}: got an unexpected argument `{min(unknown)}`")
    given = dict(zip(positional, args, strict=False)) | kwargs
    for argument in schema.arguments:
        name, value = argument.name, given.get(argument.name, 0)
        # None passes torch's check, and ends in a page about dispatch; an int may be too long for its text.
        if value is None and str(argument.type) == "Tensor":
            return TypeError(f"{op}: expected `{name}` to be a Tensor, got NoneType")
        if type(value) is int and not -(2**63) <= value < 2**63:
            return ValueError(f"{op}: expected `{name}` within [-2**63, 2**63 - 1], got {number(value)}")
    if "Not yet supported ScalarType" in str(error):
        got = ", ".join(
            f"`{n}` {str(v.dtype).removeprefix('torch.')}" for n, v in given.items() if hasattr(v, "dtype")
        )
        return ValueError(
            f"{op}: expected dtypes that LibTorch's stable ABI has, got {got} (pass a view: t.view(torch.uint8))"
        )
    match = _MISMATCH.match(str(error))
    if not match:
        return None
    expected, name = match.groups()
    value = given[name]
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


def brief_errors(function: F) -> F:
    """The decorated function calls torch, whose errors may quote an argument whole: they are cut."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, IndexError, RuntimeError) as error:
            # Not those that torch derives from them, by which tracing tells itself what to do.
            kind, text = type(error), str(error)
            if len(text) <= _MAX_TEXT or kind not in (TypeError, ValueError, IndexError, RuntimeError):
                raise
        raise kind(f"{text[:_MAX_TEXT]}...")

    return call  # type: ignore[return-value]


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
    """Before a public function asks `value` for anything; the operators' own arguments are checked by torch."""
    if not isinstance(value, Tensor):
        cure = f" (pass torch.tensor({name}))" if isinstance(value, list | tuple) else ""
        raise TypeError(f"{op}: expected `{name}` to be a Tensor, got {type(value).__name__}{cure}")


def check_tensor_or_strings(op: str, name: str, value: Any) -> None:
    """For functions of both; `value` is not a StringTensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{op}: expected `{name}` to be a Tensor or a StringTensor, got {type(value).__name__}"
        )


def check_dtype(op: str, name: str, t: Tensor, expected: torch.dtype) -> None:
    if t.dtype != expected:
        want = dtype_name(expected)
        raise ValueError(
            f"{op}: expected `{name}` to be {want}, got {dtype_name(t.dtype)} (convert with .to(torch.{want}))"
        )


def check_rank(op: str, name: str, t: Tensor, expected: int) -> None:
    if t.dim() != expected:
        raise ValueError(f"{op}: expected `{name}` of rank {expected}, got shape {shape_text(t)}")


def check_most(op: str, name: str, count: Size, most: int, unit: str) -> None:
    """Sizes that are numbers are checked; what tracing calls by a symbol is left to the run."""
    if type(count) is int and count > most:
        raise ValueError(f"{op}: expected `{name}` of at most {most} {unit}, got {count} (split the batch)")


def check_result_offsets(op: str, count: Size) -> None:
    if type(count) is int and count > MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result needs {count} offsets; a tensor has at most {MAX_OFFSETS} (split the batch)"
        )


def check_same_device(op: str, **tensors: Tensor) -> None:
    """The real operators run on the CPU alone; a call that mixes devices must not reach one with a fake tensor."""
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
    traced = torch.compiler.is_compiling()
    if not traced:
        check_most(op, data_name, data.shape[0], MAX_BYTES, "bytes")
    check_dtype(op, offsets_name, offsets, torch.int32)
    if offsets.dim() < 1 or (isinstance(offsets.shape[-1], int) and offsets.shape[-1] < 1):
        raise ValueError(
            f"{op}: expected `{offsets_name}` of shape [..., n + 1] with n >= 0, got shape {shape_text(offsets)}"
        )
    if not traced:
        check_most(op, offsets_name, offsets.numel(), MAX_OFFSETS, "elements")


def check_count(op: str, count: Any) -> None:
    """Refuses more strings than a tensor has offsets for, before anything is made for each."""
    if not torch.compiler.is_compiling() and type(count) is int and count >= MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result has {count} strings; a tensor has at most {MAX_OFFSETS} offsets (split the batch)"
        )


def check_shape(op: str, shape: Sequence[Size]) -> None:
    """Refuses shapes that no tensor of strings may have, even one without strings if a batch of one could not be."""
    if torch.compiler.is_compiling() or not all(type(size) is int for size in shape):
        return
    if math.prod(max(abs(size), 1) for size in shape) >= MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result has shape {list(shape)}; "
            f"a tensor has at most {MAX_OFFSETS} offsets (split the batch)"
        )


def check_bytes(op: str, num_bytes: Any) -> None:
    if known(num_bytes > MAX_BYTES):
        raise ValueError(
            f"{op}: the result needs {num_bytes} bytes; "
            f"int32 offsets address at most {MAX_BYTES} (split the batch)"
        )


def wrap_dim(dim: int, rank: int) -> int:
    """`dim` as a non-negative axis of `rank` axes; rank 0 takes 0 and -1, as in torch."""
    if type(dim) is not int:
        dim = operator.index(dim)
    low = max(rank, 1)
    if not -low <= dim < low:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-low}, {low - 1}], but got {dim})"
        )
    return dim % low


def sizes_of(args: tuple[Any, ...]) -> list[Size]:
    """Sizes given as `(2, 3)` or as one sequence `((2, 3),)`."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], Sequence) else args
    if isinstance(sizes, (str, bytes)):
        raise TypeError(f"StringTensor: expected sizes or axes to be ints, got {type(sizes).__name__}")
    if len(sizes) > MAX_RANK:
        raise ValueError(f"StringTensor: expected at most {MAX_RANK} sizes or axes, got {len(sizes)}")
    return list(sizes)


def shape_of(op: str, other: Any) -> list[Size]:
    shape = getattr(other, "shape", None)
    if not isinstance(shape, Sequence):
        raise TypeError(
            f"{op}: expected `other` to be a StringTensor or a Tensor, got {type(other).__name__}"
        )
    return list(shape)
