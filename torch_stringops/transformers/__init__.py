"""Tokenizers of Hugging Face's `transformers` that encode and decode with this library: see `accelerate`.

It needs `transformers` 5, which this module does not import by itself.
"""

from torch_stringops.transformers._accelerate import accelerate

__all__ = ["accelerate"]
