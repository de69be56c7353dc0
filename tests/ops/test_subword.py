"""subword_build, subword_encode and subword_encode_spans."""

import struct
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.subword_sentencepiece import SentencePiece
from support import draws, large, strategies
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call
from support.strings import Nested, compact
from support.subword_tables import SPECS, TABLES, definition, oracle_of
from torch import Tensor

# The sections of a table that hold the steps, the template, the ids of bytes, pairs, the ids of merges, words, the texts
# of tokens, those of steps, and the pilots of pairs (csrc/subword/table.h); the header before.
STEPS, TEMPLATE, BYTE_IDS, PAIRS, MADE, SHORT_WORDS, LONG_WORDS = range(7)
ENDS, TEXTS, STEP_ENDS, PILOTS = 11, 12, 18, 35
HEADER = 8 + 8 + 16 + 6 * 4


def sections_of(table: Tensor) -> Tensor:
    """Where each section begins, and its size: a view of the table."""
    return table[HEADER : HEADER + 16 * (PILOTS + 1)].view(torch.int64).reshape(-1, 2)


def texts_of(table: bytes) -> list[bytes]:
    """What each id is decoded to."""

    def section(index: int) -> bytes:
        begin, size = struct.unpack_from("<2Q", table, HEADER + 16 * index)
        return table[begin : begin + size]

    texts, ends = section(TEXTS), memoryview(section(ENDS)).cast("I")
    return [texts[begin:end] for begin, end in pairwise([0, *ends])]


class TableSuite(OpSuite):
    def decode(self, results: Any) -> tuple[Any, ...]:
        return (texts_of(results.numpy().tobytes()),)


def build_ref(pieces: Nested, numbers: Tensor, spec: str) -> tuple[list[bytes]]:
    texts = dict(enumerate(pieces))
    for line in spec.splitlines():
        name, *words = line.split(" ")
        if name in ("added", "text"):
            texts[int(words[0])] = b"" if words[-1] == "-" else bytes.fromhex(words[-1])
    return ([texts.get(id, b"") for id in range(max(texts, default=-1) + 1)],)


def build_call(name: str) -> Call:
    pieces, numbers, spec = definition(name)
    return call(pieces, torch.tensor(numbers, dtype=torch.int64).reshape(-1, 3), spec)


# The texts of WordPiece are those of its decoder, which the suites of the other operators compare.
BYTE_LEVEL = [name for name in SPECS if "decode bytelevel" in SPECS[name]]
NO_ROWS = torch.empty(0, 3, dtype=torch.int64)
PLAIN = "subword 1\nmodel bpe\n"


def build_error(text: str, spec: str = PLAIN, pieces: Nested = (), numbers: Tensor = NO_ROWS) -> tuple[Call, str]:
    return call([*pieces], numbers, spec), f"subword_build: {text}"


def too_many_tokens() -> Iterator[tuple[str, Call]]:
    tokens = (large.uint8(b""), torch.zeros(2**21, dtype=torch.int32))
    yield ("expected less than 2097151 tokens, got 2097151", call(tokens, torch.empty(0, 3, dtype=torch.int64), PLAIN))


class TestSubwordBuild(OpTests):
    suite = TableSuite(
        op="subword_build",
        reference=build_ref,
        samples=[*map(build_call, ["llama3", "ranks"]), call([b"a", b"", b"ab"], torch.tensor([[0, 0, 2]]), PLAIN)],
        small=call([b"a", b"b"], torch.empty(0, 3, dtype=torch.int64), PLAIN),
        too_large=too_many_tokens,
        strategy=st.sampled_from([*map(build_call, BYTE_LEVEL)]),
        draw=lambda rng, n: build_call(rng.choice(BYTE_LEVEL)),
        parallel=False,
        errors=[
            build_error("expected `spec` of two lines or more, got 1", "subword 1\n"),
            build_error(
                "expected a directive that is known in line 3 of `spec`, got 'stemmer' with 0 arguments",
                PLAIN + "stemmer\n",
            ),
            build_error(
                "expected 3 arguments in line 2 of `spec`, got 'model' with 4 arguments",
                "subword 1\nmodel wordpiece - 9 9\n",
            ),
            build_error(
                "expected directives in order in line 4 of `spec`, got 'unk' with 1 argument",
                PLAIN + "split gpt2\nunk -1\n",
            ),
            build_error(
                "expected a number within [0, 255] in line 3 of `spec`, got 'split' with 2 arguments",
                PLAIN + "split llama3 digits=256\n",
            ),
            build_error(
                "expected a regular expression that is supported (missing ) of the group at position 0 (write \\( for a "
                "parenthesis)) in line 3 of `spec`, "
                "got 'split' with 4 arguments",
                PLAIN + "split pattern 28 isolated 0\n",
            ),
            build_error(
                "expected a number within [1, 255] in line 3 of `spec`, got 'split' with 2 arguments",
                PLAIN + "split fixed 0\n",
            ),
            build_error(
                "expected ids in `numbers` within [0, 2), got 2 in row 0",
                pieces=[b"a", b"b"],
                numbers=torch.tensor([[0, 1, 2]]),
            ),
            build_error("expected distinct tokens, got equal ones at positions 0 and 2", pieces=[b"a", b"b", b"a"]),
            build_error("expected `numbers` of shape [M, 3], got shape [1, 2]", numbers=torch.tensor([[0, 1]])),
            build_error(
                "expected `numbers` of shape [0, 3] with `merges ranks`, got 1 rows",
                PLAIN + "merges ranks\n",
                [b"a"],
                torch.tensor([[0, 0, 0]]),
            ),
        ],
    )


def encode_ref(
    strings: Nested, table: Tensor, add_special_tokens: bool = False, max_length: int = -1
) -> tuple[list[int], list[int]]:
    return spans_ref(strings, table, add_special_tokens, max_length)[:2]


def spans_ref(
    strings: Nested, table: Tensor, add_special_tokens: bool = False, max_length: int = -1
) -> tuple[list[int], list[int], list[int], list[int]]:
    oracle = oracle_of(table)
    rows = [oracle.encode_one(s, add_special_tokens, max_length) for s in draws.flatten(strings)]
    found = [token for row in rows for token in row]
    splits = [0, *accumulate(map(len, rows))]
    return [id for id, _ in found], splits, [begin for _, (begin, _) in found], [end for _, (_, end) in found]


TEXT = (
    "To be, or not to be: it's 1234567 words,  isn't it?\n\n  'Sword' word::- ababab \u0660\u0661 "
    "\u2581\u2581be \u2581 t  o éxe\u0301x e\u0323\u0301日本 🎉🎉\t\r\n  \n <s>to be</s>  'LL we'll x\u00a0y\x00\x00 ſ'ſ HTTPServer"
).encode()
PIECES = [TEXT[at : at + size] for size in (1, 3, 9, 20, 64, 200) for at in range(0, len(TEXT), 1 + size // 2)]


def call_of(name: str, **options: Any) -> Call:
    return call([TEXT, b"", b"\xff\xe6\x97", *PIECES, TEXT * 2], TABLES[name], **options)


def drawn(rng: draws.Random, n: int) -> Call:
    cut = sorted(rng.randrange(len(TEXT) + 1) for _ in range(2 * n))
    strings = [TEXT[begin : min(end, begin + 60)] for begin, end in zip(cut[::2], cut[1::2], strict=True)]
    return call(strings, TABLES[rng.choice(list(SPECS))], add_special_tokens=rng.random() < 0.5)


calls = st.builds(
    lambda parts, name, special, length: call(parts, TABLES[name], add_special_tokens=special, max_length=length),
    st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map(b"".join) | strategies.strings, max_size=6),
    st.sampled_from(list(SPECS)),
    st.booleans(),
    st.sampled_from([-1, 2, 5]),
)

GPT2 = TABLES["gpt2"]


def encode_errors(op: str) -> list[tuple[Call, str]]:
    return [
        (call([b"a"], GPT2.int()), f"{op}: expected `table` to be uint8, got int32 (convert with .to(torch.uint8))"),
        (
            call([b"a"], GPT2[:-1]),
            f"{op}: expected `table` as subword_build returns it, got {GPT2.numel() - 1} other bytes "
            "(rebuild it from the tokenizer)",
        ),
        (
            call([b"a"], TABLES["llama3"], add_special_tokens=True, max_length=1),
            f"{op}: expected `max_length` >= 2 or -1, got 1",
        ),
    ]


def too_large_table() -> Iterator[tuple[str, Call]]:
    table = torch.zeros(2**31, dtype=torch.uint8)
    yield r"expected `table` as subword_build returns it, got 2147483648 other bytes", call([], table)


def suite_of(op: str, reference: Any) -> OpSuite:
    return OpSuite(
        op=op,
        too_large=too_large_table,
        reference=reference,
        samples=[
            *map(
                call_of, ["gpt2", "llama3", "steps", "patterns", "warm", "words", "characters", "metaspace", "crossing"]
            ),
            *map(call_of, ["unigram", "sentencepiece unigram", "sentencepiece bpe"]),
            call_of("llama3", add_special_tokens=True, max_length=5),
            call([[b"a b"], [b""]], GPT2),
            call([], GPT2),
        ],
        small=call([b"ab c", b"d"], GPT2),
        strategy=calls,
        draw=drawn,
        errors=encode_errors(op),
    )


class TestSubwordEncode(OpTests):
    suite = suite_of("subword_encode", encode_ref)


class TestSubwordEncodeSpans(OpTests):
    suite = suite_of("subword_encode_spans", spans_ref)


def test_a_long_word_of_sentencepiece_with_many_scores():
    """The ranks of scores have more than 11 bits, and some are equal."""
    random = Random(0)
    letters = "abcdefgh"
    texts = [*letters, *(a + b for a in letters for b in letters)]
    texts += ["".join(random.choices(letters, k=random.randint(3, 6))) for _ in range(9000)]
    pieces = [b"", *(text.encode() for text in dict.fromkeys(texts))]
    scores = [random.choice([-0.25, -0.5]) * random.randrange(6000) for _ in pieces]
    numbers = [(id, *struct.unpack(">ii", struct.pack(">d", score))) for id, score in enumerate(scores)]
    spec = "subword 1\nmodel sentencepiece_bpe\nunk 0\nnormalize sentencepiece 0 0 0 0\ndecode sentencepiece 1\n"
    table = torch.ops.stringops.subword_build(*compact(pieces), torch.tensor(numbers), spec)
    word = "".join(random.choices(letters, k=1500)).encode()
    expected = SentencePiece(pieces, numbers, spec).encode_one(word, False, -1)
    ids, _ = torch.ops.stringops.subword_encode(*compact([word]), table)
    assert ids.tolist() == [id for id, _ in expected]


def test_a_table_with_pieces_of_ids_that_are_too_large():
    """The greatest ids that a trie has room for; the upper bits of the other words' ids count them."""
    pieces, _, _ = definition("wordpiece")
    spec = "subword 1\nmodel wordpiece 2323 20\nunk 0\nsplit bert\n"
    table = torch.ops.stringops.subword_build(*compact(pieces), NO_ROWS, spec)
    units = table[slice(*piece_trie(table))].view(torch.int64)
    assert (units >> 41).max() == 27
    units[units >> 41 > 0] |= -1 << 41
    strings = compact([b"abb tobe xxx abab"] * 50)
    found, row_splits = torch.ops.stringops.subword_encode(*strings, table)
    assert len(found) == row_splits[-1] <= 50 * 17


def test_a_table_of_wordpiece_with_merges_does_not_merge():
    """It has no ids of bytes, which merging would read."""
    table = TABLES["wordpiece"].clone()
    sections = sections_of(table)
    assert sections[BYTE_IDS, 1] == sections[MADE, 1] == 0
    sections[MADE, 1] = 64
    strings = compact([b"abb tobe xxx abab", b"xyzzy" * 5])
    for found, expected in zip(
        *(torch.ops.stringops.subword_encode(*strings, t) for t in (table, TABLES["wordpiece"])), strict=True
    ):
        assert found.tolist() == expected.tolist()


# Sections and sizes that they must not have: a hash selects a slot of each table, and a byte an element of each array.
SIZES = [
    *((section, 0) for section in (PAIRS, PILOTS, SHORT_WORDS, LONG_WORDS)),
    *((BYTE_IDS, 4 * 255), (SHORT_WORDS, 32), (SHORT_WORDS, 96), (LONG_WORDS, 96)),
    *((STEPS, 16 * 33), (TEMPLATE, 4 * 1025)),
]


@each("name", BYTE_LEVEL)
@each(("section", "size"), SIZES)
def test_a_table_with_a_section_of_another_size_is_an_error(name: str, section: int, size: int):
    table = TABLES[name].clone()
    sections = sections_of(table)
    assert sections[section, 1] != size
    sections[section, 1] = size
    with pytest.raises((ValueError, RuntimeError), match="as subword_build returns it"):
        torch.ops.stringops.subword_encode(*compact(PIECES), table)


@pytest.mark.parametrize("pilot", [0, 1, -1])
def test_a_table_with_other_pilots_of_pairs(pilot: int):
    """Each gives the pairs slots within the table."""
    table = TABLES["gpt2"].clone()
    sections = sections_of(table)
    begin, size = sections[PILOTS].tolist()
    table[begin : begin + size].view(torch.int16).fill_(pilot)
    ids, row_splits = torch.ops.stringops.subword_encode(*compact([b"abb tobe xxx abab"] * 50), table)
    assert len(ids) == row_splits[-1] <= 50 * 17


@each("text", [b"a1" * 500, b"a1,2" * 70 + b"abb tobe" * 30, b" " + b"1a" * 45 + b" tobe" * 9])
@each("name", BYTE_LEVEL)
def test_a_text_of_short_words(name: str, text: bytes):
    """Up to 64 words begin in a block of 64 bytes. Spans are found string by string, without blocks."""
    strings = compact([text, text[1:], text[:-1]] * 3)
    ids, row_splits = torch.ops.stringops.subword_encode(*strings, TABLES[name])
    expected = torch.ops.stringops.subword_encode_spans(*strings, TABLES[name])
    assert ids.tolist() == expected[0].tolist()
    assert row_splits.tolist() == expected[1].tolist()


@pytest.mark.parametrize("right", [lambda i: i, lambda _: 65, lambda i: i % 256, lambda i: 7 * i % 3000])
def test_merges_of_symbols_in_sequence(right: Callable[[int], int]):
    """Of which the hashes of a table without collisions are regular."""
    pieces = [bytes([i]) for i in range(256)] + [b"<%d>" % i for i in range(2744)]
    merges = torch.tensor([[i, right(i), 256 + i % 2744] for i in range(3000)])
    table = torch.ops.stringops.subword_build(*compact(pieces), merges, f"{PLAIN}bytes 1\n")
    ids, _ = torch.ops.stringops.subword_encode(*compact([bytes([5, right(5)])]), table)
    assert ids.tolist() == [256 + 5]


@each("i", [837, 982, 1719, 2236])
def test_settings_whose_hash_leads_bytes_to_few_slots(i: int):
    pieces = [bytes([i]) for i in range(256)] + [bytes([97 + i % 26, 98 + i // 26]) for i in range(200)]
    table = torch.ops.stringops.subword_build(*compact(pieces), NO_ROWS, f"{PLAIN}name {i} 61\ndecode bytelevel\n")
    assert torch.ops.stringops.subword_encode(*compact([b"ab"]), table)[0].tolist() == [97, 98]


@pytest.mark.parametrize("count", [1, 40, 5000])
def test_of_many_equal_merges_the_last_one_counts(count: int):
    """More than chance puts into one bucket of the table."""
    pieces = [bytes([i]) for i in range(256)] + [b"ab", b"bc", b"other"]
    a, b, c = b"abc"
    merges = [[a, b, 258]] * count + [[b, c, 257], [a, b, 256]]
    table = torch.ops.stringops.subword_build(*compact(pieces), torch.tensor(merges), f"{PLAIN}bytes 1\n")
    ids, _ = torch.ops.stringops.subword_encode(*compact([b"abcxab"]), table)
    assert ids.tolist() == [a, 257, ord("x"), 256]


@pytest.mark.parametrize("name", ["characters", "metaspace"])
def test_a_table_whose_steps_have_no_texts_is_an_error(name: str):
    table = TABLES[name].clone()
    sections = sections_of(table)
    begin, size = sections[STEPS].tolist()
    table[begin : begin + size].view(torch.int16).reshape(-1, 8)[:, 6:] = 0  # the positions of their texts
    torch.ops.stringops.subword_encode(*compact(PIECES), table)
    sections[STEP_ENDS, 1] = 0
    with pytest.raises((ValueError, RuntimeError), match="as subword_build returns it"):
        torch.ops.stringops.subword_encode(*compact(PIECES), table)


def piece_trie(table: Tensor) -> tuple[int, int]:
    """Where the trie of pieces begins and ends: the last section of a table."""
    sections = sections_of(table)[:24]
    begin, size = sections[sections[:, 1] > 0][-1].tolist()
    return begin, begin + size
