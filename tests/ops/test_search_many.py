"""string_contains_any, string_extract_many, string_replace_many and regex_contains_any; string_translate, of these."""

import re
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.search_many import (
    regex_contains_any_ref,
    string_contains_any_ref,
    string_extract_many_ref,
    string_replace_many_ref,
)
from support import large, strategies
from support.families import MapSuite, MapTests, RaggedSuite, RaggedTests, ReduceSuite, ReduceTests
from support.harness import Call, call
from support.strings import decode
from support.traced import check_traced

import torch_stringops as so
from torch_stringops import StringTensor

TEXTS = [b"abcabcd", b"", b"caf\xc3\xa9 abc\xc3\xa9", b"aaaaab", b"\xff\xc3(abc", b"x" * 40, b"abcdefghijk"]
# Overlapping, equal, none, of one byte, longer than what a trie is followed for, beyond ASCII, and not UTF-8.
LISTS: list[list[bytes]] = [
    [b"ab", b"abc", b"bcd", b"c", b"abc", b"x", b"\xc3\xa9", b"\xc3", b"(a", b"abcdefgh", b"abcdefghi"],
    [b"a" * 70 + b"b", b"aaa", b"ab", b"a" * 80, *(b"%d" % (7 * i) for i in range(40))],
    [],
]
CODE_POINTS = [b"\xc3\xa9", b"a", b"b", b"\xe6\x97\xa5", b"\xc3\xa0"]
letters = st.text(st.sampled_from("aab\xe9c"), max_size=6).map(str.encode)
runs = st.builds(lambda a, n, b: a * n + b, st.sampled_from([b"a", b"ab"]), st.integers(1, 150), letters)
texts = st.one_of(letters, runs, st.lists(letters, max_size=20).map(b"".join), strategies.strings)
patterns = st.one_of(
    st.lists(st.one_of(letters, runs).filter(bool), max_size=9), st.lists(strategies.strings.filter(bool), max_size=9)
)

EMPTY = "expected patterns that are not empty, got an empty one at index 1"
RANK = "expected `pattern_offsets` of rank 1, got shape [1, 2]"


def errors(op: str, *bad: tuple[Call, str]) -> list[tuple[Call, str]]:
    return [(wrong, f"{op}: {text}") for wrong, text in bad]


class TestStringContainsAny(ReduceTests):
    suite = ReduceSuite(
        op="string_contains_any",
        reference=string_contains_any_ref,
        samples=[call(TEXTS, some) for some in [*LISTS, [b"abc", b""]]],
        strategy=st.builds(call, strategies.tensors_of(texts), st.one_of(patterns, st.just([b""]))),
        errors=errors("string_contains_any", (call([b"a"], [[b"b"]]), RANK)),
        text=False,
    )


def too_long_overlapping() -> list[tuple[str, Call]]:
    """Four occurrences begin at each place, with 40 KB."""
    return [(large.BYTES, call([b"a" * 2**18], [b"a" * (4096 * k) for k in range(1, 5)], True))]


class TestStringExtractMany(RaggedTests):
    suite = RaggedSuite(
        op="string_extract_many",
        reference=string_extract_many_ref,
        samples=[*(call(TEXTS, some) for some in LISTS), *(call(TEXTS, some, True) for some in LISTS[:2])],
        strategy=st.builds(call, strategies.tensors_of(texts), patterns, st.booleans()),
        errors=errors("string_extract_many", (call([b"a"], [b"b", b""]), EMPTY), (call([b"a"], [[b"b"]], True), RANK)),
        too_large=too_long_overlapping,
        text=False,
    )


class TestStringReplaceMany(MapTests):
    suite = MapSuite(
        op="string_replace_many",
        reference=string_replace_many_ref,
        samples=[
            call(TEXTS, LISTS[0], [b"<%d>" % i for i in range(11)]),
            call(TEXTS, LISTS[1], [b"a long replacement of 35 characters"]),
            call(TEXTS, [b"a", b"b"], [b""]),
            call(TEXTS, [], []),
            call([*TEXTS, b"\xc3", b"\xa9", b"ab\xe9" * 9000], CODE_POINTS[:3], [b"xy", b"", b"e"]),
            call([b"abc" * 9000, *TEXTS], [b"a", b"c", b"\xff"], [b""]),
        ],
        strategy=st.builds(
            lambda strings, some, by, one: call(strings, some, [by[:1], by][len(some) != 1 and not one]),
            strategies.tensors_of(texts),
            st.one_of(
                st.lists(st.sampled_from(some), min_size=4, max_size=4)
                for some in ([b"a", b"ab", b"aab", b"\xc3\xa9", b"c" * 5], CODE_POINTS, [b"a", b"b", b"\xc3", b"\xff"])
            ),
            st.lists(letters, min_size=4, max_size=4),
            st.booleans(),
        ),
        errors=errors(
            "string_replace_many",
            (call([b"a"], [b"b", b""], [b"x"]), EMPTY),
            (call([b"a"], [b"b"], [b"x", b"y"]), "expected one replacement, or 1 as patterns, got 2"),
            (call([b"a"], [[b"b"]], [b"x"]), RANK),
            (call([b"a"], [b"b"], [[b"x"]]), RANK.replace("pattern", "replacement")),
        ),
        too_large=lambda: [(large.BYTES, call([b"a" * 2**16], [b"a"], [b"x" * 2**16]))],
        text=False,
    )


REGEXES = [rb"[a-z]+\d", rb"(?i)B", rb"^\z", "é|本".encode(), rb"\d{4}-(\d\d)", rb"a.b"]
COMPILE = r"cannot compile `patterns[1]`: missing ) of the group at position 0 (write \( for a parenthesis)"
# In the alternation of all patterns alone, the parentheses would match.
UNMATCHED = r"cannot compile `patterns[1]`: unexpected ) at position 1 (write \) for a parenthesis)"


class TestRegexContainsAny(ReduceTests):
    suite = ReduceSuite(
        op="regex_contains_any",
        reference=regex_contains_any_ref,
        samples=[call(["to be", "", "café B1", "日本 é1é", "2026-11-22", "a\nb"], some) for some in (REGEXES, [])],
        strategy=st.builds(
            call, strategies.tensors_of(strategies.text), st.lists(st.sampled_from(REGEXES), max_size=4)
        ),
        errors=errors(
            "regex_contains_any",
            (call(["a"], [b"a", b"(", b"["]), COMPILE),
            (call(["a"], [b"a", b"b)|(?:c"]), UNMATCHED),
            (call(["a"], [b"a", b"\xff"]), "cannot compile `patterns[1]`: invalid UTF-8 at byte 0"),
            (call([b"a", b"\xff"], [b"b"]), "invalid UTF-8 in row 1 at byte 0"),
            (call(["a"], [[b"b"]]), RANK),
        ),
    )


@given(st.lists(texts, max_size=4), patterns)
def test_the_automaton_and_the_trie_find_the_same(strings: list[bytes], some: list[bytes]) -> None:
    """A pattern of many bytes that never ends adds the automaton, which reads long texts of one letter."""
    strings = [*strings, b"a" * 600, b"ab" * 300 + b"a" * 150]
    some = [*some, b"a" * 150 + b"\x00", b"ab" * 70 + b"\x00"]
    for overlapping in (False, True):
        found, row_splits = so.string_extract_many(strings, some, overlapping)
        want = [string_extract_many_ref(s, some, overlapping) for s in strings]
        assert decode(found.data, found.offsets) == [one for row in want for one in row]
        assert row_splits.diff().tolist() == [len(row) for row in want]


@pytest.mark.parametrize("shortest", [1, 4, 5, 7, 11])
def test_many_patterns_are_found_at_each_place(shortest: int) -> None:
    """The longer the shortest pattern is, the fewer places are tested."""
    some = [b"%08d" % (i * 7919) * 3 for i in range(300)] + [b"short pattern"[:shortest]]
    strings = [b"." * i + pattern + b"." * j for i in range(70) for j in (0, 70) for pattern in some[-3:]]
    found, _ = so.string_extract_many(strings, some)
    assert decode(found.data, found.offsets) == some[-3:] * 140


def test_results_are_those_of_polars() -> None:
    pl = pytest.importorskip("polars")
    strings = ["abcabcd", "", "aaaa", "caf\xe9 abc\xe9", "to be or not to be"] * 3
    some = [
        "abc", "to b", "aa", "ab", "bc", "to", "a", "c", "\xe9", "not",
    ]  # no longer one after a shorter one  # fmt: skip
    series, listed = pl.Series(strings), pl.Series(some).implode()
    assert so.string_contains_any(strings, some).tolist() == series.str.contains_any(listed).to_list()
    for options in ({"overlapping": True}, {"leftmost": True}):
        found, row_splits = so.string_extract_many(strings, some, options.get("overlapping", False))
        want = series.str.extract_many(listed, **options).to_list()
        assert found.tolist() == [one for row in want for one in row]
        assert row_splits.diff().tolist() == list(map(len, want))
    new = [f"<{i}>" for i in range(len(some))]
    want = series.str.replace_many(listed, pl.Series(new).implode(), leftmost=True).to_list()
    assert so.string_replace_many(strings, some, new).tolist() == want


def test_the_time_does_not_grow_with_the_patterns_or_what_they_share() -> None:
    """Each pattern begins at each place, and ends only at a byte that never comes."""
    s = StringTensor.from_list(["a" * 2**18])
    some = ["a" * 2000 + str(i) for i in range(200)]
    assert not s.contains_any(some).any()
    assert s.extract_many(some)[0].shape == (0,)


def test_a_string_that_is_not_read_to_its_end_does_not_change_the_next_one() -> None:
    strings = ["a" * 600 + "b" + "a" * 600, "a" * 600, "ab" * 300, "a" * 600]
    found = so.string_contains_any(strings, ["a" * 150 + "\x00", "b"])
    assert found.tolist() == [True, False, True, False]


def test_many_patterns_are_too_much_when_they_are_built() -> None:
    with pytest.raises(ValueError, match="patterns of at most 16777216 bytes together, got 16777217"):
        so.string_contains_any("a", [b"x" * 2**24, b"y"])
    with pytest.raises(ValueError, match="expected at most 4194304 patterns, got 4194305"):
        so.string_contains_any(
            "a", StringTensor(torch.empty(0, dtype=torch.uint8), torch.zeros(2**22 + 2, dtype=torch.int32))
        )
    with pytest.raises(ValueError, match="cannot compile all patterns together: expected at most 262144 bytes"):
        so.regex_contains_any("a", ["x" * 100_000] * 3)


def test_an_empty_pattern_occurs_everywhere() -> None:
    assert so.string_contains_any(["", "a"], ["", "b"]).tolist() == [True, True]
    with pytest.raises(ValueError, match="string_replace_many: expected patterns that are not empty, got an empty"):
        so.string_replace_many(["a"], [""], ["b"])


TABLES: list[dict[Any, Any]] = [
    {"a": "b", "b": None, "\xe9": "\u65e5\u672c", "\U0001f600": ""},
    {97: 98, 233: "ss", 0x1F600: None, "c": "\xe9"},
    str.maketrans("abc", "xyz", "d\xe9"),
    {},
    {chr(c): chr(c + 1) for c in range(0x20, 0x800)},
]


@pytest.mark.parametrize("table", TABLES)
@given(st.lists(st.text(), max_size=6))
def test_translate_is_that_of_python(table: dict[Any, Any], strings: list[str]) -> None:
    in_python = str.maketrans(table)
    strings = [*strings, "abcd\xe9\U0001f600e", ""]
    assert so.string_translate(strings, table).tolist() == [s.translate(in_python) for s in strings]


def test_translate_keeps_invalid_bytes() -> None:
    s = StringTensor.from_list([b"a\xff\xe6\x97a", b"\xc3"])
    assert s.translate({"a": "\xe9"}).tolist(as_bytes=True) == [b"\xc3\xa9\xff\xe6\x97\xc3\xa9", b"\xc3"]


@pytest.mark.parametrize(("table", "error", "text"), [
    ({"ab": "c"}, ValueError, "expected keys of `table` to be single characters, got 'ab'"),
    ({-1: "c"}, ValueError, "expected each key of `table` to be a code point, got -1"),
    ({"a": 0x110000}, ValueError, "expected each value of `table` to be a code point, got 1114112"),
    ({"a": 0xD800}, ValueError, "expected each value of `table` to be a code point, got 55296"),
    ({"\ud800": "a"}, ValueError, "expected `table key` to be text that UTF-8 can hold"),
    ({1.5: "a"}, TypeError, "expected each key of `table` to be str or int, got float"),
    ({"a": b"c"}, TypeError, "expected each value of `table` to be str, int or None, got bytes"),
    (["a"], TypeError, "expected `table` to be a dict, got list"),
])  # fmt: skip
def test_wrong_tables(table: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match="^string_translate: " + re.escape(text)):
        so.string_translate(["a"], table)


def test_compiled_and_exported() -> None:
    def model(s: StringTensor) -> Any:
        many = s.contains_any(["q", "bc"]), s.extract_many(["ab", "abc"]), s.translate({"a": "xy", "b": None})
        return many, s.replace_many(["ab", "c"], "-"), s.regex_contains_any([r"\d", "q"])

    check_traced(model, StringTensor.from_list(["abcab", "", "x1"]))
