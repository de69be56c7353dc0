"""The table of powers of ten (csrc/core/powers_of_ten.cpp), by fractions of Python."""

import ctypes
from fractions import Fraction

from torch_stringops._native import _c


def exponent_of_two(power: int) -> int:
    """The greatest n with 2**n <= 10**power."""
    if power >= 0:
        return (10**power).bit_length() - 1
    return -((10**-power - 1).bit_length())


def test_powers_have_128_bits_rounded_up():
    high, low = ctypes.c_uint64(), ctypes.c_uint64()
    for power in range(-342, 325):
        scaled = Fraction(10) ** power * Fraction(2) ** (127 - exponent_of_two(power))
        _c.stringops_power_of_ten(power, ctypes.byref(high), ctypes.byref(low))
        assert high.value << 64 | low.value == -(-scaled.numerator // scaled.denominator), power


def test_exponents_of_two():
    for power in range(-400, 401):
        assert exponent_of_two(power) == power * 1741647 >> 19
