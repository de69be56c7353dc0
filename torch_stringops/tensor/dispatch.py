"""The table of torch functions that accept string tensors. `_torch_function.py` fills it."""

from collections.abc import Callable
from typing import Any

import torch

from torch_stringops._checks import type_error
from torch_stringops._names import ERRORS, name_error
from torch_stringops.tensor.strings import Strings

HANDLERS: dict[Any, Callable[..., Any]] = {}


def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls the implementation of the torch function `function` for string tensors, for `__torch_function__`."""
    handler = HANDLERS.get(function)
    if handler is None:
        if isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            raise _operator_error(function, args, kwargs)
        raise TypeError(f"{_name(function)} does not take string tensors")
    try:
        return handler(*args, **kwargs)
    except ERRORS as error:
        name_error(error, _name(function))
        raise


def _argument_types(function: Any) -> tuple[str, list[tuple[str, str]]]:
    """The name of an operator, and the name and the type of each argument, as its schema writes them."""
    schema = getattr(getattr(function, "default", function), "_schema", None)
    if schema is None:
        return "", []
    return schema.name.partition("::")[2], [(a.name, str(a.type)) for a in schema.arguments]


# torch.compile cannot trace how a schema is read.
_argument_types._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _operator_error(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
    """The error for strings among the arguments of an operator: the name and the type of the first."""
    op, types = _argument_types(function)
    given = dict(zip([name for name, _ in types], args, strict=False)) | kwargs
    for name, kind in types:
        value = given.get(name)
        items = value if isinstance(value, (list, tuple)) else [value]
        if any(isinstance(item, Strings) for item in items):
            if name.endswith("data"):
                return TypeError(
                    f"{op}: expected `{name}` to be a Tensor, got StringTensor (pass its `data` and `offsets`)"
                )
            return type_error(op, name, kind, value)
    return TypeError(f"torch.ops.{function} does not take string tensors")


def _name(function: Any) -> str:
    return f"torch.{getattr(function, '__name__', None) or function}"
