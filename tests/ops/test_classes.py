from functools import partial
from itertools import product

import pytest
import torch
from hypothesis import strategies as st
from reference.classes import class_ref
from support import draws, strategies
from support.cases import each
from support.families import ReduceSuite, ReduceTests
from support.harness import Call, call
from support.strings import compact
from support.unicode import CODEPOINTS, RECORDED, agrees_with_python, checksum, codepoint_strings

# Strings of few kinds of characters, as strings of many are of no class.
KINDS = [
    "aZ", "AB", "ab", "\xe9b", "\xc9B", "\u01c5a", "\u01c5A", "12", "\u0663\xb2", "\xbd1", " \t", "\u3000\x1c",
]  # fmt: skip
KINDS += ["\u65e5\u672c", "a\u0345", "\u02b0a", "A1-", "a1-", "\U00010400\U0001d7d8", "\U0001f600", "\u24d0a"]

one_kind = st.sampled_from(KINDS).flatmap(lambda kind: st.text(st.sampled_from(kind), max_size=20))
strings = st.one_of(
    one_kind.map(str.encode),
    st.builds(lambda s, n, t: s.encode() * n + t, one_kind, st.integers(0, 20), st.sampled_from([b"", b"\xff", b"-"])),
)


def draw(rng: draws.Random, n: int) -> Call:
    return call(["".join(rng.choices(rng.choice(KINDS), k=rng.choice([0, 1, 3, 20]))).encode() for _ in range(n)])


def suite(name: str) -> ReduceSuite:
    return ReduceSuite(
        op=f"string_is_{name}",
        reference=partial(class_ref, method=f"is{name}"),
        samples=[
            KINDS,
            ["".join(KINDS), "", "A b", "Ab1", "1 "],
            [b"\xff", b"a\xff", b"A\xe6\x97", b"1\xc3", b" \x80"],
        ],
        text=False,
        strategy=st.builds(call, st.one_of(strategies.tensors_of(strings), strategies.tensors)),
        draw=draw,
    )


class TestStringIsAlpha(ReduceTests):
    suite = suite("alpha")


class TestStringIsDigit(ReduceTests):
    suite = suite("digit")


class TestStringIsSpace(ReduceTests):
    suite = suite("space")


class TestStringIsUpper(ReduceTests):
    suite = suite("upper")


class TestStringIsLower(ReduceTests):
    suite = suite("lower")


class TestStringIsAlnum(ReduceTests):
    suite = suite("alnum")


class TestStringIsAscii(ReduceTests):
    suite = suite("ascii")


NAMES = ["alpha", "digit", "space", "upper", "lower", "alnum", "ascii"]


def run(name: str, strings: list[bytes]) -> list[bool]:
    return getattr(torch.ops.stringops, f"string_is_{name}")(*compact(strings)).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_all_code_points(name: str):
    """As recorded by the Python of the tables' version, and as this one has them, where both know them."""
    found = getattr(torch.ops.stringops, f"string_is_{name}")(*codepoint_strings())
    if name != "ascii":
        assert checksum(found.to(torch.uint8) + ord("0")) == RECORDED[f"is{name}"]
    of_python = torch.tensor([getattr(c, f"is{name}")() for c in CODEPOINTS])
    differ = (found != of_python).nonzero().reshape(-1).tolist()
    assert not [hex(ord(CODEPOINTS[i])) for i in differ if agrees_with_python(CODEPOINTS[i])]


@each("name", NAMES)
@each("kind", ["a", "A", "1", " ", "\xe9", "\u0663"])
def test_long_strings_with_one_other_character(name: str, kind: str, tier: str):
    """Strings longer than a block (8 KB), with a character of another class, or an invalid byte, somewhere."""
    for size in (8191, 8192, 8193, 20_001):
        body = (kind * size).encode()[: size // 2 * 2]
        for other in (b"", b"-", b"a", b"\xff", b"\xc7\x85"):
            made = [
                b"x", body + other, other + body, body[: size // 4 * 2] + other + body[size // 4 * 2 :], b"", body,
            ]  # fmt: skip
            assert run(name, made) == [class_ref(s, f"is{name}") for s in made]


@each("name", NAMES)
@each("kind", ["ab", "AB", "12", " \t", "\xe9b", "\u65e5\u672c", "\u3042\u30fb", "\u0663\xb2"])
def test_blocks_of_short_strings(name: str, kind: str, tier: str):
    """Blocks of strings of one class, and with a string of another among them, or an invalid byte."""
    body = [(kind * 9)[: i % 7 + i % 2 * 9].encode() for i in range(3000)]
    full = [s or kind.encode() for s in body]
    for made in (body, full):
        for other in (None, b"-", b"a", b"A", b"7", b"\xff", b"\xe6\x97", "\u30fb".encode(), "\xd7".encode()):
            strings = made if other is None else [*made[:1500], other, *made[1500:2500], kind.encode() + other, b""]
            assert run(name, strings) == [class_ref(s, f"is{name}") for s in strings]


@each("name", NAMES)
def test_one_other_character_next_to_the_eighth_byte(name: str, tier: str) -> None:
    sizes = [0, 1, 7, 8, 9, 15, 16, 17, 33]
    for kind, other in product(
        ["aZ", "AB", "12", " \t", "\xe9b", "\u0663\xb2"], [b"-", b"a", b"A", b"1", b"\xe6", b"\xff"]
    ):
        text = (kind * 20).encode()
        strings = [text[:n] + other + text[n:m] for m in sizes for n in sizes if n <= m]
        strings += [text[:n] for n in sizes] + [b"some other text of 30 bytes, -"] * 20
        for of_block in (strings, strings[:9] * 40 + strings, strings + [text] * 300):
            assert run(name, of_block) == [class_ref(string, f"is{name}") for string in of_block]
    # A batch of long strings after one that masks tested.
    made = [b"a" * 20] * 600 + ["\xe9\u65e51".encode() * 200] * 600 + ["\U0001f600".encode() * 99] * 300
    assert run(name, made) == [class_ref(s, f"is{name}") for s in made]
