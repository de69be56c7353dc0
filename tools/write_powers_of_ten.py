"""Writes csrc/core/powers_of_ten.cpp: powers of ten as numbers of 128 bits, by which decimals become floats and back.

python tools/write_powers_of_ten.py
"""

from fractions import Fraction
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "csrc" / "core" / "powers_of_ten.cpp"
LEAST, GREATEST = -342, 324
BITS = 128

TEXT = """// Made by tools/write_powers_of_ten.py.
#include "core/powers_of_ten.h"

namespace stringops {{

const PowerOfTen kPowersOfTen[kGreatestPower - kLeastPower + 1] = {{
{rows}
}};

}}  // namespace stringops
"""


def exponent_of_two(power: int) -> int:
    """The greatest n with 2**n <= 10**power."""
    if power >= 0:
        return (10**power).bit_length() - 1
    return -((10**-power - 1).bit_length())


def significand(power: int) -> int:
    """10**power, times the power of two by which it has BITS bits, rounded up."""
    scaled = Fraction(10) ** power * Fraction(2) ** (BITS - 1 - exponent_of_two(power))
    return -(-scaled.numerator // scaled.denominator)


def table() -> str:
    rows = []
    for power in range(LEAST, GREATEST + 1):
        high, low = divmod(significand(power), 2**64)
        rows.append(f"    {{0x{high:016X}, 0x{low:016X}}},  // {power}")
    return TEXT.format(rows="\n".join(rows))


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
