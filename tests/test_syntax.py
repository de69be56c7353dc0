"""The parser's sets of code points, against what RE2 finds in a text of all code points that it could tell apart."""

import ctypes

import numpy as np
import pytest
from support.engines import without_masks

import torch_stringops as so

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


def parsed(pattern: str) -> "np.ndarray | None":
    """Whether each code point is in the set, or nothing if the pattern is not a set."""
    text = pattern.encode()
    ranges = np.zeros((2000, 2), np.uint32)
    pointer = ranges.ctypes.data_as(ctypes.POINTER(ctypes.c_uint32))
    count = _native.stringops_parse_set(text, ctypes.c_int64(len(text)), pointer, ctypes.c_int64(len(ranges)))
    if count < 0:
        return None
    assert count <= len(ranges)
    members = np.zeros(0x110001, np.int8)
    members[ranges[:count, 0]] += 1
    members[ranges[:count, 1] + 1] -= 1
    return members.cumsum()[:-1].astype(bool)


# Planes that are not assigned, or for private use, by their ends.
CODEPOINTS = np.array(
    [
        c
        for c in range(0x110000)
        if not 0xD800 <= c < 0xE000 and (c >> 16 in (0, 1, 2, 3, 14) or not 64 <= c & 0xFFFF < 0xFFC0)
    ]
)
TEXT = "".join(map(chr, CODEPOINTS))
LENGTHS = 1 + (CODEPOINTS >= 0x80) + (CODEPOINTS >= 0x800) + (CODEPOINTS >= 0x10000)


@pytest.fixture(scope="module")
def text() -> so.StringTensor:
    return so.StringTensor.from_list([TEXT])


@pytest.mark.parametrize("pattern", SETS)
def test_set_is_that_of_re2(pattern: str, text: so.StringTensor):
    members = parsed(pattern)
    assert members is not None
    with without_masks():
        found, _ = text.regex_find_all_spans_ragged(f"(?:{pattern})+")
    spans = found.numpy()
    marks = np.zeros(LENGTHS.sum() + 1, np.int8)
    marks[spans[:, 0]] += 1
    marks[spans[:, 1]] -= 1
    starts = LENGTHS.cumsum() - LENGTHS
    np.testing.assert_array_equal(members[CODEPOINTS], marks.cumsum()[starts].astype(bool))


@pytest.mark.parametrize("pattern", OTHERS)
def test_others_are_not_sets(pattern: str):
    assert parsed(pattern) is None
