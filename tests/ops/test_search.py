"""string_find, string_contains, string_count, string_startswith, string_endswith, for one string and for many; and
string_replace."""

import itertools
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.search import (
    string_contains_ref,
    string_count_ref,
    string_endswith_ref,
    string_find_ref,
    string_replace_ref,
    string_rfind_ref,
    string_startswith_ref,
    with_case,
)
from support import strategies
from support.cases import each
from support.families import MapSuite, MapTests, ReduceSuite, ReduceTests, ZipSuite, ZipTests
from support.harness import Call, call
from support.strings import compact, decode

import torch_stringops as so
from torch_stringops import StringTensor, string_contains, string_find

WORDS = ["abc", "caf\xe9 abc\xe9", "abcabc", "", "\u65e5\u672c\u8a9e abc", "a\U0001f600babcb", "ABC"]
BROKEN = [b"\xff\xc3(abc", b"\xe6\x97abc\xa5", b"abc\xed\xa0\x80", b"\xe6\x97\xa5"]
# Strings of a batch, and longer ones, whose letters change their sizes.
CASED = ["ABCk", "x\u1e9eabCK", "\u212a\u023a" * 900 + "abck", "ABC" * 1700 + "k" + "\u212a" * 3000, b"\xc3abck"]
# One byte, equal bytes, overlapping itself, beyond ASCII, more bytes than are compared at once, and than a block has.
SUBS = ["abc", "a", "", "aa", "aba", "\xe9", "\u65e5\u672c", "abcdefghij", "a" * 9, "a" * 5000]

# Text in which short strings occur, and nearly do.
letters = st.text(st.sampled_from("aab\xe9\u65e5"), max_size=8)
text = st.one_of(
    letters.map(str.encode),
    st.lists(letters, max_size=40).map("".join).map(str.encode),
    st.builds(lambda s, n: (s * n).encode(), letters, st.sampled_from([1, 3, 9, 700, 1300])),
    strategies.strings,
)
sub_text = st.one_of(st.sampled_from(SUBS), letters)


def one_for_all(*rest: st.SearchStrategy[Any]) -> st.SearchStrategy[Call]:
    return st.builds(call, strategies.tensors_of(text), sub_text, *rest)


def one_for_each(*rest: st.SearchStrategy[Any]) -> st.SearchStrategy[Call]:
    sub = st.one_of(sub_text.map(str.encode), strategies.strings)
    pairs = st.lists(st.tuples(text, sub), max_size=12)
    equally_many = pairs.map(lambda p: ([a for a, _ in p], [b for _, b in p]))
    one = st.tuples(st.lists(text, max_size=12), st.tuples(sub).map(list))
    return st.builds(lambda p, *rest: call(*p, *rest), st.one_of(equally_many, one), *rest)


def literal_suite(op: str, reference: Any, units: Any = ((),), **fields: Any) -> ReduceSuite:
    """The suite of an operator that searches for one string; `units` are the arguments after it."""
    samples = [call(WORDS + BROKEN, sub, *rest) for sub, rest in zip(SUBS, itertools.cycle(units), strict=False)]
    folds = [call(CASED, "aBc\u212a", *rest, ignore_case=True) for rest in units]
    return ReduceSuite(
        op=op,
        reference=with_case(reference),
        samples=[*samples, *folds, *(call([WORDS, WORDS[::-1]], "abc", *rest) for rest in units)],
        strategy=st.one_of(*(one_for_all(*map(st.just, rest)) for rest in units)),
        small=call([b"ab c", b"d"], "b"),
        text=False,
        **fields,
    )


def each_suite(op: str, reference: Any, units: Any = ((),), **fields: Any) -> ZipSuite:
    """The suite of its overload that searches for a string in each."""
    pairs = [
        (WORDS, ["abc", "", "c", "", "\u672c", "babcb", "abc"]), (WORDS, ["abc"]),
        (["abcabc"], [["a", "abc"], ["c", "abcabcabc"]]), ([[["abc"]], [["b"]]], [["a"], ["b"], ["c"]]),
        (BROKEN, [b"abc", b"\xa5", b"\xed\xa0\x80", b"\x97"]), ([], []), (["word", "other words"] * 4000, ["word"]),
    ]  # fmt: skip
    shapes = (call([["a", "b"]], ["a"] * 3), f"{op}: expected shapes that broadcast, got [1, 2] and [3]")
    return ZipSuite(
        op=op,
        overload_name="each",
        name_in_errors=op,
        reference=reference,
        samples=[call(*pair, *rest) for pair in pairs for rest in units],
        strategy=st.one_of(*(one_for_each(*map(st.just, rest)) for rest in units)),
        text=False,
        too_large_when_traced=ZipSuite.too_many_pairs,
        errors=[shapes, *fields.pop("errors", [])],
        **fields,
    )


UNITS = [("codepoint",), ("byte",)]
UNIT_ERROR = "string_find: expected `unit` to be 'byte' or 'codepoint', got 'bytes'"


class TestStringFind(ReduceTests):
    suite = literal_suite("string_find", string_find_ref, UNITS, errors=[(call(["a"], "a", "bytes"), UNIT_ERROR)])


class TestStringFindEach(ZipTests):
    suite = each_suite("string_find", string_find_ref, UNITS, errors=[(call(["a"], ["a"], "bytes"), UNIT_ERROR)])


class TestStringRfind(ReduceTests):
    suite = literal_suite("string_rfind", string_rfind_ref, UNITS)


class TestStringRfindEach(ZipTests):
    suite = each_suite("string_rfind", string_rfind_ref, UNITS)


class TestStringContains(ReduceTests):
    suite = literal_suite("string_contains", string_contains_ref)


class TestStringContainsEach(ZipTests):
    suite = each_suite("string_contains", string_contains_ref)


class TestStringCount(ReduceTests):
    suite = literal_suite("string_count", string_count_ref)


class TestStringCountEach(ZipTests):
    suite = each_suite("string_count", string_count_ref)


class TestStringStartswith(ReduceTests):
    suite = literal_suite("string_startswith", string_startswith_ref)


class TestStringStartswithEach(ZipTests):
    suite = each_suite("string_startswith", string_startswith_ref)


class TestStringEndswith(ReduceTests):
    suite = literal_suite("string_endswith", string_endswith_ref)


class TestStringEndswithEach(ZipTests):
    suite = each_suite("string_endswith", string_endswith_ref)


new_text = st.sampled_from(["", "x", "\xe9", "aa", "\u65e5\u672c\u8a9e", "x" * 40])


class TestStringReplace(MapTests):
    suite = MapSuite(
        op="string_replace",
        reference=string_replace_ref,
        samples=[
            *(call(WORDS + BROKEN, sub, new) for sub, new in zip(SUBS, ["", "x", "-", "\xe9"] * 3, strict=False)),
            call(WORDS + BROKEN, "abc", "xyz", 1),
            call(WORDS + BROKEN, "a", "", 2),
            call(WORDS + BROKEN, "", "\xe9", 2),
            call(WORDS + BROKEN, "", "-", 0),
            call(WORDS + BROKEN, "b", "-", 0),
            call([["aaa", "a" * 300], ["", "b" * 300]], "a", "\u65e5\u672c", 200),
        ],
        strategy=st.builds(
            call, strategies.tensors_of(text), sub_text, new_text, st.sampled_from([-1, -1, 0, 1, 2, 3, 9])
        ),
        small=call([b"ab c", b"d"], "b", "x"),
        text=False,
    )


@each("sub", ["x", "xy", "xyx", "xyzxyzxyz", "xy" * 2000, ""])
@each("count", [-1, 1, 5, 1000])
def test_replacement_in_long_strings(sub: str, count: int, tier: str) -> None:
    """Strings longer than a block (8 KB), with occurrences across its ends, and with many."""
    raw = sub.encode()
    strings = [b"", raw, b"-" * 100]
    for size in (8185, 8191, 8192, 20_000):
        body = (b"-" * size)[:size]
        strings += [body + raw + body, raw + body, body + raw, b"ab", raw * (20_000 // max(len(raw), 1))]
    for new in ("", "ab", "x" * 50):
        result = torch.ops.stringops.string_replace(*compact(strings), sub, new, count)
        assert decode(*result) == [string_replace_ref(s, sub, new, count) for s in strings]


def test_too_large_results_are_rejected_before_allocation():
    s = StringTensor.from_list(["a" * 40_000])
    with pytest.raises(ValueError, match="StringTensor.replace: the result needs 2621440000 bytes"):
        s.replace("a", "x" * 2**16)
    with pytest.raises(ValueError, match="StringTensor.replace: the result needs 2621545536 bytes"):
        s.replace("", "x" * 2**16)


OPERATORS = {
    "string_find": string_find_ref,
    "string_rfind": string_rfind_ref,
    "string_contains": string_contains_ref,
    "string_count": string_count_ref,
    "string_startswith": string_startswith_ref,
    "string_endswith": string_endswith_ref,
}


@each("op", OPERATORS)
@each("sub", ["x", "xy", "xyx", "xyzxyzxyz", "x" * 8, "xy" * 2000, "\xe9x"])
def test_long_strings(op: str, sub: str, tier: str) -> None:
    """Strings longer than a block (8 KB), with occurrences at its ends, and with many."""
    raw = sub.encode()
    strings = [b"", raw, b"-" * 100]
    for size in (8185, 8190, 8191, 8192, 8193, 20_000):
        for filler in (b"-", b"\xc3\xa9", b"x"):
            body = (filler * size)[:size]
            strings += [body + raw + body, raw + body, body + raw, body, b"ab", raw * (9000 // len(raw))]
    got = getattr(torch.ops.stringops, op)(*compact(strings), sub).tolist()
    assert got == [OPERATORS[op](s, sub) for s in strings]


@each("op", ["string_find", "string_contains"])
@each("sub", ["x", "xy", "xyx", "xyzxyzxyz", "x" * 70])
def test_texts_in_the_first_bytes(op: str, sub: str, tier: str) -> None:
    """Strings of which most have `sub` in their first 64 bytes; others nearly have it, have it later, or never."""
    raw = sub.encode()
    near = raw[:1] + b"~" * (len(raw) - 2) + raw[-1:]
    heads = {k: b"-" * (7 * k % 64) + (near if k % 11 == 1 else b"") for k in range(200)}
    strings = [
        head + (b"" if k % 13 == 2 else b"-" * 90 * (k % 17 == 3) + raw) + b"-" * 120 for k, head in heads.items()
    ]
    got = getattr(torch.ops.stringops, op)(*compact(strings), sub).tolist()
    assert got == [OPERATORS[op](s, sub) for s in strings]


@each("op", OPERATORS)
@each("sub", [b"\x97", b"\x97\xa5", b"\xff", b"\xe6\x97"])
def test_bytes_that_are_not_text(op: str, sub: bytes, tier: str) -> None:
    strings = ["\u65e5\u672c".encode(), b"a\xff", b"\x97\xa5\xe6", b"\xe6", "x\u65e5".encode() * 4000]
    strings += ["\u65e5".encode() * 2700] * 2 + ["\u65e5".encode() * 4] * 1500  # blocks of UTF-8
    got = getattr(torch.ops.stringops, op)(*compact(strings), sub).tolist()
    assert got == [OPERATORS[op](s, sub) for s in strings]


def test_methods_take_text_bytes_and_strings():
    s = StringTensor.from_list(["caf\xe9", "te", ""])
    assert s.find("\xe9").tolist() == [3, -1, -1]
    assert s.find(b"\xc3\xa9", unit="byte").tolist() == [3, -1, -1]
    assert s.find(StringTensor.from_list(["f", "e", ""])).tolist() == [2, 1, 0]
    assert s.find(["f", "e", ""], unit="byte").tolist() == [2, 1, 0]
    assert s.contains("e").tolist() == [False, True, False]
    assert s.contains(["c", "x", "x"]).tolist() == [True, False, False]
    assert s.startswith("c").tolist() == [True, False, False]
    assert s.endswith(["\xe9", "e", "e"]).tolist() == [True, True, False]
    assert s.count("").tolist() == [5, 3, 1]
    assert s.reshape(3, 1).count(["e", "t"]).tolist() == [[0, 0], [1, 1], [0, 0]]
    assert string_contains("word", "or").item() is True
    assert string_find(["word"], StringTensor.from_list("or")).tolist() == [1]
    assert StringTensor.from_list("word").find(StringTensor.from_list("or")).shape == ()
    assert s.replace("t", "TT").tolist() == ["caf\xe9", "TTe", ""]
    assert s.replace("", "-", count=2).tolist() == ["-c-af\xe9", "-t-e", "-"]
    assert StringTensor.from_list("word").replace("or", b"").item() == "wd"


@pytest.mark.parametrize("function", [so.string_startswith, so.string_endswith])
def test_any_string_of_a_tuple(function):
    """As in Python. Strings in a list or a StringTensor are compared one by one."""
    python = str.startswith if function is so.string_startswith else str.endswith
    texts = ["abba", "ba", "", "é", "xa"]
    torch._dynamo.reset()
    for subs in (("a", "b"), ("é",), (), ("", "x"), ("abba", "xa", "zz")):
        want = [python(text, subs) for text in texts]
        assert function(texts, subs).tolist() == want
        compiled = torch.compile(lambda s, subs=subs: function(s, subs), fullgraph=True, backend="eager")
        assert compiled(so.StringTensor.from_list(texts)).tolist() == want
    assert function(texts, ("a", b"\xc3\xa9")).tolist() == function(texts, ("a", "é")).tolist()
    assert function(texts[0], ("a", "b")).item() is True
    assert function(["ab", "ba"], ["a", "a"]).tolist() == [python("ab", "a"), python("ba", "a")]
    for wrong in ((1,), ("a", None), ("a", ("b",)), (so.StringTensor.from_list(["a"]),)):
        with pytest.raises(TypeError, match=r"expected `sub\[\d\]` to be str or bytes, got .* \(pass a list"):
            function(texts, wrong)


@each("sub", [b"ab", b"abcdefghi", b"a" * 40 + b"b" + b"a" * 40])
def test_occurrences_at_the_borders_of_windows(sub: bytes):
    """In text that resembles the longest one more often than places are compared."""
    blank = b"a" if len(sub) > 9 else b"-"
    places = [0, 1, *(size + at for size in (64, 576, 4672, 8192) for at in range(-2, 3)), 50_000]
    strings = [blank * at + (b"-" + sub + b"-").strip(blank) + blank * (60_000 - at) for at in places]
    s = StringTensor.from_list(strings)
    found = [string.find(sub) for string in strings]
    assert s.find(sub, unit="byte").tolist() == found
    assert s.rfind(sub, unit="byte").tolist() == [string.rfind(sub) for string in strings]
    assert s.find(sub.upper(), ignore_case=True).tolist() == found
    assert s.contains_any([sub, b"x" * 9]).all()
    assert s.split_ragged(sub, maxsplit=1)[1].diff().tolist() == [2] * len(strings)
