"""Hashes of the bytes of each string."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_hash = function_of(StringTensor.hash)
string_hash_bucket = function_of(StringTensor.hash_bucket)
string_murmur3 = function_of(StringTensor.murmur3)
string_siphash = function_of(StringTensor.siphash)
string_crc32 = function_of(StringTensor.crc32)
string_minhash = function_of(StringTensor.minhash)
