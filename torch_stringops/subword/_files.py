"""Files of tokenizers by their content: which reader a file or a folder needs."""

from __future__ import annotations

import gzip
import json
import re
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from torch_stringops._checks import quoted
from torch_stringops.subword._definition import Definition
from torch_stringops.subword._huggingface import read_json
from torch_stringops.subword._json import naming_places, parse_json
from torch_stringops.subword._rwkv import RWKV_LINE, read_rwkv
from torch_stringops.subword._sentencepiece import read_sentencepiece
from torch_stringops.subword._tekken import is_tekken, read_tekken
from torch_stringops.subword._wordpiece import json_of_vocabulary

_RANK_LINE = re.compile(rb"[A-Za-z0-9+/=]+ [0-9]+\r?(\n|\Z)")
# The files of a folder, in the order in which they are looked for.
_NAMES = (
    "tokenizer.json",
    "tokenizer.json.gz",
    "tekken.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "vocab.txt",
)
_CONFIG, _SPECIAL_TOKENS = "tokenizer_config.json", "special_tokens_map.json"


def read_path(op: str, path: str | PathLike[str]) -> Definition:
    """Reads a file of any kind that says by itself what the tokenizer is, or a folder with such a file."""
    found = Path(path)
    return _read_folder(op, found) if found.is_dir() else _read_file(op, found)


def read_word_pieces(op: str, path: str | PathLike[str], lower: bool) -> Definition:
    """Reads a vocab.txt. `[PAD]` pads rows, if it is one of the tokens."""
    source = json_of_vocabulary(op, path, lower)
    definition = read_json(op, source)
    definition.settings["pad"] = source["model"]["vocab"].id_of("[PAD]")
    return definition


def _read_file(op: str, path: Path) -> Definition:
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise ValueError(f"{op}: expected a whole gzip file: {error}") from None
    if data.lstrip()[:1] == b"{":
        source = parse_json(op, data)
        return read_tekken(op, source) if is_tekken(source) else read_json(op, source)
    if RWKV_LINE.match(data):
        return read_rwkv(op, data)
    if data[:1] == b"\n" and b"\x15" in data[:300]:
        return read_sentencepiece(op, data, False, False)
    if _RANK_LINE.match(data):
        raise ValueError(f"{op}: expected a file that names its pattern, got ranks of tiktoken (use from_tiktoken)")
    if b"[UNK]" in data:
        raise ValueError(
            f"{op}: expected a file that describes its normalizer, got a list of tokens (use from_wordpiece)"
        )
    raise ValueError(
        f"{op}: expected a tokenizer.json, a tekken.json, a model of SentencePiece, or a vocabulary of RWKV"
    )


def _read_folder(op: str, folder: Path) -> Definition:
    config = _json_object(op, folder / _CONFIG)
    name = next((name for name in _NAMES if (folder / name).is_file()), None)
    if name is None:
        raise ValueError(f"{op}: expected a folder with one of {', '.join(_NAMES)}")
    if name == "vocab.txt":
        lower = bool(config.get("do_lower_case", True))
        definition = read_word_pieces(op, folder / name, lower)
    elif name.endswith(".model"):
        adds = {side: bool(config.get(f"add_{side}_token", False)) for side in ("bos", "eos")}
        definition = read_sentencepiece(op, (folder / name).read_bytes(), adds["bos"], adds["eos"])
    else:
        definition = _read_file(op, folder / name)
    definition.settings |= _config_settings(op, config)
    pad = _pad_token(op, config) or _pad_token(op, _json_object(op, folder / _SPECIAL_TOKENS))
    definition.pad_token = pad or definition.pad_token
    return definition


def _json_object(op: str, path: Path) -> dict[str, Any]:
    """The object of a file; an empty one if there is no such file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{op}: expected JSON in {quoted(path.name)}: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{op}: expected an object in {quoted(path.name)}")
    return found


@naming_places
def _pad_token(op: str, config: dict[str, Any]) -> str | None:
    """The token that pads rows: a string, or an object that has it as `content`."""
    pad = config.get("pad_token")
    if isinstance(pad, dict):
        pad = pad.get("content")
    if not isinstance(pad, str | None):
        raise TypeError(type(pad).__name__)  # which `naming_places` replaces
    return pad


@naming_places
def _config_settings(op: str, config: dict[str, Any]) -> dict[str, int]:
    """The settings of a tokenizer_config.json."""
    settings: dict[str, int] = {}
    for name, key in (("padding_side", "pads_left"), ("truncation_side", "truncates_left")):
        side = config.get(name)
        if side is not None:
            if side not in ("left", "right"):
                raise ValueError(f"{op}: expected `{name}` of {_CONFIG} to be left or right, got {quoted(side)}")
            settings[key] = int(side == "left")
    longest = config.get("model_max_length")
    # Files write a huge number for "none".
    if isinstance(longest, int | float) and not isinstance(longest, bool) and 0 < longest < 2**31:
        settings["max_length"] = int(longest)
    names = config.get("model_input_names")
    if isinstance(names, list):
        settings["types"] = int("token_type_ids" in names)
    return settings


def folder_of(op: str, name_or_path: str | PathLike[str]) -> Path:
    """A folder, or that of a model's files in the cache of `huggingface_hub`.

    Raises:
        OSError: there is neither.
    """
    name = fspath(name_or_path) if isinstance(name_or_path, str | PathLike) else name_or_path
    if not isinstance(name, str):
        raise TypeError(f"{op}: expected `name_or_path` to be a str or a path of str, got {type(name).__name__}")
    if Path(name).exists():
        return Path(name)
    cached = _cached_folder(name)
    if cached is None:
        raise FileNotFoundError(
            f"{op}: expected a folder, or a model whose tokenizer is in the cache of huggingface_hub, "
            f"got {quoted(name)} (download it with huggingface_hub.snapshot_download)"
        )
    return cached


def _cached_folder(name: str) -> Path | None:
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return None
    for file in _NAMES:
        try:
            found = try_to_load_from_cache(name, file)
        except HFValidationError:
            return None
        if isinstance(found, str):
            return Path(found).parent
    return None
