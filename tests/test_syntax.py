"""The parser's sets of code points, against what RE2 finds in a text of all code points that it could tell apart."""

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest
from support.cases import each

import torch_stringops as so

re2 = pytest.importorskip("re2")

_native = so._native._c
_native.stringops_parse_set.restype = ctypes.c_int64

SETS = r"""
\d \w \s \D \W \S . (?s). \101 \x41 \x{1F600} \n \. \_ { } ] \Q.\E \- (?:a) (?s:.) (?-s). é
\pL \PN \p{Greek} \P{Greek} \p{^L} \P{^L} \p{Lu} \pC \p{Any} [\p{Greek}\d] [^\s\pL\pN]
(?i)\w (?i)\W (?i)[^\W_] (?i)\p{Lu} (?i)\P{Lu} (?i)[^\p{Lu}] (?i)[\P{Lu}] (?i)[a-z] (?i)[^a-z] (?i)k (?i)s (?i)ß
(?i)Σ (?i)µ (?i)İ (?i)ſ (?i)я (?i)[α-ω] (?i)\x{345} (?i)Ⅷ (?i)ⓐ (?i)[\x{80}-\x{10ffff}] (?i)[[:^lower:]]
[[:alpha:]] [[:punct:]] [[:space:]] [[:word:]] [[:^xdigit:]] [[:^space:]a] [[:] [[:a] [a[:]
[]a] [^]a] [a-] [-a] [a-b-c] [\d-z] [\d--z] [a\-z] [\x41-\x{5a}] [\101-\132] [^\x00-\x{10FFFF}] [一-龥] [^，]
a|b a|[c-d]|\d (?:a|b)|c (?i)\QK\E (?i:k) (?i-i:k) (?i)(?-i)k
""".split()  # noqa: SIM905

OTHERS = ["ab", "a+", "(a)", "", "a|bc", "\\b", "a{2}", "[a", "(?i", "\\8", "[z-a]", "\\p{Foo}", "a**"]


def ranges_of(pattern: str) -> np.ndarray | None:
    """The first and the last code points of the set's ranges, or nothing if the pattern is not a set."""
    text = pattern.encode()
    ranges = np.zeros((2000, 2), np.uint32)
    pointer = ranges.ctypes.data_as(ctypes.POINTER(ctypes.c_uint32))
    count = _native.stringops_parse_set(text, ctypes.c_int64(len(text)), pointer, ctypes.c_int64(len(ranges)))
    assert count <= len(ranges)
    return None if count < 0 else ranges[:count]


def parsed(pattern: str) -> np.ndarray | None:
    """Whether each code point is in the set, or nothing if the pattern is not a set."""
    ranges = ranges_of(pattern)
    if ranges is None:
        return None
    members = np.zeros(0x110001, np.int8)
    members[ranges[:, 0]] += 1
    members[ranges[:, 1] + 1] -= 1
    return members.cumsum()[:-1].astype(bool)


# Planes that are not assigned, or for private use, by their ends.
CODEPOINTS = np.array(
    [
        c
        for c in range(0x110000)
        if not 0xD800 <= c < 0xE000 and (c >> 16 in (0, 1, 2, 3, 14) or not 64 <= c & 0xFFFF < 0xFFC0)
    ]
)
TEXT = "".join(map(chr, CODEPOINTS)).encode()
LENGTHS = 1 + (CODEPOINTS >= 0x80) + (CODEPOINTS >= 0x800) + (CODEPOINTS >= 0x10000)
STARTS = LENGTHS.cumsum() - LENGTHS

TABLES = Path(__file__).resolve().parent.parent / "csrc" / "tables" / "categories.cpp"
NAMES = re.findall(r'"(\w+)", ?', TABLES.read_text(encoding="utf-8"))


def compiled(pattern: str) -> "re2._Regexp":
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


def found_by_re2(pattern: str) -> np.ndarray:
    """Whether RE2 finds each of CODEPOINTS."""
    marks = np.zeros(len(TEXT) + 1, np.int8)
    for match in compiled(f"(?:{pattern})+").finditer(TEXT):
        marks[match.start()] += 1
        marks[match.end()] -= 1
    return marks.cumsum()[STARTS].astype(bool)


@each("pattern", SETS)
def test_set_is_that_of_re2(pattern: str):
    members = parsed(pattern)
    assert members is not None
    np.testing.assert_array_equal(members[CODEPOINTS], found_by_re2(pattern))


@each("pattern", OTHERS)
def test_others_are_not_sets(pattern: str):
    assert parsed(pattern) is None


# The tables and RE2 have the same version of Unicode as far as categories, scripts and case go.
def test_categories_and_scripts_are_those_of_re2():
    assert len(NAMES) == 29 + 163
    for name in ["C", "L", "M", "N", "P", "S", "Z", *NAMES]:
        members = parsed(rf"\p{{{name}}}")
        assert members is not None, name
        assert np.array_equal(members[CODEPOINTS], found_by_re2(rf"\p{{{name}}}")), name


@each("name", ["", "Cn", "Lx", "greek", "Grek", "Unknown", "LC", "Letter", "Gree", "L ", "é"])
def test_other_names_are_unknown(name: str):
    assert parsed(rf"\p{{{name}}}") is None
    with pytest.raises(re2.error):
        compiled(rf"\p{{{name}}}")


def test_case_variants_are_those_of_re2():
    cased = CODEPOINTS[found_by_re2(r"(?i)[\p{Lu}\p{Ll}\p{Lt}]")]
    assert len(cased) > 4000
    text = "\n".join(map(chr, cased))
    for c in map(chr, cased):
        ranges = ranges_of(f"(?i){c}")
        assert ranges is not None
        variants = {chr(v) for first, last in ranges for v in range(first, last + 1)}
        assert variants == set(re2.findall(f"(?i){c}", text)), c
