"""Hashing: a module that assigns strings to bins by their hash."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_choice, check_int
from torch_stringops._names import named_class
from torch_stringops._types import BinsOutput, StringsLike
from torch_stringops.functions.number import string_from_number
from torch_stringops.nn._categories import MAX_BINS, bucket, check_salt, encode


def _check_mask(value: Any) -> str | bytes | int | None:
    if value is None or isinstance(value, str | bytes):
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__") or isinstance(value, Tensor):
        raise TypeError(f"Hashing: expected `mask_value` to be str, bytes, an int or None, got {type(value).__name__}")
    return operator.index(value)


@named_class
class Hashing(nn.Module):
    """A module that assigns strings to bins by their hash, with the arguments of Keras' `Hashing`.

    It needs no vocabulary and has no state. Integers are hashed as their decimal digits.

    Args:
        num_bins: number of bins, at least 1, including that of `mask_value`.
        mask_value: a string (for integers, an int) that gets bin 0. No other value gets this bin, unless it
            is the only one. None: there is no such value.
        salt: an int, or two, the key of SipHash. None: XXH3 without a key.
        output_mode: "int", the bins; or "one_hot", "multi_hot" or "count" of the bins along the last axis.

    Differences from Keras:
        | case | here | Keras |
        |---|---|---|
        | no `salt` | XXH3, the bins of `string_hash_bucket` | FarmHash64: other bins |
        | `salt` | the bins of Keras | the same |
        | floating-point inputs | an error; cast them to an integer dtype | cast to int64 |

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: `num_bins`, `salt` or `output_mode` is not as above.

    Example:
        >>> Hashing(10, mask_value="", salt=7)(["to", "be", "", "to"])
        tensor([7, 6, 0, 7])
        >>> Hashing(4, output_mode="count")([["to", "be"], ["be", "be"]])
        tensor([[1., 0., 0., 1.],
                [2., 0., 0., 0.]])
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: str | bytes | int | None = None,
        salt: int | Sequence[int] | None = None,
        output_mode: BinsOutput = "int",
    ) -> None:
        super().__init__()
        self.num_bins = check_int("Hashing", "num_bins", num_bins, 1, MAX_BINS)
        self.mask_value = _check_mask(mask_value)
        self.salt = check_salt("Hashing", salt)
        self.output_mode = check_choice("Hashing", "output_mode", output_mode, ("int", "one_hot", "multi_hot", "count"))

    def forward(self, input: StringsLike | Tensor) -> Tensor:
        """Returns the bins of strings.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts; or a tensor of integers.

        Returns:
            int64 `[*S]`; in other output modes float32 `[*S[:-1], num_bins]`, or `[*S, num_bins]` for "one_hot".
        """
        if isinstance(input, Tensor):
            if input.is_floating_point() or input.is_complex():
                raise ValueError("Hashing: expected `input` of strings or integers, got a floating-point tensor")
            strings = string_from_number(input)
        else:
            strings = strings_argument("Hashing", "input", input)
        if self.mask_value is None or self.num_bins == 1:
            bins = bucket(strings, self.num_bins, self.salt)
        else:
            mask = self.mask_value if isinstance(self.mask_value, str | bytes) else str(self.mask_value)
            bins = torch.where(strings == mask, 0, bucket(strings, self.num_bins - 1, self.salt) + 1)
        encoded = encode(bins, self.num_bins, self.output_mode)
        return encoded if self.output_mode == "int" else encoded.float()

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, input: StringsLike | Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return f"{self.num_bins}, output_mode={self.output_mode!r}"
