"""Reads BPE models whose first symbols are characters: those of Llama-2, Mistral and Gemma."""

from __future__ import annotations

from typing import Any

from torch_stringops.subword._definition import Definition, Unsupported
from torch_stringops.subword._merges import BPE_FIELDS, affix_lines, merge_rows
from torch_stringops.subword._tokens import Tokens


def character_lines(op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported) -> list[str]:
    """Sets pieces and merges; returns the directives of the model."""
    unsupported.add_fields("model BPE", model, BPE_FIELDS)
    if model.get("dropout"):
        unsupported.add("model BPE: dropout", model["dropout"])
    tokens: Tokens = model["vocab"]
    definition.pieces = tokens.by_id()
    prefix = model.get("continuing_subword_prefix") or ""
    definition.numbers = merge_rows(op, model["merges"], tokens, prefix)
    unknown = model.get("unk_token")
    unknown_id = tokens.id_of(unknown)
    if unknown is not None and unknown_id < 0:
        unsupported.add("model BPE: unk_token that is not a token", unknown)
    return [
        "bytes 0",
        "merges listed",
        f"whole {int(bool(model.get('ignore_merges')))}",
        f"unk {unknown_id}",
        f"byte_fallback {int(bool(model.get('byte_fallback')))}",
        f"fuse_unk {int(bool(model.get('fuse_unk')))}",
        *affix_lines(model, unsupported),
    ]
