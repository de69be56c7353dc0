"""Declaration of operators: a function for each form of signature.

A declaration registers the fake kernel, which rejects the arguments that the operator rejects, and returns a function
that calls the operator for `Strings`. It also handles strings of rank 0, which the operator gets with shape `[1]`.

    _string_lower = declare_map("string_lower")

The results have the shape of the first strings. Further ones are arguments that all strings share.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from torch_stringops._checks import MAX_OFFSETS, check_rank, check_same_device, check_strings
from torch_stringops._native import operator, operator_on_strings, schema_of
from torch_stringops._tracing import (
    Size,
    dynamic_size,
    known,
    new_strings,
    register_fake,
    strings_shape,
)
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.tensor.strings import S, Strings

# The arguments of a call, by name.
Given = Mapping[str, Any]

# Prefixes of strings of rank 1.
_LISTS = ("pattern_", "replacement_")
# Attributes that operators check after the strings, with the table, when the program runs; and an argument `Tensor?`.
_UNCHECKED = ("unknown_id", "num_oov_buckets", "fill")

# Checks tensors further than `check_strings`; gets all arguments by name: `check(op, *, offsets, ...)`.
Check = Callable[..., None]


class ToStrings(Protocol):
    """A function that returns strings of the type of its argument."""

    def __call__(self, s: S, /, *args: Any, **kwargs: Any) -> S: ...


class ToRagged(Protocol):
    """A function that returns strings of the type of its argument, and row splits."""

    def __call__(self, s: S, /, *args: Any, **kwargs: Any) -> tuple[S, Tensor]: ...


def declare_map(name: str, check: Check | None = None) -> ToStrings:
    """Declares an operator `(data, offsets, ...) -> (data, offsets)` that maps each string to a string."""

    def fake(data: Tensor, offsets: Tensor, given: Given) -> Any:
        return new_strings(data, strings_shape(offsets))

    _declare(name, fake, check)
    return operator_on_strings(name, lambda s, strings: s._new(*strings, s._scalar))


def declare_reduce(
    name: str,
    dtype: torch.dtype | Callable[[Given], torch.dtype],
    check: Check | None = None,
    inner: Sequence[int] | Callable[[Given], Sequence[int]] = (),
) -> Callable[..., Tensor]:
    """Declares an operator `(data, offsets, ...) -> Tensor` that computes values of `dtype` for each string.

    They are of shape `inner`: by default one value. Both may be functions of the given arguments.
    """

    def fake(data: Tensor, offsets: Tensor, given: Given) -> Any:
        sizes = inner(given) if callable(inner) else inner
        kind = dtype(given) if callable(dtype) else dtype
        return offsets.new_empty([*strings_shape(offsets), *sizes], dtype=kind)

    _declare(name, fake, check)
    return operator_on_strings(name, lambda s, values: values.squeeze(0) if s._scalar else values)


def declare_zip(name: str, dtype: torch.dtype, check: Check | None = None) -> Callable[..., Tensor]:
    """Declares an operator `(data, offsets, other_data, other_offsets, ...) -> Tensor`, with broadcasting.

    It computes a value of `dtype` for each pair of strings.
    """
    op = name.partition(".")[0]

    def fake(data: Tensor, offsets: Tensor, given: Given) -> Any:
        shape = broadcast_shapes(op, strings_shape(offsets), strings_shape(given["other_offsets"]))
        return data.new_empty(shape, dtype=dtype)

    _declare(name, fake, check)
    call = operator(name)

    def zipped(s: Strings, other: Strings, *args: Any, **kwargs: Any) -> Tensor:
        if not isinstance(s, Strings) or not isinstance(other, Strings):
            got = f"{type(s).__name__} and {type(other).__name__}"
            raise TypeError(f"{op}: expected two StringTensors, got {got}")
        values: Tensor = call(s._data, s._offsets, other._data, other._offsets, *args, **kwargs)
        return values.reshape(()) if s._scalar and other._scalar else values

    return zipped


def declare_padded(name: str, check: Check | None = None) -> Callable[..., Any]:
    """Declares an operator `(data, offsets, ...) -> (data, offsets)` or `(data, offsets, counts)`.

    It splits each string into pieces: strings `[*S, D]`, padded. `counts`, int64 `[*S]`, are the numbers of pieces.
    """
    with_counts = len(schema_of(name).returns) == 3

    def fake(data: Tensor, offsets: Tensor, given: Given) -> Any:
        shape = strings_shape(offsets)
        pieces = new_strings(data, [*shape, None])
        return (*pieces, offsets.new_empty(shape, dtype=torch.int64)) if with_counts else pieces

    def finish(s: Strings, results: Any) -> Any:
        if s._scalar:
            results = [results[0], *(r.squeeze(0) for r in results[1:])]
        pieces = s._new(results[0], results[1])
        return (pieces, results[2]) if with_counts else pieces

    _declare(name, fake, check)
    return operator_on_strings(name, finish)


def declare_ragged(name: str, check: Check | None = None) -> ToRagged:
    """Declares an operator `(data, offsets, ...) -> (data, offsets, row_splits)` that returns pieces, strings `[T]`."""

    def fake(data: Tensor, offsets: Tensor, given: Given) -> Any:
        return *new_strings(data, [None]), new_row_splits(offsets)

    _declare(name, fake, check)
    return operator_on_strings(name, lambda s, results: (s._new(results[0], results[1]), results[2]))


def declare_ragged_values(
    name: str, dtype: torch.dtype, check: Check | None = None, inner: Sequence[int] = ()
) -> Callable[..., tuple[Tensor, Tensor]]:
    """Declares an operator `(data, offsets, ...) -> (values, row_splits)` that computes values of pieces.

    They are of shape `[T, *inner]`: by default one value of each piece.
    """

    def fake(data: Tensor, offsets: Tensor, given: Given) -> Any:
        return offsets.new_empty([dynamic_size(), *inner], dtype=dtype), new_row_splits(offsets)

    _declare(name, fake, check)
    return operator_on_strings(name, lambda s, results: results)


def new_row_splits(offsets: Tensor) -> Tensor:
    return offsets.new_empty([math.prod(strings_shape(offsets)) + 1], dtype=torch.int64)


def _declare(name: str, result: Callable[..., Any], check: Check | None) -> None:
    """Registers the fake kernel of an operator of strings. `result(data, offsets, given)` creates its results."""
    arguments = schema_of(name).arguments
    op = name.partition(".")[0]  # errors name the operator
    names = [a.name for a in arguments]
    defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
    # A string tensor is two consecutive tensors named `<prefix>data` and `<prefix>offsets`.
    prefixes = [n.removesuffix("data") for n in names if n.endswith("data")]
    strings = [prefix + name_ for prefix in prefixes for name_ in ("data", "offsets")]
    tensors = [n for n in names if n in strings or n == "table"]
    attributes = [n for n in names if n not in (*tensors, *_UNCHECKED)]

    @register_fake(name)
    def fake(*args: Any, **kwargs: Any) -> Any:
        given = defaults | dict(zip(names, args, strict=False)) | kwargs
        if len(prefixes) > 1:
            check_same_device(op, **{n: given[n] for n in strings})
        if attributes:
            check_attributes(name, tensors, {n: given[n] for n in attributes if n in given})
        for prefix in prefixes:
            check_strings(
                op,
                given[f"{prefix}data"],
                given[f"{prefix}offsets"],
                f"{prefix}data",
                f"{prefix}offsets",
            )
            if prefix in _LISTS:
                check_rank(op, f"{prefix}offsets", given[f"{prefix}offsets"], 1)
        if check is not None:
            check(op, **given)
        return result(given["data"], given["offsets"], given)


def broadcast_shapes(op: str, a: list[Size], b: list[Size]) -> list[Size]:
    """The shape to which two shapes broadcast, checked as by csrc/driver/broadcast.h."""
    rank = max(len(a), len(b))
    shape: list[Size] = []
    for x, y in zip([1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b, strict=True):
        if known(x == 1):
            shape.append(y)
        elif known(y == 1):
            shape.append(x)
        elif isinstance(x, int) and isinstance(y, int) and x != y:
            raise ValueError(f"{op}: expected shapes that broadcast, got {a} and {b}")
        else:
            # A data-dependent size is assumed not to be 1, as in torch's operators.
            torch._check(x == y)
            shape.append(x)
    count = math.prod(shape)
    if type(count) is int and count > MAX_OFFSETS:
        raise ValueError(
            f"{op}: expected shapes that broadcast to at most {MAX_OFFSETS} strings, got {a} and {b} (split the batch)"
        )
    return shape
