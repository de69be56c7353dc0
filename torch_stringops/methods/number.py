"""Methods that convert strings to numbers, and bytes to hexadecimal digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_stringops._types import NumberErrors
from torch_stringops.methods._base import Methods
from torch_stringops.ops import number

if TYPE_CHECKING:
    from typing_extensions import Self


class NumberMethods(Methods):
    """Numbers and hexadecimal digits."""

    __slots__ = ()

    def to_number(
        self,
        dtype: torch.dtype = torch.float32,
        errors: NumberErrors = "raise",
        fill: float | Tensor | None = None,
    ) -> Tensor:
        """Converts each string to a number, like Python's `int` and `float`.

        Integers are decimal digits; floats may have a decimal point and an exponent, or be `inf`, `infinity` or `nan`
        in any case. Both may have a sign, single underscores between digits, and around them whitespace as `strip`
        removes it. The digits are those of ASCII. A float is the number of its dtype nearest to the decimal digits,
        ties to even: float16, bfloat16 and float32 are not rounded to another dtype first. Floats beyond the range of
        the dtype are infinite, as in Python. bool is `true` or `1`, `false` or `0`, in any case.

        Args:
            dtype: the dtype of the result: an integer dtype, float16, bfloat16, float32, float64 or bool.
            errors: for strings that are not numbers, or integers beyond the range of the dtype: "raise" an
                error, or "fill" gives `fill`.
            fill: with errors="fill", a number that the dtype holds, or a tensor of rank 0 and of the dtype; None for 0.

        Returns:
            `dtype` `[*S]`.

        Raises:
            ValueError: a string is not a number, or out of range, and `errors` is "raise": the message gives the index
                of the first; or `dtype`, `errors` or `fill` is not as above; or `fill` is given
                without errors="fill".

        See also: `string_from_number`, the inverse.

        Example:
            >>> StringTensor.from_list(["1.5", " 2 ", "-1e-3", "inf"]).to_number()
            tensor([ 1.5000e+00,  2.0000e+00, -1.0000e-03,         inf])
            >>> StringTensor.from_list(["1_000", "", "300"]).to_number(torch.int16, errors="fill", fill=-1)
            tensor([1000,   -1,  300], dtype=torch.int16)
        """
        return number._string_to_number(self, dtype, errors, fill)

    def hex(self) -> Self:
        """Writes each byte as two hexadecimal digits, in lower case, like Python's `bytes.hex`.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        See also: `string_unhex`, the inverse.

        Example:
            >>> StringTensor.from_list(["café", ""]).hex().tolist()
            ['636166c3a9', '']
        """
        return number._string_hex(self)

    def unhex(self) -> Self:
        """Converts pairs of hexadecimal digits, in either case, to bytes; the inverse of `hex`.

        Returns:
            Strings `[*S]`, compact. They need not be valid UTF-8.

        Raises:
            ValueError: a string has an odd number of bytes, or one that is not a hexadecimal digit; the message gives
                the index of the first.

        Example:
            >>> StringTensor.from_list(["636166C3A9", ""]).unhex().tolist()
            ['café', '']
        """
        return number._string_unhex(self)
