"""The merges of a tokenizer.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch_stringops._checks import quoted


def merge_rows(
    op: str, merges: Sequence[str | Sequence[str]], vocab: Mapping[str, int], prefix: str = ""
) -> list[tuple[int, int, int]]:
    """For each merge, the ids of the two tokens that it joins, and of its result.

    Args:
        op: name of the operator, for errors.
        merges: "left right" or [left, right].
        vocab: token -> id.
        prefix: what tokens that continue a word begin with, and results do not repeat.
    """
    rows = []
    for merge in merges:
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if len(parts) != 2:
            raise ValueError(f"{op}: expected merges of two tokens, got {quoted(str(merge))}")
        left, right = parts
        found = [vocab.get(token, -1) for token in (left, right, left + right[len(prefix) :])]
        if min(found) < 0:
            raise ValueError(
                f"{op}: expected the tokens of merges in `vocab`, got {quoted(f'{left} {right}')}"
            )
        rows.append((found[0], found[1], found[2]))
    return rows
