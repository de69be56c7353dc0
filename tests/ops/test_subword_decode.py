"""subword_decode."""

from itertools import pairwise
from typing import Any

import torch
from hypothesis import strategies as st
from support import draws, large
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import check_metadata_errors_read_the_same_when_traced, splits
from support.subword_tables import TABLES, oracle_of
from torch import Tensor

NAMES = ["gpt2", "llama3", "steps", "characters", "metaspace", "crossing"]
NAMES += ["unigram", "sentencepiece unigram", "sentencepiece bpe"]


def decode_ref(ids: Tensor, row_splits: Tensor, table: Tensor, skip_special_tokens: bool = True) -> tuple[Any]:
    oracle = oracle_of(table)
    rows = [ids[a:b].tolist() for a, b in pairwise(row_splits.tolist())]
    return ([oracle.decode(row, skip_special_tokens) for row in rows],)


def size_of(name: str) -> int:
    oracle = oracle_of(TABLES[name])
    return max(len(oracle.pieces), *(id + 1 for id in [*oracle.texts, 0]))


def rows_of(lengths: list[int], name: str, seed: int, **options: bool) -> Call:
    random = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, size_of(name), [sum(lengths)], generator=random)
    return call(ids, splits(lengths), TABLES[name], **options)


calls = st.builds(
    lambda lengths, name, seed, skip: rows_of(lengths, name, seed, skip_special_tokens=skip),
    st.lists(st.integers(0, 9), max_size=9),
    st.sampled_from(NAMES),
    st.integers(0, 2**20),
    st.booleans(),
)


def drawn(rng: draws.Random, n: int) -> Call:
    lengths = [rng.choice([0, 1, 2, 5, 30]) for _ in range(n)]
    return rows_of(lengths, rng.choice(NAMES), rng.randrange(2**30), skip_special_tokens=rng.random() < 0.5)


def too_large() -> Any:
    ids = torch.full([2**28 + 1], 262)  # of eight bytes
    yield large.BYTES, call(ids, torch.tensor([0, len(ids)]), TABLES["gpt2"])


GPT2 = TABLES["gpt2"]


class TestSubwordDecode(OpTests):
    suite = OpSuite(
        op="subword_decode",
        reference=decode_ref,
        samples=[
            call(torch.tensor([256, 258, 300, 301]), torch.tensor([0, 2, 4]), TABLES["llama3"]),
            call(torch.tensor([300, 301, 195]), torch.tensor([0, 3]), TABLES["llama3"], skip_special_tokens=False),
            call(torch.empty(0, dtype=torch.int64), torch.tensor([0, 0, 0]), GPT2),
            call(torch.empty(0, dtype=torch.int64), torch.tensor([0]), GPT2),
            rows_of([i % 7 for i in range(3000)], "steps", 0),
        ],
        small=call(torch.tensor([256, 258]), torch.tensor([0, 1, 2]), GPT2),
        strategy=calls,
        draw=drawn,
        too_large=too_large,
        errors=[
            (
                call(torch.tensor([1, 277]), torch.tensor([0, 1, 2]), GPT2),
                "expected `ids` within [0, 277), got 277 at position 1",
            ),
            (
                call(torch.tensor([-1]), torch.tensor([0, 1]), GPT2),
                "expected `ids` within [0, 277), got -1 at position 0",
            ),
            (
                call(torch.tensor([1, 2]), torch.tensor([0, 1]), GPT2),
                "expected `row_splits` non-decreasing from 0 to 2 (ids), got 1 after 0 at position 1",
            ),
            (
                call(torch.tensor([1], dtype=torch.int32), torch.tensor([0, 1]), GPT2),
                "expected `ids` to be int64, got int32 (convert with .to(torch.int64))",
            ),
            (call(torch.tensor([[1]]), torch.tensor([0, 1]), GPT2), "expected `ids` of rank 1, got shape [1, 1]"),
            (
                call(torch.tensor([1]), torch.tensor([[0, 1]]), GPT2),
                "expected `row_splits` of shape [n + 1] with n >= 0, got shape [1, 2]",
            ),
            (
                call(torch.tensor([1]), torch.tensor([0, 1]), GPT2.int()),
                "expected `table` to be uint8, got int32 (convert with .to(torch.uint8))",
            ),
            (
                call(torch.tensor([1]), torch.tensor([0, 1]), GPT2[:-1]),
                f"expected `table` as subword_build returns it, got {GPT2.numel() - 1} other bytes "
                "(rebuild it from the tokenizer)",
            ),
        ],
    )

    def test_metadata_errors_read_the_same_when_traced_without_strings(self) -> None:
        texts = ["int64, got int32", "of rank 1", "of shape [n + 1]", "to be uint8"]
        check_metadata_errors_read_the_same_when_traced(self.suite, texts)
