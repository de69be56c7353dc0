"""The registry of the ONNX operators that `load` reads: each is a Python function or a module.

A decorator enters a function. Its positional arguments are the operator's inputs, its keywords the attributes:

    @operator("Transpose")
    def transpose(data, *, perm=None): ...

If a later version of the operator takes an attribute as an input, one parameter serves both. A parameter `version`
receives the version of the operator, and `outputs` the number of outputs that the node uses.

Sizes: exported models compute shapes with integer operators (Shape, Gather, Concat, Reshape). A tensor that is made of
sizes and read back breaks the link between them, on which tracing depends. Values may therefore be Python ints and
tuples of ints as well, int64 of rank 0 and 1: `sizes` implements an operator on them, and the inputs `host` are read as
ints. All other inputs are converted to tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from torch_stringops.functions.joining import cat
from torch_stringops.string_tensor import StringTensor

ML = "ai.onnx.ml"
MICROSOFT = "com.microsoft"
F = TypeVar("F", bound=Callable[..., Any])


class Operator(NamedTuple):
    """One ONNX operator. `call` is a function, or a module class that is created with the attributes."""

    domain: str
    name: str
    call: Callable[..., Any]
    host: tuple[int, ...] = ()  # inputs that are read as Python numbers
    on_sizes: bool = False  # computes Python ints from Python ints
    gives_sizes: bool = False  # returns Python ints of any input
    version: int = 1  # the oldest version of the operator that is read

    @property
    def is_module(self) -> bool:
        return isinstance(self.call, type) and issubclass(self.call, nn.Module)


OPERATORS: dict[tuple[str, str], Operator] = {}


def operator(
    *names: str,
    domain: str = "",
    host: Sequence[int] = (),
    sizes: Callable[..., Any] | None = None,
    gives_sizes: bool = False,
    version: int = 1,
) -> Callable[[F], F]:
    """Decorates the function or module of the operators `names`. `sizes` may return NotImplemented."""

    def enter(call: F) -> F:
        entered: Any = call
        if not isinstance(call, type) and not gives_sizes:
            entered = _on_tensors(call, tuple(host), sizes)
        for name in names:
            OPERATORS[domain, name] = Operator(
                domain, name, entered, tuple(host), sizes is not None, gives_sizes, version
            )
        return entered  # type: ignore[no-any-return]

    return enter


def is_size(value: object) -> bool:
    return isinstance(value, (int, tuple, torch.SymInt, torch.SymBool))


def is_static(size: Any) -> bool:
    """Whether a size is a number of the traced program."""
    if not torch.compiler.is_compiling():
        return True
    from torch.fx.experimental.symbolic_shapes import has_static_value  # slow to import, so only here

    return bool(has_static_value(size))


def as_tensor(value: Any, device: torch.device | None = None) -> Any:
    """Converts sizes to an int64 or bool tensor, and returns other values as they are."""
    if not is_size(value):
        return value
    is_bool = isinstance(value[0] if isinstance(value, tuple) and value else value, (bool, torch.SymBool))
    dtype = torch.bool if is_bool else torch.int64
    return torch.tensor(list(value) if isinstance(value, tuple) else value, dtype=dtype, device=device)


def _on_tensors(
    call: Callable[..., Any], host: tuple[int, ...], sizes: Callable[..., Any] | None
) -> Callable[..., Any]:
    """Calls `sizes` if all inputs are sizes, otherwise `call` with tensors in place of sizes."""

    @functools.wraps(call)
    def on_tensors(*inputs: Any, **attributes: Any) -> Any:
        found = [i for i, value in enumerate(inputs) if i not in host and is_size(value)]
        if not found:
            return call(*inputs, **attributes)
        if sizes is not None and all(value is None or is_size(value) for value in inputs):
            result = sizes(*inputs, **attributes)
            if result is not NotImplemented:
                return result
        device = next((value.device for value in inputs if isinstance(value, Tensor)), None)
        converted = [as_tensor(value, device) if i in found else value for i, value in enumerate(inputs)]
        return call(*converted, **attributes)

    return on_tensors


def zip_sizes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Applies a function of ints to ints and tuples of ints, with broadcasting. For the argument `sizes`."""

    def apply(*values: Any, **_: Any) -> Any:
        lengths = {len(value) for value in values if isinstance(value, tuple)}
        if not lengths:
            return function(*values)
        others = [length for length in lengths if length != 1]
        if len(others) > 1:
            return NotImplemented
        length = others[0] if others else 1
        columns = [
            value * (length // len(value)) if isinstance(value, tuple) and value else (value,) * length
            for value in values
        ]
        return tuple(function(*items) for items in zip(*columns, strict=True))

    return apply


def ints(value: Any) -> list[Any]:
    """Reads an input that holds sizes, axes or positions. A traced tensor gives data-dependent sizes."""
    if isinstance(value, Tensor):
        value = value.tolist()
    return list(value) if isinstance(value, (list, tuple)) else [value]


def number(value: Any) -> Any:
    """Reads an input that holds one number."""
    if isinstance(value, Tensor):
        value = value.reshape(()).item()
    return value[0] if isinstance(value, (list, tuple)) else value


def on_strings(function: Callable[..., Any], *tensors: Any, **attributes: Any) -> Any:
    """Moves strings as `function` moves numbers: applies it to the positions of strings, and takes the strings there.

    Each StringTensor among `tensors` is numbered from 1 on; position 0 is the empty string, with which operators fill.
    """
    strings = [value for value in tensors if isinstance(value, StringTensor)]
    numbered, first = [], 1
    for value in tensors:
        if isinstance(value, StringTensor):
            count = value.numel()
            numbers = torch.arange(first, first + count, device=value.device).reshape(value.shape)
            numbered.append(numbers)
            first = first + count
        else:
            numbered.append(value)
    positions = function(*numbered, **attributes)
    empty = StringTensor.full([1], "").to(strings[0].device)
    return cat([empty, *(value.flatten() for value in strings)]).take(positions)


def moves(function: F) -> F:
    """Decorates a function that moves numbers without computing: it takes StringTensors as well."""

    @functools.wraps(function)
    def move(*inputs: Any, **attributes: Any) -> Any:
        if any(isinstance(value, StringTensor) for value in inputs):
            return on_strings(function, *inputs, **attributes)
        return function(*inputs, **attributes)

    return move  # type: ignore[return-value]


def enter_functions(functions: dict[str, Callable[..., Any]], domain: str = "") -> None:
    """Enters functions of torch that an operator equals as it is."""
    for name, function in functions.items():
        OPERATORS[domain, name] = Operator(domain, name, function)


def parameters(call: Callable[..., Any]) -> Iterable[str]:
    """The names of the parameters of a function or of a module's constructor; none of a builtin."""
    try:
        found = list(inspect.signature(call).parameters.values())
    except ValueError:
        return ()
    return tuple(p.name for p in found if p.kind is not p.VAR_POSITIONAL)
