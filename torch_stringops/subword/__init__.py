"""Tokenizers of language models, byte-level BPE: read from the files of other libraries, run as operators."""

from torch_stringops.subword.decode_stream import DecodeStream as DecodeStream
from torch_stringops.subword.tokenizer import SubwordTokenizer as SubwordTokenizer

__all__ = ["DecodeStream", "SubwordTokenizer"]
