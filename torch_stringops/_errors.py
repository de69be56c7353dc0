"""Errors about arguments of the wrong type: short, whatever was given, where torch and Python quote all of it."""

import functools
import re
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

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
    given = dict(zip((argument.name for argument in schema.arguments), args, strict=False)) | kwargs
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
