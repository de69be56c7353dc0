"""The rows of docs/coming_from.md, and what both of their sides return for a column of strings."""

import itertools
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

import torch_stringops
import torch_stringops.nn
from support.coming_from import bank
from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary
from torch_stringops.subword._bytelevel import to_alphabet

PAGE = Path(__file__).resolve().parents[3] / "docs" / "coming_from.md"

# A tokenizer of bytes and one merge.
RANKS = {bytes([byte]): byte for byte in range(256)} | {b"be": 256}
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
TOKENIZER = json.dumps(
    {
        "model": {
            "type": "BPE",
            "vocab": {to_alphabet(token): id for token, id in RANKS.items()},
            "merges": [["b", "e"]],
        },
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<s>", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [257], "tokens": ["<s>"]}},
        },
        "added_tokens": [
            {"id": 257, "content": "<s>", "single_word": False, "lstrip": False}
            | {"rstrip": False, "normalized": False, "special": True}
        ],
    }
)
TOKENIZERS = {
    "tokenizers": SubwordTokenizer.from_file(TOKENIZER, pad_token="<s>"),
    "tiktoken": SubwordTokenizer.from_tiktoken(RANKS, PATTERN),
}
TOKENIZERS["transformers"] = TOKENIZERS["tokenizers"]
OURS = {
    **{name: getattr(torch_stringops, name) for name in torch_stringops.__all__},
    "nn": torch_stringops.nn, "torch": torch, "Vocabulary": Vocabulary, "text": TOKENIZER, "ranks": RANKS,
    "pattern": PATTERN,
}  # fmt: skip

# The columns of the rows by the name of the strings.
BANKS = {"s": bank.STRINGS, "n": bank.NUMBERS, "d": bank.DATES, "j": bank.DOCUMENTS}

ERROR = "an error"


def named(strings: Any) -> dict[str, Any]:
    """The variables of a row: the strings by each name."""
    return dict.fromkeys(BANKS, strings)


@dataclass(frozen=True)
class Row:
    library: str
    left: str
    right: str
    note: str  # the words after the code and a colon, which say how the sides differ

    @property
    def columns(self) -> list[list[bank.Text]]:
        found = re.search(rf"(?<![\\\w\"])[{''.join(BANKS)}]\b(?!\")", self.right)
        return BANKS[found[0]] if found else bank.STRINGS

    def __str__(self) -> str:
        return f"{self.library}: {self.left}"


def rows() -> list[Row]:
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        library = section.split("\n", 1)[0]
        for left, right in re.findall(r"^\| (?!---)(.+?) \| (`.+) \|$", section, re.MULTILINE):
            match = re.match(r"`(.+?)`(?:: (.+)| \(.+\))?$", right)
            assert match, f"expected `code`, `code`: difference, or `code` (remark): {right}"
            found.append(Row(library, re.sub(r"^`(.+)`$", r"\1", left), match[1], match[2] or ""))
    return found


def plain(value: Any) -> Any:
    """A result of any library as nested lists of str and numbers; bytes that are not UTF-8 as surrogates."""
    if isinstance(value, StringTensor):
        return plain(value.tolist(as_bytes=True))
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, tuple) and len(value) == 2 and not hasattr(value, "_fields") and is_ragged(*value):
        return plain([value[0][a:b] for a, b in itertools.pairwise(value[1].tolist())])
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if hasattr(value, "keys"):
        return {name: plain(value[name]) for name in sorted(value.keys())}
    for name in ("to_list", "to_pylist", "as_py", "numpy", "tolist"):
        if hasattr(value, name):
            return plain(getattr(value, name)())
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return value


def is_ragged(values: Any, row_splits: Any) -> bool:
    if not isinstance(values, (torch.Tensor, StringTensor)) or not isinstance(row_splits, torch.Tensor):
        return False
    at = row_splits.tolist()
    return row_splits.ndim == 1 and len(at) > 0 and at[0] == 0 and at[-1] == len(values) and at == sorted(at)


def outcome(run: Callable[[], Any]) -> Any:
    """The result of a call, or ERROR."""
    try:
        return plain(run())
    except Exception:
        return ERROR


def ours(row: Row, column: list[bank.Text]) -> Any:
    strings = StringTensor.from_list(list(column)) if column else StringTensor.from_list([""])[:0]
    variables = {**named(strings), "t": TOKENIZERS.get(row.library)}
    return outcome(lambda: eval(row.right, {**OURS, **variables}))


def as_numpy(column: list[bank.Text]) -> np.ndarray:
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array
