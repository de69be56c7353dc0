"""The merges of a tokenizer.json, and what its tokens have at the ends of words."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import quoted
from torch_stringops.subword._definition import Unsupported, hexed

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


def merge_rows(
    op: str, merges: Sequence[str | Sequence[str]], vocab: Mapping[str, int], prefix: str = ""
) -> Tensor:
    """For each merge, the ids of the two tokens that it joins, and of its result, as int32 `[M, 3]`.

    Args:
        op: name of the operator, for errors.
        merges: "left right" or [left, right].
        vocab: token -> id.
        prefix: what tokens that continue a word begin with, and results do not repeat.
    """
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]
    if set(map(len, pairs)) - {2}:
        merge = next(merge for merge, pair in zip(merges, pairs, strict=True) if len(pair) != 2)
        raise ValueError(f"{op}: expected merges of two tokens, got {quoted(str(merge))}")
    if not pairs:
        return torch.empty(0, 3, dtype=torch.int32, device="cpu")
    lefts, rights = zip(*pairs, strict=True)
    ends = [right[len(prefix) :] for right in rights] if prefix else rights
    columns = (lefts, rights, map(operator.add, lefts, ends))
    ids = [torch.tensor(list(map(vocab.get, column, repeat(-1))), device="cpu") for column in columns]
    rows = torch.stack(ids, 1)
    if len(bad := (rows < 0).any(1).nonzero()):
        shown = " ".join(pairs[int(bad[0])])
        raise ValueError(f"{op}: expected the tokens of merges in `vocab`, got {quoted(shown)}")
    return rows.int()
