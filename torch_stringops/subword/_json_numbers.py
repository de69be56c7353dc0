"""Numbers of a tokenizer.json as `tokenizers` reads them.

Its JSON library takes the digits of a number as one integer, converts this to a float64, and multiplies or divides by a
power of ten. The result may differ from the nearest float64 in the last bit, and decides between two ways to cut a text
whose scores are nearly equal.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_POWERS = [float(f"1e{exponent}") for exponent in range(309)]
# Digits that fit 64 bits, whatever they are.
_MAX_DIGITS = 19


def imprecise_float(text: str) -> float:
    """The number of a text of JSON that is not an integer."""
    whole, _, fraction = text.partition(".")
    if len(whole) + len(fraction) <= _MAX_DIGITS and fraction.isdigit():
        number = float(int(whole + fraction)) / _POWERS[len(fraction)]
        return -0.0 if number == 0 and whole.startswith("-") else number
    return _long_float(text)


def _long_float(text: str) -> float:
    """A number with many digits or an exponent."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a number, got {text[:40]!r}")
    sign, whole, fraction, power = match.groups(default="")
    # Digits that do not fit 64 bits are dropped.
    significand, kept = _leading_digits(0, whole)
    exponent = int(power or 0) + len(whole) - kept
    if kept == len(whole):
        significand, kept = _leading_digits(significand, fraction)
        exponent -= kept
    number = float(significand)
    while number and abs(exponent) >= len(_POWERS):
        if exponent > 0:
            raise ValueError(f"expected numbers of float64, got {text[:40]!r}")
        number /= _POWERS[-1]
        exponent += len(_POWERS) - 1
    if number:
        number = number * _POWERS[exponent] if exponent >= 0 else number / _POWERS[-exponent]
    return -number if sign else number


def _leading_digits(number: int, digits: str) -> tuple[int, int]:
    """`number` followed by as many of the digits as fit 64 bits, and how many these are."""
    for kept, digit in enumerate(digits):
        longer = number * 10 + int(digit)
        if longer >= 2**64:
            return number, kept
        number = longer
    return number, len(digits)
