"""string_equal, the operators of order, string_isin, distances and similarities."""

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.compare import (
    string_damerau_ref,
    string_edit_distance_ref,
    string_equal_ref,
    string_greater_equal_ref,
    string_greater_ref,
    string_isin_ref,
    string_jaccard_ref,
    string_jaro_winkler_ref,
    string_less_equal_ref,
    string_less_ref,
    string_ratio_ref,
)
from support import strategies
from support.errors import BAD_ARGUMENT
from support.families import ZipSuite, ZipTests
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact

from torch_stringops import StringTensor, string_equal

# Few and similar strings, of lengths around the eight bytes that are compared at once.
alike = st.sampled_from([b"", b"a", b"a\x00", b"abcdefg", b"abcdefgh", b"abcdefgi", b"abcdefghi", b"b" * 40, b"b" * 41])


@st.composite
def calls(draw: st.DrawFn) -> Call:
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    operands = []
    for _ in range(2):
        kept = [draw(st.sampled_from([size, 1])) for size in shape][draw(st.integers(0, len(shape) - 1)) :]

        def nest(sizes):
            return [nest(sizes[1:]) for _ in range(sizes[0])] if sizes else draw(alike)

        operands.append(nest(kept))
    return call(*operands)


# Strings that share a multiple of the 32 bytes that are compared first, or of the 64 of the steps after them, and one
# byte less or more.
LONG = [
    b"a" * n + end for n in (0, 31, 32, 33, 63, 64, 65, 95, 96, 97, 160) for end in (b"", b"\x00", b"b", b"\xff" * 3)
]


class TestStringEqual(ZipTests):
    suite = ZipSuite(
        op="string_equal",
        reference=string_equal_ref,
        samples=[
            call([b"a", b"b", b""], [b"a", b"c", b""]),
            call([[b"a"], [b"b\x00"]], [b"a", b"b", b"b\x00"]),
            call([[[b"x", b"y"]], [[b"z", b"y"]]], [[b"x"], [b"y"], [b"z"]]),
            call([], []),
            call([b"x"], []),
            call([b"word", b"other words"] * 4000, [b"word"]),
        ],
        strategy=calls(),
        text=False,
        too_large_when_traced=ZipSuite.too_many_pairs,
        errors=[
            (
                call([[b"a", b"b"]], [b"a", b"b", b"c"]),
                "string_equal: expected shapes that broadcast, got [1, 2] and [3]",
            ),
        ],
    )


def ordered(op: str, reference: Callable[[bytes, bytes], bool]) -> ZipSuite:
    return ZipSuite(
        op=op,
        reference=reference,
        samples=[
            call([b"a", b"b", b"", b"a"], [b"a", b"c", b"a", b"a\x00"]),
            call([[b"a"], [b"b\x00"]], [b"a", b"b", b"b\x00"]),
            call([b"abcdefgh", b"abcdefgh", b"abcdefghi"], [b"abcdefghi", b"abcdefgh", b"abcdefghj"]),
            call([b"\xff", "é".encode(), "日".encode()], ["😀".encode()]),
            call([], []),
            call([b"word", b"other words"] * 4000, [b"word"]),
            call([[a] for a in LONG], LONG),
            *(call(LONG, [a]) for a in (b"a" * 63, b"a" * 64, b"")),
            call([b"ab"] + [b""] * 70, [b"a"] + [b""] * 69 + [b"b"]),
        ],
        strategy=calls(),
        text=False,
        too_large_when_traced=ZipSuite.too_many_pairs,
        errors=[
            (call([b"a", b"b"], [b""] * 3), f"{op}: expected shapes that broadcast, got [2] and [3]"),
        ],
    )


class TestStringLess(ZipTests):
    suite = ordered("string_less", string_less_ref)


class TestStringLessEqual(ZipTests):
    suite = ordered("string_less_equal", string_less_equal_ref)


class TestStringGreater(ZipTests):
    suite = ordered("string_greater", string_greater_ref)


class TestStringGreaterEqual(ZipTests):
    suite = ordered("string_greater_equal", string_greater_equal_ref)


class TestStringIsin(OpTests):
    suite = OpSuite(
        op="string_isin",
        reference=string_isin_ref,
        samples=[
            call([b"to", b"be", b""], [b"be", b"be", b"or"]),
            call([[b"a", b"b\x00"], [b"c", "\u65e5\u672c".encode()]], [[b"b\x00"], ["\u65e5\u672c".encode()]]),
            call([b"a", b""], []),
            call([], [b"a"]),
            call([[], []], [b"a"]),
            call([b"x" * 40, b"x" * 41, b"longer than eleven"], [b"x" * 41, b"longer than eleven", b""]),
            call([b"%d" % i for i in range(9001)], [b"%d" % (7 * i) for i in range(3000)]),
        ],
        strategy=st.builds(call, strategies.tensors, strategies.rank1),
        too_large=list,
    )


def units_of(n: int) -> bytes:
    """A string of n code points, of which few are equal to their neighbours."""
    return "".join(chr(97 + i * 7 % 26) if i % 3 else chr(0x3B1 + i * 5 % 24) for i in range(n)).encode()


# Around the sizes of words and of strips, and strings that are not UTF-8.
PAIRS = [
    call([b"kitten", b"", b"abc"], [b"sitting", b"ab", b"abc"]),
    call([b"martha", b"dixon", b"ca", b"wrod"], [b"marhta", b"dicksonx", b"abc", b"word"]),
    call(["caf\xe9".encode(), b"\xff\xc3(", b"\xed\xa0\x80"], [b"cafe"], "byte"),
    call(["caf\xe9".encode(), b"\xff\xc3(", b"\xed\xa0\x80"], [b"cafe", b"\xc3", b"\x80"], "codepoint"),
    call([[b"a"], [b"bc"]], [b"ab", b"c", b""]),
    call(
        [units_of(63), units_of(64), units_of(65), units_of(130)],
        [units_of(66)[3:], units_of(129)[5:]] * 2,
    ),
    call([units_of(300)], [units_of(280)[4:] + b"x" * 20, b"y" * 150]),
    call([b"word", b"other words"] * 4000, [b"ward"]),
]


def compared(op: str, reference: Callable[..., Any], samples: list[Call], errors: list[Any]) -> ZipSuite:
    bad_unit = f"{op}: expected `unit` to be 'byte' or 'codepoint', got 'char'"
    return ZipSuite(
        op=op,
        reference=reference,
        samples=[*PAIRS, *samples],
        text=False,
        too_large_when_traced=ZipSuite.too_many_pairs,
        errors=[(call([b"a"], [b"a"], "char"), bad_unit), *errors],
    )


def distance(op: str, reference: Callable[..., Any]) -> ZipSuite:
    samples = [
        call([b"kitten", b"", b"abc"], [b"sitting", b"ab", b"abc"], max_distance=2),
        call([[b"kitten"], [b"ab"]], [b"sitting", b"abc", b"a" * 9, b""], "byte", max_distance=1),
        call([units_of(300), units_of(70)], [units_of(280)[4:], units_of(90)[4:]], max_distance=25),
    ]
    negative = call([b"a"], [b"a"], max_distance=-1)
    return compared(op, reference, samples, [(negative, f"{op}: expected `max_distance` >= 0 or None, got -1")])


class TestStringEditDistance(ZipTests):
    suite = distance("string_edit_distance", string_edit_distance_ref)


class TestStringDamerau(ZipTests):
    suite = distance("string_damerau", string_damerau_ref)


class TestStringRatio(ZipTests):
    suite = compared("string_ratio", string_ratio_ref, [], [])


class TestStringJaroWinkler(ZipTests):
    suite = compared(
        "string_jaro_winkler",
        string_jaro_winkler_ref,
        [
            call([b"martha", b"ab"], [b"marhta", b"ab"], prefix_weight=0.0),
            call([b"martha", b"arthur"], [b"marhta", b"artful"], "byte", prefix_weight=0.25),
        ],
        [
            (
                call([b"a"], [b"a"], prefix_weight=0.3),
                "string_jaro_winkler: expected `prefix_weight` within [0, 0.25], got 0.3",
            )
        ],
    )


class TestStringJaccard(ZipTests):
    suite = ZipSuite(
        op="string_jaccard",
        reference=string_jaccard_ref,
        samples=[
            call([b"to be or not to be", b"", b"a"], [b"to be or not to me", b"", b"b"], 3),
            call(
                [["caf\xe9 \u65e5\u672c\u8a9e".encode()], [b"\xff\xc3("]],
                [b"caf\xc3", "\u65e5\u672c\u8a9e".encode()],
                2,
            ),
            call([units_of(300), b"a" * 90], [units_of(280)[4:], b"a" * 70 + b"b"], 20),
            call([bytes(range(256))], [bytes(range(40, 256))], 64, "byte"),
        ],
        small=call([b"ab c", b"d"], [b"ab d", b"d"], 2),
        text=False,
        too_large=lambda: ZipSuite.too_many_pairs(2),
        too_large_when_traced=lambda: ZipSuite.too_many_pairs(2),
        errors=[
            (call([b"a"], [b"a"], 0), "string_jaccard: expected `ngram` >= 1, got 0"),
            (
                call([b"a"], [b"a"], 1, "char"),
                "string_jaccard: expected `unit` to be 'byte' or 'codepoint', got 'char'",
            ),
        ],
    )


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge"])
def test_operators_of_python_compare_strings_of_any_form(name: str) -> None:
    strings, others = ["a", "é", "b", ""], ["b", "z", "b", "a"]
    s = StringTensor.from_list(strings)
    compare = getattr(operator, name)
    want = [compare(a, b) for a, b in zip(strings, others, strict=True)]
    assert compare(s, StringTensor.from_list(others)).tolist() == want
    assert compare(s, others).tolist() == want
    assert compare(strings, StringTensor.from_list(others)).tolist() == want
    assert getattr(s, name)(others).tolist() == want
    assert compare(s[0], s[1]).item() is compare("a", "é")
    with pytest.raises(TypeError, match="not supported between"):
        compare(s, 1)


def test_shapes_that_do_not_broadcast_read_the_same_when_traced():
    a, b = compact([b"a", b"b"]), compact([b"a", b"b", b"c"])
    with (
        torch._subclasses.FakeTensorMode() as mode,
        pytest.raises(BAD_ARGUMENT, match=r"expected shapes that broadcast, got \[2\] and \[3\]"),
    ):
        torch.ops.stringops.string_equal(*(mode.from_tensor(t) for t in (*a, *b)))


def test_rank_0_equals_rank_0():
    a = StringTensor.from_list("é")
    assert string_equal(a, StringTensor.from_list("é")).shape == ()
    assert string_equal(a, StringTensor.from_list("é")).item() is True
    assert string_equal(a, StringTensor.from_list(["e", "é"])).tolist() == [False, True]
