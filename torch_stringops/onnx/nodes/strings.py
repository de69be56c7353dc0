"""The operators on strings, which are modules of `torch_stringops.onnx.ops`."""

from torch_stringops.onnx import ops
from torch_stringops.onnx._registry import MICROSOFT, operator

operator("StringSplit")(ops.StringSplit)
operator("StringConcat")(ops.StringConcat)
operator("StringNormalizer")(ops.StringNormalizer)
operator("RegexFullMatch")(ops.RegexFullMatch)
operator("TfIdfVectorizer")(ops.TfIdfVectorizer)
operator("Tokenizer", domain=MICROSOFT)(ops.Tokenizer)
operator("MurmurHash3", domain=MICROSOFT)(ops.MurmurHash3)
