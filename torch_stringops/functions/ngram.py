"""N-grams of characters."""

from torch_stringops.functions import function_of
from torch_stringops.string_tensor import StringTensor

string_char_ngrams_ragged = function_of(StringTensor.char_ngrams_ragged)
