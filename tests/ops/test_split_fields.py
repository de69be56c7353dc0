"""string_rsplit_ragged and string_splitlines_ragged; and the functions that return a tensor for each field."""

import itertools
import random

import pytest
from reference.split import string_rsplit_ragged_ref, string_splitlines_ragged_ref
from support.families import RaggedSuite, RaggedTests
from support.harness import call
from support.traced import check_traced

import torch_stringops as so
from torch_stringops import StringTensor

FIELDS = [b"a,b,,c,", b",", b"", b"x", b"a::b", b":::", b"aaaaa", "caf\u00e9,\u65e5".encode(), b"\xff,\xff"]
SPACES = [
    b"  a  b\t c  ", b" ", b"\xe3\x80\x80x\xc2\xa0y\xe2\x80", b"\x80\x80 b", b"a \xc2\x85", b"ab cd " * 30,
]  # fmt: skip


class TestStringRsplitRagged(RaggedTests):
    suite = RaggedSuite(
        op="string_rsplit_ragged",
        reference=string_rsplit_ragged_ref,
        samples=[
            call(SPACES),
            call([SPACES, SPACES], "", 2),
            call(FIELDS, ",", 1),
            call(FIELDS, "::"),
            call(FIELDS, "aa"),
            call(FIELDS, "aa", 1),
            call(FIELDS, ",", 0),
            call(SPACES, "", 0),
            call([b"-=" * 40_000, b"=-" * 99, b"-=-" * 5], "-=-", 2**63 - 1),
            call([b"ab,cd," * 3000, b"," * 9001, b"x" * 70_000], ",", 40),
        ],
        text=False,
    )


BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
OTHERS = ["\x1f", "\t", "\x1b", "\u2027", "\u202a", "\x84", "\x86", "\u00e9", "\u3000"]


class TestStringSplitlinesRagged(RaggedTests):
    suite = RaggedSuite(
        op="string_splitlines_ragged",
        reference=string_splitlines_ragged_ref,
        samples=[
            call([f"a{b}b{b}{b}".encode() for b in BREAKS + OTHERS] + [b"", b"\n", b"\r\n\r", b"x"]),
            call([f"{b}some text{b}\u65e5\u672c{b}".encode() for b in BREAKS + OTHERS], True),
            call([b"\xc2", b"\xe2\x80", b"\xe2\x80\xa8\xff\n", b"\x85\n", b"a\xc2\n\x85"]),
            call([b"a line of text\n" * 6000, b"\n" * 9001, "\u65e5\u672c\u2028".encode() * 3000], True),
        ],
        text=False,
    )


@pytest.mark.parametrize("keepends", [False, True])
def test_line_boundaries_at_each_position(keepends: bool):
    rows = [f"{'x' * n}{b}{'y' * (20 - n)}".encode() for b in BREAKS + OTHERS for n in range(20)]
    lines, row_splits = StringTensor.from_list(rows).splitlines_ragged(keepends)
    want = [string_splitlines_ragged_ref(row, keepends) for row in rows]
    assert lines.tolist(as_bytes=True) == list(itertools.chain(*want))
    assert row_splits.diff().tolist() == list(map(len, want))


def test_every_short_string_is_split_from_its_end():
    texts = [bytes(t) for n in range(6) for t in itertools.product(b"a, b", repeat=n)]
    s = StringTensor.from_list(texts)
    delimiters = ["".join(d) for n in (0, 1, 2, 3) for d in itertools.product("a, ", repeat=n)]
    for delimiter, maxsplit in itertools.product(delimiters, (-1, 0, 1, 2)):
        pieces, row_splits = s.rsplit_ragged(delimiter, maxsplit)
        want = [string_rsplit_ragged_ref(text, delimiter, maxsplit) for text in texts]
        assert pieces.tolist(as_bytes=True) == list(itertools.chain(*want)), (delimiter, maxsplit)
        assert row_splits.diff().tolist() == list(map(len, want))


RNG = random.Random(3)
TEXTS = ["".join(RNG.choices("ab=\u00e9 ", k=RNG.randrange(12))) for _ in range(300)]
RAW = [text.encode() for text in TEXTS] + [b"\xff=\xff==", b"==="]


@pytest.mark.parametrize("sep", ["=", "==", "a=a", "\u00e9", b"\xa9", b"\xff"])
def test_partitions_are_those_of_python(sep: str | bytes):
    s = StringTensor.from_list(RAW)
    raw = sep if isinstance(sep, bytes) else sep.encode()
    for function, of_python in ((so.string_partition, bytes.partition), (so.string_rpartition, bytes.rpartition)):
        parts = [part.tolist(as_bytes=True) for part in function(s, sep)]
        assert list(zip(*parts, strict=True)) == [of_python(string, raw) for string in RAW]


def test_shapes_of_partitions():
    for function in (so.string_partition, so.string_rpartition):
        assert [part.tolist() for part in function("k=v", "=")] == ["k", "=", "v"]
        assert [part.tolist() for part in function([["k=v"], ["x="]], "=")] == [
            [["k"], ["x"]], [["="], ["="]], [["v"], [""]]
        ]  # fmt: skip
        assert [part.shape for part in function(StringTensor.from_list([[], []]), "=")] == [(2, 0)] * 3
        with pytest.raises(ValueError, match=f"^{function.__name__}: expected `sep` of at least one byte, got"):
            function("a", "")
        with pytest.raises(TypeError, match=f"^{function.__name__}: expected `sep` to be str or bytes, got N"):
            function("a", None)
    # A slice, whose offsets do not begin at 0, and reversed rows.
    s = StringTensor.from_list([["a=b", "c"], ["=d", "e="]])
    assert [part.tolist() for part in s.flip(0)[:, 1:].rpartition("=")] == [
        [["e"], [""]],
        [["="], [""]],
        [[""], ["c"]],
    ]


@pytest.mark.parametrize("delimiter", ["=", "==", ""])
def test_exact_fields_are_those_of_python(delimiter: str):
    s = StringTensor.from_list(TEXTS)
    for n in (0, 1, 3):
        fields = s.split_exact(delimiter, n)
        rows = [text.split(delimiter or None)[: n + 1] for text in TEXTS]
        want = [[*row, *[""] * (n + 1 - len(row))] for row in rows]
        assert [list(row) for row in zip(*(field.tolist() for field in fields), strict=True)] == want


def test_exact_fields_are_those_of_polars():
    pl = pytest.importorskip("polars")
    want = pl.Series(TEXTS).str.split_exact("=", 2).struct.unnest()
    for field, column in zip(so.string_split_exact(TEXTS, "=", 2), want, strict=True):
        assert field.tolist() == column.fill_null("").to_list()


def test_shapes_and_errors_of_exact_fields():
    key, value = so.string_split_exact([["a=b"], ["c"]], "=", 1)
    assert (key.tolist(), value.tolist()) == ([["a"], ["c"]], [["b"], [""]])
    assert [field.tolist() for field in so.string_split_exact("a b c", None, 1)] == ["a", "b"]
    assert [field.shape for field in so.string_split_exact([], "=", 1)] == [(0,), (0,)]
    for n in (-1, 2**16 + 1):
        with pytest.raises(ValueError, match="^string_split_exact: expected `n` within"):
            so.string_split_exact(["a"], ",", n)


def test_functions_are_traced():
    def f(s: StringTensor) -> list[StringTensor]:
        lines, _ = s.splitlines_ragged()
        words, row_splits = lines.rsplit_ragged("=", 1)
        return [*s.partition("="), *s.rpartition("="), *s.split_exact("=", 2), so.ragged_to_dense(words, row_splits, 2)]

    check_traced(f, StringTensor.from_list(["a=b\nc=d=e", "", "=", "x"]))
