import pytest
import reference.strip
import torch
from reference.strip import (
    string_lstrip_ref,
    string_remove_prefix_ref,
    string_remove_suffix_ref,
    string_rstrip_ref,
    string_strip_ref,
)
from support.cases import each
from support.families import MapSuite, MapTests
from support.harness import call
from support.strategies import MALFORMED, NEARLY, TEXT, WHITESPACE
from support.strings import compact, decode

from torch_stringops import StringTensor

# Strings with all kinds of characters at their ends.
ENDS = [a + b"mid" + b + a for a in TEXT + MALFORMED for b in TEXT[:8] + MALFORMED]
STRIPPED = [
    ["  to be ", "\t\n", "", " ", "be"],
    [b"".join(WHITESPACE), b"".join([*WHITESPACE, b"a", *WHITESPACE]), *WHITESPACE],
    [space + b"x" + space for space in NEARLY + MALFORMED],
    [bad + space + bad for space in WHITESPACE[-4:] for bad in MALFORMED],
    call(["\u00e9t\u00e9", "aabaa", "\u65e5\u672c"], "\u00e9\u65e5a"),
    *(call(ENDS, characters) for characters in ("a,", "\u00e9\u65e5\u672c", "", "\U0001f600a\u3000")),
]


class TestStringStrip(MapTests):
    suite = MapSuite(op="string_strip", reference=string_strip_ref, samples=STRIPPED, text=False)


class TestStringLstrip(MapTests):
    suite = MapSuite(op="string_lstrip", reference=string_lstrip_ref, samples=STRIPPED, text=False)


class TestStringRstrip(MapTests):
    suite = MapSuite(op="string_rstrip", reference=string_rstrip_ref, samples=STRIPPED, text=False)


AFFIXES = [
    call(["unhappy", "un", "u", "happy", "ununun"], "un"),
    call(["happily", "ily", "ly", "y", "", b"\xfflyly"], "ly"),
    call(["caf\u00e9", "cafe\u0301", "\u00e9"], "\u00e9"),
    call(["a", ""], ""),
]


class TestStringRemovePrefix(MapTests):
    suite = MapSuite(
        op="string_remove_prefix",
        reference=string_remove_prefix_ref,
        samples=AFFIXES,
        text=False,
        small=call([b"ab c", b"d"], "a"),
    )


class TestStringRemoveSuffix(MapTests):
    suite = MapSuite(
        op="string_remove_suffix",
        reference=string_remove_suffix_ref,
        samples=AFFIXES,
        text=False,
        small=call([b"ab c", b"d"], "c"),
    )


@each("op", ["strip", "lstrip", "rstrip", "remove_prefix", "remove_suffix"])
@each("argument", [b"\xff", b"\x80\xc2a", b"\xe2\x80", b"\xed\xa0\x80"])
def test_arguments_that_are_not_utf8(op: str, argument: bytes) -> None:
    strings = [*ENDS, argument * 3, "\u2003".encode(), b"\xe2\x80", "\u0080".encode()]
    want = [getattr(reference.strip, f"string_{op}_ref")(s, argument) for s in strings]
    assert decode(*getattr(torch.ops.stringops, f"string_{op}")(*compact(strings), argument)) == want


@pytest.mark.parametrize("method", ["strip", "lstrip", "rstrip"])
def test_every_code_point_alone(method: str) -> None:
    points = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    want = [getattr(point, method)() for point in points]
    assert getattr(StringTensor.from_list(points), method)().tolist() == want


@each("every", [1, 2, 3, 63, 64, 65, 200, 5000])
@each("cols", [1, 7, 50])
def test_runs_of_strings_that_stay_as_they_are(every: int, cols: int, tier: str) -> None:
    strings = [b" x" if i % every == 0 else b"word" * (i % 5) for i in range(1050)]
    rows = [strings[i : i + cols] for i in range(0, len(strings), cols)]
    want = [[string_strip_ref(s) for s in row] for row in rows]
    assert decode(*torch.ops.stringops.string_strip(*compact(rows))) == want


def test_indentations_of_all_sizes(tier: str) -> None:
    others = ["", "x", "\t", " x ", "\u3000x", "x" * 20, "\t" * 20]
    strings = [(" " * n + other + " " * (n % 3)).encode() for n in range(50) for other in others]
    want = [string_strip_ref(string) for string in strings]
    assert decode(*torch.ops.stringops.string_strip(*compact(strings))) == want
