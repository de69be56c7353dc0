"""Patterns of the Tokenizer: the dialect construct by construct, malformed patterns, and the cache."""

import random
import re
import sys
from contextlib import nullcontext
from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from ops import test_regex_syntax
from reference.tokenizer import tokenizer_ragged_ref
from support.cases import each
from support.engines import by_closure, without_masks
from support.errors import BAD_ARGUMENT
from support.strings import compact, decode
from support.threads import in_parallel
from support.tokenizer import attributes, tokens

import torch_stringops as so

# pattern, text, tokens. The tokens would differ without the construct.
ACCEPTED = [
    # Flags and their defaults.
    ("a", "aA", ["a"]), ("(?i)a", "aA", ["a", "A"]), ("(?i:a)b", "AbAB", ["Ab"]), ("(?-i)a", "aA", ["a"]),
    ("(?i)a(?-i)b", "AbAB", ["Ab"]), ("a.b", "a\nb axb", ["axb"]), ("(?s)a.b", "a\nb axb", ["a\nb", "axb"]),
    ("^a|b$", "a\na b\nb", ["a", "b"]), ("(?m)^a|b$", "a\na b\nb", ["a", "a", "b", "b"]), ("(?U)a+", "aaa", ["aaa"]),
    ("(?is-m:^a.)", "A\na\n", ["A\n"]),
    # Perl classes are ASCII only.
    (r"\w+", "été_9", ["t", "_9"]), (r"\W", "é_a-", ["é", "-"]), (r"\d+", "12٣4", ["12", "4"]),
    (r"\D", "1٣a", ["٣", "a"]), (r"\s", "\t\n\v\f\r \x85\u00a0\u3000", ["\t", "\n", "\f", "\r", " "]),
    (r"\S", " \v\u3000\t", ["\v", "\u3000"]), (r"\ba", "aéaa a", ["a", "a", "a"]), (r"a\B", "ab a", ["a"]),
    # Assertions about the text before a match.
    (r"\b,|x", "a,x,", [",", "x", ","]), (r"\Ba|b", "aab a", ["a", "b"]), (r"\b\W|\d", "a- -1", ["-", "1"]),
    ("[[:space:]]", " \t\v\u00a0", [" ", "\t", "\v"]), ("[[:alpha:]]+", "aé9Z", ["a", "Z"]),
    ("[[:^alpha:]]", "aé9\n", ["é", "9", "\n"]), ("[[:word:]]+", "a_9é-", ["a_9"]),
    ("[[:punct:]]", "a!_é。", ["!", "_"]), ("[[:alnum:]]+", "a1_", ["a1"]), ("[[:ascii:]]+", "a\x7fé", ["a\x7f"]),
    ("[[:blank:]]", " \t\n", [" ", "\t"]), ("[[:cntrl:]]", "\0\x1f\x7fa", ["\0", "\x1f", "\x7f"]),
    ("[[:digit:]]+", "1a2", ["1", "2"]), ("[[:graph:]]+", "a b\x7f", ["a", "b"]), ("[[:print:]]+", "a b\x7f", ["a b"]),
    ("[[:lower:]]+", "aBé", ["a"]), ("[[:upper:]]+", "aBÉ", ["B"]), ("[[:xdigit:]]+", "fFg9", ["fF", "9"]),
    # Ranges that end beyond ASCII.
    ("[a-é]+", "Aab~éÿz", ["ab~é", "z"]), (r"[a-\x{e9}]+", "Aab~éÿz", ["ab~é", "z"]),
    # Unicode classes.
    (r"\pL+", "aé日1", ["aé日"]), (r"\p{L}\p{M}*", "e\u0301a", ["e\u0301", "a"]), (r"\p{Lu}", "aÉB", ["É", "B"]),
    (r"\pN+", "1٣a", ["1٣"]), (r"\PL", "a1日-", ["1", "-"]), (r"\P{Greek}", "aω", ["a"]), (r"\p{^Greek}", "aω", ["a"]),
    (r"\p{Greek}+", "aωΩ", ["ωΩ"]), (r"\p{Han}+", "日本のa", ["日本"]), (r"[\p{Han}a]+", "日a本の", ["日a本"]),
    (r"\p{Any}", "\né", ["\n", "é"]),
    # Bracketed classes.
    ("[a-c]+", "abcd", ["abc"]), ("[^a]", "a\né", ["\n", "é"]), ("[]a]+", "]a[", ["]a"]), ("[^]a]", "]ab", ["b"]),
    (r"[\]]", "a]", ["]"]), ("[a-]+", "a-b", ["a-"]), ("[-a]+", "a-b", ["a-"]), (r"[a\-c]+", "a-bc", ["a-", "c"]),
    (r"[\d-z]", "3z-a", ["3", "z", "-"]), (r"[\d.]+", "1.5,2", ["1.5", "2"]), ("[a^]", "^a", ["^", "a"]),
    ("[.+*(]", "a.+*(", [".", "+", "*", "("]), ("[é-í]", "éíî", ["é", "í"]), ("[[:alpha]]", ":]", [":]"]),
    # Escapes.
    (r"\Aa", "aa", ["a"]), (r"a\z", "aa", ["a"]), (r"\a\f\t\n\r\v", "\a\f\t\n\r\v", ["\a\f\t\n\r\v"]),
    (r"\x41", "aA", ["A"]), (r"\x{e9}", "é", ["é"]), (r"\x{1F600}", "\U0001f600", ["\U0001f600"]),
    (r"\x00", "\0a", ["\0"]), (r"\0", "\0a", ["\0"]), (r"\101", "aA", ["A"]), (r"\.", "a.", ["."]),
    (r"\!\"\#\$\%\&\'\(\)\*\+\,\-\.\/", "!\"#$%&'()*+,-./", ["!\"#$%&'()*+,-./"]),
    (r"\:\;\<\=\>\?\@\[\\\]\^\_\`\{\|\}\~", ":;<=>?@[\\]^_`{|}~", [":;<=>?@[\\]^_`{|}~"]),
    (r"\Q.*[\E+", ".*[[", [".*[["]), (r"\Q(a", "(a", ["(a"]),
    # Groups, alternatives, repeats.
    ("(?:ab)+", "ababa", ["abab"]), ("(?P<n>a)b", "ab", ["ab"]), ("(?<n>a)b", "ab", ["ab"]),
    ("(?P<x>a)(?P<x>b)", "ab", ["ab"]), (r"\(?<n>", "(<n><n>", ["(<n>", "<n>"]), ("[(?<n>]+", "(?<n>a", ["(?<n>"]),
    (r"\Q(?<n>\E", "(?<n>", ["(?<n>"]), ("a{2}", "aaaaa", ["aa", "aa"]), ("a{2,}", "aaaaa", ["aaaaa"]),
    ("a{2,3}", "aaaaa", ["aaa", "aa"]), ("a{0}b", "ab", ["b"]), ("a|", "ba", ["a"]), ("|a", "ba", ["a"]),
    ("()|a", "ba", ["a"]), ("(?:)a", "ba", ["a"]), ("]", "a]", ["]"]), ("{", "a{", ["{"]), ("}", "a}", ["}"]),
    ("a{", "a{a", ["a{"]), ("a{,3}", "aa{,3}", ["a{,3}"]), ("a{1", "aa{1", ["a{1"]),
    ("(?:a{1000})", "a" * 1001, ["a" * 1000]),
    # Case by simple folding.
    ("(?i)s", "sS\u017fß", ["s", "S", "\u017f"]), ("(?i)k", "kK\u212a", ["k", "K", "\u212a"]),
    ("(?i)[a-z]+", "K\u017f\u212aé", ["K\u017f\u212a"]), (r"(?i)\w+", "a\u017f\u212aé", ["a\u017f\u212a"]),
    (r"(?i)\W", "a\u017f\u212aé", ["é"]), ("(?i)É", "éÉe", ["é", "É"]), ("(?i)ß", "ßẞs", ["ß", "ẞ"]),
    ("(?i)ΣΑΣ", "σας", ["σας"]), ("(?i)[^k]", "kK\u212aa", ["a"]),
]  # fmt: skip


@each(("pattern", "text", "want"), ACCEPTED)
def test_accepted(pattern: str, text: str, want: list[str], path: str):
    assert tokens([text], tokenexp=pattern) == [want]
    # As a separator, the pattern gives the text between the tokens.
    pair = compact([text.encode()])
    data, offsets, _ = torch.ops.stringops.tokenizer_ragged(*pair, mark=False, mincharnum=1, separators=[pattern])
    left, _ = tokenizer_ragged_ref([text.encode()], mark=False, mincharnum=1, separators=[pattern])
    assert decode(data, offsets) == left


# pattern, and its fault: those of regular expressions, whose parser is the same, and more.
REJECTED = [
    *((pattern, f"{fault} at position {at}") for pattern, fault, at, _ in test_regex_syntax.FAULTS),
    *((rf"(a)\{n}", rf"unsupported reference \{n} to a group at position 3") for n in range(1, 10)),
    *((rf"b\{c}", rf"unknown escape sequence \{c} at position 1") for c in "ZhRKeucNEGXy"),
    *((p, f"unknown flag {p[2]} at position 2") for p in ("(?>a)", "(?#a)", "(?x)a", "(?z)a")),
    *((p, "missing ] of the class at position 0") for p in ("[", "[a-", "[]", "[[:alpha:]")),
    *((p, f"nothing to repeat before {p[0]} at position 0") for p in ("*a", "+", "?a")),
    *((p, "repetitions of more than 1000 times, those inside included at position 1") for p in ("a{1001}", "a{1001,}", "a{0,1001}")),
    ("((a{100}){10}){2}", "repetitions of more than 1000 times, those inside included at position 14"),
    ("(?!ab)", "look-ahead at other than one character at position 0"), ("(?<!a)", "unsupported look-behind at position 0"),
    ("(?i-)a", "missing flag after - at position 4"), ("(?P<>a)", "invalid group name '' at position 0"),
    (r"b\8", r"unsupported reference \8 to a group at position 1"), (r"\xZ", r"missing code point after \x at position 0"),
    ("a|*", "nothing to repeat before * at position 2"), ("a+*", "repeated repetition +* at position 1"),
    ("x{2}{3}", "repeated repetition {2}{3} at position 1"), ("(", "missing ) of the group at position 0"),
]  # fmt: skip


@each(("pattern", "fault"), REJECTED)
def test_rejected_with_fault_and_position(pattern: str, fault: str, path: str, capfd: pytest.CaptureFixture[str]):
    strings = so.StringTensor.from_list(["a"])
    for function in (so.tokenizer, so.tokenizer_ragged):
        name = function.__name__
        with pytest.raises(BAD_ARGUMENT, match=rf"^{name}: cannot compile `tokenexp`: {re.escape(fault)} \(.*\)$"):
            function(strings, tokenexp=pattern)
        with pytest.raises(
            BAD_ARGUMENT, match=rf"^{name}: cannot compile `separators\[1\]`: {re.escape(fault)} \(.*\)$"
        ):
            function(strings, separators=["a", pattern])
        # "Errors at construction": also if there are no strings.
        with pytest.raises(BAD_ARGUMENT, match="cannot compile"):
            function(so.StringTensor(*compact([])), tokenexp=pattern)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("pattern", [b"\xff", b"a\xc3", b"[\xe6\x97]"])
def test_patterns_must_be_utf8(pattern: bytes):
    with pytest.raises(BAD_ARGUMENT, match=r"cannot compile `tokenexp`: .*UTF-8"):
        torch.ops.stringops.tokenizer(*compact([b"a"]), **attributes(tokenexp=pattern))


PARTS = r"a b é . [^a] [ab] \w \s \pL ^ $ \b \B \z ( (?: ) | * + ? *? +? {2} {1,3} {2,} (?i) (?m) (?s) ab [.] @".split()  # noqa: SIM905


@given(
    pattern=st.lists(st.sampled_from([*PARTS, " "]), min_size=1, max_size=9).map("".join),
    texts=st.lists(st.text("aAbé .@\n_", max_size=30), max_size=4),
    mincharnum=st.integers(1, 3),
)
def test_engines_are_equal(pattern: str, texts: list[str], mincharnum: int):
    pair = compact([text.encode() for text in texts])
    results: list[Any] = []
    for engine in (nullcontext, without_masks, by_closure):
        found: list[Any] = []
        try:
            with engine():
                for how in ({"tokenexp": pattern}, {"separators": [pattern, " "]}):
                    out = torch.ops.stringops.tokenizer_ragged(*pair, mincharnum=mincharnum, **how)
                    found.append([tensor.tolist() for tensor in out])
        except BAD_ARGUMENT as error:
            found.append(str(error))
        results.append(found)
    assert results[0] == results[1] == results[2]


# Look-aheads of one character, and possessive repetitions of one, as in regex_*.
BEYOND_RE2 = [
    r"\s+(?!\S)|\S", r"a++b?", r"a+(?!b)", r"(?=[ab])\w+", r"[a-c]?+b|c", r"\d{1,3}+|\w", r" ?\w+(?=\s)|\w+| +",
    r"(a|b(?=c))+", r"a(?=b)|ab(?!c)|abc", r"\w+(?![a-z])", r" ?[a-z]++|\s++(?!\S)|\s+", r"[^\s]++", r"x*(?=a)",
    r"\w++(?=,)|\w+ ?", r"(?!a)\w+", r"'(?:s|t)(?!\w)|\w+|'", r"\b\w(?!\w)|\w+\B", r"é++|\w", r"(?s:.)(?=é)",
    r"[^\r\n\w]?+\w++|\d{1,3}+| ?[^\s\w]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
]  # fmt: skip


@cache
def ending_before(pattern: str, rest: int) -> re.Pattern[str]:
    """A match of the pattern after which the text has `rest` characters, wherever the engine would end it first."""
    return re.compile(rf"(?:{pattern})(?=(?s:.{{{rest}}})\Z)", re.ASCII)


def longest_matches(pattern: str, text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        rests = range(len(text) - at)
        end = next((len(text) - rest for rest in rests if ending_before(pattern, rest).match(text, at)), at)
        found += [text[at:end]] if end > at else []
        at = max(end, at + 1)
    return found


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the oracle has no possessive repetitions")
@each("pattern", BEYOND_RE2)
def test_lookaheads_and_possessive_repetitions(pattern: str, tier: str):
    rng = random.Random(1)
    parts = ["a", "b", "c", " ", "  ", "1", "22", ",", "'s", "é", "x", "\n", "\t", "ab", "日"]
    texts = ["".join(rng.choices(parts, k=rng.randint(0, 12))) for _ in range(60)] + ["ab c " * 14]
    got, row_splits = so.tokenizer_ragged(texts, tokenexp=pattern)
    want = [longest_matches(pattern, text) for text in texts]
    assert got.tolist() == [token for tokens in want for token in tokens]
    assert row_splits.diff().tolist() == [len(tokens) for tokens in want]


def test_separators_with_lookaheads():
    texts = ["1,234, a,b", "a,,b", ",", "a, 5,6"]
    got, row_splits = so.tokenizer_ragged(texts, separators=[r",(?!\d)", r"\s++"])
    assert got.tolist() == ["1,234", "a", "b", "a", "b", "a", "5,6"]
    assert row_splits.tolist() == [0, 3, 5, 5, 7]


# The cache of compiled patterns is bounded.
def test_many_patterns_each_give_their_own_tokens():
    strings = so.StringTensor.from_list([f"x{n}y" for n in range(200)])
    for _ in range(2):
        for n in range(200):
            got, row_splits = so.tokenizer_ragged(strings, tokenexp=f"x{n}y|^{n}$")
            assert got.tolist() == [f"x{n}y"]
            assert row_splits[n : n + 2].tolist() == [0, 1]


def resident() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_memory_of_cached_patterns_is_bounded():
    strings = so.StringTensor.from_list(["a" * 100])

    def compile(first: int, last: int) -> None:
        for n in range(first, last):
            so.tokenizer_ragged(strings, tokenexp=rf"(?:\pL{{3}}{n}){{3}}|a")

    compile(0, 100)
    before = resident()
    compile(100, 300)
    assert resident() - before < 30e6  # a pattern takes about 500 KB: 200 of them, 100 MB


def test_threads_share_patterns():
    """More patterns than the cache keeps, from 16 threads at once."""
    text = "to be or not to be 1 22 日本 " * 20
    patterns = [rf"[a-z]{{1,{n}}}|\d+" for n in range(1, 100)] + ["[a-z]+", r"\d+", " ", "be"]
    strings = so.StringTensor.from_list([text, "", "x"])
    want = [so.tokenizer_ragged(strings, tokenexp=p)[0].tolist() for p in patterns]

    def work(first: int) -> None:
        for i in range(len(patterns)):
            n = (i * 7 + first) % len(patterns)
            assert so.tokenizer_ragged(strings, tokenexp=patterns[n])[0].tolist() == want[n], patterns[n]

    in_parallel(work, range(0, 176, 11))
