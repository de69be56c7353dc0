"""What torch's own functions do to string tensors: the table, which `_torch_function.py` fills.

torch asks `__torch_function__` of an argument that is not a Tensor before it refuses it.
"""

from collections.abc import Callable
from typing import Any

import torch

HANDLERS: dict[Any, Callable[..., Any]] = {}


def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `function` of torch does to string tensors."""
    handler = HANDLERS.get(function)
    if handler is None:
        if isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            raise TypeError(
                f"torch.ops.{function} takes tensors; of a StringTensor s, pass `s.data, s.offsets` "
                "(or call the function of torch_stringops)"
            )
        name = getattr(function, "__name__", None) or str(function)
        raise TypeError(f"torch.{name} does not take string tensors")
    return handler(*args, **kwargs)
