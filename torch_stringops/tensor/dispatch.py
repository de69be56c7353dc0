"""The table of torch functions that accept string tensors. `_torch_function.py` fills it."""

from collections.abc import Callable
from typing import Any

import torch

from torch_stringops._names import ERRORS, name_error

HANDLERS: dict[Any, Callable[..., Any]] = {}


def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls the implementation of the torch function `function` for string tensors, for `__torch_function__`."""
    handler = HANDLERS.get(function)
    if handler is None:
        if isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            raise TypeError(
                f"torch.ops.{function} takes tensors; of a StringTensor s, pass `s.data, s.offsets` "
                "(or call the function of torch_stringops)"
            )
        raise TypeError(f"{_name(function)} does not take string tensors")
    try:
        return handler(*args, **kwargs)
    except ERRORS as error:
        name_error(error, _name(function))
        raise


def _name(function: Any) -> str:
    return f"torch.{getattr(function, '__name__', None) or function}"
