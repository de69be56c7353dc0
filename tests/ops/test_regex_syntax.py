"""The syntax of patterns: errors with their positions and cures, limits, and what looks like a fault and is none."""

import ctypes
import re

import pytest
from support.cases import each
from support.errors import BAD_ARGUMENT

import torch_stringops as so

_parse = so._native._c.stringops_parse

NAMES = "names are those of Unicode's general categories, such as Lu, those of scripts, such as Greek, and Any"
POSIX = "names are alnum, alpha, ascii, blank, cntrl, digit, graph, lower, print, punct, space, upper, word, xdigit"
FLAGS = "flags are i, m, s and U, as in (?i) or (?s-i:x)"
GROUPED = "put what is repeated in a group, as in (?:a*)*"
BACKSLASH = r"write \\ for a backslash"

# Pattern, fault, position in code points, cure.
FAULTS = [
    ("a)b", "unexpected )", 1, r"write \) for a parenthesis"),
    ("é(日(a)", "missing ) of the group", 1, r"write \( for a parenthesis"),
    ("😀(?i", "missing ) of the group", 1, r"write \( for a parenthesis"),
    ("ab[^]c", "missing ] of the class", 2, r"write \[ for a bracket"),
    ("(日|?)", "nothing to repeat before ?", 3, r"write \? for the character"),
    ("{2}", "nothing to repeat before {2}", 0, r"write \{ for the character"),
    ("(?i)+?", "nothing to repeat before +?", 4, r"write \+ for the character"),
    ("aé*?{2}", "repeated repetition *?{2}", 2, GROUPED),
    ("a+++", "repeated repetition +++", 1, GROUPED),
    ("a{3,2}", "repetition {3,2} in reverse", 1, "write the smaller count first"),
    ("(?:a{50}|b){21}", "repetitions of more than 1000 times, those inside included", 11, "use smaller counts"),
    (
        "(ab)*+",
        "possessive repetition of other than one character",
        4,
        "repeat a character or a class, or leave out the last +",
    ),
    ("a\\", "trailing \\", 1, BACKSLASH),
    (r"(a)\2", r"unsupported reference \2 to a group", 3, BACKSLASH),
    (r"é\q", r"unknown escape sequence \q", 1, BACKSLASH),
    (r"\é", r"unknown escape sequence \é", 0, BACKSLASH),
    (r"[a\b]", r"unknown escape sequence \b", 2, BACKSLASH),
    (r"a\Z", r"unknown escape sequence \Z", 1, r"write \z for the end of the text"),
    (r"a\C", r"unsupported escape sequence \C", 1, "write (?s:.) for a code point"),
    (r"\x{110000}", r"missing code point after \x", 0, r"write \x41 or \x{1F600}"),
    ("[[:Alpha:]]", "unknown class [:Alpha:]", 1, POSIX),
    (r"[^\p{greek}]", r"unknown class \p{greek}", 2, NAMES),
    (r"\PX", r"unknown class \PX", 0, NAMES),
    (r"é\p{Greek", r"missing } of \p{", 1, r"write \p{Greek} or \pL"),
    ("[日c-a]", "range c-a in reverse", 2, "write the smaller end first"),
    (r"[a-\d]", r"class \d as the end of a range", 3, r"write \- for a hyphen"),
    ("(?P<a b>c)", "invalid group name 'a b'", 0, "use letters, digits and _"),
    ("(?<n", "missing > of the group's name", 0, "write (?P<name>...)"),
    ("(?P(a))", "missing group name after (?P", 0, "write (?P<name>...)"),
    ("(?P<n>a)(?P=n)", "unsupported reference to a group", 8, "write the group again"),
    ("a(?<=a)", "unsupported look-behind", 1, "match what is before it, too, and use a group for the rest"),
    ("(?=a|bc)", "look-ahead at other than one character", 0, "look at a character or a class, as in (?=[a-z])"),
    ("(?iw)a", "unknown flag w", 3, FLAGS),
    ("(?i-:a)", "missing flag after -", 4, FLAGS),
    ("(" * 251 + ")" * 251, "more than 250 groups inside each other", 250, "use fewer groups"),
    (r"\pL" * 1589, "classes with more than 1048576 ranges of code points in all", 3 * 1588, "name fewer classes"),
]


@each(("pattern", "fault", "position", "cure"), FAULTS)
def test_fault(pattern: str, fault: str, position: int, cure: str):
    text = f"regex_contains: cannot compile `pattern`: {fault} at position {position} ({cure})"
    with pytest.raises(BAD_ARGUMENT, match=f"^{re.escape(text)}$"):
        so.regex_contains(["a"], pattern)


def test_long_fragments_are_quoted_in_part():
    with pytest.raises(BAD_ARGUMENT, match=re.escape("unknown class \\p{" + "é" * 38 + "... at position 1 (")):
        so.regex_contains(["a"], "a\\p{" + "é" * 1000 + "}")


# Pattern, text, the match and its groups.
ACCEPTED = [
    ("a{,5}", "aa{,5}", ["a{,5}"]), ("a{01}", "a{01}", ["a{01}"]),
    ("a{1000000000}", "a{1000000000}", ["a{1000000000}"]), ("{a}{,1}b", "{a}{,1}b", ["{a}{,1}b"]),
    ("x{", "x{", ["x{"]), (r"a\Q\E+", "aa", ["aa"]), (r"a*\Q\E+", "aa", ["aa"]), ("a(?i)*B", "aab", ["aab"]),
    ("a|(?i)b|c", "C", ["C"]), ("(?:a(?i)b)c", "aBc", ["aBc"]), ("(?i:(?-i:k)K)", "k\u212a", ["k\u212a"]),
    ("(?)a", "a", ["a"]), ("(?U)a+(a*?)", "aaa", ["aaa", "aa"]), ("(?<n>a)(?P<n>b)", "ab", ["ab", "a", "b"]),
    ("(?<é日1>a)", "a", ["a", "a"]), ("(|a)+b()", "ab", ["ab", "a", ""]), ("^*a", "ba", ["a"]),
    ("[]-a]+", "]^a", ["]^a"]), ("[[]", "[", ["["]), ("[[:]+", "[:", ["[:"]), (r"[\d-z]+", "1-z", ["1-z"]),
    (r"[--\]]+", "-]", ["-]"]), (r"\_\-\ ", "_- ", ["_- "]), (r"\08\101\x{0000041}", "\x008AA", ["\x008AA"]),
    (r"\Qa.", "a.", ["a."]), (r"(?m)^b$", "a\nb\n", ["b"]), (r"(?s-m:.)a", "\na", ["\na"]),
    ("(?:a{50}|b){20}c*", "b" * 20 + "c", ["b" * 20 + "c"]), ("(?:(?:a{1000}){0,1}){1}", "a" * 1001, ["a" * 1000]),
    (r"[\x{D800}-\x{DFFF}]|a", "a", ["a"]),
]  # fmt: skip


@each(("pattern", "text", "found"), ACCEPTED)
def test_accepted(pattern: str, text: str, found: list[str]):
    assert [so.regex_extract([text], pattern, g).tolist()[0] for g in range(len(found))] == found
    with pytest.raises(BAD_ARGUMENT, match=f"expected `group` from 0 to {len(found) - 1}"):
        so.regex_extract([text], pattern, len(found))


# The table of classes was made of sets that are not disjoint.
def test_optional_character_beyond_ascii_before_one_of_its_own():
    assert so.regex_find_all_ragged(["abé ,b,"], "[^A]?,")[0].tolist() == [" ,", "b,"]
    assert so.regex_find_all_ragged(["abé ,b "], "[^é]? ")[0].tolist() == [" ", "b "]


def parse(pattern: str) -> int:
    text = pattern.encode()
    return _parse(text, ctypes.c_int64(len(text)))


def test_limits_of_the_parser():
    assert parse("(" * 250 + ")" * 250) == 0
    assert parse(r"\pL" * 1588) == 0
    assert parse("[" + r"\pL" * 50_000 + "]") == 0  # a class is one set
    assert parse("(?:(?:a{10}|b{9}){10}|c){10}") == 0
    assert parse("(?:(?:a{10}|b{11}){10}|c){10}") == -1
    assert parse("(?:(?:a{11}*|b)+){91}") == -1
    assert parse("(?:(?:(?:a{11})*|b)+){91}") == -1
    assert parse("(?:(?:(?:a{11})*|b)+){90}") == 0
    assert parse("(?:a{1000,}){2}") == -1
    assert parse(r"a(?=[bc])") == parse("a++") == 1
