"""Reads the ranks and patterns of `tiktoken`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._definition import MAX_IDS, SPECIAL, Definition, Unsupported, hexed
from torch_stringops.subword._json import of_base64
from torch_stringops.subword._splits import pattern_lines, published_line
from torch_stringops.subword._tokens import Tokens

_BYTES = [bytes([byte]) for byte in range(256)]


def ranks_of(op: str, source: Any) -> Tokens:
    """The ranks of a dict, or of a file of lines of a token in base64, a space, and its rank."""
    if isinstance(source, Mapping):
        for token, rank in source.items():
            if not isinstance(token, bytes) or not isinstance(rank, int):
                raise TypeError(
                    f"{op}: expected `ranks` of bytes -> int, got {type(token).__name__} -> {type(rank).__name__}"
                )
        # Ranks that int64 cannot hold are out of range too.
        ids = torch.tensor([min(max(rank, -1), MAX_IDS) for rank in source.values()], device="cpu")
        return Tokens(op, StringTensor.from_list(list(source)), ids.long(), "rank")
    if not isinstance(source, str | PathLike):
        raise TypeError(
            f"{op}: expected `ranks` to be a dict, the path of a file, or a tiktoken.Encoding, "
            f"got {type(source).__name__}"
        )
    return Tokens(op, *read_rank_lines(op, Path(source).read_bytes()), "rank")


def read_rank_lines(op: str, text: bytes) -> tuple[StringTensor, Tensor]:
    """The tokens `[N]` and ranks, int64 `[N]`, of lines, which end in LF, CR LF or CR. Empty lines are skipped."""
    lines, _ = StringTensor.from_list([text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")]).split_ragged("\n")
    numbers = lines.length("byte").nonzero().flatten()
    encoded, _, ranks = lines[numbers].partition(" ")
    ranks = ranks.lstrip(" ")
    good = ranks.is_digit() & ranks.is_ascii() & (encoded.length("byte") > 0)
    # Whisper's file writes the empty token as padding alone.
    tokens = of_base64(encoded.where(encoded != "=", ""))
    good[len(tokens) :] = False
    if len(bad := (~good).nonzero()):
        raise ValueError(f"{op}: expected a token in base64 and its rank in line {int(numbers[bad[0]]) + 1}")
    return tokens, ranks.to_number(torch.int64, errors="fill", fill=2**63 - 1)


def read_ranks(op: str, tokens: Tokens, pattern: str, special_tokens: Mapping[str, int]) -> Definition:
    """Converts an encoding of `tiktoken`, whose ranks are the ids of tokens."""
    unsupported = Unsupported(op)
    definition = Definition()
    definition.pieces = tokens.by_id()
    empty, *of_bytes = tokens.find(StringTensor.from_list([b"", *_BYTES])).tolist()
    if empty >= 0:  # no text gives it
        definition.texts[empty] = b""
    if min(of_bytes) < 0:
        raise ValueError(f"{op}: expected ranks of all bytes, got none of byte {of_bytes.index(-1)}")
    published = published_line([pattern], "fancy")
    # The original leaves out what is between matches.
    splits = [published] if published else pattern_lines(pattern, "fancy", "removed 1", "", unsupported)
    if "" in special_tokens:
        unsupported.add("an empty special token")
    for special, other in pairwise(sorted(special_tokens)):
        if other.startswith(special):
            # tiktoken takes the one that its hash map has first.
            unsupported.add("special tokens of which one begins with another", [special, other])
    unsupported.check()
    added = []
    for special, id in sorted(special_tokens.items(), key=lambda item: item[1]):
        if tokens.has(id) and id != empty:
            raise ValueError(f"{op}: expected ids of special tokens that are not ranks, got {id}")
        definition.reserve(op, id)
        added.append(f"added {id} {SPECIAL} {hexed(special.encode())}")
    definition.lines = [
        "model bpe",
        "bytes 1",
        "merges ranks",
        "whole 1",
        "unk -1",
        *splits,
        *added,
        *(["added_match first"] if added else []),
        "decode bytelevel",
    ]
    return definition
