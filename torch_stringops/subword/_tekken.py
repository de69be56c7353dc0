"""Reads tekken.json, the format of Mistral's byte-level tokenizers."""

from __future__ import annotations

from typing import Any

import torch

from torch_stringops.subword._definition import SPECIAL, Definition, hexed
from torch_stringops.subword._json import JsonValue, naming_places, of_base64, read_tokens
from torch_stringops.subword._tiktoken import read_ranks
from torch_stringops.subword._tokens import Tokens

# The special tokens of files that list none: those of version 7 and before.
_OLD_SPECIAL = (
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)


def is_tekken(source: dict[str, Any]) -> bool:
    return isinstance(source.get("config"), dict) and isinstance(source.get("vocab"), JsonValue)


@naming_places
def read_tekken(op: str, source: dict[str, Any]) -> Definition:
    """Converts a tekken.json. An id is a rank after the special tokens, which text never gives.

    Raises:
        ValueError: the file is malformed, or its pattern is not supported.
    """
    config, vocab = source["config"], source["vocab"]
    num_special = _count(op, config, "default_num_special_tokens")
    size = _count(op, config, "default_vocab_size") - num_special
    pattern = config.get("pattern")
    if not isinstance(pattern, str):
        raise ValueError(f"{op}: expected a `pattern` in `config`")
    strings, length = read_tokens(op, vocab, size)
    if not 0 <= size <= length:
        raise ValueError(f"{op}: expected a `vocab` of at least {size} tokens, got {length}")
    strings = of_base64(strings)
    if len(strings) < size:
        raise ValueError(f"{op}: expected `token_bytes` in base64, got none in token {len(strings)}")
    tokens = Tokens(op, strings, torch.arange(size, device="cpu") + num_special)
    if len(tokens) < size:
        raise ValueError(f"{op}: expected distinct tokens, got two that are equal")
    definition = read_ranks(op, tokens, pattern, {})
    names = _special_tokens(op, source, num_special)
    for id, name in enumerate(names):
        definition.texts[id] = name.encode()
    # No text gives these tokens.
    definition.lines[-1:-1] = [
        *(f"added {id} {SPECIAL} -" for id in range(num_special)),
        *(f"name {id} {hexed(name.encode())}" for id, name in enumerate(names)),
    ]
    if "<pad>" in names:
        definition.pad_token = "<pad>"
    return definition


def _count(op: str, config: dict[str, Any], name: str) -> int:
    value = config.get(name)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{op}: expected `{name}` in `config` to be a number of tokens, got {value!r}")
    return value


def _special_tokens(op: str, source: dict[str, Any], size: int) -> list[str]:
    """The special tokens by id; those that the file does not name are `<SPECIAL_id>`."""
    names = [f"<SPECIAL_{id}>" for id in range(size)]
    listed = source.get("special_tokens")
    if listed is None:
        listed = [{"rank": id, "token_str": name} for id, name in enumerate(_OLD_SPECIAL)]
    for token in listed:
        id, name = token.get("rank"), token.get("token_str")
        if not isinstance(id, int) or not 0 <= id < size or not isinstance(name, str):
            raise ValueError(f"{op}: expected special tokens with `rank` below {size} and `token_str`")
        names[id] = name
    return names
