"""DecodeStream: the text of ids that come one after the other, as from a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import check_int, shape_text
from torch_stringops._names import named_class, names_its_errors
from torch_stringops._types import IntsLike
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._single import SingleTexts
from torch_stringops.vocabulary._arguments import check_ids

if TYPE_CHECKING:
    from torch_stringops.subword.tokenizer import SubwordTokenizer

_OP = "DecodeStream"
_step = _convert.stream_step


@named_class
class DecodeStream:
    r"""The text of ids that come one after the other, as soon as its characters are whole.

    The texts are those of `tokenizers.decoders.DecodeStream`: a step returns "" while the text of the last ids ends
    with U+FFFD, since a character may be incomplete. Where that class raises "invalid prefix", the stream begins anew
    with the last id, as in vLLM.

    A stream keeps the ids of at most 512 steps. After 256 steps without text it returns what it has, with U+FFFD for
    bytes that are not UTF-8.

    Args:
        tokenizer: a SubwordTokenizer.
        batch_size: number of streams. None: one, whose steps take an int.
        skip_special_tokens: leave out special tokens.

    Raises:
        TypeError: `tokenizer` is not a SubwordTokenizer, or `batch_size` is not an int.
        ValueError: `batch_size` is not within [0, 2**31 - 2].

    Example:
        >>> from torch_stringops import DecodeStream
        >>> ranks = {bytes([byte]): byte for byte in range(256)}
        >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern)
        >>> stream = DecodeStream(tokenizer)
        >>> [stream.step(id) for id in "né!".encode()]
        ['n', '', 'é', '!']
        >>> streams = DecodeStream(tokenizer, 2)
        >>> [streams.step(ids).tolist() for ids in ([110, 111], [195, 107], [169, -1])]
        [['n', 'o'], ['', 'k'], ['é', '']]
    """

    def __init__(
        self, tokenizer: SubwordTokenizer, batch_size: int | None = None, *, skip_special_tokens: bool = True
    ) -> None:
        if not isinstance(tokenizer, SingleTexts):
            raise TypeError(f"{_OP}: expected a SubwordTokenizer, got {type(tokenizer).__name__}")
        self._batch_size = (
            None if batch_size is None else check_int(_OP, "batch_size", batch_size, 0, 2**31 - 2)
        )
        self._tokenizer = tokenizer
        count = 1 if self._batch_size is None else self._batch_size
        self._streams = _convert.new_streams(count, bool(skip_special_tokens))

    @overload
    def step(self, id: int) -> str: ...
    @overload
    def step(self, id: IntsLike) -> StringTensor: ...

    @names_its_errors
    def step(self, id: int | IntsLike) -> str | StringTensor:
        """Appends an id to the stream, or to each stream its own.

        Args:
            id: an int; with a `batch_size` B integers `[B]`, where -1 stands for no id: its stream stays as it is.

        Returns:
            The text that is complete by the id, "" if there is none; with a `batch_size` strings `[B]`.

        Raises:
            TypeError: `id` is not as above.
            ValueError: an id is not within [0, vocab_size), or the number of ids is not the batch size.
        """
        if self._batch_size is not None:
            return self._step_all(id)
        tokenizer = self._tokenizer
        text = _step(self._streams, tokenizer._opened, tokenizer._table, id)
        if text is None:
            text = _step(self._streams, tokenizer._open(), tokenizer._table, id)
        return text  # type: ignore[no-any-return]

    def reset(self, row: int | None = None) -> None:
        """Begins a stream anew, as for the next request; without a row all of them.

        Raises:
            TypeError: `row` is not an int.
            ValueError: `row` is not within [0, batch_size).
        """
        count = 1 if self._batch_size is None else self._batch_size
        rows = range(count) if row is None else [check_int(f"{_OP}.reset", "row", row, 0, count - 1)]
        for each in rows:
            _convert.reset_stream(self._streams, each)

    def _step_all(self, ids: Any) -> StringTensor:
        op = f"{_OP}.step"
        row = check_ids(op, ids).to(torch.int64, copy=True).contiguous()
        if row.dim() != 1 or row.shape[0] != self._batch_size:
            raise ValueError(f"{op}: expected ids of shape [{self._batch_size}], got shape {shape_text(row)}")
        tokenizer = self._tokenizer
        arguments = row.data_ptr(), row.shape[0]
        found = _convert.stream_steps(self._streams, tokenizer._opened, tokenizer._table, *arguments)
        if found is None:
            found = _convert.stream_steps(self._streams, tokenizer._open(), tokenizer._table, *arguments)
        data, offsets = found
        return StringTensor(_tensor(data, torch.uint8), _tensor(offsets, torch.int32))


def _tensor(bytes_: bytearray, dtype: torch.dtype) -> Tensor:
    """The bytes as a tensor, without a copy."""
    return torch.frombuffer(bytes_, dtype=dtype) if bytes_ else torch.empty(0, dtype=dtype, device="cpu")
