"""Values of JSON documents."""

from torch_stringops._function_of import function_of, overloaded
from torch_stringops.string_tensor import StringTensor

json_extract = overloaded(StringTensor.json_extract)
json_fields = function_of(StringTensor.json_fields)
