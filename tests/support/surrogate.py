"""A string tensor and the tensor of its strings' ids, on which methods must have the same effect."""

from typing import Any

import torch
from torch import Tensor

from support.strings import LAYOUTS
from torch_stringops import StringTensor

# Lengths 0 to 9, multi-byte code points, a NUL; neighbours have byte ranges of different lengths.
WORDS = ["", "a", "bé", "日本", "ccc", "\x00d", "eeeee", "ffffff", "ß", "ggggggggg"]


def word(i: int) -> str:
    return f"{WORDS[i % len(WORDS)]}{i}"


def words(ids: Tensor) -> Any:
    """The nested list of strings with these ids."""
    return word(int(ids)) if ids.dim() == 0 else [words(part) for part in ids]


def pair(shape: Any, layout: str = "compact") -> tuple[Tensor, StringTensor]:
    """Ids `[*shape]` and the strings with these ids, in the given layout."""
    ids = torch.arange(torch.Size(shape).numel()).reshape(shape)
    if ids.dim() == 0:
        return ids, StringTensor(*LAYOUTS[layout]([word(0).encode()]), scalar=True)

    def encode(nested: Any) -> Any:
        return [encode(x) for x in nested] if isinstance(nested, list) else nested.encode()

    return ids, StringTensor(*LAYOUTS[layout](encode(words(ids)), list(shape)))


def same(strings: Any, ids: Any) -> None:
    """Asserts that these are the strings with the ids `ids`, of the same shape. Tuples are compared by element."""
    if isinstance(ids, (tuple, list)):
        assert len(strings) == len(ids)
        for s, i in zip(strings, ids, strict=True):
            same(s, i)
        return
    assert isinstance(strings, StringTensor)
    assert strings.shape == ids.shape
    strings.validate()
    assert strings.tolist() == words(ids)
