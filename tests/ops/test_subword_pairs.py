"""subword_encode_pairs."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.subword_pairs import items_of, pair_row
from support import draws, strategies
from support.harness import Call, OpSuite, OpTests, call
from support.strings import Nested
from support.subword_tables import TABLES, oracle_of
from torch import Tensor

NAMES = ["gpt2", "llama3", "characters"]
TEXTS = [b"to be", b"", b"word's end: 12  \xe6\x97\xa5", b"<s>ab</s> abababab", b"x" * 40, b"\xff\xe6"]


def pairs_ref(
    strings: Nested,
    others: Nested,
    table: Tensor,
    add_special_tokens: bool = False,
    max_length: int = -1,
    truncate_left: bool = False,
) -> tuple[list[int], list[int], list[int]]:
    oracle = oracle_of(table)
    items = items_of(oracle.spec)
    rows = []
    for pair in zip(draws.flatten(strings), draws.flatten(others), strict=True):
        ids = [[id for id, _ in oracle.encode_one(s, False, -1)] for s in pair]
        rows.append(pair_row(ids[0], ids[1], items, add_special_tokens, max_length, truncate_left))
    found = [token for row in rows for token in row]
    return [id for id, _ in found], [0, *accumulate(map(len, rows))], [kind for _, kind in found]


def call_of(name: str, **options: Any) -> Call:
    return call(TEXTS, TEXTS[::-1], TABLES[name], **options)


def drawn(rng: draws.Random, n: int) -> Call:
    texts = [[rng.choice(TEXTS) for _ in range(n)] for _ in range(2)]
    return call(*texts, TABLES[rng.choice(NAMES)], add_special_tokens=rng.random() < 0.5)


calls = st.builds(
    lambda pairs, name, special, length, left: call(
        [a for a, _ in pairs],
        [b for _, b in pairs],
        TABLES[name],
        add_special_tokens=special,
        max_length=length,
        truncate_left=left,
    ),
    st.lists(st.tuples(st.sampled_from(TEXTS) | strategies.strings, st.sampled_from(TEXTS)), max_size=6),
    st.sampled_from(NAMES),
    st.booleans(),
    st.sampled_from([-1, 3, 4, 9]),
    st.booleans(),
)

GPT2 = TABLES["gpt2"]


def too_large() -> Iterator[tuple[str, Call]]:
    table = torch.zeros(2**31, dtype=torch.uint8)
    yield r"expected `table` as subword_build returns it, got 2147483648 other bytes", call([], [], table)


class TestSubwordEncodePairs(OpTests):
    suite = OpSuite(
        op="subword_encode_pairs",
        too_large=too_large,
        reference=pairs_ref,
        samples=[
            *map(call_of, NAMES),
            call_of("llama3", add_special_tokens=True, max_length=7),
            call_of("gpt2", max_length=7, truncate_left=True),
            call([[b"a b"], [b""]], [[b"a"], [b"c"]], GPT2),
            call([], [], GPT2),
        ],
        small=call([b"ab c", b"d"], [b"", b"e"], GPT2),
        strategy=calls,
        draw=drawn,
        errors=[
            (
                call([b"a"], [b"a"], GPT2[:-1]),
                f"expected `table` as subword_build returns it, got {GPT2.numel() - 1} other "
                "bytes (rebuild it from the tokenizer)",
            ),
            (
                call([b"a"], [b"a"], TABLES["llama3"], add_special_tokens=True, max_length=2),
                "expected `max_length` >= 3 or -1, got 2",
            ),
            (call([b"a"], [b"a", b"b"], GPT2), "expected strings of shape [1] as the second ones, got shape [2]"),
        ],
    )


def test_a_template_without_both_texts_is_an_error() -> None:
    empty = torch.zeros(0, dtype=torch.uint8), torch.zeros(1, dtype=torch.int32)
    spec = "subword 1\nmodel bpe\ntemplate_pair 1:0 A:0\n"
    with pytest.raises((ValueError, RuntimeError), match="expected one A and one B in line 3 of `spec`"):
        torch.ops.stringops.subword_build(*empty, torch.empty(0, 3, dtype=torch.int64), spec)
