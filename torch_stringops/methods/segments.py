"""Methods of the units that readers see, and of scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import Tensor

from torch_stringops._checks import choice_error
from torch_stringops._types import Segments
from torch_stringops.methods._base import Methods
from torch_stringops.tensor.reshape import reshape
from torch_stringops.tensor.scripts import SCRIPTS, commonest_scripts
from torch_stringops.tensor.segments import UNITS, segments
from torch_stringops.tensor.strings import shape

if TYPE_CHECKING:
    from typing_extensions import Self


class SegmentsMethods(Methods):
    """Units of text."""

    __slots__ = ()

    def segments_ragged(self, unit: Segments = "grapheme") -> tuple[Self, Tensor]:
        """Cuts each string into the characters that readers see, into words or into sentences.

        The boundaries are those of UAX 29, with the properties of Unicode `unicode_version()`. Grapheme clusters are
        the extended ones: a letter and its accents, a syllable of Hangul, a flag, an emoji with its modifiers. Between
        two word boundaries stands a word, a number, a run of spaces or one other character: `regex_contains(r"\\w")`
        tells the words. A sentence includes the spaces after it. Joined, the segments are the string. Their number is
        `row_splits.diff()`.

        The rules are the default ones, of no language. The results of ICU for the root locale are the same, with three
        exceptions, all of words: ICU divides runs of Thai, Lao, Khmer, Burmese, Chinese and Japanese by dictionaries,
        divides Hangul from other letters, and does not join letters by a colon.

        Args:
            unit: "grapheme", "word" or "sentence".

        Returns:
            Ragged strings `[*S, None]` as `(values, row_splits)`: strings `[T]` and int64 `[N + 1]`.

        Raises:
            ValueError: `unit` is not one of these; a string is not valid UTF-8.

        Example:
            >>> s = StringTensor.from_list(["e\\u0301a", "\\U0001f1e9\\U0001f1ea!"])
            >>> values, row_splits = s.segments_ragged()
            >>> values.length(), row_splits.diff()
            (tensor([2, 1, 2, 1]), tensor([2, 2]))
            >>> t = StringTensor.from_list("It isn't 3.5. Is it?")
            >>> t.segments_ragged("word")[0].tolist()
            ['It', ' ', "isn't", ' ', '3.5', '.', ' ', 'Is', ' ', 'it', '?']
            >>> t.segments_ragged("sentence")[0].tolist()
            ["It isn't 3.5. ", 'Is it?']
        """
        if not isinstance(unit, str) or unit not in UNITS:
            raise choice_error("string_segments_ragged", "unit", "'grapheme', 'word' or 'sentence'", unit)
        return segments(self, unit)

    def script(self) -> Self:
        r"""Returns the name of the script in which each string is written: "Latin", "Cyrillic", "Han", ...

        It is the script of most of its code points, by Unicode `unicode_version()`; of several equally
        frequent scripts, the one that occurs first. Spaces, digits, punctuation and accents are of no script.
        Japanese text is often "Hiragana".

        Returns:
            Strings `[*S]`, the names of Unicode; "Common" for strings without a code point of a script.

        See also: `regex_count(r"\p{Greek}")`, the number of code points of a script.

        Example:
            >>> StringTensor.from_list(["to be", "быть? (be)", "42"]).script().tolist()
            ['Latin', 'Cyrillic', 'Common']
        """
        names: Any = self._argument("string_script", "names", SCRIPTS)
        # As in torch, an index of rank 0 cannot be traced.
        found: Self = names[commonest_scripts(self).reshape(-1)]
        return reshape(found, shape(self))
