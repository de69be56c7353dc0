"""Reads the ranks and patterns of `tiktoken`."""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

from torch_stringops.subword._definition import SPECIAL, Definition, Unsupported, hexed, place, place_all
from torch_stringops.subword._patterns import find_scanner
from torch_stringops.subword._splits import pattern_lines

# Whisper's file writes the empty token as padding alone.
_LINE = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|=)? +[0-9]+")


def ranks_of(op: str, source: Any) -> dict[bytes, int]:
    """The ranks of a dict, or of a file of lines of a token in base64, a space, and its rank."""
    if isinstance(source, Mapping):
        for token, rank in source.items():
            if not isinstance(token, bytes) or not isinstance(rank, int):
                raise TypeError(
                    f"{op}: expected `ranks` of bytes -> int, got {type(token).__name__} -> {type(rank).__name__}"
                )
        return dict(source)
    if not isinstance(source, str | PathLike):
        raise TypeError(
            f"{op}: expected `ranks` to be a dict, the path of a file, or a tiktoken.Encoding, "
            f"got {type(source).__name__}"
        )
    lines = Path(source).read_bytes().splitlines()
    for number, line in enumerate(lines, 1):
        if line and not _LINE.fullmatch(line):
            raise ValueError(f"{op}: expected a token in base64 and its rank in line {number}")
    words = b"\n".join(lines).split()
    try:
        return dict(zip(map(binascii.a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
    except binascii.Error as error:
        raise ValueError(f"{op}: expected tokens in base64: {error}") from None


def read_ranks(
    op: str, ranks: Mapping[bytes, int], pattern: str, special_tokens: Mapping[str, int], first_id: int = 0
) -> Definition:
    """Converts an encoding of `tiktoken`, in which an id is `first_id` and a rank."""
    unsupported = Unsupported(op)
    definition = Definition()
    place_all(op, definition.pieces, [first_id + rank for rank in ranks.values()], list(ranks))
    if b"" in ranks:  # no text gives it
        definition.texts[first_id + ranks[b""]] = b""
    if len(set(ranks.values())) < len(ranks):
        raise ValueError(f"{op}: expected distinct ranks, got two tokens with one rank")
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise ValueError(f"{op}: expected ranks of all bytes, got none of byte {missing[0]}")
    found = find_scanner(pattern, "fancy")
    # The original leaves out what is between matches.
    splits = (
        [f"split {found[0]}"]
        if found and found[1]
        else pattern_lines(pattern, "fancy", "removed 1", "", unsupported)
    )
    if "" in special_tokens:
        unsupported.add("an empty special token")
    for special, other in pairwise(sorted(special_tokens)):
        if other.startswith(special):
            # tiktoken takes the one that its hash map has first.
            unsupported.add("special tokens of which one begins with another", [special, other])
    unsupported.check()
    added = []
    for special, id in sorted(special_tokens.items(), key=lambda item: item[1]):
        if id < len(definition.pieces) and definition.pieces[id]:
            raise ValueError(f"{op}: expected ids of special tokens that are not ranks, got {id}")
        place(op, definition.pieces, id, b"")
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
