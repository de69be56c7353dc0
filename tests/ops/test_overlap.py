"""Strings that overlap and are large are divided into more tasks, and cut twice (csrc/split/overlap.h)."""

from collections.abc import Callable
from typing import Any

import torch
from support.cases import each
from support.large import int32, uint8
from support.subword_tables import TABLES
from support.threads import on_threads
from torch import Tensor

OPS = torch.ops.stringops
ROWS = 300
# A megabyte of which operators make little.
TEXT = (b"x" * 250_000 + " caf\u00c9 42 ".encode()) * 4
WORDS = (b"to be " * 200_000)[: len(TEXT)]  # which tokenizers cut faster
SUBWORDS = next(iter(TABLES.values()))


def call_of(op: str, *args: Any, **kwargs: Any) -> Callable[[Tensor, Tensor], tuple[list[str], list[Tensor]]]:
    """A call that returns the names and the values of its results."""
    overload = getattr(OPS, op).default

    def call(data: Tensor, offsets: Tensor) -> tuple[list[str], list[Tensor]]:
        names = [result.name for result in overload._schema.returns]
        return names, list(overload(data, offsets, *args, **kwargs))

    return call


CALLS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "map": call_of("string_strip_accents"),
    "kept map": call_of("regex_replace", "x+", "y"),
    "kept map, first": call_of("regex_extract", "([^x]+)"),
    "cut by masks": call_of("regex_find_all_ragged", "[0-9]"),
    "cut by ranges": call_of("regex_find_all_spans_ragged", r"([0-9]) "),
    "cut between": call_of("regex_split_spans_ragged", "x+"),
    "padded": call_of("string_split", "x" * 50_000),
    "subwords": call_of("subword_encode", SUBWORDS, max_length=8),
    "tokens": call_of("tokenizer_ragged", tokenexp="[^x]+", mark=True),
    "tokens, padded": call_of("tokenizer", tokenexp="[0-9]+?", pad_value="-"),
}


def repeated(name: str, t: Tensor, copies: int) -> Tensor:
    """A result of rows that are repeated; of offsets and row splits the differences."""
    t = t.diff() if name in ("offsets", "row_splits") else t
    return t.repeat(copies, *[1] * (t.dim() - 1))


@each("name", CALLS)
def test_results_are_those_of_rows_that_are_not_repeated(name: str):
    call, data = CALLS[name], uint8(WORDS if "subwords" in name else TEXT)
    rows = torch.stack([int32(0, 250_000, len(TEXT) - 3, len(TEXT)), int32(5, 250_004, 500_000, len(TEXT))])
    few = call(data, rows)
    many = rows.repeat(ROWS // 2, 1)
    with on_threads(4):
        whole = call(data, many)
    for kind, one, all in zip(few[0], few[1], whole[1], strict=True):
        assert torch.equal(repeated(kind, all, 1), repeated(kind, one, ROWS // 2)), kind
