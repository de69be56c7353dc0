"""String tensors for PyTorch: see `StringTensor`, and docs/concepts.md for the data model."""

from torch_stringops import _pytree as _pytree
from torch_stringops._library import library_path, set_simd_tier, simd_tier, simd_tiers
from torch_stringops._version import __version__
from torch_stringops.ops.string_tensor_pack import string_tensor_pack
from torch_stringops.string_tensor import StringTensor

__all__ = [
    "StringTensor",
    "__version__",
    "library_path",
    "set_simd_tier",
    "simd_tier",
    "simd_tiers",
    "string_tensor_pack",
]
