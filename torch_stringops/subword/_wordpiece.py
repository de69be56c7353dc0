"""Reads WordPiece models: those of tokenizer.json, and vocab.txt."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import torch

from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._definition import Definition, Unsupported, hexed
from torch_stringops.subword._tokens import Tokens

# The names that BERT uses, in the order in which their ids are searched.
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def word_piece_lines(op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported) -> list[str]:
    """Sets pieces; returns the directives of the model."""
    known = ("vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word")
    unsupported.add_fields("model WordPiece", model, known)
    tokens: Tokens = model["vocab"]
    definition.pieces = tokens.by_id()
    unknown = model.get("unk_token", "[UNK]")
    unknown_id = tokens.id_of(unknown)
    if unknown_id < 0:
        unsupported.add("model WordPiece: unk_token that is not a token", unknown)
    prefix = hexed(model.get("continuing_subword_prefix", "##").encode())
    most = model.get("max_input_chars_per_word", 100)
    return [f"model wordpiece {prefix} {most}", f"unk {max(unknown_id, 0)}"]


def json_of_vocabulary(op: str, source: str | PathLike[str], lower: bool) -> dict[str, Any]:
    """A vocab.txt as the tokenizer.json of BERT: a token a line, whose number, from 0, is its id."""
    # Lines end as in Python's text files, in which the original reads them.
    data = Path(source).read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    strings, _ = StringTensor.from_list([data.removesuffix(b"\n")]).split_ragged("\n")
    if not bool(strings.is_utf8().all()):
        raise ValueError(f"{op}: expected UTF-8")
    tokens = Tokens(op, strings, torch.arange(len(strings), device="cpu"))
    ids = dict(zip(_SPECIAL, tokens.ids_of(_SPECIAL), strict=True))
    for name in _SPECIAL[1:4]:
        if ids[name] < 0:
            raise ValueError(f"{op}: expected a vocabulary with the token {name}")
    steps = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": lower}
    added = [{"id": id, "content": name, "special": True, "normalized": False} for name, id in ids.items() if id >= 0]
    return {
        "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", **steps},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", ids["[SEP]"]],
            "cls": ["[CLS]", ids["[CLS]"]],
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "vocab": tokens},
    }
