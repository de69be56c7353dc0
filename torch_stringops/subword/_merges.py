"""The merges of a tokenizer.json, and what its tokens have at the ends of words."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import quoted
from torch_stringops.subword._definition import Unsupported, hexed
from torch_stringops.subword._json import JsonValue, read_merges
from torch_stringops.subword._tokens import Tokens

BPE_FIELDS = (
    *("vocab", "merges", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges", "dropout"),
    *("continuing_subword_prefix", "end_of_word_suffix"),
)


def affix_lines(model: dict[str, Any], unsupported: Unsupported) -> list[str]:
    """The directives of the prefix of symbols that continue a word, and the suffix of those that end it."""
    prefix, suffix = _affixes(model)
    for name in ("ignore_merges", "byte_fallback"):
        if (prefix or suffix) and model.get(name):
            unsupported.add(f"model BPE: {name} with continuing_subword_prefix or end_of_word_suffix")
    return [
        *([f"continuing_prefix {hexed(prefix)}"] if prefix else []),
        *([f"word_suffix {hexed(suffix)}"] if suffix else []),
    ]


def forms_of(symbol: bytes, model: dict[str, Any]) -> list[bytes]:
    """The forms that a symbol can have at the places of a word."""
    prefix, suffix = _affixes(model)
    return [a + symbol + b for a in {b"", prefix} for b in {b"", suffix}]


def _affixes(model: dict[str, Any]) -> tuple[bytes, bytes]:
    prefix, suffix = (model.get(name) or "" for name in ("continuing_subword_prefix", "end_of_word_suffix"))
    return prefix.encode(), suffix.encode()


def merge_rows(op: str, merges: JsonValue, tokens: Tokens, prefix: str = "") -> Tensor:
    """For each merge, the ids of the two tokens that it joins, and of its result, as int32 `[M, 3]`.

    Args:
        op: name of the operator, for errors.
        merges: a list of "left right" or [left, right].
        tokens: of the model.
        prefix: what tokens that continue a word begin with, and results do not repeat.
    """
    pairs, joined = read_merges(op, merges)
    if prefix:
        joined = pairs[:, :1] + pairs[:, 1:].slice(len(prefix))
    rows = torch.cat([tokens.find(pairs), tokens.find(joined)], 1)
    if len(bad := (rows < 0).any(1).nonzero()):
        shown = b" ".join(pairs[int(bad[0])].tolist(as_bytes=True)).decode("utf-8", "replace")
        raise ValueError(f"{op}: expected the tokens of merges in `vocab`, got {quoted(shown)}")
    return rows.int()
