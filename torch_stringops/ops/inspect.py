"""Operators that compute a value for each string: its length, whether its characters are of a class."""

from typing import Any

import torch

from torch_stringops._checks import choice_error
from torch_stringops.ops._declare import declare_reduce


def check_unit(op: str, *, unit: str, **_: Any) -> None:
    if unit not in ("byte", "codepoint"):
        raise choice_error(op, "unit", "'byte' or 'codepoint'", unit)


string_length = declare_reduce("string_length", torch.int64, check_unit)
string_is_alpha = declare_reduce("string_is_alpha", torch.bool)
string_is_digit = declare_reduce("string_is_digit", torch.bool)
string_is_space = declare_reduce("string_is_space", torch.bool)
string_is_upper = declare_reduce("string_is_upper", torch.bool)
string_is_lower = declare_reduce("string_is_lower", torch.bool)
string_is_alnum = declare_reduce("string_is_alnum", torch.bool)
string_is_ascii = declare_reduce("string_is_ascii", torch.bool)
