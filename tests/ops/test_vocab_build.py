from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.vocab_build import read_table, vocab_build_ref
from support import strategies
from support.harness import OpSuite, OpTests, call
from support.strings import compact

from torch_stringops import StringTensor, vocab_build

# Prefixes of each other, equal up to the last byte, NUL at the end: all that a key of 12 bytes might confuse.
HARD = [b"", b"\x00", b"\x00\x00", b"a", b"a\x00", b"\x00a"]
HARD += [
    b"abcdefghijk",
    b"abcdefghij",
    b"abcdefghijkl",
    b"abcdefghijk\x00",
    b"abcdefghijkm",
    b"abcdefghijklm",
]
HARD += [b"p" * 300 + bytes([i]) for i in range(4)]


class TableSuite(OpSuite):
    def decode(self, results: Any) -> tuple[Any, ...]:
        return (read_table(results.tolist()),)


class TestVocabBuild(OpTests):
    suite = TableSuite(
        op="vocab_build",
        reference=vocab_build_ref,
        samples=[
            call([b"to", b"be", b"or", b"not"]),
            call([]),
            call(HARD),
            call([b"%d" % i * (1 + i % 5) for i in range(5000)]),
        ],
        strategy=st.lists(strategies.strings, max_size=40, unique=True).map(call),
        errors=[
            (
                call([b"to", b"be", b"or", b"be"]),
                "vocab_build: expected distinct strings, got equal ones at positions 1 and 3",
            ),
            (
                call([b"a", b"x" * 12, b"", b"x" * 12]),
                "vocab_build: expected distinct strings, got equal ones at positions 1 and 3",
            ),
            (
                call([[b"to"], [b"be"]]),
                "vocab_build: expected `offsets` of rank 1, got shape [2, 2]",
            ),
        ],
    )


def test_equal_words_give_equal_tables_and_other_words_another_seed():
    def build(words: list[bytes]) -> torch.Tensor:
        return torch.ops.stringops.vocab_build(*compact(words))

    data, offsets = compact([b"<", b"to", b"be", b">"])
    assert torch.equal(build([b"to", b"be"]), torch.ops.stringops.vocab_build(data, offsets[1:4]))
    assert not torch.equal(build([b"to", b"be"])[32:48], build([b"to", b"bf"])[32:48])


def test_a_table_takes_about_32_bytes_a_word():
    words = [b"%d" % i for i in range(20_000)]
    assert torch.ops.stringops.vocab_build(*compact(words)).numel() < 32 * len(words) + 5000


@pytest.mark.slow
def test_a_million_words():
    words = StringTensor.from_list([b"%d;" % (i * 7) * (1 + i % 3) for i in range(1_000_000)])
    ids = torch.ops.stringops.vocab_encode(words.data, words.offsets, vocab_build(words))
    assert torch.equal(ids, torch.arange(1_000_000))
