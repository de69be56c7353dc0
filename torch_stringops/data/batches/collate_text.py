"""CollateText: rows of raw text as the tensors that a language model takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import quoted
from torch_stringops._names import named_class
from torch_stringops._types import Padding
from torch_stringops.data.batches.column_dataset import collate_strings
from torch_stringops.data.batches.samples import Samples
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword import SubwordTokenizer


@named_class
class CollateText:
    r"""Collates rows of raw text to the arguments of a language model. For DataLoader, Lightning and Trainer.

    Rows are texts; dicts, of which the columns named below are read; or tuples of these columns, in the order `text`,
    `text_pair` if it is given, and labels. Other columns are left out. A batch of columns, as datasets of this package
    give it with `DataLoader(dataset, batch_size=None)`, is a StringTensor, or a dict or tuple of columns.

    The Trainer of `transformers` drops the text before it is collated, unless `remove_unused_columns=False` is an
    argument of `TrainingArguments`.

    Args:
        tokenizer: a SubwordTokenizer. `SubwordTokenizer.from_file` converts a fast tokenizer of
            `transformers`.
        text: the name of the column of texts.
        label: the name of the column of labels, which are returned as `labels`; or a list of names of columns of
            numbers, which keep them; or None, no labels. Rows that are texts have none.
        text_pair: the name of the column of second texts, or None.
        padding: as in a call of the tokenizer, like the arguments that follow. With False, rows are ragged.
        max_length: maximum length of a row with its special tokens. None: that of the tokenizer.
        pad_to_multiple_of: pad the width to a multiple of this.

    Returns:
        What a call of the tokenizer returns: `input_ids` and `attention_mask`, int64 `[N, L]`, and
        `token_type_ids` if the tokenizer has them; with `padding=False`, `input_ids` and `row_splits`. In
        addition, labels `[N, ...]`: int64 for integers and bools, torch's default dtype for floating-point
        numbers. Tensors keep their dtype.

    Raises:
        TypeError: `tokenizer` is not a SubwordTokenizer; a row is none of these; labels are not numbers.
        ValueError: a batch has no rows, a row has no such column, or labels are integers beyond int64.

    See also: `collate_strings`, which keeps the text, for models that contain their tokenizer.

    Example:
        >>> from torch_stringops import SubwordTokenizer
        >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" be": 257, b" b": 258}
        >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern, {"<pad>": 259}, pad_token="<pad>")
        >>> rows = [{"text": "to be", "label": 1}, {"text": "to", "label": 0}]
        >>> CollateText(tokenizer)(rows)  # in training: DataLoader(dataset, collate_fn=CollateText(tokenizer))
        {'input_ids': tensor([[256, 257],
                [256, 259]]), 'attention_mask': tensor([[1, 1],
                [1, 0]]), 'labels': tensor([1, 0])}
    """

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        text: str = "text",
        label: str | Sequence[str] | None = "label",
        *,
        text_pair: str | None = None,
        padding: bool | Padding = "longest",
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        if not isinstance(tokenizer, SubwordTokenizer):
            raise TypeError(
                f"CollateText: expected a SubwordTokenizer, got {type(tokenizer).__name__} "
                "(SubwordTokenizer.from_file converts a fast tokenizer of transformers)"
            )
        self.tokenizer = tokenizer
        self._texts = [text] if text_pair is None else [text, text_pair]
        self._labels = [label] if isinstance(label, str) else list(label or ())
        self._renamed = isinstance(label, str)
        self._padding, self._max_length, self._multiple = padding, max_length, pad_to_multiple_of

    def __call__(self, batch: Sequence[Any] | StringTensor | Mapping[str, Any]) -> dict[str, Tensor]:
        if isinstance(batch, Samples):
            batch = collate_strings(batch)
        texts, *others = self._columns(batch)
        pairs = others.pop(0) if len(self._texts) == 2 else None
        found = self.tokenizer(
            texts,
            pairs,
            padding=self._padding,
            max_length=self._max_length,
            pad_to_multiple_of=self._multiple,
        )
        names = ["labels"] if self._renamed else self._labels
        return found | {name: _numbers(name, column) for name, column in zip(names, others, strict=False)}

    def _columns(self, batch: Any) -> list[Any]:
        """The columns of texts and labels."""
        if not isinstance(batch, list):
            return self._parts(batch)
        if not batch:
            raise ValueError("CollateText: expected a batch with rows")
        return [list(column) for column in zip(*map(self._parts, batch), strict=True)]

    def _parts(self, row: Any) -> list[Any]:
        """The text or texts and labels of a row; or the columns of a batch."""
        names = [*self._texts, *self._labels]
        if isinstance(row, Mapping):
            missing = [name for name in names if name not in row]
            if missing:
                raise ValueError(
                    f"CollateText: expected rows with {', '.join(map(repr, missing))}, got a row of "
                    f"{quoted(', '.join(map(str, row)))} (TrainingArguments need remove_unused_columns=False)"
                )
            return [row[name] for name in names]
        if isinstance(row, tuple):
            if len(row) < len(names):
                raise ValueError(
                    f"CollateText: expected rows of {', '.join(map(repr, names))}, got a tuple of {len(row)}"
                )
            return list(row[: len(names)])
        if isinstance(row, str | bytes | StringTensor) and len(self._texts) == 1:
            return [row]
        raise TypeError(
            f"CollateText: expected rows that are {'str, ' * (len(self._texts) == 1)}dicts or tuples, "
            f"got {type(row).__name__}"
        )


def _numbers(name: str, column: Any) -> Tensor:
    """A column of labels as a tensor."""
    if isinstance(column, Tensor):
        return column
    if isinstance(column, list) and isinstance(column[0], Tensor):
        return torch.stack(column)
    values = np.asarray(column)
    # NumPy takes integers beyond int64 as unsigned ones, as floating-point numbers or as objects.
    if values.dtype.kind in "ufO" and not all(
        -(2**63) <= int(value) < 2**63
        for value in np.asarray(column, object).ravel()
        if isinstance(value, int | np.integer)
    ):
        raise ValueError(f"CollateText: expected `{name}` to be integers within int64, got larger ones")
    if values.dtype.kind not in "biuf":
        raise TypeError(
            f"CollateText: expected `{name}` to be numbers, got {quoted(str(column[0]))} "
            "(torch_stringops.nn.StringLookup turns strings into ids)"
        )
    dtype = torch.get_default_dtype() if values.dtype.kind == "f" else torch.int64
    return torch.from_numpy(values).to(dtype)
