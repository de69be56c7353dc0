"""The texts of ids of a model whose tokens are characters."""

from __future__ import annotations

from torch_stringops.string_tensor import StringTensor

_OF_CHARACTERS = (["model", "unigram"], ["model", "sentencepiece_bpe"])


def token_texts(pieces: StringTensor, spec: str) -> StringTensor | None:
    """The tokens as the file has them, or None if a token is what its id decodes to, as in byte-level models."""
    lines = [line.split(" ") for line in spec.splitlines()]
    if ["bytes", "0"] not in lines and lines[1][:2] not in _OF_CHARACTERS:
        return None
    texts: list[bytes] = pieces.tolist(as_bytes=True)
    for words in lines:
        if words[0] in ("added", "name") and words[-1] != "-":
            texts[int(words[1])] = bytes.fromhex(words[-1])
    return StringTensor.from_list(texts)
