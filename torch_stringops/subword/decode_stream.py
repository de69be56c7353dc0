"""DecodeStream: the text of ids that come one after the other, as from a language model."""

from __future__ import annotations

from collections.abc import Sequence
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
        skip_unknown_ids: leave out ids beyond the vocabulary, which models whose logits are padded may emit. False:
            they are an error.
        ids: the ids that come before those of the steps, those of the prompt, as in `reset`. Their text is not
            returned, but what a step returns may depend on it: many tokenizers leave out a space at the beginning.

    Raises:
        TypeError: `tokenizer` is not a SubwordTokenizer, or `batch_size` or `ids` is not as above.
        ValueError: `batch_size` is not within [0, 2**31 - 2], or `ids` is not as above.

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
        self,
        tokenizer: SubwordTokenizer,
        batch_size: int | None = None,
        *,
        skip_special_tokens: bool = True,
        skip_unknown_ids: bool = True,
        ids: IntsLike | Sequence[IntsLike] | None = None,
    ) -> None:
        if not isinstance(tokenizer, SingleTexts):
            raise TypeError(f"{_OP}: expected a SubwordTokenizer, got {type(tokenizer).__name__}")
        self._batch_size = None if batch_size is None else check_int(_OP, "batch_size", batch_size, 0, 2**31 - 2)
        self._tokenizer = tokenizer
        count = 1 if self._batch_size is None else self._batch_size
        self._skips_unknown = bool(skip_unknown_ids)
        self._streams = _convert.new_streams(count, bool(skip_special_tokens), self._skips_unknown)
        if ids is not None:
            self.reset(ids=ids)

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
            ValueError: an id is negative, or beyond the vocabulary if these are not skipped; or the number of ids is
                not the batch size.
        """
        if self._batch_size is not None:
            return self._step_all(id)
        tokenizer = self._tokenizer
        text = _step(self._streams, tokenizer._opened, tokenizer._table, id)
        if text is None:
            text = _step(self._streams, tokenizer._open(), tokenizer._table, id)
        return text  # type: ignore[no-any-return]

    def reset(self, row: int | None = None, ids: IntsLike | Sequence[IntsLike] | None = None) -> None:
        """Begins a stream anew, as for the next request; without a row all of them.

        Args:
            row: the stream.
            ids: the ids of the prompt, integers `[L]`; with a `batch_size` B and without a row, a sequence of B such.

        Raises:
            TypeError: `row` is not an int, or `ids` is not as above.
            ValueError: `row` is not within [0, batch_size), or `ids` is not as above.

        Example:
            >>> import json
            >>> from torch_stringops import DecodeStream
            >>> vocab = {"\u2581to": 0, "\u2581be": 1}
            >>> model = {"type": "BPE", "vocab": vocab, "merges": []}
            >>> decoder = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"}
            >>> tokenizer = SubwordTokenizer.from_file(json.dumps({"model": model, "decoder": decoder}))
            >>> stream = DecodeStream(tokenizer, ids=[0])
            >>> stream.step(1)
            ' be'
            >>> stream.reset()
            >>> stream.step(1)
            'be'
        """
        op = f"{_OP}.reset"
        count = 1 if self._batch_size is None else self._batch_size
        rows = range(count) if row is None else [check_int(op, "row", row, 0, count - 1)]
        prompts = [ids] if self._batch_size is None or row is not None else ids
        if ids is None:
            prompts = [[]] * len(rows)
        if not isinstance(prompts, Sequence | Tensor) or len(prompts) != len(rows):
            raise ValueError(f"{op}: expected `ids` of {len(rows)} rows, got {type(ids).__name__}")
        found = [self._prompt(op, prompt) for prompt in prompts]
        for each, prompt in zip(rows, found, strict=True):
            _convert.reset_stream(self._streams, each, prompt.data_ptr(), prompt.shape[0])

    def _prompt(self, op: str, ids: Any) -> Tensor:
        """The ids that exist, int64 `[L]`."""
        row = check_ids(op, ids).to(torch.int64)
        if row.dim() != 1:
            raise ValueError(f"{op}: expected `ids` of rank 1, got shape {shape_text(row)}")
        size = self._tokenizer.vocab_size
        if len(bad := row[(row < 0) if self._skips_unknown else (row < 0) | (row >= size)]):
            expected = ">= 0" if self._skips_unknown else f"within [0, {size})"
            raise ValueError(f"{op}: expected ids {expected}, got {int(bad[0])}")
        return row[row < size]

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
