"""docs/coming_from.md: each expression on the right runs, and equals the one on the left if that library is installed."""

import importlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import torch_stringops
import torch_stringops.nn
from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary
from torch_stringops.subword._bytelevel import to_alphabet

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "coming_from.md").read_text(encoding="utf-8")
STRINGS = ["to be", "Not", "  ünï ÀB", "be", ""]
NUMBERS = ["1", "-2.5", "1e3"]

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
            "single": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
            ],
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

OURS = {
    **{name: getattr(torch_stringops, name) for name in torch_stringops.__all__},
    "nn": torch_stringops.nn,
    "torch": torch,
    "Vocabulary": Vocabulary,
    "text": TOKENIZER,
    "ranks": RANKS,
    "pattern": PATTERN,
}


def rows() -> list[Any]:
    found = []
    for section in PAGE.split("\n## ")[1:]:
        library = section.split("\n", 1)[0]
        for left, right in re.findall(r"^\| (?!---)(.+?) \| (`.+) \|$", section, re.MULTILINE):
            found.append(pytest.param(library, left, right, id=f"{library}: {left.strip('`')}"))
    return found


def code(cell: str) -> tuple[str, bool]:
    """The expression at the beginning of a cell, and whether words follow it, which say how it differs."""
    match = re.match(r"`(.+?)`(.*)$", cell)
    assert match, cell
    return match[1], bool(match[2])


def namespace(library: str) -> dict[str, Any]:
    if library == "TensorFlow":
        tf = pytest.importorskip("tensorflow")
        return {"tf": tf, "s": tf.constant(STRINGS), "n": tf.constant(NUMBERS)}
    if library == "pyarrow.compute":
        pa = pytest.importorskip("pyarrow")
        pc = importlib.import_module("pyarrow.compute")
        return {"pc": pc, "s": pa.array(STRINGS), "n": pa.array(NUMBERS)}
    if library == "tokenizers":
        tokenizers = pytest.importorskip("tokenizers")
        return {"tokenizer": tokenizers.Tokenizer.from_str(TOKENIZER), "s": STRINGS}
    if library == "tiktoken":
        tiktoken = pytest.importorskip("tiktoken")
        encoding = tiktoken.Encoding("x", pat_str=PATTERN, mergeable_ranks=RANKS, special_tokens={})
        return {"encoding": encoding, "s": STRINGS}
    pl = pytest.importorskip("polars")
    return {"pl": pl, "s": pl.Series(STRINGS), "n": pl.Series(NUMBERS)}


def plain(value: Any) -> Any:
    """Results of any library as nested lists of str and numbers."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], torch.Tensor) and len(value[0]):
        values, row_splits = value
        if row_splits.numel() == len(STRINGS) + 1 and int(row_splits[-1]) == len(values):
            at = row_splits.tolist()
            return [plain(values[a:b]) for a, b in itertools.pairwise(at)]
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    for name in ("to_list", "to_pylist"):
        if hasattr(value, name):
            return plain(getattr(value, name)())
    if isinstance(value, np.ndarray) or (hasattr(value, "numpy") and not isinstance(value, StringTensor)):
        return plain(np.asarray(value).tolist())
    if isinstance(value, StringTensor):
        return value.tolist()
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize(("library", "left", "right"), rows())
def test_row(library: str, left: str, right: str):
    expression, differs = code(right)
    variables = {"s": StringTensor.from_list(STRINGS), "n": StringTensor.from_list(NUMBERS)}
    ours = eval(expression, {**OURS, **variables, "t": TOKENIZERS.get(library)})
    assert ours is not None
    if library in ("ONNX", "torchtext") or differs or not left.startswith("`"):
        return
    theirs = eval(code(left)[0], namespace(library))
    if isinstance(ours, type):  # a class of a module
        return
    if hasattr(theirs, "_fields"):  # of several results, the first ones
        ours, theirs = tuple(ours)[: len(theirs)], tuple(theirs)
    assert plain(ours) == plain(theirs)


def test_rows_are_found():
    assert len(rows()) > 90
