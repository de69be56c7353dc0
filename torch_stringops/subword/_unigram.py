"""Reads Unigram models of tokenizer.json."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops.subword._definition import Definition, Unsupported
from torch_stringops.subword._tokens import Tokens

# Hugging Face and SentencePiece take this from the least score for a character that is no piece.
UNKNOWN_PENALTY = 10.0


def unigram_lines(op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported) -> list[str]:
    """Sets pieces and scores; returns the directives of the model."""
    unsupported.add_fields("model Unigram", model, ("vocab", "scores", "unk_id", "byte_fallback"))
    tokens: Tokens = model["vocab"]
    scores: Tensor = model["scores"]
    if len(tokens) < len(scores):
        raise ValueError(f"{op}: expected distinct pieces, got two that are equal")
    definition.pieces = tokens.strings
    unknown = model.get("unk_id")
    if unknown is None:
        unknown = -1  # a text with a character that is not a piece is an error
    elif not 0 <= unknown < len(scores):
        raise ValueError(f"{op}: expected `unk_id` within [0, {len(scores)}), got {unknown}")
    definition.numbers = score_rows(op, scores)
    lines = [
        "model unigram huggingface",
        f"unk {unknown}",
        score_line(float(scores.min() if len(scores) else 0) - UNKNOWN_PENALTY),
    ]
    if model.get("byte_fallback"):
        lines.append(byte_line(tokens.ids_of([f"<0x{byte:02X}>" for byte in range(256)])))
    return lines


def byte_line(ids: list[int]) -> str:
    """The directive of the ids of bytes, or -1, whose pieces are <0x00> to <0xFF>."""
    return f"byte_ids {' '.join(map(str, ids))}"


def score_rows(op: str, scores: Sequence[float] | Tensor) -> Tensor:
    """Scores by id as rows of int32: the id, and the upper and lower half of the float64."""
    found = torch.as_tensor(scores, dtype=torch.float64, device="cpu")
    if not found.isfinite().all():
        id = int((~found.isfinite()).nonzero()[0])
        raise ValueError(f"{op}: expected finite scores, got {float(found[id])} of id {id}")
    halves = found.view(torch.int32).reshape(-1, 2)
    ids = torch.arange(len(scores), dtype=torch.int32, device="cpu")
    return torch.stack([ids, halves[:, 1], halves[:, 0]], 1)  # the upper half first


def score_line(score: float) -> str:
    """The directive of the score of a character that is no piece."""
    return f"unk_score {struct.pack('>d', score).hex()}"
