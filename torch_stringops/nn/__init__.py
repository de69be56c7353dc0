"""Modules that turn strings into ids, counts or other strings, as layers of a model.

Arguments and results of `TextVectorization`, `StringLookup` and `Hashing` are those of the layers of Keras with these
names. The modules support torch.compile(fullgraph=True) and torch.export, and strings stay on the CPU.
"""

from torch_stringops.nn.hashing import Hashing as Hashing
from torch_stringops.nn.normalize import Normalize as Normalize
from torch_stringops.nn.string_lookup import StringLookup as StringLookup
from torch_stringops.nn.text_vectorization import TextVectorization as TextVectorization

__all__ = ["Hashing", "Normalize", "StringLookup", "TextVectorization"]
