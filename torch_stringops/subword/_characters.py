"""Reads BPE models whose first symbols are characters: those of Llama-2, Mistral and Gemma."""

from __future__ import annotations

from typing import Any

from torch_stringops.subword._decoders import METASPACE_FIELDS, prepend_scheme
from torch_stringops.subword._definition import Definition, Unsupported, hexed, place
from torch_stringops.subword._merges import BPE_FIELDS, affix_lines, merge_rows
from torch_stringops.subword._steps import Step, flatten

_WORDS = {"WhitespaceSplit": "whitespace", "BertPreTokenizer": "bert"}
_BEHAVIORS = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}


def character_lines(
    op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported
) -> list[str]:
    """Sets pieces and merges; returns the directives of the model."""
    unsupported.add_fields("model BPE", model, BPE_FIELDS)
    if model.get("dropout"):
        unsupported.add("model BPE: dropout", model["dropout"])
    vocab: dict[str, int] = model["vocab"]
    for token, id in vocab.items():
        place(op, definition.pieces, id, token.encode("utf-8", "surrogatepass"))
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


def character_split_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    """The directives of pre-tokenizers that do not change characters to bytes."""
    lines: list[str] = []
    for item in flatten(step, "pretokenizers"):
        kind = item.get("type")
        what = f"pre_tokenizer {kind}"
        literal = item.get("pattern", {}).get("String") if kind == "Split" else None
        if kind == "Metaspace":
            unsupported.add_fields(what, item, METASPACE_FIELDS)
            by, split = hexed(item["replacement"].encode()), int(item.get("split", True))
            lines.append(f"split metaspace {by} {prepend_scheme(item)} {split}")
        elif kind in _WORDS:
            unsupported.add_fields(what, item, ())
            lines.append(f"split {_WORDS[kind]}")
        elif literal and len(literal.encode()) <= 255 and item.get("behavior") in _BEHAVIORS:
            unsupported.add_fields(what, item, ("pattern", "behavior", "invert"))
            behavior, invert = _BEHAVIORS[item["behavior"]], int(bool(item.get("invert")))
            lines.append(f"split literal {hexed(literal.encode())} {behavior} {invert}")
        else:
            unsupported.add("pre_tokenizer", item)
    return lines
