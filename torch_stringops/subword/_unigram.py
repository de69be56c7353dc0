"""Reads Unigram models of tokenizer.json."""

from __future__ import annotations

import math
import struct
from typing import Any

from torch_stringops.subword._definition import Definition, Unsupported, place

# Hugging Face and SentencePiece take this from the least score for a character that is no piece.
UNKNOWN_PENALTY = 10.0


def unigram_lines(
    op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported
) -> list[str]:
    """Sets pieces and scores; returns the directives of the model."""
    unsupported.add_fields("model Unigram", model, ("vocab", "unk_id", "byte_fallback"))
    scores = [float(score) for _, score in model["vocab"]]
    for id, (piece, _) in enumerate(model["vocab"]):
        place(op, definition.pieces, id, piece.encode("utf-8", "surrogatepass"))
    if len(set(definition.pieces)) < len(definition.pieces):
        raise ValueError(f"{op}: expected distinct pieces, got two that are equal")
    unknown = model.get("unk_id")
    if unknown is None:
        unsupported.add("model Unigram: without unk_id")
    elif not 0 <= unknown < len(scores):
        raise ValueError(f"{op}: expected `unk_id` within [0, {len(scores)}), got {unknown}")
    definition.numbers = score_rows(op, scores)
    lines = [
        "model unigram huggingface",
        f"unk {unknown or 0}",
        score_line(min(scores, default=0.0) - UNKNOWN_PENALTY),
    ]
    if model.get("byte_fallback"):
        lines.append(byte_line(definition.pieces))
    return lines


def vocabulary_of(model: dict[str, Any]) -> dict[str, int]:
    """The ids of tokens, which Unigram lists in their order."""
    vocab = model["vocab"]
    return {token: id for id, (token, _) in enumerate(vocab)} if model.get("type") == "Unigram" else vocab


def byte_line(pieces: list[bytes]) -> str:
    """The directive of the ids of bytes, whose pieces are <0x00> to <0xFF>."""
    ids = {piece: id for id, piece in enumerate(pieces)}
    return "byte_ids " + " ".join(str(ids.get(b"<0x%02X>" % byte, -1)) for byte in range(256))


def score_rows(op: str, scores: list[float]) -> list[tuple[int, int, int]]:
    """Scores by id as rows of integers: the id, and the halves of the float64."""
    for id, score in enumerate(scores):
        if not math.isfinite(score):
            raise ValueError(f"{op}: expected finite scores, got {score} of id {id}")
    return [(id, *struct.unpack(">ii", struct.pack(">d", score))) for id, score in enumerate(scores)]


def score_line(score: float) -> str:
    """The directive of the score of a character that is no piece."""
    return f"unk_score {struct.pack('>d', score).hex()}"
