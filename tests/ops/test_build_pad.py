"""Padding and slices of each string: string_ljust, string_rjust, string_center, string_zfill, string_slice."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.build import string_center_ref, string_ljust_ref, string_rjust_ref, string_slice_ref, string_zfill_ref
from support import large, strategies
from support.cases import each
from support.families import MapSuite, MapTests
from support.harness import Call, call
from support.strings import compact, decode

STRINGS = ["", "a", "caf\u00e9", "\u65e5\u672c\u8a9e", "x" * 40, "\U0001f600a", b"\xff\xc3(", b"\xe6\x97"]
BIG = 2**62


def too_large(width: int = BIG, *rest: Any) -> Callable[[], list[tuple[str, Call]]]:
    return lambda: [
        (large.BYTES, call([b"a", b"b"], 2**30, *rest)),
        (large.BYTES, call([b"a"] * 1000, 2**63 - 1, *rest)),
    ]


def needs(op: str, *arguments: Any, num_bytes: int) -> tuple[Call, str]:
    """Two strings of 1 and 2 bytes, and the error that names the bytes of the result."""
    text = f"{op}: the result needs {num_bytes} bytes; int32 offsets address at most 2147483647 (pass fewer or shorter strings)"
    return call(["a", "bc"], *arguments), text


def pad_suite(op: str, reference: Callable[..., bytes]) -> MapSuite:
    return MapSuite(
        op=op,
        reference=reference,
        samples=[
            call(STRINGS, 5),
            call(STRINGS, 4, "."),
            call(STRINGS, 9, "\u65e5"),
            call([STRINGS, STRINGS], 41, "\U0001f600"),
            call(STRINGS, 0),
            call(STRINGS, -(2**63)),
        ],
        strategy=st.builds(
            call,
            strategies.tensors_of(strategies.strings),
            st.integers(-2, 40),
            st.sampled_from([" ", "0", "\u00e9", "\U0001f600"]),
        ),
        text=False,
        small=call([b"ab c", b"d"], 6),
        too_large=too_large(),
        errors=[
            (call(["a"], 3, ""), "expected `fillchar` of one code point, got 0"),
            (call(["a"], 3, "ab"), "expected `fillchar` of one code point, got 2"),
            needs(op, 2**40, "\u00e9", num_bytes=2**42 - 3),
        ],
    )


class TestStringLjust(MapTests):
    suite = pad_suite("string_ljust", string_ljust_ref)


class TestStringRjust(MapTests):
    suite = pad_suite("string_rjust", string_rjust_ref)


class TestStringCenter(MapTests):
    suite = pad_suite("string_center", string_center_ref)


class TestStringZfill(MapTests):
    suite = MapSuite(
        op="string_zfill",
        reference=string_zfill_ref,
        samples=[
            call(["42", "-42", "+", "", "-caf\u00e9", "--1", *STRINGS], 6),
            call(["-1"], 2),
            call(["-1"], -1),
        ],
        strategy=st.builds(
            call,
            strategies.tensors_of(st.builds(bytes.__add__, st.sampled_from([b"", b"-", b"+"]), strategies.strings)),
            st.integers(-2, 40),
        ),
        text=False,
        small=call([b"ab c", b"-d"], 6),
        too_large=too_large(),
        errors=[needs("string_zfill", 2**40, num_bytes=2**41)],
    )


BOUNDS = [None, 0, 1, 2, 3, 7, 8, 9, 70, 2**63 - 1, -1, -2, -3, -8, -70, -(2**63)]


class TestStringSlice(MapTests):
    suite = MapSuite(
        op="string_slice",
        reference=string_slice_ref,
        samples=[
            call(STRINGS, 1),
            call([STRINGS, STRINGS], 1, -1),
            call(STRINGS, -3, 2**63 - 1),
            call(STRINGS, -2, None, "byte"),
            call(["", "\u00e9", ""], 0, -(2**63)),
        ],
        strategy=st.builds(
            call,
            strategies.tensors_of(strategies.strings),
            st.integers(-20, 20),
            st.one_of(st.none(), st.integers(-20, 20)),
            st.sampled_from(["codepoint", "byte"]),
        ),
        text=False,
        small=call([b"ab c", b"d"], 0),
        errors=[(call(["a"], 0, None, "char"), "expected `unit` to be 'byte' or 'codepoint', got 'char'")],
    )


@pytest.mark.parametrize("unit", ["codepoint", "byte"])
def test_slices_with_any_bounds(unit: str, tier: str) -> None:
    strings = compact([s if isinstance(s, bytes) else s.encode() for s in STRINGS])
    for start in BOUNDS:
        for stop in BOUNDS:
            results = decode(*torch.ops.stringops.string_slice(*strings, start or 0, stop, unit))
            assert results == [string_slice_ref(s, start or 0, stop, unit) for s in decode(*strings)]


@each("width", range(12))
@each("length", range(6))
def test_center_puts_the_odd_character_where_python_does(width: int, length: int) -> None:
    string = "x" * length
    results = torch.ops.stringops.string_center(*compact([string.encode()]), width, "-")
    assert bytes(results[0].numpy()).decode() == string.center(width, "-")


def test_a_fill_character_may_be_an_invalid_byte() -> None:
    data, _ = torch.ops.stringops.string_ljust(*compact([b"a"]), 3, b"\xff")
    assert bytes(data.numpy()) == b"a\xff\xff"
