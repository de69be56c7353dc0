"""Tokenizer: literal cases, every short string, and long strings on several threads."""

import itertools
from functools import cache
from typing import Any

import pytest
import torch
from reference.tokenizer import tokenizer_ragged_ref
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.strings import compact, decode
from support.threads import on_threads
from support.tokenizer import attributes, tokens

import torch_stringops as so


# Literal cases, written by hand from the specification.
@each(("text", "how", "want"), [
    # The mode: a list of exactly one empty string, or exactly the expression ".".
    ("a\nb\0日", {"separators": [""]}, ["a", "\n", "b", "\0", "日"]),
    ("a\nb\0日", {"tokenexp": "."}, ["a", "\n", "b", "\0", "日"]),
    ("a\nb", {"tokenexp": "(.)"}, ["a", "b"]),
    ("ab", {"separators": ["", ""]}, []),
    ("e\u0301", {"separators": [""]}, ["e", "\u0301"]),
    # Longest match: neither the order of alternatives nor laziness matters.
    ("foobar", {"tokenexp": "foo|foobar"}, ["foobar"]),
    ("a12b", {"separators": ["1|12"]}, ["a", "b"]),
    ("aaa", {"tokenexp": r"\w+?"}, ["aaa"]),
    ("aaa", {"tokenexp": "(?U)a+"}, ["aaa"]),
    ("ba", {"tokenexp": "a??"}, ["a"]),
    ("abcd", {"tokenexp": "(a|ab)(c|bcd)"}, ["abcd"]),
    # Separators, one after the other on each piece.
    ("a12b", {"separators": ["1", "12"]}, ["a", "2b"]),
    ("a12b", {"separators": ["12", "1"]}, ["a", "b"]),
    ("ab aab b", {"separators": [" ", "^a"]}, ["b", "ab", "b"]),
    ("ab cd", {"separators": [" ", r"\bc"]}, ["ab", "d"]),
    (",,a,,b,", {"separators": [","]}, ["a", "b"]),
    ("", {"separators": [","]}, []),
    ("a bb ccc", {"mincharnum": 2, "separators": [" "]}, ["bb", "ccc"]),
    ("é日 日本語 x", {"mincharnum": 2, "separators": [" "]}, ["é日", "日本語"]),
    ("a,b c", {"mincharnum": 3, "separators": [" ", ","]}, []),  # drops "c" first, then "a" and "b"
    # An empty match of a separator also removes the next code point.
    ("foo bar", {"separators": [r"\b"]}, ["oo", "ar"]),
    ("ab cd", {"separators": ["^"]}, ["b cd"]),
    ("ab cd", {"separators": ["$"]}, ["ab cd"]),
    ("ab cd", {"separators": [r"\B"]}, ["a", " c"]),
    ("ab c", {"separators": [r"\b|a"]}, ["b"]),
    ("abc", {"separators": ["x*"]}, []),
    ("éa", {"separators": ["^"]}, ["a"]),
    ("日本", {"separators": ["^"]}, ["本"]),
    ("a\nb", {"separators": ["(?m)^"]}, ["\n"]),
    ("aab", {"separators": ["^a"]}, ["ab"]),  # ^ is the start of the piece, not of the rest
    ("ab ab", {"separators": [r"\bab"]}, [" "]),
    # The expression.
    ("a-b--c", {"tokenexp": "[a-z]"}, ["a", "b", "c"]),
    ("abcabc", {"tokenexp": "^abc"}, ["abc"]),
    ("aaaaa", {"tokenexp": "aa"}, ["aa", "aa"]),
    ("abxxc", {"tokenexp": "x*"}, ["xx"]),
    ("abcd", {"mincharnum": 3, "tokenexp": "ab|bcd"}, ["bcd"]),  # continues at the next code point
    ("1a2b", {"mincharnum": 2, "tokenexp": r"\d|a2b"}, ["a2b"]),
    ("日a本語b", {"mincharnum": 3, "tokenexp": "日a|a本語"}, ["a本語"]),
    ("a ab abc", {"mincharnum": 3, "tokenexp": "[a-z]+"}, ["abc"]),
    ("ééé éé", {"mincharnum": 3, "tokenexp": "[é]+"}, ["ééé"]),
    ("foo", {"tokenexp": r"\bo"}, []),
    ("xab", {"tokenexp": "a|b|ab"}, ["ab"]),
    ("abab", {"tokenexp": "(?P<all>(a)(b))"}, ["ab", "ab"]),  # the whole match; groups are ignored
    ("a\0b", {"tokenexp": r"[^a]+"}, ["\0b"]),
    ("aaaa", {"mincharnum": 2**63 - 1, "tokenexp": "a+"}, []),
])  # fmt: skip
def test_literal_cases(text: str, how: dict[str, Any], want: list[str], tier: str, path: str):
    assert tokens([text], **how) == [want]
    assert tokens([["x", text], ["", text]], **how | {"mark": False})[0][1][: len(want)] == want


@each(("strings", "how", "want"), [
    (["a b", "c"], {}, [["a", "b"], ["c", ""]]),
    (["a b", "c"], {"pad_value": "<p>"}, [["a", "b"], ["c", "<p>"]]),
    (["a b", "c", " "], {"mark": True, "pad_value": "日"}, [
        ["\x02", "a", "b", "\x03"], ["\x02", "c", "\x03", "日"], ["\x02", "\x03", "日", "日"]]),
    ([["a b", ""], ["c", "d e f"]], {"pad_value": "#"}, [
        [["a", "b", "#"], ["#", "#", "#"]], [["c", "#", "#"], ["d", "e", "f"]]]),
    ([" ", ""], {"mark": True}, [[], []]),
    ([[""], [" "]], {"mark": True, "pad_value": "#"}, [[[]], [[]]]),
    (["# \x02 \x03", "a"], {"mark": True, "pad_value": "#"}, [
        ["\x02", "#", "\x02", "\x03", "\x03"], ["\x02", "a", "\x03", "#", "#"]]),
])  # fmt: skip
def test_rows_are_marked_then_padded_on_the_right(strings: Any, how: dict[str, Any], want: Any, tier: str, path: str):
    for pattern in (
        {"separators": [" "]},
        {"separators": [" ", "y"]},
        {"tokenexp": "[^ ]+"},
        {"tokenexp": r"(?:[^ ]|y)+"},
    ):
        assert tokens(strings, **how, **pattern) == want


@each("mode", [{"separators": [" "]}, {"separators": [""]}, {"tokenexp": "a+"}, {"tokenexp": "a+b"}])
@each("mark", [False, True])
@each(("shape", "want", "regular"), [
    ([0], [0], [0, 0]), ([2, 0], [2, 0], [2, 0, 0]), ([0, 3], [0, 0], [0, 3, 0]), ([0, 0], [0, 0], [0, 0, 0]),
])  # fmt: skip
def test_empty_inputs_keep_their_rank(
    shape: list[int], want: list[int], regular: list[int], mark: bool, mode: dict[str, Any]
):
    pair = compact([[] for _ in range(shape[0])] if len(shape) == 2 else [], shape)
    assert list(so.tokenizer(so.StringTensor(*pair), mark=mark, pad_value="#", **mode).shape) == want
    how = attributes(mark=mark, **mode)
    data, offsets = torch.ops.stringops.tokenizer(*pair, **how)
    assert list(offsets.shape) == [*regular[:-1], regular[-1] + 1]
    del how["pad_value"]
    data, offsets, row_splits = torch.ops.stringops.tokenizer_ragged(*pair, **how)
    assert data.numel() == 0
    assert offsets.tolist() == [0]
    assert row_splits.tolist() == [0]


@cache
def short_texts() -> list[bytes]:
    return ["".join(t).encode() for n in range(5) for t in itertools.product("ab é", repeat=n)]


@cache
def short_tokens(mincharnum: int, pattern: str, separator: bool) -> Any:
    how: dict[str, Any] = {"separators": [pattern]} if separator else {"tokenexp": pattern}
    return tokenizer_ragged_ref(short_texts(), mark=False, mincharnum=mincharnum, **how)


SHORT = [
    "a", "ab", "aa", "aba", "é", "aé", "[ab]", "[ab]+", "[^a]", "[^a]+", "[é ]", "[a é]+", r"\w+", r"\W", "a*",
    "a|ab",
]  # fmt: skip
SHORT += [r"\b", "b$", "^a", "^", "$", "a.", "[^b]?b", "(ab)+"]


@each("pattern", SHORT)
def test_every_short_string(pattern: str, tier: str, path: str):
    pair = compact(short_texts())
    for mincharnum, separator in itertools.product((1, 2), (False, True)):
        how: dict[str, Any] = {"separators": [pattern]} if separator else {"tokenexp": pattern}
        data, offsets, row_splits = torch.ops.stringops.tokenizer_ragged(
            *pair, mark=False, mincharnum=mincharnum, **how
        )
        got = decode(data, offsets), row_splits.tolist()
        assert got == short_tokens(mincharnum, pattern, separator), (mincharnum, how)


@each("cut", [" ", "é", "日", "😀", ", ", "日本", "[ ,]", r"\s", "[é日]", "(?:日本)+"])
def test_a_separator_matches_at_each_position_of_a_block(cut: str, tier: str, path: str):
    text = {"[ ,]": ",", r"\s": "\t", "[é日]": "日", "(?:日本)+": "日本日本"}.get(cut, cut)
    rows = ["x" * n + text + "y" * (70 - n) for n in range(71)]
    got, row_splits = so.tokenizer_ragged(so.StringTensor.from_list(rows), separators=[cut])
    want = [[t for t in ("x" * n, "y" * (70 - n)) if t] for n in range(71)]
    assert got.tolist() == [t for row in want for t in row]
    assert row_splits.tolist() == list(itertools.accumulate(map(len, want), initial=0))


@each("c", ["a", "é", "日", "😀"])
def test_characters_are_found_at_each_position_of_a_block(c: str, tier: str, path: str):
    rows = ["x" * n + c * 3 + "y" * (70 - n) for n in range(71)]
    got, row_splits = so.tokenizer_ragged(so.StringTensor.from_list(rows), separators=[""])
    assert got.tolist() == list("".join(rows))
    assert row_splits.tolist() == list(range(0, 73 * 72, 73))


def test_matches_do_not_extend_across_strings(tier: str, path: str):
    rows = so.StringTensor.from_list(["ab", "ab", "a", "b", "", "b"])
    for how, want in [
        ({"tokenexp": "[a-z]+"}, ["ab", "ab", "a", "b", "b"]),
        ({"tokenexp": "ba"}, []),
        ({"tokenexp": "bb|abab"}, []),
        ({"separators": ["ba"]}, ["ab", "ab", "a", "b", "b"]),
        ({"separators": ["a+"]}, ["b", "b", "b", "b"]),
    ]:
        assert so.tokenizer_ragged(rows, **how)[0].tolist() == want


@pytest.mark.check
@each("how", [
    {"separators": [r"\s+"]}, {"separators": [", "]}, {"separators": [""]}, {"tokenexp": r"\w+"},
    {"tokenexp": r"[a-z]"}, {"tokenexp": r"[a-z]+,|\d"}, {"tokenexp": r"\w+|[^\w\s]"},
    {"tokenexp": r" ?[a-z]+| ?\d+|[A-Z][a-z]*|\s+"}, {"tokenexp": "'s| ?[a-z]+|[^a-z ]"},
    {"tokenexp": "sit|or|dolor"}, {"tokenexp": "[a-z]+,"},
])  # fmt: skip
def test_long_strings_are_tokenized_by_several_threads(how: dict[str, Any], path: str):
    """With masks, strings of 64 KB and more are divided among tasks, unless markers are added."""
    text = "lorem, ipsum 日本語 dolor,\n1 23  sit\u3000amet, é😀" * (1200 if path == "masks" else 400)
    solid = "é" * 40_000 if path == "masks" else ""  # no place to divide it, but by characters
    rows = [b"first", text.encode(), b"", text[:9999].encode(), solid.encode()]
    for mark in (False, True):
        want = tokenizer_ragged_ref(rows, mark=mark, mincharnum=1, **how)
        for threads in (1, 2, 3):
            with on_threads(threads):
                got = torch.ops.stringops.tokenizer_ragged(*compact(rows), mark=mark, mincharnum=1, **how)
            assert (decode(*got[:2]), got[2].tolist()) == want, threads


@pytest.mark.parametrize("how", [{"separators": [r"\s"]}, {"separators": [""]}, {"tokenexp": r"[a-z]"}])
def test_a_bad_byte_in_a_string_that_is_divided_among_threads(how: dict[str, Any]):
    body = b"lorem ipsum " * 20_000
    for bad in (0, 100_000, len(body) - 1):
        rows = [b"first", body[:bad] + b"\xff" + body[bad + 1 :], b"\xfe"]
        with on_threads(2), pytest.raises(BAD_ARGUMENT, match=f"invalid UTF-8 in row 1 at byte {bad}"):
            torch.ops.stringops.tokenizer_ragged(*compact(rows), mincharnum=1, **how)


def test_cached_rules_are_not_used_for_other_attributes():
    s = so.StringTensor.from_list(["ab c"])
    asked: list[tuple[dict[str, Any], list[str]]] = [
        ({"tokenexp": "[a-z]+"}, ["ab", "c"]),
        ({"tokenexp": "[a-z]+", "mincharnum": 2}, ["ab"]),
        ({"separators": ["[a-z]+"]}, [" "]),
        ({"separators": [" ", "b"]}, ["a", "c"]),
        ({"separators": [" "]}, ["ab", "c"]),
    ]
    for first, second in itertools.permutations(asked, 2):
        for how, want in (first, second):
            assert so.tokenizer_ragged(s, **how)[0].tolist() == want
            assert so.tokenizer(s, **how).tolist() == [want]
        with pytest.raises(BAD_ARGUMENT, match="cannot compile"):
            so.tokenizer(s, tokenexp="[")
