"""string_split and string_split_ragged."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import strategies as st
from reference.split import WHITESPACE, string_split_ragged_ref, string_split_ref
from support import draws, large, strategies
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact

import torch_stringops as so

COMPATS = ["reference", "onnxruntime"]
DELIMITERS = [
    ",", "::", ":", " ", "a", "aa", "aba", "ab", "é", "日本", "\x00", ",,,", "word", "x" * 65, "a" * 64,
]  # fmt: skip

SAMPLES = [
    call([b"hello world", b"", b"  a  b\t c  ", b"\xe3\x80\x80x\xc2\xa0y"]),
    call([b"a,b,,c,", b",", b"", b"x"], ","),
    call([[b"a::b", b":::"], [b"", b"::::"]], "::", -1),
    call([b"  a  b  c  ", b"a ", b"  ", b"a  b \t"], "", 1),
    call([b"  a  b  c  ", b"a ", b"  ", b"a  b \t"], "", 1, compat="onnxruntime"),
    call([b"a,b,,c,", b"", b",,"], ",", 2, compat="onnxruntime"),
    call([b"", b"", b","], ",", compat="onnxruntime"),
    call([b"a||b|", b"|", b"", b"||", b"a|b", b"|||x"], "|", skip_empty=True),
    call([[b"a::b", b":::"], [b"", b"::::a::"]], "::", skip_empty=True),
    call([b"a||b||c", b"||a|b|", b"", b"|"], "|", 1, skip_empty=True),
    call([b"a||b||c", b"||a|b|", b"", b"|"], "|", 3, compat="onnxruntime", skip_empty=True),
    call([b"  a  b  c  ", b"  "], "", 1, compat="onnxruntime", skip_empty=True),
    call([]),
    call([[], []], ","),
    # Strings much longer than a block, and many strings per block.
    call([b"ab cd  " * 3000, b"x" * 10000, b" " * 9000, b"", b"y " * 3]),
    call([b"ab::cd:" * 1500, b":" * 9001, b"", b"x::y"] * 2, "::"),
    call([b"ab::cd:" * 1500, b":" * 9001, b"", b"x::y"] * 2, "::", skip_empty=True),
    call([b"k=v,", b"", b","] * 1500, ","),
    call([b"k=v,,", b"", b","] * 500, ",", skip_empty=True),
    call([b"," * 9000 + b"x", b"", b"a,,b," * 3000], ",", skip_empty=True),
    call(["日本\u3000語 ".encode() * 1500, "\u2003".encode() * 3001, b"\x80" * 9000]),
]

ERRORS = [(call([b"a"], compat="python"), "expected `compat` to be 'reference' or 'onnxruntime', got 'python'")]


@st.composite
def calls(draw: st.DrawFn) -> Call:
    strings = draw(strategies.tensors)
    delimiter = draw(st.one_of(st.just(""), st.sampled_from(DELIMITERS), st.text("a:, \u3000", max_size=3)))
    maxsplit = draw(st.one_of(st.just(-1), st.integers(-2, 5), st.just(2**63 - 1)))
    compat, skip_empty = draw(st.sampled_from(COMPATS)), draw(st.booleans())
    return call(strings, delimiter, maxsplit, compat=compat, skip_empty=skip_empty)


def drawn(rng: draws.Random, n: int) -> Call:
    delimiter = rng.choice(["", "", ",", "::", "aa", "aba", "é", "\x00", "x" * 64])
    maxsplit = rng.choice([-1, -1, -1, 0, 1, 2, 5, 2**63 - 1])
    compat = rng.choice(["reference", "reference", "onnxruntime"])
    return call(draws.strings(rng, n), delimiter, maxsplit, compat=compat, skip_empty=rng.random() < 0.5)


def too_large_padded() -> Iterator[tuple[str, Call]]:
    yield large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048), ",")
    yield large.PADDING + r"pieces .* offsets \(use string_split_ragged\)", call(large.long_row(), ",")
    # rows x (width + 1) = 2**31
    yield "padding 2048 rows to the 1048575 pieces", call(large.long_row(2**20 - 1, 2**11 - 1), ",")


def too_large_ragged() -> Iterator[tuple[str, Call]]:
    yield large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048), ",")


class TestStringSplit(OpTests):
    suite = OpSuite(
        op="string_split",
        reference=string_split_ref,
        samples=SAMPLES,
        strategy=calls(),
        errors=[(bad, f"string_split: {text}") for bad, text in ERRORS],
        draw=drawn,
        too_large=too_large_padded,
    )


class TestStringSplitRagged(OpTests):
    suite = OpSuite(
        op="string_split_ragged",
        reference=string_split_ragged_ref,
        samples=SAMPLES,
        strategy=calls(),
        errors=[(bad, f"string_split_ragged: {text}") for bad, text in ERRORS],
        draw=drawn,
        too_large=too_large_ragged,
    )


# Literal cases, written by hand from the specification.
@each(("text", "delimiter", "maxsplit", "want"), [
    ("a,b,,c,", ",", -1, ["a", "b", "", "c", ""]), (",", ",", -1, ["", ""]), ("", ",", -1, [""]),
    ("  a ", " ", -1, ["", "", "a", ""]), ("aaa", "aa", -1, ["", "a"]), ("aaaaa", "aa", -1, ["", "", "a"]),
    ("a,b,,c,", ",", 2, ["a", "b", ",c,"]), ("a,b,,c,", ",", 0, ["a,b,,c,"]), ("a,b", ",", 2**63 - 1, ["a", "b"]),
    ("  a  b  c  ", "", 0, ["a  b  c  "]), ("  a  b  c  ", "", 1, ["a", "b  c  "]),
    ("  a  b  c  ", "", 2, ["a", "b", "c  "]), ("  a  b  c  ", "", 3, ["a", "b", "c"]), ("a ", "", 1, ["a"]),
    (" \t\n", "", -1, []), ("a\u200bb\ufeffc", "", -1, ["a\u200bb\ufeffc"]), ("a\x00b c", "", -1, ["a\x00b", "c"]),
])  # fmt: skip
def test_literal_cases(text: str, delimiter: str, maxsplit: int, want: list[str], tier: str):
    pieces, row_splits = so.string_split_ragged(so.StringTensor.from_list([text]), delimiter, maxsplit)
    assert pieces.tolist() == want
    assert row_splits.tolist() == [0, len(want)]


@each(("text", "delimiter", "maxsplit", "want"), [
    ("a||b|", "|", -1, ["a", "b"]),
    ("|", "|", -1, []),
    ("", "|", -1, []),
    ("||a", "|", -1, ["a"]),
    ("a", "|", -1, ["a"]),
    # Every delimiter counts as a cut, also those of skipped pieces.
    ("a||b||c", "|", 1, ["a", "|b||c"]),
    ("a||b||c", "|", 2, ["a", "b||c"]),
    ("||a", "|", 1, ["|a"]),
    ("a|", "|", 1, ["a"]),
    ("|", "|", 0, ["|"]),
    ("", "|", 0, []),
    (":::a:::", "::", -1, [":a", ":"]),
    ("aaaba", "aa", -1, ["aba"]),
    # Splitting at whitespace gives no empty pieces.
    ("  a  b  ", "", 1, ["a", "b  "]),
])  # fmt: skip
def test_literal_cases_without_empty_pieces(text: str, delimiter: str, maxsplit: int, want: list[str], tier: str):
    strings = so.StringTensor.from_list([text])
    pieces, row_splits = so.string_split_ragged(strings, delimiter, maxsplit, skip_empty=True)
    assert pieces.tolist() == want
    assert row_splits.tolist() == [0, len(want)]
    padded, counts = so.string_split(strings, delimiter, maxsplit, skip_empty=True)
    assert padded.tolist() == [want]
    assert counts.tolist() == [len(want)]


@each("whitespace", WHITESPACE)
def test_each_whitespace_character_separates_at_each_position_of_a_block(whitespace: bytes, tier: str):
    rows = [b"x" * n + whitespace + b"y" * (70 - n) for n in range(70)]
    data, offsets = compact(rows)
    pieces, _ends, row_splits = torch.ops.stringops.string_split_ragged(data, offsets)
    assert torch.equal(row_splits, torch.arange(71) * 2 - (torch.arange(71) > 0).long() * 1), "the first has one piece"
    assert bytes(pieces.numpy()) == b"".join(rows).replace(whitespace, b"")


def test_separators_do_not_extend_across_strings(tier: str):
    rows = [b"a\xe3", b"\x80\x80b", b"c\xe3\x80", b"\x80d", b"\xc2", b"\x85", b"\xe2", b"\x80", b"\x83"]
    assert torch.ops.stringops.string_split_ragged(*compact(rows))[2].tolist() == list(range(len(rows) + 1))
    pieces = so.string_split_ragged(["a:", ":b", ":", ":", "::"], "::")[0]
    assert pieces.tolist() == ["a:", ":b", ":", ":", "", ""]


def test_delimiter_may_be_bytes_that_are_not_utf8():
    assert so.string_split_ragged(so.StringTensor.from_list(["é"]), b"\xa9")[0].offsets.tolist() == [0, 1, 1]


def test_scalar_string():
    pieces, count = so.string_split(so.StringTensor.from_list("to be"))
    assert pieces.tolist() == ["to", "be"]
    assert count.shape == ()
    assert count.item() == 2


def test_none_is_whitespace():
    texts = ["a b", "", "  c"]
    table = so.vocab_build(["a", "c"])
    vocabulary = so.Vocabulary(["a", "c"])
    for of_none, of_empty in (
        (so.string_split(texts, None), so.string_split(texts)),
        (so.string_split_ragged(texts, None), so.string_split_ragged(texts)),
        (so.split_encode(texts, table, None), so.split_encode(texts, table)),
        (vocabulary.split_encode(texts, None), vocabulary.split_encode(texts)),
        (so.as_strings(texts).split(None), so.string_split(texts)),
        (so.as_strings(texts).split_ragged(None), so.string_split_ragged(texts)),
    ):
        assert [t.tolist() for t in of_none] == [t.tolist() for t in of_empty]
    for split in (so.string_split, so.string_split_ragged, so.as_strings(texts).split_ragged):
        for wrong in (0, [], False):
            given = (wrong,) if split.__name__ == "split_ragged" else (texts, wrong)
            with pytest.raises(TypeError, match="expected `delimiter` to be str, got"):
                split(*given)
