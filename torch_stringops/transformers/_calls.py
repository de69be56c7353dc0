"""Calls of an accelerated tokenizer, as far as the operators give what `tokenizers` gives; None: the original's."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops.transformers._batches import Wanted, list_columns, single_columns, tensor_columns
from torch_stringops.transformers._encodings import LazyEncodings
from torch_stringops.transformers._table import Table
from torch_stringops.transformers._watch import Watch

# Options of a call that only the original serves.
_ORIGINAL = (
    "stride",
    "is_split_into_words",
    "return_overflowing_tokens",
    "return_offsets_mapping",
    "sanitize_control_tokens",
    "split_special_tokens",
)
_OPTIONS = frozenset(_ORIGINAL) | {
    "add_special_tokens",
    "padding_strategy",
    "truncation_strategy",
    "max_length",
    "pad_to_multiple_of",
    "padding_side",
    "return_tensors",
    "return_token_type_ids",
    "return_attention_mask",
    "return_special_tokens_mask",
    "return_length",
    "verbose",
}

Texts = list[str]


def encode(tokenizer: Any, watch: Watch, batch_class: Any, text: Any, text_pair: Any, options: Any) -> Any:
    """Returns the BatchEncoding of `_encode_plus`, or None. It leaves the backend's settings as the original does."""
    for name in _ORIGINAL:
        if options.get(name):
            return None
    if not options.keys() <= _OPTIONS:
        return None
    inputs = _texts(text, text_pair)
    if inputs is None or (options.get("split_special_tokens") is None and tokenizer.split_special_tokens):
        return None
    texts, others = inputs
    if type(options.get("add_special_tokens", True)) is not bool:
        return None
    backend = tokenizer._tokenizer
    table = watch.table(backend)
    if table is None:
        return None
    max_length = options.get("max_length")
    tokenizer.set_truncation_and_padding(
        padding_strategy=options["padding_strategy"],
        truncation_strategy=options["truncation_strategy"],
        max_length=max_length,
        stride=0,
        pad_to_multiple_of=options.get("pad_to_multiple_of"),
        padding_side=options.get("padding_side"),
    )
    if backend.encode_special_tokens:
        backend.encode_special_tokens = False
    truncation, padding = backend.truncation, backend.padding
    special = options.get("add_special_tokens", True)
    marks = bool(options.get("return_special_tokens_mask"))
    if marks and others is not None:
        return None
    cut = cut_of(table, truncation, others is not None)
    if cut is None:
        return None
    limit, left = cut
    names = tokenizer.model_input_names
    types, mask = options.get("return_token_type_ids"), options.get("return_attention_mask")
    wanted = Wanted(
        special,
        "token_type_ids" in names if types is None else bool(types),
        "attention_mask" in names if mask is None else bool(mask),
        marks,
        bool(options.get("return_length")),
    )
    tensors = options.get("return_tensors")
    single = type(text) is str
    columns: Any
    if tensors is not None and not can_make(tensors):
        return None
    if single and others is None:
        columns = single_columns(table, text, limit, left, padding, wanted)
        lengths = [len(columns["input_ids"])]
        if tensors is not None and not to_tensors(columns, tensors):
            return None
    else:
        if others is None:
            rows = table.encode(texts, special, limit, left)
        else:
            rows = table.encode_pairs(texts, others, special, limit, left)
        if tensors is None:
            columns = list_columns(table, rows, padding, wanted)
            lengths = [len(row) for row in columns["input_ids"]] if max_length is None else []
            if single:
                columns = {name: rows[0] if name != "length" else rows for name, rows in columns.items()}
        else:
            columns = tensor_columns(table, rows, padding, wanted)
            if columns is None:
                return None
            lengths = columns["input_ids"].shape[1:]
            if tensors == "np":
                columns = {name: column.numpy() for name, column in columns.items()}
    if max_length is None and options.get("verbose", True):
        longest = tokenizer.model_max_length
        for length in lengths:
            if length > longest:
                tokenizer._eventual_warn_about_too_long_sequence(range(length), max_length, True)
                break
    encodings = encodings_of(watch, table, backend, texts, others, special, truncation, padding)
    return batch_class(columns, encodings, n_sequences=1 if others is None else 2)


def encode_plain(tokenizer: Any, watch: Watch, batch_class: Any, text: str, special: Any, tensors: Any) -> Any:
    """Same as `encode`, for a call on one text without options but `add_special_tokens` and `return_tensors`."""
    if tokenizer.split_special_tokens or type(special) is not bool:
        return None
    backend = tokenizer._tokenizer
    table = watch.table(backend)
    if table is None:
        return None
    if backend.truncation is not None:
        backend.no_truncation()
    if backend.padding is not None:
        backend.no_padding()
    if backend.encode_special_tokens:
        backend.encode_special_tokens = False
    names = tokenizer.model_input_names
    wanted = Wanted(special, "token_type_ids" in names, "attention_mask" in names, False, False)
    columns: Any = single_columns(table, text, -1, False, None, wanted)
    length = len(columns["input_ids"])
    if tensors is not None and not to_tensors(columns, tensors):
        return None
    if length > tokenizer.model_max_length:
        tokenizer._eventual_warn_about_too_long_sequence(range(length), None, True)
    encodings = encodings_of(watch, table, backend, [text], None, special, None, None)
    return batch_class(columns, encodings, n_sequences=1)


def can_make(tensors: Any) -> bool:
    """Whether a value of `return_tensors` is supported."""
    # An empty tensor tells the default device in a tenth of the time of torch.get_default_device().
    return tensors in ("pt", "np") and torch.empty(0).device.type == "cpu"


def to_tensors(columns: dict[str, Any], tensors: str) -> bool:
    """Replaces the lists of one text by tensors or arrays of one row; False if there are no ids."""
    if not columns["input_ids"]:
        return False
    for name, row in columns.items():
        # NumPy reads lists of numbers five times as fast as torch.tensor.
        array = np.array([row] if name != "length" else row, dtype=np.int64)
        columns[name] = torch.from_numpy(array) if tensors == "pt" else array
    return True


def _texts(text: Any, text_pair: Any) -> tuple[Texts, Texts | None] | None:
    """The texts of a call as lists; None if some are not `str`."""
    if type(text) is str:
        if text_pair is None:
            return [text], None
        if type(text_pair) is not str:
            return None
        return [text], [text_pair] if text_pair else None  # an empty one is none, but in a batch
    if not is_list(text):
        return None
    # A copy, since a caller may change the list before the encodings are computed.
    if text_pair is None:
        return list(text), None
    return (list(text), list(text_pair)) if is_list(text_pair) and len(text) == len(text_pair) else None


def is_list(texts: Any) -> bool:
    return type(texts) in (list, tuple) and set(map(type, texts)) == {str}


def cut_of(table: Table, truncation: Any, pairs: bool) -> tuple[int, bool] | None:
    """The number of ids that rows are truncated to, -1: all, and whether at the left; None: by the original only."""
    if truncation is None:
        return -1, False
    limit, kinds = truncation["max_length"], ("longest_first",) if pairs else ("longest_first", "only_first")
    if truncation["strategy"] not in kinds or limit <= table.specials[pairs]:
        return None
    return limit, truncation["direction"] == "left"


def encodings_of(
    watch: Watch,
    table: Table,
    backend: Any,
    texts: Texts,
    others: Texts | None,
    special: bool,
    truncation: Any,
    padding: Any,
    method: str = "encode_batch",
) -> LazyEncodings:
    """The encodings of a call as `tokenizers` computes them, in the state in which the backend is now."""

    def compute() -> list[Any]:
        inputs: list[Any] = texts if others is None else list(zip(texts, others, strict=True))
        same = (backend.truncation, backend.padding, backend.encode_special_tokens)
        if same == (truncation, padding, False) and watch.is_current(backend, table):
            encodings: list[Any] = getattr(backend, method)(inputs, add_special_tokens=special)
            return encodings
        return table.original(inputs, special, truncation, padding, method)

    return LazyEncodings(len(texts), compute)


def rows_of(token_ids: Any) -> tuple[Tensor, Tensor] | None:
    """The ids of a batch as int64 ragged rows; None if it is none, or is empty."""
    if isinstance(token_ids, Tensor | np.ndarray):
        if token_ids.ndim != 2:
            return None
        rows = token_ids if isinstance(token_ids, Tensor) else torch.from_numpy(token_ids)
        if rows.dtype not in (torch.int64, torch.int32) or rows.numel() == 0:
            return None
        row_splits = torch.arange(len(rows) + 1, device="cpu") * rows.shape[1]
        return rows.detach().cpu().long().reshape(-1), row_splits
    if type(token_ids) not in (list, tuple) or not token_ids or type(token_ids[0]) not in (list, tuple):
        return None
    if not {type(row) for row in token_ids} <= {list, tuple}:
        return None
    values = np.array([*chain.from_iterable(token_ids)])
    if values.dtype != np.int64 or values.ndim != 1 or len(values) == 0:
        return None
    ends = torch.tensor([0, *map(len, token_ids)], device="cpu").cumsum(0)
    return torch.from_numpy(values), ends


def decode(table: Table, rows: tuple[Tensor, Tensor], skip_special_tokens: bool) -> list[str] | None:
    """Returns the texts of rows of ids; None if the original leaves out some, or raises an error."""
    ids, row_splits = rows
    if int(ids.min()) < 0 or int(ids.max()) >= table.size:
        return None
    return table.decode(ids, row_splits, bool(skip_special_tokens))
