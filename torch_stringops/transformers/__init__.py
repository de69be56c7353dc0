"""Tokenizers of Hugging Face's `transformers` and `tokenizers` that encode and decode with this library.

`accelerate` takes those of `transformers` 5, and `Tokenizer` those of `tokenizers`. This module imports neither package
by itself.
"""

from torch_stringops.transformers._accelerate import accelerate
from torch_stringops.transformers.encoding import Encoding
from torch_stringops.transformers.tokenizer import Tokenizer

__all__ = ["Encoding", "Tokenizer", "accelerate"]
