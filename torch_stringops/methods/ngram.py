"""Methods that cut strings into n-grams of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from torch_stringops.methods._base import Methods
from torch_stringops.ops import ngram

if TYPE_CHECKING:
    from typing_extensions import Self


class NgramMethods(Methods):
    """N-grams of characters."""

    __slots__ = ()

    def char_ngrams_ragged(self, min: int, max: int, *, marks: bool = False) -> tuple[Self, Tensor]:
        """Returns the substrings of `min` to `max` code points of each string, as ragged rows.

        They are ordered by where they begin, then by length, as in fastText. A byte that is not part of a
        valid code point counts as one.

        Args:
            min: minimum number of code points, at least 1.
            max: maximum number of code points.
            marks: mark the beginning of each string by "<" and its end by ">", as fastText does. A mark alone is not an
                n-gram.

        Returns:
            The n-grams, strings `[T]`, and `row_splits`, int64 `[N + 1]`: the n-grams of string `i` are at positions
            `row_splits[i]` to `row_splits[i + 1]`.

        Raises:
            ValueError: `min` is less than 1, `max` is less than `min`, or the result exceeds
                2**31 - 1 bytes or offsets.

        Example:
            >>> ngrams, row_splits = StringTensor.from_list(["été", ""]).char_ngrams_ragged(2, 3)
            >>> ngrams.tolist(), row_splits.tolist()
            (['ét', 'été', 'té'], [0, 3, 3])
            >>> StringTensor.from_list("so").char_ngrams_ragged(1, 3, marks=True)[0].tolist()
            ['<s', '<so', 's', 'so', 'so>', 'o', 'o>']
        """
        return ngram._string_char_ngrams_ragged(self, min, max, marks=marks)
