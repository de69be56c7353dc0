"""Reads the vocabularies of RWKV: the longest token at each place of a text, over bytes."""

from __future__ import annotations

import ast
import re

import torch

from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._definition import Definition
from torch_stringops.subword._tokens import Tokens

# An id, a literal of Python, and its length in bytes.
RWKV_LINE = re.compile(rb"[0-9]+ b?['\"][^\n]*['\"] [0-9]+\r?(\n|\Z)")


def read_rwkv(op: str, data: bytes) -> Definition:
    """Converts a rwkv_vocab_v*.txt.

    Raises:
        ValueError: a line is not one of such a file, or a byte has no token.
    """
    ids: dict[bytes, int] = {}
    for number, line in enumerate(data.decode("utf-8").splitlines(), 1):
        try:
            id, rest = line.split(" ", 1)
            literal, size = rest.rsplit(" ", 1)
            token = ast.literal_eval(literal)
            token = token.encode("utf-8") if isinstance(token, str) else token
            if not isinstance(token, bytes) or len(token) != int(size) or not token or token in ids:
                raise ValueError
            ids[token] = int(id)
        except (ValueError, SyntaxError):
            raise ValueError(f"{op}: expected an id, a token and its length in bytes in line {number}") from None
    missing = [byte for byte in range(256) if bytes([byte]) not in ids]
    if missing:
        raise ValueError(f"{op}: expected tokens of all bytes, got none of byte {missing[0]}")
    strings, numbers = StringTensor.from_list(list(ids)), torch.tensor(list(ids.values()), device="cpu")
    definition = Definition(Tokens(op, strings, numbers).by_id())
    definition.lines = ["model wordpiece - 2147483647", "unk 0", "decode join -"]
    return definition
