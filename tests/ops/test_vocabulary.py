"""vocab_build and vocab_encode; concurrent writes, also of string_unique."""

import struct
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.vocabulary import read_table, vocab_build_ref, vocab_encode_ref
from support import draws, large, strategies
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call
from support.strings import Nested, compact
from support.vocabularies import table_of
from torch import Tensor

from torch_stringops import StringTensor, vocab_build

# Words that keys of 12 bytes might confuse: prefixes of each other, equal up to the last byte, NUL at the end.
HARD = [b"", b"\x00", b"\x00\x00", b"a", b"a\x00", b"\x00a"]
HARD += [
    b"abcdefghijk", b"abcdefghij", b"abcdefghijkl", b"abcdefghijk\x00", b"abcdefghijkm", b"abcdefghijklm",
]  # fmt: skip
HARD += [b"p" * 300 + bytes([i]) for i in range(4)]


class TableSuite(OpSuite):
    def decode(self, results: Any) -> tuple[Any, ...]:
        return (read_table(results.tolist()),)


def drawn_distinct(rng: draws.Random, n: int) -> Call:
    words = {draws.string(rng) for _ in range(n)} | {b"%d" % rng.randrange(10**12) for _ in range(n // 4)}
    return call(sorted(words, key=lambda _: rng.random()))


def too_many_empty() -> Iterator[tuple[str, Call]]:
    text = r"expected distinct strings, got 1999999 in 0 bytes, which hold at most 1 \(make them distinct "
    yield text, call((large.uint8(b""), torch.zeros(2 * large.MILLION, dtype=torch.int32)))


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
        draw=drawn_distinct,
        too_large=too_many_empty,
        parallel=False,
        errors=[
            (call([b"to", b"be", b"or", b"be"]), "expected distinct strings, got equal ones at positions 1 and 3"),
            (call([b"a", b"x" * 12, b"", b"x" * 12]), "expected distinct strings, got equal ones at positions 1 and 3"),
            (call([[b"to"], [b"be"]]), "expected `offsets` of rank 1, got shape [2, 2]"),
        ],
    )


def test_equal_words_give_equal_tables_and_different_words_different_seeds():
    def build(words: list[bytes]) -> torch.Tensor:
        return torch.ops.stringops.vocab_build(*compact(words))

    data, offsets = compact([b"<", b"to", b"be", b">"])
    assert torch.equal(build([b"to", b"be"]), torch.ops.stringops.vocab_build(data, offsets[1:4]))
    assert not torch.equal(build([b"to", b"be"])[24:40], build([b"to", b"bf"])[24:40])


@pytest.mark.parametrize(("size", "slot_bytes"), [(5, 16), (11, 16), (12, 32), (27, 32), (28, 64), (59, 64)])
def test_a_table_takes_one_and_a_half_slots_a_word(size: int, slot_bytes: int):
    words = [b"%0*d" % (size, i) for i in range(20_000)]
    assert table_of(words).numel() < (1.5 * slot_bytes + 0.4) * len(words) + 1000


@pytest.mark.check
def test_a_million_words():
    words = StringTensor.from_list([b"%d;" % (i * 7) * (1 + i % 3) for i in range(1_000_000)])
    ids = torch.ops.stringops.vocab_encode(words.data, words.offsets, vocab_build(words))
    assert torch.equal(ids, torch.arange(1_000_000))


def encode(strings: Nested, table: Tensor, **kwargs: int) -> Tensor:
    return torch.ops.stringops.vocab_encode(*compact(strings), table, **kwargs)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    words = draw(st.lists(strategies.strings, max_size=20, unique=True))
    known = st.sampled_from(words) if words else strategies.strings
    string = st.one_of(known, known, strategies.strings, known.map(lambda w: w + b"\x00"), known.map(lambda w: w[:-1]))
    rows, cols = draw(st.integers(0, 3)), draw(st.integers(0, 5))
    strings: Nested = draw(st.lists(string, max_size=20))
    if rows:
        strings = draw(st.lists(st.lists(string, min_size=cols, max_size=cols), min_size=rows, max_size=rows))
    unknown = draw(st.sampled_from([{}, {"unknown_id": 0}, {"unknown_id": -(2**63)}, {"num_oov_buckets": 1}]))
    return call(strings, table_of(words), **unknown)


def no_table(num_bytes: int) -> str:
    return (
        f"vocab_encode: expected `table` as vocab_build returns it, got {num_bytes} other bytes "
        "(rebuild it from the words)"
    )


SMALL = table_of([b"to", b"be", b"or", b"a word longer than a slot"])
NUMBERS = [b"%d" % i * (1 + i % 5) for i in range(2000)]


def drawn_lookup(rng: draws.Random, n: int) -> Call:
    text = draws.strings(rng, n)
    words = draws.flatten(text)
    changed = [w + b"\0" for w in words[:50]] + [w[:-1] for w in words[:50]]
    known = sorted({*words, *changed, *(b"%d" % rng.randrange(10**12) for _ in range(200))})
    unknown = rng.choice([{}, {"unknown_id": 7}, {"unknown_id": -(2**63)}, {"num_oov_buckets": 1}])
    return call(text, table_of(rng.sample(known, len(known) // 2)), **unknown)


def too_large_table() -> Iterator[tuple[str, Call]]:
    table = torch.zeros(2**31, dtype=torch.uint8)
    yield r"expected `table` as vocab_build returns it, got 2147483648 other bytes", call([], table)


class TestVocabEncode(OpTests):
    suite = OpSuite(
        op="vocab_encode",
        reference=vocab_encode_ref,
        samples=[
            call([b"to", b"be", b"or", b"not", b"to", b"be"], SMALL),
            call([], SMALL),
            call([[b"to", b""], [b"a word longer than a slot", b"a word longer than a slit"]], SMALL, unknown_id=7),
            call([[], []], SMALL),
            call([b"to", b"not"], table_of([])),
            call([HARD, HARD[::-1]], table_of(HARD[::2]), num_oov_buckets=1),
            call([NUMBERS[::-1] + [w + b"x" for w in NUMBERS]] * 3, table_of(NUMBERS)),
        ],
        strategy=calls(),
        draw=drawn_lookup,
        too_large=too_large_table,
        errors=[
            (call([b"to"], SMALL.int()), "expected `table` to be uint8, got int32 (convert with .to(torch.uint8))"),
            (call([b"to"], SMALL.reshape(1, -1)), f"expected `table` of rank 1, got shape [1, {SMALL.numel()}]"),
            (call([b"to"], SMALL[::2]), "expected `table` to be contiguous, got stride 2 (use .contiguous())"),
            (call([b"to"], SMALL[:-1]), no_table(SMALL.numel() - 1)),
            (call([b"to"], SMALL[:0]), no_table(0)),
            (call([b"to"], SMALL[:63]), no_table(63)),
            (call([b"to"], torch.zeros(10_000, dtype=torch.uint8)), no_table(10_000)),
            (call([b"to"], SMALL, num_oov_buckets=-1), "expected `num_oov_buckets` within [0, 2**62], got -1"),
        ],
    )


# From the `xxhash` package 4.1 (xxHash 0.8.4): bucket ids must never change.
XXH3 = [
    (b"", 0x2D06800538D394C2), (b"a", 0xE6C632B61E964E1F), (b"abc", 0x78AF5F94892F3950),
    (b"word", 0xE3CE369CF66C5C55), (b"Vocabulary", 0x37FD743F5893860B), (b"hello world!", 0xE155D613728F4B18),
    (bytes(16), 0xD0A66A65C7528968), (bytes(range(17)), 0x9EF341A99DE37328), (bytes(range(128)), 0x85C6174C7FF4C46B),
    (bytes(range(129)), 0xEC7642B431BA3E5A), (bytes(range(240)), 0x375A384D957FE865),
    (bytes(range(241)), 0x02E8CD95421C6D02), (bytes(range(256)) * 8, 0xDD420471FF96BD00),
]  # fmt: skip


@pytest.mark.parametrize("buckets", [1, 2, 1000, 2**31 + 11, 2**62])
def test_unknown_words_get_the_bucket_of_their_xxh3_hash(buckets: int):
    ids = encode([word for word, _ in XXH3], SMALL, num_oov_buckets=buckets, unknown_id=-5)
    assert ids.tolist() == [4 + value % buckets for _, value in XXH3]


def test_known_words_never_get_a_bucket():
    assert encode([b"be", b"a word longer than a slot"], SMALL, num_oov_buckets=3).tolist() == [1, 3]


def test_every_byte_of_a_word_counts():
    words = [b"." * i + b"x" + b"." * (n - i - 1) for n in range(1, 40) for i in range(n)]
    table = table_of(words)
    assert encode(words, table).tolist() == list(range(len(words)))
    assert set(encode([b"." * n for n in range(40)], table).tolist()) == {-1}


def test_a_table_may_be_at_any_address():
    shifted = torch.cat([torch.zeros(1, dtype=torch.uint8), SMALL])[1:]
    assert encode([b"to", b"or", b"a word longer than a slot"], shifted).tolist() == [0, 2, 3]


def test_the_table_decides_the_ids():
    assert encode([b"to", b"be"], table_of([b"be"])).tolist() == [-1, 0]


QUERIES = [*NUMBERS[:300], *HARD, b"x" * 5000, b"not"]


def survives(table: Tensor) -> None:
    try:
        ids = encode(QUERIES, table, unknown_id=0)
    except BAD_ARGUMENT:
        return
    assert ids.shape == (len(QUERIES),)


@given(data=st.data())
def test_a_malformed_table_is_rejected_or_searched_within_bounds(data: st.DataObject):
    table = table_of(data.draw(st.sampled_from([NUMBERS[:50], HARD, [b"to" * 20]]))).clone()
    edits = data.draw(st.lists(st.tuples(st.integers(0, table.numel() - 1), st.integers(0, 255)), max_size=30))
    for at, value in edits:
        table[at] = value
    survives(table)


def test_a_table_with_a_wrong_size_of_its_text():
    words = [b"w" * 80, b"to"]
    for text_bytes in (0, 3, 83):
        table = table_of(words)
        table = table[: table.numel() - 84 + text_bytes].clone()
        table[16:24] = torch.tensor(list(struct.pack("<Q", text_bytes)), dtype=torch.uint8)
        assert encode(words, table).tolist() == [-1, 1]


def test_a_table_without_a_free_slot():
    table = table_of([b"to", b"be"])
    table[64:] = 1
    assert encode([b"to", b"x" * 100], table).tolist() == [-1, -1]
