"""SubwordTokenizer: a module that turns text into the ids of a language model, and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_choice, check_int, quoted, utf8
from torch_stringops._names import named_class
from torch_stringops._types import IntegersLike, Padding, RepairErrors, Side, StringsLike, Text, like
from torch_stringops.ops import subword as ops
from torch_stringops.ops.subword_decode import _subword_decode
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword import _padding
from torch_stringops.subword._definition import SPECIAL, Definition
from torch_stringops.subword._pairs import PairEncoding
from torch_stringops.subword._readers import Readers
from torch_stringops.subword._saved import SavedFiles
from torch_stringops.subword._single import SingleTexts
from torch_stringops.subword._state import Source
from torch_stringops.subword._vocabulary import token_texts
from torch_stringops.subword._warm import warm_line
from torch_stringops.vocabulary._arguments import check_ids

_OP = "SubwordTokenizer"


@named_class
class SubwordTokenizer(PairEncoding, SingleTexts, Readers, SavedFiles):
    r"""A module that turns text into the ids of a language model's tokenizer, and ids back into text.

    It reads the files of `tokenizers` (tokenizer.json), `tiktoken` and `sentencepiece`, and gives the same ids: of
    byte-level BPE, such as the tokenizers of GPT-2, Llama-3 and Qwen; BPE with byte fallback, such as those of Llama-2
    and Gemma; Unigram, such as those of T5 and XLM-R; and WordPiece, such as that of BERT. docs/subword.md lists which
    files work. Other files, and files with a step that is not supported, are an error that names every such step.

    It supports torch.compile(fullgraph=True), torch.export and AOTInductor as part of a model. The table of the
    tokenizer is neither a parameter nor a buffer: it stays on the CPU, as all strings do, when the model is moved to
    another device; move the ids. `state_dict` contains five tensors that replace the state of any SubwordTokenizer
    that loads them.

    Build it with `from_file`, `from_tiktoken`, `from_sentencepiece`, `from_wordpiece` or `load`.

    Attributes:
        vocab_size: the number of ids, including those of added tokens: `num_embeddings` of an `nn.Embedding`.
        pad_id, pad_token: the id that pads rows, and its token, or None.
        special_ids: the ids of special tokens, which `decode` leaves out.
        max_length: the length that rows are truncated to by default, or None.

    Differences from `transformers`:
        | case | here | transformers |
        |---|---|---|
        | result of a call | a dict of tensors | of lists, unless `return_tensors` is given |
        | defaults of a call | padded to the longest row; truncated to `max_length` | neither |
        | `padding=False` | `input_ids` `[T]` and `row_splits` | lists of different lengths |
        | `pad_to_multiple_of=8` of empty texts | `[N, 8]` | `[N, 0]` |
        | `token_type_ids` | if asked for, or if the tokenizer of `transformers` names them | by class |
        | tokens of byte-level models | the text of the token: `" the"`, bytes if it is not UTF-8 | `"Ġthe"` |
        | strings that are not UTF-8 | each invalid byte is a sign | not representable |

    Example:
        >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" be": 257, b" b": 258}
        >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern, {"<pad>": 259}, pad_token="<pad>")
        >>> tokenizer(["to be", "to"])
        {'input_ids': tensor([[256, 257],
                [256, 259]]), 'attention_mask': tensor([[1, 1],
                [1, 0]])}
        >>> ids, row_splits = tokenizer.encode(["to be or"])
        >>> ids.tolist(), tokenizer.decode(ids, row_splits).tolist()
        ([256, 257, 32, 111, 114], ['to be or'])
    """

    def warm(self, strings: StringsLike, max_words: int = 10_000) -> None:
        """Adds the commonest words of a sample to the table: the ids stay the same, and are found faster.

        The words become a part of the state, which `state_dict` and `save` contain. They replace those of an earlier
        call.

        Args:
            strings: strings `[*S]` like those that will be encoded, in any form that `as_strings` accepts.
            max_words: maximum number of words. Words of one id, and of more than four, are not counted.

        Raises:
            ValueError: `max_words` is not within [0, 2**20].

        Example:
            >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" b": 257}
            >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
            >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern)
            >>> tokenizer.warm(["to be or not to be"])
            >>> tokenizer.encode(["to be"])[0]
            tensor([256, 257, 101])
        """
        op = f"{_OP}.warm"
        sample = strings_argument(op, "strings", strings)
        check_int(op, "max_words", max_words, 0, 2**20)
        lines = [line for line in self._spec.splitlines() if line.split(" ")[0] != "warm"]
        spec = "\n".join(lines) + "\n"
        flat = sample.reshape([sample.numel()])
        line = warm_line(flat, self._table, spec, self.vocab_size, max_words)
        source = Source(StringTensor(self._data, self._offsets), self._numbers, f"{spec}{line}\n")
        self._set(source, source.build(), self._settings)

    def forward(
        self,
        input: StringsLike,
        text_pair: StringsLike | None = None,
        padding: bool | Padding = "longest",
        truncation: bool = True,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: Side | None = None,
        add_special_tokens: bool = True,
        return_token_type_ids: bool | None = None,
        return_tensors: Literal["pt"] | None = None,
        min_width: int = 0,
    ) -> dict[str, Tensor]:
        """Returns the ids of texts as a batch, with the names of the arguments of `transformers`' models.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts.
            text_pair: strings `[*S]`, the second text of each row, as in `encode_pairs`.
            padding: "longest" or True, pad to the longest row; "max_length", pad to `max_length`; False, do not pad.
            truncation: truncate rows to `max_length`.
            max_length: maximum length of a row with its special tokens. None: `max_length` of the tokenizer; if that
                is None too, there is no limit.
            pad_to_multiple_of: pad the width to a multiple of this, and if it is not 1, at least to this.
            padding_side: "right" or "left". None: that of the tokenizer.
            add_special_tokens: add the special tokens of the tokenizer's template around each text.
            return_token_type_ids: also return `token_type_ids`. None: of pairs, and if the tokenizer says so.
            return_tensors: "pt" or None, as in `transformers`. Results are tensors of torch with both.
            min_width: minimum width of the batch. nn.TransformerEncoder in a compiled or exported model needs 2,
                which two special tokens in each row, or `pad_to_multiple_of`, guarantee too.

        Returns:
            `input_ids` and `attention_mask`, int64 `[*S, L]`, and maybe `token_type_ids`. With `padding=False`
            instead: `input_ids`, int64 `[T]`, `row_splits`, int64 `[N + 1]`, in elements.

        Raises:
            ValueError: an argument is not as above, `padding` needs a
                `max_length` that is None, or the tokenizer has no `pad_id`, and rows are padded.
        """
        if isinstance(padding, bool):
            padding = "longest" if padding else "do_not_pad"
        check_choice(_OP, "padding", padding, ("longest", "max_length", "do_not_pad"))
        check_choice(_OP, "padding_side", padding_side, ("right", "left", None))
        check_choice(_OP, "return_tensors", return_tensors, ("pt", None))
        strings = strings_argument(_OP, "input", input)
        limit = self.max_length if max_length is None else check_int(_OP, "max_length", max_length, 0, 2**31 - 1)
        limit_of_rows = limit if truncation else None
        types = None
        if text_pair is None:
            ids, row_splits = self._rows(strings, add_special_tokens, limit_of_rows)
        else:
            ids, row_splits, types = self._pair_rows(strings, text_pair, add_special_tokens, limit_of_rows)
        if padding == "do_not_pad":
            return {"input_ids": ids, "row_splits": row_splits}
        if self.pad_id is None:
            raise ValueError(f"{_OP}: expected a tokenizer with a `pad_id` (pass `pad_token` to from_file)")
        if padding == "max_length" and limit is None:
            raise ValueError(f'{_OP}: expected a `max_length` with padding="max_length", got None')
        side = padding_side or ("left" if self._settings.pads_left else "right")
        fixed = padding == "max_length"
        least = max(check_int(_OP, "min_width", min_width, 0, 2**31 - 1), limit if fixed and limit else 0)
        specials = len(self._before) + len(self._after) if add_special_tokens and text_pair is None else 0
        if limit_of_rows is None or specials <= limit_of_rows:  # each row has them, which tracing cannot see
            least = max(least, specials)
        multiple = check_int(_OP, "pad_to_multiple_of", pad_to_multiple_of or 1, 1, 2**31 - 1)
        least = max(least, multiple if multiple > 1 else 0)  # of empty texts, too: layers may rely on it
        width = _padding.Width(least, fixed and truncation, multiple)
        shape = list(strings.shape)
        batch = _padding.batch(ids, row_splits, shape, self.pad_id, width, side)
        wanted = bool(self._settings.types) or types is not None
        if wanted if return_token_type_ids is None else return_token_type_ids:
            pad_type = self._settings.pad_type
            before, of_text, after = self._types
            if types is None and any([*before, of_text, *after]):
                types = _padding.types_of_template(ids, row_splits, self._types, add_special_tokens)
            batch["token_type_ids"] = (
                (1 - batch["attention_mask"]) * pad_type
                if types is None
                else _padding.batch(types, row_splits, shape, pad_type, width, side)["input_ids"]
            )
        return batch

    if TYPE_CHECKING:  # nn.Module returns Any

        @like(forward)
        def __call__(self) -> None: ...

    def encode(
        self,
        input: StringsLike,
        *,
        add_special_tokens: bool = False,
        max_length: int | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Returns the ids of texts as ragged rows.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts; N is their number, and they are taken in
                row-major order.
            add_special_tokens: add the special tokens of the tokenizer's template around each text.
            max_length: maximum length of a row, with these. Ids are left out at the end of a text, or at its beginning,
                if the tokenizer truncates at the left. None: no limit.

        Returns:
            ids: int64 `[T]`; T depends on the data.
            row_splits: int64 `[N + 1]`, in elements: the ids of string i are `ids[row_splits[i]:row_splits[i + 1]]`.

        Raises:
            ValueError: `max_length` is not within [0, 2**31 - 1].
        """
        strings = strings_argument(f"{_OP}.encode", "input", input)
        if max_length is not None:
            check_int(f"{_OP}.encode", "max_length", max_length, 0, 2**31 - 1)
        return self._rows(strings, add_special_tokens, max_length)

    def encode_spans(
        self,
        input: StringsLike,
        *,
        add_special_tokens: bool = False,
        max_length: int | None = None,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Same as `encode`, and returns which bytes of its text each token covers.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts.
            add_special_tokens: as in `encode`.
            max_length: as in `encode`.

        Returns:
            ids, row_splits: as `encode` does.
            begins, ends: int32 `[T]`, in bytes from the beginning of the string. Both are 0 for special tokens of the
                template. A space that the tokenizer puts before a text covers no bytes.
        """
        strings = strings_argument(f"{_OP}.encode_spans", "input", input)
        self._check_broadcast()
        if max_length is not None:
            check_int(f"{_OP}.encode_spans", "max_length", max_length, 0, 2**31 - 1)
        if max_length is None or not self._settings.truncates_left:
            limit = -1 if max_length is None else max_length
            return ops._subword_encode_spans(
                strings, self._table, add_special_tokens=bool(add_special_tokens), max_length=limit
            )
        found = ops._subword_encode_spans(strings, self._table, add_special_tokens=False, max_length=-1)
        before, after = (self._before, self._after) if add_special_tokens else ([], [])
        ids, row_splits = _padding.truncated_left(found[:2], max_length, before, after)
        begins, ends = (
            _padding.truncated_left((bytes_, found[1]), max_length, [0] * len(before), [0] * len(after))[0]
            for bytes_ in found[2:]
        )
        return ids, row_splits, begins, ends

    def decode(
        self,
        ids: IntegersLike,
        row_splits: Tensor | None = None,
        skip_special_tokens: bool = True,
        *,
        errors: RepairErrors | Literal["keep"] = "replace",
    ) -> StringTensor:
        """Returns the texts of rows of ids.

        Args:
            ids: integers `[T]`, the ids of all rows; without `row_splits` `[*S, L]`, rows along the last axis.
            row_splits: int64 `[N + 1]`, in elements.
            skip_special_tokens: leave out special tokens.
            errors: "replace" or "ignore", what becomes of bytes that are not UTF-8, as in `string_repair`; "keep"
                leaves them.

        Returns:
            Strings `[N]`, or `[*S]` without `row_splits`.

        Raises:
            TypeError: `ids` cannot be converted to a tensor.
            ValueError: an id is not within [0, vocab_size), `row_splits` is malformed, or `errors` is none of these.
        """
        op = f"{_OP}.decode"
        check_choice(op, "errors", errors, ("replace", "ignore", "keep"))
        self._check_broadcast()
        ids = check_ids(op, ids).long()
        shape: list[int] | None = None
        if row_splits is None:
            if ids.dim() == 0:
                raise ValueError(f"{op}: expected `ids` of rank >= 1, got a scalar")
            shape = list(ids.shape[:-1])
            ids, row_splits = _padding.rows_of(ids)
        strings: StringTensor = StringTensor(
            *_subword_decode(ids, row_splits, self._table, skip_special_tokens=bool(skip_special_tokens))
        )
        if errors != "keep":
            strings = strings.repair(errors)
        if shape is None:
            return strings
        return strings.reshape(shape) if shape else strings[0]

    @property
    def vocab_size(self) -> int:
        """The number of ids, including those of added tokens."""
        return self._offsets.shape[0] - 1

    def __len__(self) -> int:
        return self.vocab_size

    @property
    def vocabulary(self) -> StringTensor:
        """The texts of all ids, strings `[vocab_size]`; an id that is not used has an empty one."""
        found = token_texts(StringTensor(self._data, self._offsets), self._spec)
        if found is not None:
            return found
        every = torch.arange(self.vocab_size, device="cpu")
        return self.decode(every[:, None], skip_special_tokens=False, errors="keep")

    def token_to_id(self, token: Text) -> int | None:
        """Returns the id of a token's text, or None if there is no such token."""
        raw = utf8(f"{_OP}.token_to_id", "token", token)
        found = (self.vocabulary == StringTensor.from_list(raw)).nonzero().flatten() if raw else torch.empty(0)
        return int(found[0]) if found.numel() else None

    def id_to_token(self, id: int) -> Text | None:
        """Returns the text of an id, as `bytes` if it is not UTF-8; None if the id is not used."""
        check_int(f"{_OP}.id_to_token", "id", id, 0, self.vocab_size - 1)
        found = token_texts(StringTensor(self._data, self._offsets), self._spec)
        one = self.decode([id], skip_special_tokens=False, errors="keep") if found is None else found[id]
        raw = one.item(as_bytes=True)
        try:
            return raw.decode() or None
        except UnicodeDecodeError:
            return bytes(raw)

    @property
    def pad_id(self) -> int | None:
        """The id that pads rows, or None: `padding_idx` of `nn.Embedding`."""
        return self._settings.pad if self._settings.pad >= 0 else None

    @property
    def pad_token(self) -> Text | None:
        """The token that pads rows, or None."""
        return None if self.pad_id is None else self.id_to_token(self.pad_id)

    @property
    def max_length(self) -> int | None:
        """The length that rows are truncated to by default, or None."""
        return self._settings.max_length if self._settings.max_length >= 0 else None

    @property
    def special_ids(self) -> list[int]:
        """The ids of special tokens."""
        if self._special_ids is None:  # tens of thousands take tens of milliseconds
            added = re.findall(r"^added (\d+) (\d+)", self._spec, re.MULTILINE)
            self._special_ids = [int(id) for id, flags in added if int(flags) & SPECIAL]
        return list(self._special_ids)

    def extra_repr(self) -> str:
        parts = [str(self.vocab_size)]
        if (token := self.pad_token) is not None:
            parts.append(f"pad_token={quoted(token)}")
        if self.max_length is not None:
            parts.append(f"max_length={self.max_length}")
        return ", ".join(parts)

    def _encode(self, strings: StringTensor, special: bool, limit: int | None) -> tuple[Tensor, Tensor]:
        self._check_broadcast()
        if not special and limit is None:  # passing no keywords saves a tenth of a call on one string
            return ops._subword_encode(strings, self._table)
        rows: tuple[Tensor, Tensor] = ops._subword_encode(
            strings, self._table, add_special_tokens=bool(special), max_length=-1 if limit is None else limit
        )
        return rows

    def _rows(self, strings: StringTensor, special: bool, limit: int | None) -> tuple[Tensor, Tensor]:
        if limit is None or not self._settings.truncates_left:
            return self._encode(strings, special, limit)
        before, after = (self._before, self._after) if special else ([], [])
        rows = self._encode(strings, False, None)
        return _padding.truncated_left(rows, limit, before, after)


__all__ = ["Definition", "SubwordTokenizer"]
