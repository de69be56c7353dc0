"""Two texts as one row of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_int
from torch_stringops._types import StringsLike
from torch_stringops.ops import subword as ops
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._state import Settings

_OP = "SubwordTokenizer"


class PairEncoding:
    """The methods of SubwordTokenizer that encode pairs of texts."""

    _table: Tensor
    _settings: Settings

    if TYPE_CHECKING:

        def _check_broadcast(self) -> None: ...

    def encode_pairs(
        self,
        input: StringsLike,
        text_pair: StringsLike,
        *,
        add_special_tokens: bool = False,
        max_length: int | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Returns the ids of pairs of texts, each pair as one row, and which text each id belongs to.

        Args:
            input: strings `[*S]`, the first text of each pair, in any form that `as_strings` accepts.
            text_pair: strings `[*S]`, the second text of each pair.
            add_special_tokens: add the special tokens of the tokenizer's template around each pair.
            max_length: maximum length of a row, with these. Ids are left out at the end of the longer text, and when
                both are equally long, of both; at their beginning, if the tokenizer truncates at the left. None: no
                limit.

        Returns:
            ids, row_splits: as `encode` does.
            types: int64 `[T]`, the `token_type_ids` of the tokenizer's template; without one, 0 for the first text and
                1 for the second.

        Raises:
            ValueError: the shapes differ, or `max_length` is not within [0, 2**31 - 1], or less than the number of
                special tokens.

        Example:
            >>> ranks = {bytes([byte]): byte for byte in range(256)}
            >>> pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
            >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern)
            >>> ids, row_splits, types = tokenizer.encode_pairs(["to", "or"], ["be", "n"])
            >>> ids.tolist(), row_splits.tolist(), types.tolist()
            ([116, 111, 98, 101, 111, 114, 110], [0, 4, 7], [0, 0, 1, 1, 0, 0, 1])
        """
        op = f"{_OP}.encode_pairs"
        strings = strings_argument(op, "input", input)
        others = strings_argument(op, "text_pair", text_pair)
        self._check_broadcast()
        if max_length is not None:
            check_int(op, "max_length", max_length, 0, 2**31 - 1)
        return ops._subword_encode_pairs(
            strings,
            others,
            self._table,
            add_special_tokens=bool(add_special_tokens),
            max_length=-1 if max_length is None else max_length,
            truncate_left=bool(self._settings.truncates_left),
        )

    def _pair_rows(
        self, strings: StringTensor, text_pair: Any, special: bool, limit: int | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        return self.encode_pairs(strings, text_pair, add_special_tokens=special, max_length=limit)
