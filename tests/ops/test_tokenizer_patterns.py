"""The dialect of the Tokenizer's patterns, construct by construct; errors in patterns and text; kept patterns."""

import itertools
import re
import threading
import time
from typing import Any

import pytest
import torch
from ops.test_tokenizer import attributes, path, tokens
from reference.tokenizer import tokenizer_ragged_ref
from support.strings import compact, decode

import torch_stringops as so

__all__ = ["path"]


# pattern, text, tokens: each would differ without the construct.
ACCEPTED = [
    # Flags and their defaults.
    ("a", "aA", ["a"]),
    ("(?i)a", "aA", ["a", "A"]),
    ("(?i:a)b", "AbAB", ["Ab"]),
    ("(?-i)a", "aA", ["a"]),
    ("(?i)a(?-i)b", "AbAB", ["Ab"]),
    ("a.b", "a\nb axb", ["axb"]),
    ("(?s)a.b", "a\nb axb", ["a\nb", "axb"]),
    ("^a|b$", "a\na b\nb", ["a", "b"]),
    ("(?m)^a|b$", "a\na b\nb", ["a", "a", "b", "b"]),
    ("(?U)a+", "aaa", ["aaa"]),
    ("(?is-m:^a.)", "A\na\n", ["A\n"]),
    # Sets are those of ASCII.
    (r"\w+", "été_9", ["t", "_9"]),
    (r"\W", "é_a-", ["é", "-"]),
    (r"\d+", "12٣4", ["12", "4"]),
    (r"\D", "1٣a", ["٣", "a"]),
    (r"\s", "\t\n\v\f\r \x85\u00a0\u3000", ["\t", "\n", "\f", "\r", " "]),
    (r"\S", " \v\u3000\t", ["\v", "\u3000"]),
    (r"\ba", "aéaa a", ["a", "a", "a"]),
    (r"a\B", "ab a", ["a"]),
    ("[[:space:]]", " \t\v\u00a0", [" ", "\t", "\v"]),
    ("[[:alpha:]]+", "aé9Z", ["a", "Z"]),
    ("[[:^alpha:]]", "aé9\n", ["é", "9", "\n"]),
    ("[[:word:]]+", "a_9é-", ["a_9"]),
    ("[[:punct:]]", "a!_é。", ["!", "_"]),
    ("[[:alnum:]]+", "a1_", ["a1"]),
    ("[[:ascii:]]+", "a\x7fé", ["a\x7f"]),
    ("[[:blank:]]", " \t\n", [" ", "\t"]),
    ("[[:cntrl:]]", "\0\x1f\x7fa", ["\0", "\x1f", "\x7f"]),
    ("[[:digit:]]+", "1a2", ["1", "2"]),
    ("[[:graph:]]+", "a b\x7f", ["a", "b"]),
    ("[[:print:]]+", "a b\x7f", ["a b"]),
    ("[[:lower:]]+", "aBé", ["a"]),
    ("[[:upper:]]+", "aBÉ", ["B"]),
    ("[[:xdigit:]]+", "fFg9", ["fF", "9"]),
    # Classes of Unicode.
    (r"\pL+", "aé日1", ["aé日"]),
    (r"\p{L}\p{M}*", "e\u0301a", ["e\u0301", "a"]),
    (r"\p{Lu}", "aÉB", ["É", "B"]),
    (r"\pN+", "1٣a", ["1٣"]),
    (r"\PL", "a1日-", ["1", "-"]),
    (r"\P{Greek}", "aω", ["a"]),
    (r"\p{^Greek}", "aω", ["a"]),
    (r"\p{Greek}+", "aωΩ", ["ωΩ"]),
    (r"\p{Han}+", "日本のa", ["日本"]),
    (r"[\p{Han}a]+", "日a本の", ["日a本"]),
    (r"\p{Any}", "\né", ["\n", "é"]),
    # Classes in brackets.
    ("[a-c]+", "abcd", ["abc"]),
    ("[^a]", "a\né", ["\n", "é"]),
    ("[]a]+", "]a[", ["]a"]),
    ("[^]a]", "]ab", ["b"]),
    (r"[\]]", "a]", ["]"]),
    ("[a-]+", "a-b", ["a-"]),
    ("[-a]+", "a-b", ["a-"]),
    (r"[a\-c]+", "a-bc", ["a-", "c"]),
    (r"[\d-z]", "3z-a", ["3", "z", "-"]),
    (r"[\d.]+", "1.5,2", ["1.5", "2"]),
    ("[a^]", "^a", ["^", "a"]),
    ("[.+*(]", "a.+*(", [".", "+", "*", "("]),
    ("[é-í]", "éíî", ["é", "í"]),
    ("[[:alpha]]", ":]", [":]"]),
    # Escapes.
    (r"\Aa", "aa", ["a"]),
    (r"a\z", "aa", ["a"]),
    (r"\a\f\t\n\r\v", "\a\f\t\n\r\v", ["\a\f\t\n\r\v"]),
    (r"\x41", "aA", ["A"]),
    (r"\x{e9}", "é", ["é"]),
    (r"\x{1F600}", "\U0001f600", ["\U0001f600"]),
    (r"\x00", "\0a", ["\0"]),
    (r"\0", "\0a", ["\0"]),
    (r"\101", "aA", ["A"]),
    (r"\.", "a.", ["."]),
    (r"\!\"\#\$\%\&\'\(\)\*\+\,\-\.\/", "!\"#$%&'()*+,-./", ["!\"#$%&'()*+,-./"]),
    (r"\:\;\<\=\>\?\@\[\\\]\^\_\`\{\|\}\~", ":;<=>?@[\\]^_`{|}~", [":;<=>?@[\\]^_`{|}~"]),
    (r"\Q.*[\E+", ".*[[", [".*[["]),
    (r"\Q(a", "(a", ["(a"]),
    # Groups, alternatives, repeats.
    ("(?:ab)+", "ababa", ["abab"]),
    ("(?P<n>a)b", "ab", ["ab"]),
    ("(?<n>a)b", "ab", ["ab"]),
    ("(?P<x>a)(?P<x>b)", "ab", ["ab"]),
    (r"\(?<n>", "(<n><n>", ["(<n>", "<n>"]),
    ("[(?<n>]+", "(?<n>a", ["(?<n>"]),
    (r"\Q(?<n>\E", "(?<n>", ["(?<n>"]),
    ("a{2}", "aaaaa", ["aa", "aa"]),
    ("a{2,}", "aaaaa", ["aaaaa"]),
    ("a{2,3}", "aaaaa", ["aaa", "aa"]),
    ("a{0}b", "ab", ["b"]),
    ("a|", "ba", ["a"]),
    ("|a", "ba", ["a"]),
    ("()|a", "ba", ["a"]),
    ("(?:)a", "ba", ["a"]),
    ("]", "a]", ["]"]),
    ("{", "a{", ["{"]),
    ("}", "a}", ["}"]),
    ("a{", "a{a", ["a{"]),
    ("a{,3}", "aa{,3}", ["a{,3}"]),
    ("a{1", "aa{1", ["a{1"]),
    ("(?:a{1000})", "a" * 1001, ["a" * 1000]),
    # Case by simple folding.
    ("(?i)s", "sSſß", ["s", "S", "ſ"]),
    ("(?i)k", "kK\u212a", ["k", "K", "\u212a"]),
    ("(?i)[a-z]+", "Kſ\u212aé", ["Kſ\u212a"]),
    (r"(?i)\w+", "aſ\u212aé", ["aſ\u212a"]),
    (r"(?i)\W", "aſ\u212aé", ["é"]),
    ("(?i)É", "éÉe", ["é", "É"]),
    ("(?i)ß", "ßẞs", ["ß", "ẞ"]),
    ("(?i)ΣΑΣ", "σας", ["σας"]),
    ("(?i)[^k]", "kK\u212aa", ["a"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text", "want"), ACCEPTED, ids=[repr(a[0]) for a in ACCEPTED])
def test_accepted(pattern: str, text: str, want: list[str], path: str):
    assert tokens([text], tokenexp=pattern) == [want]
    # And as a separator: what is left is what the expression does not take.
    pair = compact([text.encode()])
    data, offsets, _ = torch.ops.stringops.tokenizer_ragged(
        *pair, mark=False, mincharnum=1, separators=[pattern]
    )
    left, _ = tokenizer_ragged_ref([text.encode()], mark=False, mincharnum=1, separators=[pattern])
    assert decode(data, offsets) == left


# pattern, and the fragment that the error quotes.
REFUSED = [
    ("(?=a)", "(?="),
    ("(?!a)", "(?!"),
    ("(?<=a)", "(?<"),
    ("(?<!a)", "(?<"),
    ("(?>a)", "(?>"),
    ("(?#a)", "(?#"),
    ("(?x)a", "(?x"),
    ("(?z)a", "(?z"),
    ("(?i", "(?i"),
    ("(?i-)a", "(?i-)"),
    ("(?P<n>a)(?P=n)", "(?P"),
    ("(?P<>a)", "(?P<>"),
    ("(?P<n", "(?P<n"),
    *((rf"(a)\{n}", rf"\{n}") for n in range(1, 10)),
    *((rf"b\{c}", rf"\{c}") for c in "ZhRKeucNEGXy8"),
    ("\\é", "\\é"),
    ("a\\", "\\"),
    (r"\C", r"\C"),
    (r"a\Cb", r"\C"),
    (r"\p{Foo}", r"\p{Foo}"),
    (r"\pA", r"\pA"),
    (r"\p{L", r"\p{L"),
    (r"\xZ", r"\xZ"),
    (r"\x{110000}", r"\x{110000"),
    ("*a", "*"),
    ("+", "+"),
    ("?a", "?"),
    ("a|*", "*"),
    ("(*)", "*"),
    ("a**", "**"),
    ("a++", "++"),
    ("a+*", "+*"),
    ("x{2}{3}", "{2}{3}"),
    ("a{2,1}", "{2,1}"),
    ("a{1001}", "{1001}"),
    ("a{1001,}", "{1001,}"),
    ("a{0,1001}", "{0,1001}"),
    ("(a{500}){3}", "{3}"),
    ("((a{100}){10}){2}", "{2}"),
    ("(", "("),
    ("(ab", "(ab"),
    (")", ")"),
    ("a)", "a)"),
    ("[", "["),
    ("[a-", "[a-"),
    ("[]", "[]"),
    ("[^]", "[^]"),
    ("[[:alpha:]", "[[:alpha:]"),
    ("[b-a]", "b-a"),
    (r"[a-\d]", r"\d"),
    (r"[\b]", r"\b"),
    ("[[:foo:]]", "[:foo:]"),
    ("[[:WORD:]]", "[:WORD:]"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "fragment"), REFUSED, ids=[repr(r[0]) for r in REFUSED])
def test_refused_quoting_the_fragment(
    pattern: str, fragment: str, path: str, capfd: pytest.CaptureFixture[str]
):
    strings = so.StringTensor.from_list(["a"])
    for function in (so.tokenizer, so.tokenizer_ragged):
        name = function.__name__
        with pytest.raises(
            ValueError, match=rf"^{name}: cannot compile `tokenexp`: .*'{re.escape(fragment)}'"
        ):
            function(strings, tokenexp=pattern)
        with pytest.raises(
            ValueError, match=rf"^{name}: cannot compile `separators\[1\]`: .*'{re.escape(fragment)}'"
        ):
            function(strings, separators=["a", pattern])
        # "Errors at construction": also where there is no string to match.
        with pytest.raises(ValueError, match="cannot compile"):
            function(so.StringTensor(*compact([])), tokenexp=pattern)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("pattern", [b"\xff", b"a\xc3", b"[\xe6\x97]"])
def test_patterns_must_be_utf8(pattern: bytes):
    with pytest.raises(ValueError, match="cannot compile `tokenexp`: .*UTF-8"):
        torch.ops.stringops.tokenizer(*compact([b"a"]), **attributes(tokenexp=pattern))


def test_a_match_within_a_codepoint_is_no_crash(path: str):
    for pattern in (r"\B", r"\B|a", r"a\B"):
        for how in ({"separators": [pattern]}, {"tokenexp": pattern}):
            try:
                rows = tokens(["日本é a", "é"], **how)
            except ValueError as error:
                assert str(error).startswith("tokenizer: ")  # noqa: PT017
            else:
                assert all("\ufffd" not in token for row in rows for token in row)


# Text.
INVALID = [
    b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xc2a", b"\xc2\xc2\x80", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xe0\xa0",
    b"\xe2\x82", b"\xe2\x28\xa1", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xef\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf",
    b"\xf0\x9f\x98", b"\xf0\x9f\x98a", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff",
]  # fmt: skip
MODES: list[dict[str, Any]] = [
    {"separators": [" "]}, {"separators": [" ", "a+"]}, {"separators": [""]}, {"tokenexp": "[a-z]+"}, {"tokenexp": "."},
    {"tokenexp": "[^a]"}, {"tokenexp": "ab|b"}, {"tokenexp": "ab"}, {"separators": ["日"]},
]  # fmt: skip


@pytest.mark.parametrize("bad", INVALID)
def test_invalid_utf8_is_named_by_row_and_byte(bad: bytes, tier: str, path: str):
    for how, before in itertools.product(MODES, ("", "é日", "x" * 61, "x" * 62 + "é", "日" * 4000)):
        for strings in (
            [b"a", b"", before.encode() + bad],
            [[b"a", b""], [before.encode() + bad + b"b", b"\xff"]],
        ):
            where = rf"invalid UTF-8 in row 2 at byte {len(before.encode())}\b"
            with pytest.raises(ValueError, match=f"^tokenizer: .*{where}"):
                torch.ops.stringops.tokenizer(*compact(strings), **attributes(**how))
            with pytest.raises(ValueError, match=f"^tokenizer_ragged: .*{where}"):
                torch.ops.stringops.tokenizer_ragged(*compact(strings), mark=False, mincharnum=1, **how)


def test_a_codepoint_does_not_reach_across_strings(tier: str, path: str):
    for how in MODES:
        for rows in (
            [b"a\xe3", b"\x80\x80b"],
            [b"\xc3", b"\xa9"],
            [b"x" * 63 + b"\xc3", b"\xa9"],
            [b"\xf0\x9f", b"", b"\x98\x80"],
        ):
            with pytest.raises(
                ValueError, match=rf"in row 0 at byte {len(rows[0].rstrip(bytes(range(0x80, 256))))}\b"
            ):
                torch.ops.stringops.tokenizer(*compact(rows), **attributes(**how))


def test_bytes_outside_of_all_strings_need_not_be_utf8(tier: str, path: str):
    data = torch.tensor([*b"\xffa b\xff\xffc\x80"], dtype=torch.uint8)
    offsets = torch.tensor([[1, 4], [6, 7]], dtype=torch.int32)
    for how in ({"separators": [" "]}, {"tokenexp": "[a-z]"}, {"tokenexp": "a|b|c"}):
        got, ends = torch.ops.stringops.tokenizer(data, offsets, **attributes(**how))
        assert decode(got, ends) == [[[b"a", b"b"]], [[b"c", b"#"]]]


def verdicts(sequences: list[bytes], how: dict[str, Any]) -> None:
    valid = []
    for sequence in sequences:
        try:
            valid.append(sequence.decode())
        except UnicodeDecodeError as error:
            with pytest.raises(ValueError, match=rf"in row 0 at byte {error.start}\b"):
                torch.ops.stringops.tokenizer_ragged(*compact([sequence]), mark=False, mincharnum=1, **how)
    got = so.tokenizer_ragged(so.StringTensor.from_list(valid), **how)[0]
    assert got.tolist() == [c for text in valid for c in text]


def test_verdicts_on_utf8_are_those_of_python(tier: str):
    edges = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF]
    verdicts([bytes(s) for s in itertools.product(range(256), edges)], {"separators": [""]})
    verdicts(
        [bytes([a, *s]) for a in range(0xDF, 0xF1) for s in itertools.product(edges, repeat=2)],
        {"tokenexp": "."},
    )
    four = [bytes([a, b, 0x80, c]) for a in range(0xEF, 0xF6) for b in edges for c in edges]
    verdicts(four, {"separators": [""]})
    scalars = [chr(c) for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000]
    verdicts(["".join(scalars).encode()], {"separators": [""]})


# Attributes and arguments of the public functions.
def test_scalars_and_cubes_are_refused():
    for function in (so.tokenizer, so.tokenizer_ragged):
        for strings in (so.StringTensor.from_list("a b"), so.StringTensor.from_list([[["a"]]])):
            with pytest.raises(
                ValueError, match=rf"^{function.__name__}: expected .*\[C\] or \[N, C\], got shape "
            ):
                function(strings, separators=[" "])


@pytest.mark.parametrize("shape", [(1, 1, 0), (0, 1, 1), (2, 0, 3)])
def test_empty_cubes_are_refused(shape: tuple[int, ...]):
    offsets = torch.zeros([*shape[:-1], shape[-1] + 1], dtype=torch.int32)
    strings = so.StringTensor(torch.empty(0, dtype=torch.uint8), offsets)
    with pytest.raises(ValueError, match=rf"got shape \[{', '.join(map(str, shape))}\]"):
        so.tokenizer(strings, separators=[" "])


@pytest.mark.parametrize("function", [so.tokenizer, so.tokenizer_ragged])
def test_wrong_attributes_are_refused_before_empty_inputs_return(function: Any):
    strings = so.StringTensor(*compact([]))
    for how in (
        {}, {"separators": []}, {"tokenexp": ""}, {"separators": [" "], "tokenexp": "a"}, {"separators": [""], "mincharnum": 2},
        {"tokenexp": "a", "mincharnum": 0},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=rf"^{function.__name__}: expected "):
            function(strings, **how)


def test_separators_are_a_list():
    with pytest.raises(TypeError, match="separators"):
        so.tokenizer(so.StringTensor.from_list(["a b"]), separators=" ")


def test_padding_beyond_reason_is_refused_before_allocation():
    rows = so.StringTensor.from_list(["a " * 100_000, *["b"] * 30_000])
    with pytest.raises(ValueError, match=r"^tokenizer: .*30001 .*100000 .*tokenizer_ragged"):
        so.tokenizer(rows, separators=[" "])
    rows = so.StringTensor.from_list(["a " * 3000, ""])
    with pytest.raises(ValueError, match=r"^tokenizer: the result needs 3145731000 bytes"):
        so.tokenizer(rows, separators=[" "], pad_value="x" * 2**20)


# Patterns are compiled once and kept, but not all of them.
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


def test_kept_patterns_are_bounded():
    strings = so.StringTensor.from_list(["a" * 100])

    def compile(first: int, last: int) -> None:
        for n in range(first, last):
            so.tokenizer_ragged(strings, tokenexp=rf"(?:\pL{{3}}{n}){{3}}|a")

    compile(0, 150)
    before = resident()
    compile(150, 600)
    assert resident() - before < 30e6


def test_threads_share_patterns():
    """More patterns than are kept, from 16 threads at once."""
    text = "to be or not to be 1 22 日本 " * 20
    patterns = [rf"[a-z]{{1,{n}}}|\d+" for n in range(1, 100)] + ["[a-z]+", r"\d+", " ", "be"]
    strings = so.StringTensor.from_list([text, "", "x"])
    want = [so.tokenizer_ragged(strings, tokenexp=p)[0].tolist() for p in patterns]
    problems: list[Any] = []

    def work(first: int) -> None:
        for i in range(len(patterns)):
            n = (i * 7 + first) % len(patterns)
            try:
                if so.tokenizer_ragged(strings, tokenexp=patterns[n])[0].tolist() != want[n]:
                    problems.append(patterns[n])
            except Exception as error:
                problems.append(error)

    threads = [threading.Thread(target=work, args=(n * 11,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


@pytest.mark.parametrize(
    "pattern",
    [
        "(a*)*b", "(a+)+b", "(a|aa)+b", "(a|a?)+b", "(.*)*x", "(x+x+)+y", "a*a*a*a*a*a*b", "(?:a?){50}a{50}b", "(a{0,30}){0,30}b",
        "((a*)*)*b", r"^(([a-z])+.)+[A-Z]([a-z])+$", "(ab|a|b)*c", r"(?i)(?:[^\W\d]+)+\d$",
    ],
)  # fmt: skip
def test_hostile_patterns_take_linear_time(pattern: str, capfd: pytest.CaptureFixture[str]):
    pair = compact([b"a" * 100_000])
    begin = time.process_time()
    torch.ops.stringops.tokenizer_ragged(*pair, mark=False, mincharnum=1, tokenexp=pattern)
    assert time.process_time() - begin < 2
    assert capfd.readouterr().err == ""
