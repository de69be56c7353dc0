"""String tensors for PyTorch: see `StringTensor`, and docs/concepts.md for the data model."""

# isort: off
from torch_stringops import _native as _native  # the first import, see there

# isort: on
from torch_stringops import _buffers as _buffers
from torch_stringops import _pytree as _pytree
from torch_stringops import data as data
from torch_stringops._export import export
from torch_stringops._library import library_path, set_simd_tier, simd_tier, simd_tiers
from torch_stringops._version import __version__
from torch_stringops.interop.strings import as_strings
from torch_stringops.ops.dense_to_ragged import dense_to_ragged
from torch_stringops.ops.ragged_lengths import ragged_lengths
from torch_stringops.ops.ragged_mask import ragged_mask
from torch_stringops.ops.ragged_to_dense import ragged_to_dense
from torch_stringops.ops.split import split
from torch_stringops.ops.split_encode import split_encode
from torch_stringops.ops.split_to_sequence import split_to_sequence
from torch_stringops.ops.string_equal import string_equal
from torch_stringops.ops.string_split import string_split, string_split_ragged
from torch_stringops.ops.string_tensor_pack import string_tensor_pack
from torch_stringops.ops.string_tensor_unpack import string_tensor_unpack
from torch_stringops.ops.string_unique import string_unique
from torch_stringops.ops.tokenizer import tokenizer, tokenizer_ragged
from torch_stringops.ops.vocab_build import vocab_build
from torch_stringops.ops.vocab_encode import vocab_encode
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary import Vocabulary

__all__ = [
    "StringTensor",
    "Vocabulary",
    "__version__",
    "as_strings",
    "dense_to_ragged",
    "export",
    "library_path",
    "ragged_lengths",
    "ragged_mask",
    "ragged_to_dense",
    "set_simd_tier",
    "simd_tier",
    "simd_tiers",
    "split",
    "split_encode",
    "split_to_sequence",
    "string_equal",
    "string_split",
    "string_split_ragged",
    "string_tensor_pack",
    "string_tensor_unpack",
    "string_unique",
    "tokenizer",
    "tokenizer_ragged",
    "vocab_build",
    "vocab_encode",
]
