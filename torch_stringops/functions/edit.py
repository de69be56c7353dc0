"""The order of the characters of each string."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_reverse = function_of(StringTensor.reverse)
