"""The length of each string."""

from typing import Any

import torch

from torch_stringops._checks import choice_error
from torch_stringops.ops._declare import declare_reduce


def check_unit(op: str, *, unit: str, **_: Any) -> None:
    if unit not in ("byte", "codepoint"):
        raise choice_error(op, "unit", "'byte' or 'codepoint'", unit)


_string_length = declare_reduce("string_length", torch.int64)
_string_width = declare_reduce("string_width", torch.int64)
