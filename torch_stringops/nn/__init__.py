"""Modules that turn strings into ids, counts, scores or other strings, as layers of a model.

Arguments and results of `TextVectorization`, `StringLookup` and `Hashing` are those of the layers of Keras with these
names; those of `CountVectorizer`, `TfidfVectorizer` and `HashingVectorizer` are those of scikit-learn's classes. The
modules support torch.compile(fullgraph=True) and torch.export, and strings stay on the CPU.
"""

from torch_stringops.nn.count_vectorizer import CountVectorizer as CountVectorizer
from torch_stringops.nn.hashing import Hashing as Hashing
from torch_stringops.nn.hashing_vectorizer import HashingVectorizer as HashingVectorizer
from torch_stringops.nn.normalize import Normalize as Normalize
from torch_stringops.nn.string_lookup import StringLookup as StringLookup
from torch_stringops.nn.text_vectorization import TextVectorization as TextVectorization
from torch_stringops.nn.tfidf_vectorizer import TfidfVectorizer as TfidfVectorizer

__all__ = [
    "CountVectorizer",
    "Hashing",
    "HashingVectorizer",
    "Normalize",
    "StringLookup",
    "TextVectorization",
    "TfidfVectorizer",
]
