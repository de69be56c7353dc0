"""Operators that tell whether the characters of each string are of a class."""

import torch

from torch_stringops.ops._declare import declare_reduce

_string_is_alpha = declare_reduce("string_is_alpha", torch.bool)
_string_is_digit = declare_reduce("string_is_digit", torch.bool)
_string_is_space = declare_reduce("string_is_space", torch.bool)
_string_is_upper = declare_reduce("string_is_upper", torch.bool)
_string_is_lower = declare_reduce("string_is_lower", torch.bool)
_string_is_alnum = declare_reduce("string_is_alnum", torch.bool)
_string_is_ascii = declare_reduce("string_is_ascii", torch.bool)
