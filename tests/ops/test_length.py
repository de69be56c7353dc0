import random

import pytest
import torch
from reference.length import EMOJI, WIDE, ZERO, string_length_ref, string_width_ref
from support.cases import each
from support.families import ReduceSuite, ReduceTests
from support.harness import call
from support.strings import compact

from torch_stringops import string_width


class TestStringLength(ReduceTests):
    suite = ReduceSuite(
        op="string_length",
        reference=string_length_ref,
        samples=[
            ["abc", "café", "日本語", "a😀b"],
            call([b"\xff\xc3(", b"\xe6\x97a", b"\xed\xa0\x80"], "codepoint"),
            call([b"caf\xc3\xa9"], "byte"),
        ],
        errors=[(call([b"a"], "bytes"), "expected `unit` to be 'byte' or 'codepoint', got 'bytes'")],
        text=False,
    )


class TestStringWidth(ReduceTests):
    suite = ReduceSuite(
        op="string_width",
        reference=string_width_ref,
        samples=[
            ["abc", "cafe\u0301", "日本語", "a😀b", "\u1112\u1161\u11ab", "\0a", "a\tb", "a\x7f", "12345678~ \n"],
            ["\u2764\ufe0f", "\u2764\u0301\ufe0f\ufe0f", "1\ufe0f", "\ufe0fa", "12345678\ufe0f", "日\ufe0f"],
            ["👩\u200d👩", "a\u200d\u200db", "a\u200d", "\u200d\tb", "\u200d\u200d\tb", "\u2764\u200d\ufe0f\ufe0f"],
            [b"\xff\xc3(", b"\xe6\x97a", b"\xed\xa0\x80", b"\xe2\x80\x8d\xff\xff", b"\xff\xef\xb8\x8f"],
        ],
        text=False,
    )


def test_widths_of_all_code_points() -> None:
    planes = [*range(0xD800), *range(0xE000, 0x32000), *range(0xE0000, 0xE0300), 0x10FFFF]
    texts = [chr(c) + "\ufe0f" for c in planes]  # the selector widens some
    assert string_width(texts).tolist() == [string_width_ref(text.encode()) for text in texts]


def test_random_strings_as_the_package_wcwidth_measures_them() -> None:
    wcwidth = pytest.importorskip("wcwidth")
    if "15.1.0" not in wcwidth.list_versions() or hasattr(wcwidth, "iter_graphemes"):
        pytest.skip("another release of wcwidth")
    rng = random.Random(0)
    pool = [*map(chr, rng.sample(sorted(ZERO | WIDE | EMOJI), 200)), *"ab1 \u200d\u200d\ufe0f\ufe0f\u2764\xe9"]
    texts = ["".join(rng.choices(pool, k=rng.randrange(12))) for _ in range(5000)]
    assert string_width(texts).tolist() == [wcwidth.wcswidth(text, unicode_version="15.1.0") for text in texts]


@each("text", ["é", "日", "😀", "a日", "a"])
@each("bad", [b"", b"\xff", b"\xf0\x9f", b"\x80"])
def test_lengths_of_long_strings_valid_or_not(text: str, bad: bytes, tier: str) -> None:
    """Strings longer than a block (8 KB), at every alignment, with invalid bytes at either end or in the middle."""
    for size in (8190, 8191, 8192, 8193, 20_001):
        body = (text * size).encode()[:size]
        strings = [b"x", body + bad, bad + body, body[: size // 2] + bad + body[size // 2 :], b"", body]
        assert torch.ops.stringops.string_length(*compact(strings)).tolist() == [string_length_ref(s) for s in strings]


def test_a_string_that_begins_inside_a_code_point(tier: str) -> None:
    data, _ = compact(["日本語".encode()])
    offsets = torch.tensor([0, 2, 3, 4, 6, 7, 9], dtype=torch.int32)
    assert torch.ops.stringops.string_length(data, offsets).tolist() == [2, 1, 1, 2, 1, 2]
