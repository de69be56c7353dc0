"""Normalization forms of Unicode, and the removal of accents."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_normalize = function_of(StringTensor.normalize)
string_strip_accents = function_of(StringTensor.strip_accents)
