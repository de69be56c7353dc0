"""Conversion between strings and numbers: string_to_number, string_from_number, string_hex, string_unhex."""

import math
import random
import struct
from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.number import nearest, string_from_number_ref, string_hex_ref, string_to_number_ref, string_unhex_ref
from support import draws, large, strategies
from support.cases import each
from support.families import MapSuite, MapTests, ReduceSuite, ReduceTests, broadcast
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact
from support.traced import check_traced

from torch_stringops import StringTensor, string_from_number, string_to_number

INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64]
INTEGERS += [torch.uint8, torch.uint16, torch.uint32, torch.uint64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
DTYPES = [*INTEGERS, *FLOATS, torch.bool]

WHOLE = [
    "0", "1", "-1", "+7", "007", "127", "128", "-128", "-129", "255", "256", "65535", "-0", "1_000", "12345678",
]  # fmt: skip
WHOLE += [str(2**63 - 1), str(2**63), str(-(2**63)), str(2**64 - 1), str(2**64), "9" * 30, "0" * 40 + "1"]
WHOLE += [" 5\t", "\u00a05\u3000", "\x1c5\n", "\u20035"]
DECIMAL = [
    "1.5", ".5", "5.", "-1e-3", "1E5", "1e+5", "1_0.0_1e1_0", "0.1", "1e22", "1e23", "123456789012345678901234",
    "1e400", "-1e400", "1e-400", "1e999999999999999999999", "0e999999999999999999999", "-0.0", "65504", "65520",
    "65519.999", "99999.99999999999999999999", "3.4028235e38", "3.4028236e38", "1.7976931348623157e308", "4.9e-324",
    "2e-324", "5.96e-8",
]  # fmt: skip
MIDDLE = f"{(2**53 + 1) * 5**53:_}e-53"  # between two float64: further digits decide, however late
DECIMAL += [MIDDLE, MIDDLE.replace("e", ".0e"), MIDDLE.replace("e", "." + "0" * 900 + "1e"), "9007199254740993"]
DECIMAL += ["+12.5E+2", "9007199254740993e22", "9007199254740993e23", "1e-0000000000000000000001", "2.5e-324"]
DECIMAL += ["1.5e+00012", "1" * 19 + "." + "2" * 12, "9" * 20, "5e-00324", "inf", "-Infinity", "INF", "0.000001"]
DECIMAL += ["1" + "0" * 400, "0." + "0" * 400 + "1", "9007199254740992." + "9" * 784 + "87"]
WRONG = [
    "", " ", "+", "-", "1 2", "--1", "_1", "1_", "1__0", "0x10", "1e", "1e+", "e5", ".", "1.2.3", "1,5", "infin",
]  # fmt: skip
WRONG += [
    "nano", "\u0661", "1\u0301", "\uff11", "1\0", "True!", "\u212a", "++inf", b"\xff", b"1\xc2", b"1\xe3\x80",
]  # fmt: skip
TEXTS = [*WHOLE, *DECIMAL, *WRONG, "true", "FALSE", " True\n"]

digits = st.text("0123456789", min_size=1, max_size=25)
written = st.builds(
    "".join, st.lists(st.sampled_from([*"0123456789", "_", ".", "e", "-", "+", " ", "inf"]), max_size=9)
)
floats = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(allow_nan=False, width=16).map(repr),
    st.builds("{}.{}e{}".format, digits, digits, st.integers(-350, 320)),
)
number_texts = st.one_of(
    written, floats, st.integers(-(2**66), 2**66).map(str), st.integers(-300, 300).map(str), st.sampled_from(WHOLE)
).map(str.encode)


class TestStringToNumber(ReduceTests):
    suite = ReduceSuite(
        op="string_to_number",
        reference=string_to_number_ref,
        samples=[
            call(TEXTS, torch.float32, "fill", torch.tensor(-7.0)),
            *(call(TEXTS, dtype, "fill") for dtype in DTYPES),
            call([["1", "2"], ["3", ""]], torch.int64, "fill", torch.tensor(-1)),
        ],
        strategy=st.builds(
            call,
            strategies.tensors_of(st.one_of(number_texts, number_texts, strategies.strings)).filter(
                lambda nested: b"nan" not in b" ".join(draws.flatten(nested)).lower()
            ),
            st.sampled_from(DTYPES),
            st.just("fill"),
        ),
        text=False,
        small=call([b"1", b"2"], torch.float32),
        errors=[
            (
                call(["1", "2", "x"], torch.int32),
                "expected strings that are numbers of dtype int32, got no number at index [2] "
                "(errors='fill' gives `fill` instead)",
            ),
            (
                call([["1", "-3"], ["300", ""]], torch.uint8),
                "expected strings that are numbers of dtype uint8, got a number that is out of range "
                "at index [0, 1] (errors='fill' gives `fill` instead)",
            ),
            (call(["1"], torch.float32, "ignore"), "expected `errors` to be 'raise' or 'fill', got 'ignore'"),
            (
                call(["1"], torch.complex64),
                "expected `dtype` to be an integer, float16, bfloat16, float32, float64 or bool, got complex64",
            ),
            (
                call(["1"], torch.int64, "fill", torch.tensor(1.0)),
                "expected `fill` to be int64, got float32 (convert with .to(torch.int64))",
            ),
        ],
    )


def shaped(values: Any, dtype: torch.dtype) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype)


def string_from_numbers_ref(numbers: torch.Tensor) -> tuple[Any]:
    values = torch.atleast_1d(numbers).tolist()
    return (broadcast(lambda value: string_from_number_ref(value, numbers.dtype), values),)


POWERS = [
    0.0, -0.0, 1.0, 0.1, 1e-4, 9.9e-5, 1e15, 1e16, 123456789.0, 2.0**-24, 65504.0, 1 / 3, math.inf, -math.inf,
]  # fmt: skip


@st.composite
def numbers(draw: st.DrawFn) -> Call:
    dtype = draw(st.sampled_from(DTYPES))
    if dtype.is_floating_point:
        value = st.floats(allow_nan=False, width=64)
    elif dtype == torch.bool:
        value = st.booleans()
    else:
        value = st.integers(torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    cols = draw(st.integers(0, 5))
    return call(shaped(draw(st.lists(st.lists(value, min_size=cols, max_size=cols), min_size=1, max_size=4)), dtype))


class TestStringFromNumber(OpTests):
    suite = OpSuite(
        op="string_from_number",
        reference=string_from_numbers_ref,
        samples=[
            *(call(shaped(POWERS, dtype)) for dtype in FLOATS),
            *(call(shaped([0, 1, 100, torch.iinfo(d).min, torch.iinfo(d).max], d)) for d in INTEGERS),
            call(shaped([[True], [False]], torch.bool)),
            call(shaped(1.5, torch.float32)),
            call(shaped([], torch.int64)),
            call(shaped([[], []], torch.int64)),
            call(torch.arange(20_000, dtype=torch.float64) / 7),
        ],
        strategy=numbers(),
        draw=lambda rng, n: call(
            shaped([rng.gauss(0, 1) * 10.0 ** rng.randrange(-30, 30) for _ in range(n)], torch.float64)
        ),
        small=call(shaped([1, 22], torch.int64)),
        too_large=lambda: [
            (large.OFFSETS, call(large.repeated(1, (2**30, 1)))),
            ("expected `input` of at most 2147483647 elements, got 2147483648", call(large.repeated(1, (2**31,)))),
        ],
        too_large_when_traced=lambda: [(large.OFFSETS, call(large.repeated(1, (2**30, 1))))],
        errors=[
            (
                call(torch.tensor([1j])),
                "expected `input` to be an integer, float16, bfloat16, float32, float64 or bool, got complex64",
            )
        ],
    )


class TestStringHex(MapTests):
    suite = MapSuite(
        op="string_hex",
        reference=string_hex_ref,
        samples=[["", "a", "caf\u00e9", b"\x00\xff\x0f\xf0" * 20]],
        text=False,
    )


HEX = st.text("0123456789abcdefABCDEF", max_size=40).map(lambda s: s[: len(s) // 2 * 2].encode())


class TestStringUnhex(OpTests):
    suite = OpSuite(
        op="string_unhex",
        reference=lambda strings: (broadcast(string_unhex_ref, strings),),
        samples=[
            call([b"", b"00", b"fF", b"0123456789abcdefABCDEF"]),
            call([[b"61"], [b"6262"]]),
            call([]),
            call([b"0a0b", b""] * 4000),
        ],
        strategy=st.builds(call, strategies.tensors_of(HEX)),
        draw=lambda rng, n: call([draws.string(rng).hex().encode() for _ in range(n)]),
        small=call([b"6162", b"63"]),
        too_large=lambda: [(large.STRINGS, call(large.same_rows(b"00" * 2**20, 2048)))],
        errors=[
            (
                call([[b"00"], [b"0"]]),
                "expected strings of pairs of hexadecimal digits, got another string at index [1, 0]",
            ),
            (
                call([b"0000", b"0g"]),
                "expected strings of pairs of hexadecimal digits, got another string at index [1]",
            ),
        ],
    )


@each("byte", range(256))
def test_only_hexadecimal_digits_are_accepted(byte: int) -> None:
    for text in (bytes([byte]) + b"0", b"0" + bytes([byte])):
        if bytes([byte]) in b"0123456789abcdefABCDEF":
            torch.ops.stringops.string_unhex(*compact([text]))
            continue
        with pytest.raises((ValueError, RuntimeError), match=r"at index \[0\]"):
            torch.ops.stringops.string_unhex(*compact([text]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_halfway_between_two_floats(dtype: torch.dtype) -> None:
    """Decimals just below, at and just above a midpoint, with more digits than a float64 has."""
    rng = random.Random(1)
    texts, want = [], []
    for _ in range(200):
        value = Fraction(nearest(Fraction(rng.randrange(1, 2**30), 2 ** rng.randrange(16, 60)), dtype))
        precision = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53}[dtype]
        exponent = math.frexp(float(value))[1] if value else -14
        half = value + Fraction(2) ** (max(exponent - precision, -24 if dtype == torch.float16 else -148) - 1)
        if half.denominator.bit_length() > 140:
            continue
        power = half.denominator.bit_length() - 1
        for nudge in (0, 1, -1):
            # The denominator is 2**power, so there are `power` decimals; then further ones.
            shifted = half.numerator * 5**power * 10**40 + nudge
            texts.append(f"{shifted}e-{power + 40}")
            want.append(nearest(Fraction(shifted, 10 ** (power + 40)), dtype))
    assert len(texts) > 100
    assert string_to_number(texts, dtype).tolist() == want


def written_floats(rng: random.Random, count: int) -> list[str]:
    """Decimals of 1 to 40 digits with exponents at the limits of float64 too, and their neighbours."""
    texts = []
    for _ in range(count):
        digits = str(rng.randrange(1, 10 ** rng.randrange(1, 40)))
        point = rng.randrange(len(digits) + 1)
        power = rng.choice([0, 0, rng.randrange(-30, 30), rng.randrange(-345, 310)])
        exponent = f"{rng.choice(['e', 'E+', 'e+0'] if power > 0 else ['e'])}{power}" if power else ""
        texts.append(rng.choice(["", "-"]) + digits[:point] + "." + digits[point:] + exponent)
        value = struct.unpack("<d", rng.randbytes(8))[0]
        if math.isfinite(value):
            texts += [repr(value), f"{value:.{rng.randrange(14, 22)}e}"]
            between = (Fraction(value) + Fraction(math.nextafter(value, 0))) / 2
            texts.append(f"{between.numerator // between.denominator}" if abs(value) > 1e16 else repr(value / 3))
        texts.append(str(2**53 + 2 * rng.randrange(2**50) + 1))
    return texts


@pytest.mark.usefixtures("tier")
def test_decimals_of_any_length_are_rounded_as_by_python() -> None:
    texts = written_floats(random.Random(5), 4000)
    got = string_to_number(texts, torch.float64)
    assert torch.equal(
        got.view(torch.int64), torch.tensor(list(map(float, texts)), dtype=torch.float64).view(torch.int64)
    )


def test_decimals_are_rounded_to_narrow_floats_directly() -> None:
    rng = random.Random(6)
    texts = [str(2**24 + 2 * rng.randrange(2**20) + 1) + rng.choice(["", ".0", ".00000001"]) for _ in range(200)]
    texts += [f"{2**23 + rng.randrange(2**22)}.5" for _ in range(200)]
    texts += [repr(rng.gauss(0, 1) * 10.0 ** rng.randrange(-44, 38)) for _ in range(600)]
    for dtype in FLOATS:
        want = [string_to_number_ref(text.encode(), dtype, "fill") for text in texts]
        assert string_to_number(texts, dtype).tolist() == want


@pytest.mark.usefixtures("tier")
@each("dtype", [torch.float64, torch.int64])
@each("size", [*range(1, 20), 31, 32, 33, 34])
def test_numbers_of_each_length(size: int, dtype: torch.dtype) -> None:
    """Each character in turn is replaced by another one, and the number stands at each place of a block."""
    digits = ("1234567890123456789" if size < 20 else "0" * (size - 19) + "1234567890123456789")[-size:]
    texts = [digits[:at] + other + digits[at + 1 :] for at in range(size) for other in [*".-+e_ x0/:", ".e"]]
    texts = [digits, "-" + digits, *texts, *(["-" + text for text in texts])]
    want = [string_to_number_ref(text.encode(), dtype, "fill") for text in texts]
    assert string_to_number(texts, dtype, errors="fill").tolist() == want
    assert [string_to_number([text], dtype, errors="fill").item() for text in texts[:24]] == want[:24]


def test_every_float_of_16_bits_survives_a_round_trip() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        numbers = torch.arange(-(2**15), 2**15, dtype=torch.int16).view(dtype)
        back = string_from_number(numbers).to_number(dtype)
        assert torch.equal(back.isnan(), numbers.isnan())
        kept = ~numbers.isnan()
        assert torch.equal(back[kept].view(torch.int16), numbers[kept].view(torch.int16))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_decimals_of_few_digits_and_their_neighbours(dtype: torch.dtype) -> None:
    rng = random.Random(7)
    decimals = [rng.randrange(-(10 ** rng.randrange(1, 17)), 10**8) / 10 ** rng.randrange(9) for _ in range(3000)]
    near = torch.tensor([*decimals, 0.0001, 9.9999e-05, 999999.9, 2.0**24, 2.0**53, 1e9, 1e15, 1e16], dtype=dtype)
    up, down = torch.full_like(near, math.inf), torch.full_like(near, -math.inf)
    for numbers in (near, near.nextafter(up), near.nextafter(down)):
        want = [string_from_number_ref(x, dtype).decode() for x in numbers.tolist()]
        assert string_from_number(numbers).tolist() == want


def test_nan() -> None:
    for dtype in FLOATS:
        numbers = string_to_number(["nan", " -NaN ", "+nAn"], dtype)
        assert numbers.isnan().all()
        assert string_from_number(numbers).tolist() == ["nan"] * 3


def test_rank_0_and_arguments() -> None:
    assert string_to_number("5").shape == string_from_number(torch.tensor(5)).shape == ()
    assert string_from_number(torch.tensor(5)).item() == "5"
    s = StringTensor.from_list(["1", "x"])
    assert s.to_number(torch.uint8, errors="fill").tolist() == [1, 0]
    assert s.to_number(torch.float16, errors="fill", fill=math.nan).isnan().tolist() == [False, True]
    with pytest.raises(
        ValueError, match="StringTensor.to_number: expected `fill` to be a number that uint8 holds, got 256"
    ):
        s.to_number(torch.uint8, errors="fill", fill=256)
    with pytest.raises(TypeError, match=r"StringTensor.to_number: expected `dtype` to be a torch.dtype, got type"):
        s.to_number(float)
    with pytest.raises(TypeError, match="string_from_number: expected `input` to be a Tensor, got list"):
        string_from_number([1])


def test_conversions_are_traced() -> None:
    def f(s: StringTensor) -> tuple[torch.Tensor, StringTensor]:
        numbers = s.to_number(torch.float64, errors="fill", fill=2.5)
        return numbers, string_from_number(numbers).hex()

    check_traced(f, StringTensor.from_list(["1.5", "x"]))


def test_fill_without_errors_fill_is_rejected():
    for fill in (7, 0, torch.tensor(1.0)):
        with pytest.raises(ValueError, match=r'^string_to_number: expected `fill` only with errors="fill"'):
            string_to_number(["1"], fill=fill)
    assert string_to_number(["1", "x"], errors="fill").tolist() == [1.0, 0.0]
    # Programs that were exported before pass both.
    pair = StringTensor.from_list(["1"])
    found = torch.ops.stringops.string_to_number(pair.data, pair.offsets, torch.int64, "raise", torch.tensor(0))
    assert found.tolist() == [1]
