"""Operators that compute a value for each string."""

from torch_stringops.functions import function_of
from torch_stringops.string_tensor import StringTensor

string_length = function_of(StringTensor.length)
