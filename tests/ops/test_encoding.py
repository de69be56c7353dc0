"""string_is_utf8, string_repair, string_codepoints, string_bytes, string_from_codepoints."""

import itertools
import re
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.encoding import codepoints_ref, string_from_codepoints_ref, string_is_utf8_ref, string_repair_ref
from support import draws, large
from support.cases import each
from support.families import MapSuite, MapTests, RaggedSuite, RaggedTests, ReduceSuite, ReduceTests
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import splits
from support.strings import compact, decode

from torch_stringops import StringTensor, string_from_bytes, string_from_codepoints

TEXT = ["abc", "caf\xe9", "\u65e5\u672c\u8a9e", "a\U0001f600b", "", "\U0010ffff\x7f\x80\u07ff\u0800\uffff"]
# Overlong, surrogates, above U+10FFFF, truncated in every place, continuations alone.
BROKEN = [
    b"\xff\xc3(", b"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", b"\xed\xa0\x80\xed\xbf\xbf",
    b"\xf4\x90\x80\x80\xf5\x80\x80\x80", b"\xe6\x97a\xf0\x9f\x98b\xf0\x9fc\xf0d\xc3",
    b"\x80\xbfabc\xf1\x80\x80\xe1\x80\xc2", "a\u65e5".encode() * 40 + b"\xf0\x9f\x98",
]  # fmt: skip


class TestStringIsUtf8(ReduceTests):
    suite = ReduceSuite(
        op="string_is_utf8", reference=string_is_utf8_ref, samples=[TEXT, BROKEN, TEXT + BROKEN], text=False
    )


class TestStringRepair(MapTests):
    suite = MapSuite(
        op="string_repair",
        reference=string_repair_ref,
        samples=[TEXT, call(BROKEN), call(TEXT + BROKEN, "ignore"), call([BROKEN, BROKEN[::-1]], "replace")],
        text=False,
        errors=[(call(["a"], "strict"), "expected `errors` to be 'replace' or 'ignore', got 'strict'")],
    )


def values_suite(op: str, values_of: Any) -> RaggedSuite:
    """The suite of an operator from strings to ragged rows of numbers; values_of(string) are those of one."""
    return RaggedSuite(
        op=op,
        reference=values_of,
        samples=[TEXT, call(BROKEN), call([TEXT[:3], BROKEN[:3]]), call([b"word", b"caf\xc3\xa9", b""] * 4000)],
        too_large=lambda: [(large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048)))],
        text=False,
    )


class TestStringCodepoints(RaggedTests):
    suite = values_suite("string_codepoints", codepoints_ref)


class TestStringBytes(RaggedTests):
    suite = values_suite("string_bytes", list)


def row_call(rows: list[list[int]], dtype: torch.dtype = torch.int32) -> Call:
    values = torch.tensor([v for row in rows for v in row], dtype=dtype)
    return call(values, splits([len(row) for row in rows]))


def drawn_rows(rng: draws.Random, n: int) -> Call:
    rows = [codepoints_ref(s) for s in draws.flatten(draws.strings(rng, n, utf8=True))]
    return row_call(rows, rng.choice([torch.int32, torch.int64]))


def too_many_values() -> list[tuple[str, Call]]:
    text = r"expected `values` of at most 2147483647 elements, got 2147483648 \(split the batch\)"
    return [(text, call(large.repeated(97, (2**31,), torch.int32), torch.tensor([0, 2**31])))]


points = st.one_of(st.integers(0, 0x7F), st.integers(0, 0x7FF), st.integers(0, 0xD7FF), st.integers(0xE000, 0x10FFFF))


def wrong(value: int, dtype: torch.dtype = torch.int32) -> tuple[Call, str]:
    return (
        row_call([[97, 98], [], [99, value, 0xD800]], dtype),
        "string_from_codepoints: expected `values` within 0 and 1114111, without surrogates (55296 to 57343), "
        f"got {value} at position 3",
    )


class TestStringFromCodepoints(OpTests):
    suite = OpSuite(
        op="string_from_codepoints",
        reference=string_from_codepoints_ref,
        samples=[
            row_call([[97, 98, 99], [], [233, 0x65E5, 0x1F600]]),
            row_call([[0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]], torch.int64),
            row_call([]),
            row_call([[], []]),
            row_call([list(range(97, 110)), [97] * 7 + [233] + [98] * 20, [0x65E5]] * 2000),
        ],
        strategy=st.builds(
            row_call, st.lists(st.lists(points, max_size=20), max_size=6), st.sampled_from([torch.int32, torch.int64])
        ),
        draw=drawn_rows,
        small=row_call([[97, 98], [99]]),
        too_large=too_many_values,
        errors=[
            wrong(0xD800),
            wrong(0xDFFF, torch.int64),
            wrong(0x110000),
            wrong(-1),
            wrong(2**40, torch.int64),
            (
                call(torch.tensor([97]), torch.tensor([0, 2])),
                "expected `row_splits` non-decreasing from 0 to 1 (values), got 2 after 0 at position 1",
            ),
            (call(torch.tensor([97.0]), torch.tensor([0, 1])), "expected `values` to be int32 or int64, got float32"),
            (call(torch.tensor([[97]]), torch.tensor([0, 1])), "expected `values` of rank 1, got shape [1, 1]"),
        ],
    )


@each("unit", [b"a", "\xe9".encode(), "\u65e5".encode(), "\U0001f600".encode(), b"\xff"])
def test_long_strings(unit: bytes, tier: str) -> None:
    """Strings longer than a block (8 KB), valid or with an invalid byte, at every alignment."""
    for size in (8190, 8191, 8192, 8193, 20_001):
        body = (unit * size)[:size]
        strings = [b"x", body, b"ab" + body, body + b"\x80c", b"", body]
        pair = compact(strings)
        ops = torch.ops.stringops
        assert ops.string_is_utf8(*pair).tolist() == [string_is_utf8_ref(s) for s in strings]
        for errors in ("replace", "ignore"):
            repaired = decode(*ops.string_repair(*pair, errors))
            assert repaired == [string_repair_ref(s, errors) for s in strings]
        values, row_splits = ops.string_codepoints(*pair)
        rows = [codepoints_ref(s) for s in strings]
        assert row_splits.tolist() == [0, *itertools.accumulate(map(len, rows))]
        assert values.tolist() == [v for row in rows for v in row]


def test_every_code_point_makes_the_round_trip():
    points = torch.cat([torch.arange(0xD800), torch.arange(0xE000, 0x110000)])
    strings = string_from_codepoints(points, torch.arange(points.numel() + 1))
    assert "".join(strings.tolist()) == "".join(map(chr, points.tolist()))
    assert strings.is_utf8().all()
    assert torch.equal(strings.codepoints()[0], points.int())
    assert torch.equal(strings.bytes()[0], strings.data)


def test_methods():
    s = StringTensor.from_list([[b"caf\xe9", "\u65e5"]])
    assert s.is_utf8().tolist() == [[False, True]]
    assert s.repair().tolist() == [["caf\ufffd", "\u65e5"]]
    assert s.repair(errors="ignore").tolist() == [["caf", "\u65e5"]]
    values, row_splits = s.codepoints()
    assert (values.tolist(), row_splits.tolist()) == ([99, 97, 102, 0xFFFD, 0x65E5], [0, 4, 5])
    values, row_splits = StringTensor.from_list("ab").bytes()
    assert (values.tolist(), row_splits.tolist()) == ([97, 98], [0, 2])
    with pytest.raises(TypeError, match="string_from_codepoints: expected `values` to be a Tensor"):
        string_from_codepoints({97}, torch.tensor([0, 1]))


def test_bytes_become_strings() -> None:
    data = torch.tensor([97, 195, 169, 98], dtype=torch.uint8)
    for given in ([0, 3, 3, 4], torch.tensor([0, 3, 3, 4]), torch.tensor([0, 3, 3, 4], dtype=torch.int32)):
        s = string_from_bytes(data, given)
        assert s.tolist() == ["aé", "", "b"]
        assert s.data.data_ptr() == data.data_ptr()  # a view
    values, row_splits = s.bytes()
    assert string_from_bytes(values, row_splits).tolist() == s.tolist()
    assert string_from_bytes(data.repeat_interleave(2)[::2], [0, 4]).tolist() == ["aéb"]
    assert string_from_bytes(data[:0], [0]).shape == (0,)


@pytest.mark.parametrize(("data", "row_splits", "text"), [
    (torch.zeros(2, dtype=torch.uint8), [0, 3], "expected `row_splits` non-decreasing from 0 to 2"),
    (torch.zeros(2, dtype=torch.uint8), [0, 2, 1, 2], "expected `row_splits` non-decreasing from 0 to 2"),
    (torch.zeros(2, dtype=torch.uint8), [1, 2], "expected `row_splits` non-decreasing from 0 to 2"),
    (torch.zeros(2, dtype=torch.uint8), [0, 2**32 + 2], "expected `row_splits` non-decreasing from 0 to 2"),
    (torch.zeros(2, dtype=torch.uint8), torch.zeros(0, dtype=torch.int32), "expected `row_splits` of shape [n + 1]"),
    (torch.zeros(2, dtype=torch.uint8), torch.zeros(2), "expected `row_splits` to be int64, got float32"),
    (torch.zeros(2, dtype=torch.int64), [0, 2], "expected `data` to be uint8, got int64"),
    (torch.zeros(2, 1, dtype=torch.uint8), [0, 2], "expected `data` of rank 1, got shape [2, 1]"),
])  # fmt: skip
def test_bytes_of_another_form_are_rejected(data: torch.Tensor, row_splits: Any, text: str) -> None:
    with pytest.raises(ValueError, match=f"^string_from_bytes: {re.escape(text)}"):
        string_from_bytes(data, row_splits)


def test_strings_of_bytes_are_traced() -> None:
    def f(data: torch.Tensor, row_splits: torch.Tensor) -> StringTensor:
        return string_from_bytes(data, row_splits).upper()

    traced = torch.compile(f, fullgraph=True, backend="aot_eager")
    data = torch.tensor([97, 98, 99], dtype=torch.uint8)
    assert traced(data, torch.tensor([0, 1, 3])).tolist() == ["A", "BC"]
    with pytest.raises((ValueError, RuntimeError), match="expected `row_splits` non-decreasing from 0 to 3"):
        traced(data, torch.tensor([0, 2**32, 3]))
