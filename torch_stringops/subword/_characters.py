"""Reads BPE models whose first symbols are characters: those of Llama-2, Mistral and Gemma."""

from __future__ import annotations

from typing import Any

from torch_stringops.subword._definition import Definition, Unsupported, place_all
from torch_stringops.subword._merges import BPE_FIELDS, affix_lines, merge_rows


def character_lines(
    op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported
) -> list[str]:
    """Sets pieces and merges; returns the directives of the model."""
    unsupported.add_fields("model BPE", model, BPE_FIELDS)
    if model.get("dropout"):
        unsupported.add("model BPE: dropout", model["dropout"])
    vocab: dict[str, int] = model["vocab"]
    pieces = [token.encode("utf-8", "surrogatepass") for token in vocab]
    place_all(op, definition.pieces, list(vocab.values()), pieces)
    if len(set(vocab.values())) < len(vocab):
        raise ValueError(f"{op}: expected distinct ids of tokens, got two tokens with one id")
    prefix = model.get("continuing_subword_prefix") or ""
    definition.numbers = merge_rows(op, model["merges"], vocab, prefix)
    unknown = model.get("unk_token")
    if unknown is not None and unknown not in vocab:
        unsupported.add("model BPE: unk_token that is not a token", unknown)
    return [
        "bytes 0",
        "merges listed",
        f"whole {int(bool(model.get('ignore_merges')))}",
        f"unk {-1 if unknown is None else vocab.get(unknown, -1)}",
        f"byte_fallback {int(bool(model.get('byte_fallback')))}",
        f"fuse_unk {int(bool(model.get('fuse_unk')))}",
        *affix_lines(model, unsupported),
    ]
