"""The units of text that readers see, and scripts."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_segments_ragged = function_of(StringTensor.segments_ragged)
string_script = function_of(StringTensor.script)
