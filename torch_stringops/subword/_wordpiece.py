"""Reads WordPiece models: those of tokenizer.json, and vocab.txt."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from torch_stringops.subword._definition import Definition, Unsupported, hexed, place_all

# The names that BERT uses, in the order in which their ids are searched.
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def word_piece_lines(
    op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported
) -> list[str]:
    """Sets pieces; returns the directives of the model."""
    known = ("vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word")
    unsupported.add_fields("model WordPiece", model, known)
    vocab: dict[str, int] = model["vocab"]
    pieces = [token.encode("utf-8", "surrogatepass") for token in vocab]
    place_all(op, definition.pieces, list(vocab.values()), pieces)
    if len(set(vocab.values())) < len(vocab):
        raise ValueError(f"{op}: expected distinct ids of tokens, got two tokens with one id")
    unknown = model.get("unk_token", "[UNK]")
    if unknown not in vocab:
        unsupported.add("model WordPiece: unk_token that is not a token", unknown)
    prefix = hexed(model.get("continuing_subword_prefix", "##").encode())
    most = model.get("max_input_chars_per_word", 100)
    return [f"model wordpiece {prefix} {most}", f"unk {vocab.get(unknown, 0)}"]


def json_of_vocabulary(op: str, source: str | PathLike[str], lower: bool) -> dict[str, Any]:
    """A vocab.txt as the tokenizer.json of BERT: a token a line, whose number, from 0, is its id."""
    tokens = Path(source).read_text(encoding="utf-8").split("\n")
    if tokens[-1] == "":
        tokens.pop()
    vocab = {token.rstrip("\r"): id for id, token in enumerate(tokens)}
    for name in _SPECIAL[1:4]:
        if name not in vocab:
            raise ValueError(f"{op}: expected a vocabulary with the token {name}")
    steps = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": lower}
    added = [
        {"id": vocab[name], "content": name, "special": True, "normalized": False}
        for name in _SPECIAL
        if name in vocab
    ]
    return {
        "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", **steps},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocab["[SEP]"]],
            "cls": ["[CLS]", vocab["[CLS]"]],
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "vocab": vocab},
    }
