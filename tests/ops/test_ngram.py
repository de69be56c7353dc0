"""string_char_ngrams_ragged."""

from collections.abc import Iterator

import pytest
from hypothesis import strategies as st
from reference.ngram import string_char_ngrams_ragged_ref
from support import draws, large, strategies
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call

from torch_stringops import StringTensor, string_char_ngrams_ragged


@st.composite
def calls(draw: st.DrawFn) -> Call:
    smallest = draw(st.integers(1, 4))
    largest = smallest + draw(st.one_of(st.integers(0, 4), st.just(2**62)))
    return call(draw(strategies.tensors), smallest, largest, marks=draw(st.booleans()))


def drawn(rng: draws.Random, n: int) -> Call:
    smallest = rng.randrange(1, 4)
    return call(draws.strings(rng, n), smallest, smallest + rng.randrange(4), marks=rng.random() < 0.5)


def too_large() -> Iterator[tuple[str, Call]]:
    yield large.BYTES, call(large.same_rows(large.MEBIBYTE, 2048), 1, 1)
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
            (call([b"a"], 0, 1), "string_char_ngrams_ragged: expected `min` >= 1, got 0"),
            (call([b"a"], 3, 2), "string_char_ngrams_ragged: expected `max` >= `min` (3), got 2"),
        ],
    )


def test_method_and_function():
    s = StringTensor.from_list(["so"])
    want = ["<s", "<so", "s", "so", "so>", "o", "o>"]
    assert s.char_ngrams_ragged(1, 3, marks=True)[0].tolist() == want
    assert string_char_ngrams_ragged(["so"], 1, 3, marks=True)[0].tolist() == want
    with pytest.raises(BAD_ARGUMENT, match="expected `min` >= 1, got 0"):
        string_char_ngrams_ragged(["so"], 0, 3)
