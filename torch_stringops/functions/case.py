"""Upper and lower case of each string."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_lower = function_of(StringTensor.lower)
string_upper = function_of(StringTensor.upper)
string_casefold = function_of(StringTensor.casefold)
string_title = function_of(StringTensor.title)
string_capitalize = function_of(StringTensor.capitalize)
string_swapcase = function_of(StringTensor.swapcase)
string_normalizer = function_of(StringTensor.normalizer)
