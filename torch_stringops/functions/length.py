"""The length of each string."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_length = function_of(StringTensor.length)
string_width = function_of(StringTensor.width)
