"""Checks of attributes while a call is traced: the operator itself gets them with no strings, and rejects wrong ones.

A fake kernel has no values of tensors, but attributes, such as a delimiter or a limit, are values. So their checks are
in C++ only.
"""

import contextlib
import sys
from typing import Any

import torch
from torch import Tensor

from torch_stringops._native import overload_of

_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)


def check_attributes(name: str, tensors: list[str], attributes: dict[str, Any]) -> None:
    """Raises the error of the operator `name` for wrong attributes. The names of its tensors say what they are.

    Symbols are checked at run time.
    """
    if any(map(_is_symbolic, attributes.values())) or (context := _without_fakes()) is None:
        return
    with context:
        overload_of(name)(**{tensor: _empty(tensor) for tensor in tensors}, **attributes)


def _empty(name: str) -> Tensor:
    """No strings, numbers or rows, or a table of none. The default device may be another than the CPU."""
    if name.endswith(("offsets", "splits")):
        return torch.zeros(1, dtype=torch.int64 if name.endswith("splits") else torch.int32, device="cpu")
    if name == "table":
        table: Tensor = torch.ops.stringops.vocab_build(_empty("data"), _empty("offsets"))
        return table
    return torch.empty(0, dtype=torch.uint8 if name.endswith("data") else torch.int64, device="cpu")


def _is_symbolic(value: Any) -> bool:
    values = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(item, _SYMBOLS) for item in values)


def _without_fakes() -> Any:
    """A context in which tensors are real although a fake kernel runs. None if this version of torch has none."""
    fakes = sys.modules.get("torch._subclasses.fake_tensor")
    if fakes is None:  # then the kernel runs for meta tensors
        return contextlib.nullcontext()
    modes = sys.modules.get("torch.utils._python_dispatch")
    # Both are private. torch 2.10 to 2.13 have the first.
    for module, context in ((fakes, "unset_fake_temporarily"), (modes, "_disable_current_modes")):
        if hasattr(module, context):
            return getattr(module, context)()
    return None
