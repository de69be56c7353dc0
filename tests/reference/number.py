"""Oracles of the conversions between strings and numbers, on one element: Python's `int`, and exact fractions."""

import math
import re
from fractions import Fraction
from typing import Any

import torch

# Digits with single underscores between them.
_DIGITS = r"[0-9](?:_?[0-9])*"
_FLOAT = re.compile(rf"[+-]?(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?")
_INTEGER = re.compile(rf"[+-]?{_DIGITS}")

# The bits of the significand, and the least and the largest exponent.
_FORMATS = {
    torch.float16: (11, -14, 15),
    torch.bfloat16: (8, -126, 127),
    torch.float32: (24, -126, 127),
    torch.float64: (53, -1022, 1023),
}


def nearest(value: Fraction, dtype: torch.dtype) -> float:
    """The number of the dtype that is nearest, ties to even."""
    precision, least, largest = _FORMATS[dtype]
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, least) - precision + 1)
    rounded = round(size / unit) * unit  # Python rounds ties to even
    if rounded >= Fraction(2) ** (largest + 1):
        rounded = math.inf
    return -float(rounded) if value < 0 else float(rounded)


def string_to_number_ref(string: bytes, dtype: torch.dtype, errors: str = "raise", fill: Any = None) -> Any:
    assert errors == "fill"
    otherwise = torch.zeros((), dtype=dtype).item() if fill is None else fill.item()
    text = string.decode(errors="surrogateescape").strip()
    if dtype == torch.bool:
        return {"true": True, "1": True, "false": False, "0": False}.get(
            text.lower() if text.isascii() else "", otherwise
        )
    if not dtype.is_floating_point:
        if not _INTEGER.fullmatch(text):
            return otherwise
        value = int(text)
        return value if torch.iinfo(dtype).min <= value <= torch.iinfo(dtype).max else otherwise
    sign = -1.0 if text.startswith("-") else 1.0
    if text.isascii() and text.lower().lstrip("+-") in ("inf", "infinity") and text[1:2] not in ("+", "-"):
        return sign * math.inf
    if not _FLOAT.fullmatch(text):
        return otherwise
    digits, _, exponent = text.replace("_", "").lower().partition("e")
    if Fraction(digits) == 0:
        return math.copysign(0.0, sign)
    # Keeps the powers of ten small: exponents beyond these are out of the range of every dtype.
    scale = max(min(int(exponent or 0), 5000), -5000)
    return math.copysign(nearest(Fraction(digits) * Fraction(10) ** scale, dtype), sign)


def string_from_number_ref(value: Any, dtype: torch.dtype) -> bytes:
    if not dtype.is_floating_point:
        return repr(value).encode()
    if dtype == torch.float64 or not math.isfinite(value) or value == 0:
        return repr(value).encode()
    size = abs(Fraction(value))
    # The place of the first digit.
    place = math.floor(math.log10(size.numerator) - math.log10(size.denominator))
    place += size >= Fraction(10) ** (place + 1)
    place -= size < Fraction(10) ** place
    for count in range(1, 20):
        unit = Fraction(10) ** (place - count + 1)
        below = size // unit
        found = [n for n in (below, below + 1) if nearest(n * unit, dtype) == float(size)]
        if found:
            digits = min(found, key=lambda n: (abs(n * unit - size), n % 2))
            return (("-" if value < 0 else "") + _as_repr(digits, place - count + 1)).encode()
    raise AssertionError("20 digits do not give the number back")


def _as_repr(digits: int, exponent: int) -> str:
    """`digits * 10**exponent` as Python's `repr` writes floats, whose exponents count from the first digit."""
    text = str(digits)
    first = exponent + len(text) - 1
    text = text.rstrip("0")
    if first < -4 or first >= 16:
        return f"{text[0]}{'.' + text[1:] if text[1:] else ''}e{first:+03d}"
    if first < 0:
        return "0." + "0" * (-first - 1) + text
    whole = text[: first + 1].ljust(first + 1, "0")
    return f"{whole}.{text[first + 1 :] or '0'}"


def string_hex_ref(string: bytes) -> bytes:
    return string.hex().encode()


def string_unhex_ref(string: bytes) -> bytes:
    return bytes.fromhex(string.decode())
