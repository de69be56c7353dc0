"""Reads the normalizer Precompiled of a tokenizer.json: the rules of SentencePiece."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from torch_stringops.subword._definition import Unsupported, hexed

# Bytes of the texts that rules give, which the operators read.
_MAX_RULE = 96


def charsmap_lines(step: dict[str, Any], unsupported: Unsupported) -> list[str]:
    """The directives of a charsmap; none if it has no rules."""
    try:
        charsmap = base64.b64decode(step.get("precompiled_charsmap") or "", validate=True)
    except binascii.Error:
        unsupported.add("normalizer Precompiled: a charsmap that is not base64")
        return []
    if not charsmap:
        return []
    if not is_charsmap(charsmap):
        unsupported.add("normalizer Precompiled: a charsmap that is malformed")
    return [f"charsmap {hexed(charsmap)}", "normalize precompiled"]


def is_charsmap(charsmap: bytes) -> bool:
    """Whether the trie and the texts of a charsmap have sizes that are possible."""
    size = int.from_bytes(charsmap[:4], "little")
    texts = charsmap[4 + size :].split(b"\0")
    return 4 + size < len(charsmap) and size % 4 == 0 and max(map(len, texts)) <= _MAX_RULE
