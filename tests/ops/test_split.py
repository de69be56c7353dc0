"""string_split and string_split_ragged."""

import itertools
from collections.abc import Iterator

import pytest
import torch
from hypothesis import strategies as st
from reference.split import WHITESPACE, string_split_ragged_ref, string_split_ref
from support import draws, large, strategies
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact
from support.threads import on_threads

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

ERRORS = [
    (
        call([b"a"], compat="python"),
        "expected `compat` to be 'reference' or 'onnxruntime', got 'python'",
    ),
]


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


@each(
    ("text", "delimiter", "maxsplit", "want"),
    [
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
    ],
)
def test_literal_cases_without_empty_pieces(text: str, delimiter: str, maxsplit: int, want: list[str], tier: str):
    strings = so.StringTensor.from_list([text])
    pieces, row_splits = so.string_split_ragged(strings, delimiter, maxsplit, skip_empty=True)
    assert pieces.tolist() == want
    assert row_splits.tolist() == [0, len(want)]
    padded, counts = so.string_split(strings, delimiter, maxsplit, skip_empty=True)
    assert padded.tolist() == [want]
    assert counts.tolist() == [len(want)]


@each("size", range(8180, 8205))
@each("delimiter", [b",", b"::", b":,:"])
def test_empty_pieces_around_the_end_of_a_block_are_skipped(size: int, delimiter: bytes, tier: str):
    rows = [b"a" * size + 3 * delimiter + b"b" * n + delimiter for n in range(3)]
    data, offsets = compact(rows)
    pieces, ends, row_splits = torch.ops.stringops.string_split_ragged(
        data, offsets, delimiter.decode(), skip_empty=True
    )
    assert row_splits.tolist() == [0, 1, 3, 5]
    assert bytes(pieces.numpy()) == b"".join(rows).replace(delimiter, b"")
    assert ends.diff().tolist() == [size, size, 1, size, 2]


@each("whitespace", WHITESPACE)
def test_each_whitespace_character_separates_at_each_position_of_a_block(whitespace: bytes, tier: str):
    rows = [b"x" * n + whitespace + b"y" * (70 - n) for n in range(70)]
    data, offsets = compact(rows)
    pieces, _ends, row_splits = torch.ops.stringops.string_split_ragged(data, offsets)
    assert torch.equal(row_splits, torch.arange(71) * 2 - (torch.arange(71) > 0).long() * 1), "the first has one piece"
    assert bytes(pieces.numpy()) == b"".join(rows).replace(whitespace, b"")


def test_whitespace_does_not_extend_across_strings(tier: str):
    rows = [b"a\xe3", b"\x80\x80b", b"c\xe3\x80", b"\x80d", b"\xc2", b"\x85", b"\xe2", b"\x80", b"\x83"]
    data, offsets = compact(rows)
    _, _, row_splits = torch.ops.stringops.string_split_ragged(data, offsets)
    assert row_splits.tolist() == list(range(len(rows) + 1))


def test_delimiters_do_not_extend_across_strings(tier: str):
    assert so.string_split_ragged(so.StringTensor.from_list(["a:", ":b", ":", ":", "::"]), "::")[0].tolist() == [
        "a:", ":b", ":", ":", "", ""
    ]  # fmt: skip


def test_delimiter_may_be_bytes_that_are_not_utf8():
    assert so.string_split_ragged(so.StringTensor.from_list(["é"]), b"\xa9")[0].offsets.tolist() == [0, 1, 1]


def test_scalar_string():
    pieces, count = so.string_split(so.StringTensor.from_list("to be"))
    assert pieces.tolist() == ["to", "be"]
    assert count.shape == ()
    assert count.item() == 2


@pytest.mark.check
@each("skip_empty", [False, True])
@each("delimiter", ["", ",", "::", "aba"])
@each("maxsplit", [-1, 3, 15_000, 10**9])
def test_one_long_string_is_divided_among_threads(maxsplit: int, delimiter: str, skip_empty: bool):
    text = b"lorem, ipsum :: dolor:::ababa  sit\xe3\x80\x80amet," * 10_000
    rows = [b"first", text, b"", text[:50_000]]
    pieces, ends = string_split_ragged_ref(rows, delimiter, maxsplit, skip_empty=skip_empty)
    want_data = b"".join(pieces)
    want_offsets = torch.tensor([0, *itertools.accumulate(map(len, pieces))], dtype=torch.int32)
    data, offsets = compact(rows)
    for threads in (1, 2, 3):
        with on_threads(threads):
            got = torch.ops.stringops.string_split_ragged(data, offsets, delimiter, maxsplit, skip_empty=skip_empty)
            padded, padded_ends, counts = torch.ops.stringops.string_split(
                data, offsets, delimiter, maxsplit, skip_empty=skip_empty
            )
        assert bytes(got[0].numpy()) == want_data
        assert torch.equal(got[1], want_offsets)
        assert got[2].tolist() == ends
        assert torch.equal(padded, got[0])
        assert torch.equal(counts, got[2].diff())
        for row, (first, last) in enumerate(itertools.pairwise(ends)):
            assert torch.equal(padded_ends[row, : last - first + 1], want_offsets[first : last + 1])
            assert (padded_ends[row, last - first :] == want_offsets[last]).all()


LONG_DELIMITERS = {
    "equal bytes": ["-" * n for n in (3, 4, 7, 8, 9, 63, 64, 65, 300, 5000)],
    "overlapping": ["-=-", "-=-=-", "-=" * 4 + "-", "-=" * 32 + "-", "--=--=----=--=--"],
    "resembling": ["-" * 50 + "=" + "-" * 49, "-" * 999 + "=", "-" * 4096, "-" * 4097],
}


@each("maxsplit", [-1, 3])
@each("skip_empty", [False, True])
@each("kind", LONG_DELIMITERS)
def test_delimiters_of_several_bytes(kind: str, skip_empty: bool, maxsplit: int, tier: str):
    for delimiter in LONG_DELIMITERS[kind]:
        d = delimiter.encode()
        rows = [b"-" * n for n in (0, 1, 2, 3, 7, 8, 9, 64, 130)] + [
            b"a" + d,
            d,
            d + d[:-1],
            d + b"b" + d[1:] + d,
        ]
        rows += [b"-=" * 20_000, b"-" * 30_000, (b"x" * 8000 + d) * 3 + d[:-1], (b"-" * 49 + b"=") * 300 + d]
        rows += rows[:13] * 20
        data, offsets = compact(rows)
        pieces, ends, row_splits = torch.ops.stringops.string_split_ragged(
            data, offsets, delimiter, maxsplit, skip_empty=skip_empty
        )
        want, want_splits = string_split_ragged_ref(rows, delimiter, maxsplit, skip_empty=skip_empty)
        assert row_splits.tolist() == want_splits, len(delimiter)
        assert bytes(pieces.numpy()) == b"".join(want), len(delimiter)
        assert ends.tolist() == list(itertools.accumulate(map(len, want), initial=0)), len(delimiter)


@each("compat", COMPATS)
@each("maxsplit", [0, 1, 2, 5, 40, 3000, 2**63 - 1])
@each("delimiter", ["", ",", " , "])
def test_limits_of_strings_shorter_and_longer_than_a_block(delimiter: str, maxsplit: int, compat: str, tier: str):
    short = [b"a=1, b", b"  k , v ,w  ", b"", b" ", b",", b"x" * 70, b"a b c d e f g h i j k l m n o , p"]
    long = [
        b" , ".join([b"ab"] * 5000),
        b" " * 9000 + b"a b " + b" " * 20_000,
        b"a b c " + b"d" * 8190 + b" " * 9000,
    ]
    rows = [*(short * 300), *long, *short, *long[::-1], b"end of the last "]
    data, offsets = compact(rows)
    pieces, ends, row_splits = torch.ops.stringops.string_split_ragged(
        data, offsets, delimiter, maxsplit, compat=compat
    )
    want, want_splits = string_split_ragged_ref(rows, delimiter, maxsplit, compat=compat)
    assert row_splits.tolist() == want_splits
    assert bytes(pieces.numpy()) == b"".join(want)
    assert ends.tolist() == list(itertools.accumulate(map(len, want), initial=0))


def test_excessive_padding_is_rejected_before_allocation():
    rows = so.StringTensor.from_list(["a " * 100_000, *["b"] * 30_000])
    with pytest.raises(BAD_ARGUMENT, match=r"padding 30001 rows to the 100000 pieces .* \(use string_split_ragged\)"):
        so.string_split(rows)


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
