"""tokenize_encode, against string_lower, tokenizer_ragged and vocab_encode."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from ops import test_tokenizer
from reference.case import string_lower_ref
from reference.tokenizer import tokenize_encode_ref, tokenizer_ragged_ref
from support import draws, large
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact
from support.vocabularies import table_of

import torch_stringops as so

UNKNOWN: list[dict[str, int]] = [{}, {"unknown_id": 5}, {"num_oov_buckets": 1}]


SMALL = table_of([b"hello", b"a", b"foobar", b"ab", "été".encode()])


def encoded(of: Call, lower: bool, every: int = 2, **unknown: int) -> Call:
    """The call of tokenizer_ragged as one of tokenize_encode, where one of `every` distinct tokens is known."""
    rules = {k: v for k, v in of.kwargs.items() if k not in ("mark", "pad_value")}
    flat = draws.flatten(of.args[0])
    text = [string_lower_ref(s) for s in flat] if lower else flat
    tokens = sorted(set(tokenizer_ragged_ref(text, mark=False, **rules)[0]))
    return call(of.args[0], table_of(tokens[::every]), **rules, lower=lower, **unknown)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    of = draw(test_tokenizer.calls(padded=False))
    return encoded(of, draw(st.booleans()), draw(st.integers(1, 3)), **draw(st.sampled_from(UNKNOWN)))


def drawn(rng: draws.Random, n: int) -> Call:
    return encoded(test_tokenizer.drawn(rng, n), rng.random() < 0.5, **rng.choice(UNKNOWN))


def too_large() -> Iterator[tuple[str, Call]]:
    yield large.STRINGS, call(large.same_rows(b"," * 2**20, 2048), SMALL, tokenexp=",")


def errors() -> Iterator[tuple[Call, str]]:
    of_rules = [(bad, text) for bad, text in test_tokenizer.ERRORS if "of shape" not in text]
    for bad, text in of_rules:
        rules = {k: v for k, v in bad.kwargs.items() if k not in ("mark", "pad_value")}
        yield call(bad.args[0], SMALL, **rules), f"tokenize_encode: {text}"
    yield (
        call([b"a"], SMALL.int(), tokenexp="a"),
        "tokenize_encode: expected `table` to be uint8, got int32 (convert with .to(torch.uint8))",
    )
    yield (
        call([b"a"], SMALL, tokenexp="a", num_oov_buckets=-1),
        "tokenize_encode: expected `num_oov_buckets` within [0, 2**62], got -1",
    )
    # Positions are those of the lower-cased text, in which the first character has 3 bytes instead of 2.
    yield (
        call([b"a", "\u0130".encode() + b"\xff"], SMALL, tokenexp="a", lower=True),
        "tokenize_encode: invalid UTF-8 in row 1 at byte 3",
    )


class TestTokenizeEncode(OpTests):
    suite = OpSuite(
        op="tokenize_encode",
        reference=tokenize_encode_ref,
        samples=[
            *(encoded(of, lower=False) for of in test_tokenizer.SAMPLES + test_tokenizer.LONG),
            *(encoded(of, lower=True, num_oov_buckets=1) for of in test_tokenizer.SAMPLES),
            call([[["Été".encode(), b"Hello A"]], [["\u0130a".encode(), b""]]], SMALL, tokenexp=r"\pL+", lower=True),
            call([[["Été".encode(), b"a"]], [["\u0130a".encode(), b""]]], SMALL, tokenexp="[a-zé]+", unknown_id=7),
            call([b"Hello HELLO hello " * 3] * 3000, SMALL, tokenexp="[a-z]+", lower=True),
            call([b"HELLO, a"] * 3000, SMALL, tokenexp=r"\w+|,", unknown_id=-(2**40), lower=True),
        ],
        strategy=calls(),
        draw=drawn,
        too_large=too_large,
        errors=list(errors()),
        small=call([b"ab c", b"d"], SMALL, tokenexp="[a-z]+"),
        fresh=test_tokenizer.FRESH,
        exclusive=("separators", "tokenexp"),
    )  # fmt: skip


@each("size", range(8184, 8200))
@each("tokenexp", ["b+", "[a-c]", "[a-c]+"])
def test_tokens_that_end_around_the_end_of_a_block(size: int, tokenexp: str, tier: str):
    rows = [b"a," + b"b" * size + b",c", b"b" * size, b"," + b"b" * 20_000 + b",", b"", b"c"]
    known = table_of([b"a", b"b" * size, b"b" * 20_000, b"c", b"b"])
    ids, row_splits = torch.ops.stringops.tokenize_encode(*compact(rows), known, tokenexp=tokenexp)
    assert (ids.tolist(), row_splits.tolist()) == tokenize_encode_ref(rows, known, tokenexp=tokenexp)


@each("size", [8190, 8191, 8192, 8193, 20_000])
@each("rules", [{"tokenexp": "[a-z\u0131\u0307]+"}, {"separators": [r"\s+", ","]}])
def test_lower_case_by_blocks(size: int, rules: dict[str, Any], tier: str):
    # Lower case of the same size, of another size, and with a sigma that depends on what follows in its string.
    rows = [
        b"A," + b"B" * size,
        "\u0130".encode() * (size // 2) + b" C",
        "\u0391\u03a3 x\u03a3".encode(),
        b"",
        b"D" * size,
    ]
    lowered = [string_lower_ref(row) for row in rows]
    known = table_of([b"a", b"b" * size, lowered[1][:-2], b"c", "\u03b1\u03c2".encode(), b"d" * size])
    ids, row_splits = torch.ops.stringops.tokenize_encode(*compact(rows), known, lower=True, **rules)
    assert (ids.tolist(), row_splits.tolist()) == tokenize_encode_ref(lowered, known, **rules)


def test_lower_case_of_a_string_that_is_too_long_for_blocks():
    text, known = compact([b"A," + b"B" * 2**20 + b",C", b"D"]), table_of([b"a", b"b" * 2**20, b"d"])
    ids, row_splits = torch.ops.stringops.tokenize_encode(*text, known, lower=True, separators=[","])
    assert (ids.tolist(), row_splits.tolist()) == ([0, 1, -1, 2], [0, 3, 4])


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("rules", [{"tokenexp": r"\w+|[^\w\s]"}, {"separators": [r"\s+", ","]}])
def test_a_vocabulary_gives_the_ids_of_its_parts(rules: dict[str, Any], lower: bool):
    text = so.StringTensor.from_list([["To be, or", "NOT to be!"], ["", "Stra\u00dfe \u0130"]])
    vocabulary = so.Vocabulary(["<unk>", "to", "be", "To", "!"], unknown_token="<unk>", num_oov_buckets=0)
    tokens, splits = so.tokenizer_ragged(text.lower() if lower else text, **rules)
    ids, row_splits = vocabulary.tokenize_encode(text, lower=lower, **rules)
    assert torch.equal(ids, vocabulary.encode(tokens))
    assert torch.equal(row_splits, splits)
    assert vocabulary.split_encode(["TO be"], lower=True)[0].tolist() == [1, 2]


def test_one_string_and_a_pattern_outside_of_a_list():
    vocabulary = so.Vocabulary(["to", "be"])
    ids, row_splits = vocabulary.tokenize_encode("to be", separators=[" "])
    assert (ids.tolist(), row_splits.tolist()) == ([0, 1], [0, 2])
    with pytest.raises(TypeError, match="Vocabulary.tokenize_encode: expected `separators` to be a list"):
        vocabulary.tokenize_encode(["to be"], separators=" ")  # type: ignore[arg-type]
    assert list(chain(*vocabulary.tokenize_encode([], tokenexp="a"))) == [0]
