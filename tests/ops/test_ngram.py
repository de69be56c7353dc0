"""string_char_ngrams_ragged and string_ngrams_ragged."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import strategies as st
from reference.ngram import string_char_ngrams_ragged_ref, string_ngrams_ragged_ref
from support import draws, large, strategies
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import splits

from torch_stringops import StringTensor, string_char_ngrams_ragged, string_ngrams_ragged


@st.composite
def calls(draw: st.DrawFn) -> Call:
    smallest = draw(st.integers(1, 4))
    largest = smallest + draw(st.one_of(st.integers(0, 4), st.just(2**62)))
    return call(draw(strategies.tensors), smallest, largest, marks=draw(st.booleans()))


def drawn(rng: draws.Random, n: int) -> Call:
    smallest = rng.randrange(1, 4)
    return call(draws.strings(rng, n), smallest, smallest + rng.randrange(4), marks=rng.random() < 0.5)


def too_large() -> Iterator[tuple[str, Call]]:
    yield large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048), 1, 1)
    yield large.BYTES, call(large.same_rows(large.MEBIBYTE, 1), 1, 2**62)


class TestStringCharNgramsRagged(OpTests):
    suite = OpSuite(
        op="string_char_ngrams_ragged",
        reference=string_char_ngrams_ragged_ref,
        samples=[
            call([b"where", b"", b"a", "\u00e9t\u00e9".encode()], 3, 6, marks=True),
            call([b"where", b"", b"a", "\u65e5\u672c\u8a9e".encode()], 1, 2),
            call([[b"ab", b"\xff\xc3("], [b"\xe6\x97", b"x"]], 1, 3, marks=True),
            call([b"ab"], 3, 5),
            call([b"ab"], 1, 2**62),
            call([], 1, 1),
            call([[], []], 2, 3, marks=True),
            call([b"word", "caf\u00e9".encode(), b""] * 1500, 2, 4, marks=True),
        ],
        strategy=calls(),
        draw=drawn,
        small=call([b"ab c", b"d"], 2, 3),
        too_large=too_large,
        errors=[
            (call([b"a"], 0, 1), "expected `min` >= 1, got 0"),
            (call([b"a"], 3, 2), "expected `max` >= `min` (3), got 2"),
        ],
    )


def word_call(strings: list[bytes], lengths: list[int], n: list[int], separator: str = " ") -> Call:
    return call(strings, splits(lengths), n, separator)


@st.composite
def word_calls(draw: st.DrawFn) -> Call:
    rows = draw(st.lists(st.lists(strategies.strings, max_size=6), max_size=6))
    n = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    separator = draw(st.sampled_from(["", " ", "::"]))
    return word_call([s for row in rows for s in row], [len(row) for row in rows], n, separator)


def draw_words(rng: draws.Random, size: int) -> Call:
    strings = draws.flatten(draws.strings(rng, size))
    lengths = [len(strings) // 3, 0, len(strings) - len(strings) // 3]
    n = [rng.choice([1, 2, 3, 70]) for _ in range(rng.randrange(1, 3))]
    return word_call(strings, lengths, n, rng.choice(["", " ", "::"]))


def too_many_words() -> Iterator[tuple[str, Call]]:
    yield large.BYTES, word_call([b"a"] * 80_000, [80_000], [40_000])
    yield large.BYTES, word_call([b"a"] * 40_000, [40_000], [2], "x" * 2**16)
    yield large.BYTES, word_call([b""] * 80_000, [80_000], [40_000], "x" * 2**20)


class TestStringNgramsRagged(OpTests):
    suite = OpSuite(
        op="string_ngrams_ragged",
        reference=string_ngrams_ragged_ref,
        samples=[
            word_call([b"to", b"be", b"or", b"not"], [3, 0, 1], [2]),
            word_call([b"to", b"be", b"or", b"not"], [3, 0, 1], [1, 2, 1], "_"),
            word_call([b"a", b"", b"\xff"], [3], [2, 3], ""),
            word_call([b"a", b"", b"b"], [3], [2**31 - 1]),
            word_call([], [], [1]),
            word_call([], [0, 0], [2], "-"),
            word_call([b"word", b"", b"other words", b"x" * 200] * 600, [600, 0, 1800], [3, 100, 2], "::"),
        ],
        strategy=word_calls(),
        draw=draw_words,
        small=word_call([b"ab c", b"d"], [2], [2]),
        too_large=too_many_words,
        errors=[
            (word_call([b"a"], [1], []), "expected at least one `n`, got none"),
            (word_call([b"a"], [1], [1, 0]), "expected `n` from 1 to 2147483647, got 0"),
            (
                word_call([b"a", b"b"], [1], [1]),
                "expected `row_splits` non-decreasing from 0 to 2 (strings), got 1 after 0 at position 1",
            ),
        ],
    )


def test_ngrams_of_words():
    row_splits = torch.tensor([0, 3, 4])
    words = StringTensor.from_list(["to", "be", "or", "not"])
    ngrams, splits = string_ngrams_ragged(words, row_splits, 2, separator=b"_")
    assert (ngrams.tolist(), splits.tolist()) == (["to_be", "be_or"], [0, 2, 2])
    assert string_ngrams_ragged(["a", "b"], torch.tensor([0, 2]), (1, 2))[0].tolist() == ["a", "b", "a b"]
    with pytest.raises(TypeError, match="expected `n` to be an int or a list of ints, got float"):
        string_ngrams_ragged(words, row_splits, 2.0)


def test_method_and_function():
    s = StringTensor.from_list(["so"])
    want = ["<s", "<so", "s", "so", "so>", "o", "o>"]
    assert s.char_ngrams_ragged(1, 3, marks=True)[0].tolist() == want
    assert string_char_ngrams_ragged(["so"], 1, 3, marks=True)[0].tolist() == want
    with pytest.raises(BAD_ARGUMENT, match="expected `min` >= 1, got 0"):
        string_char_ngrams_ragged(["so"], 0, 3)
