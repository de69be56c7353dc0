"""The commonest words of a sample, as a directive."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops.ops import subword
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._definition import hexed

# The steps that cut text into words, which do not depend on the model.
_STEPS = ("charsmap", "normalize", "split", "prefix_space", "added", "added_match")
# Words of more ids are not kept in a table.
_MOST_IDS = 4


def warm_line(strings: StringTensor, table: Tensor, spec: str, size: int, max_words: int) -> str:
    """The directive of the commonest words that have more than one id.

    Args:
        strings: strings `[N]`, the sample.
        table: of the tokenizer.
        spec: its directives.
        size: the number of its ids.
        max_words: maximum number of words.
    """
    words, counts = _words(strings, spec, size).unique(sorted=False, return_counts=True)
    row_splits = subword._subword_encode(words, table, add_special_tokens=False, max_length=-1)[1]
    lengths = row_splits.diff()
    useful = ((lengths > 1) & (lengths <= _MOST_IDS)).nonzero().flatten()
    order = counts[useful].argsort(descending=True, stable=True)[:max_words]
    chosen: list[bytes] = words[useful[order]].tolist(as_bytes=True)
    return " ".join(["warm", *map(hexed, chosen)])


def _words(strings: StringTensor, spec: str, size: int) -> StringTensor:
    """The words that the strings are cut into: the spans of the tokens of a model to which each word is unknown."""
    lines = [line for line in spec.splitlines() if line.split(" ")[0] in _STEPS]
    head = ["subword 1", "model wordpiece - 0", f"unk {size}"]
    if not any(line.startswith("split ") for line in lines):
        blank = "\u2581" if "e29681" in spec else " "
        at = sum(line.split(" ")[0] in ("charsmap", "normalize") for line in lines)
        lines.insert(at, f"split literal {hexed(blank.encode())} merged_with_next 0")
    pieces = StringTensor.from_list([b""] * size + [b"\0"])
    no_rows = torch.empty(0, 3, dtype=torch.int64, device="cpu")
    table = subword._subword_build(pieces, no_rows, "\n".join([*head, *lines]) + "\n")
    ids, row_splits, begins, ends = subword._subword_encode_spans(
        strings, table, add_special_tokens=False, max_length=-1
    )
    rows = torch.arange(len(strings), device="cpu").repeat_interleave(row_splits.diff())
    starts, is_word = strings.offsets[rows], ids == size
    words = StringTensor(
        *torch.ops.stringops.string_tensor_pack((starts + begins)[is_word], (starts + ends)[is_word], strings.data)
    )
    # A space that `normalize prepend` adds to a text is no part of a word in the table.
    prepends = any(line.startswith("normalize prepend ") for line in lines)
    return words.lstrip(" ") if prepends else words
