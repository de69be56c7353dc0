"""Character classes of each string."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_is_alpha = function_of(StringTensor.is_alpha)
string_is_digit = function_of(StringTensor.is_digit)
string_is_space = function_of(StringTensor.is_space)
string_is_upper = function_of(StringTensor.is_upper)
string_is_lower = function_of(StringTensor.is_lower)
string_is_alnum = function_of(StringTensor.is_alnum)
string_is_ascii = function_of(StringTensor.is_ascii)
