"""Reads tokenizer.json, the format of Hugging Face's `tokenizers`."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from torch_stringops.subword._bytelevel import all_from_alphabet, from_alphabet
from torch_stringops.subword._characters import character_lines
from torch_stringops.subword._decoders import decoder_step_lines
from torch_stringops.subword._definition import (
    LSTRIP,
    NORMALIZED,
    RSTRIP,
    SINGLE_WORD,
    SPECIAL,
    Definition,
    Unsupported,
    hexed,
    place,
    place_all,
)
from torch_stringops.subword._json_numbers import imprecise_float
from torch_stringops.subword._merges import BPE_FIELDS, affix_lines, forms_of, merge_rows
from torch_stringops.subword._normalizers import decomposes, normalizer_lines
from torch_stringops.subword._splits import is_byte_level, split_lines
from torch_stringops.subword._steps import decoder_lines, template_lines, word_piece_decoder_lines
from torch_stringops.subword._unigram import unigram_lines, vocabulary_of
from torch_stringops.subword._wordpiece import word_piece_lines

_FLAGS = {
    "special": SPECIAL,
    "single_word": SINGLE_WORD,
    "lstrip": LSTRIP,
    "rstrip": RSTRIP,
    "normalized": NORMALIZED,
}


def parse_json(op: str, text: str, from_file: bool) -> dict[str, Any]:
    """The object of a text of JSON.

    Args:
        op: the function that errors name.
        text: JSON.
        from_file: numbers are read as `tokenizers` reads those of a file. False: they are those of an object in
            memory, which it wrote.
    """
    try:
        found = json.loads(text, parse_float=imprecise_float if from_file else float)
    except ValueError as error:
        raise ValueError(f"{op}: expected JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{op}: expected a JSON object")
    return found


def read_json(op: str, source: dict[str, Any]) -> Definition:
    """Converts a tokenizer.json.

    Raises:
        ValueError: parts of it are not supported; the message names them all.
    """
    model = source.get("model")
    if not isinstance(model, dict):
        raise ValueError(f"{op}: expected the JSON of a tokenizer, with an object `model`")
    unsupported = Unsupported(op)
    kind = model.get("type", "BPE")
    if kind not in ("BPE", "WordPiece", "Unigram") or (kind == "BPE" and "merges" not in model):
        unsupported.add("model", model.get("type", "without merges"))
        unsupported.check()
    definition = Definition()
    vocab: dict[str, int] = vocabulary_of(model)
    normalizer, pre_tokenizer = source.get("normalizer"), source.get("pre_tokenizer")
    steps = [*normalizer_lines(normalizer, unsupported), *split_lines(pre_tokenizer, unsupported)]
    if kind == "WordPiece":
        before = word_piece_lines(op, model, definition, unsupported)
        decoder = word_piece_decoder_lines(source.get("decoder"), unsupported)
    elif kind == "Unigram" or not is_byte_level(pre_tokenizer):
        if kind == "Unigram":
            before = unigram_lines(op, model, definition, unsupported)
        else:
            before = ["model bpe", *character_lines(op, model, definition, unsupported)]
        decoder = decoder_step_lines(source.get("decoder"), unsupported)
    else:
        before = ["model bpe", "bytes 1", *_byte_pair_lines(op, model, definition, unsupported)]
        decoder = decoder_lines(source.get("decoder"), unsupported)
        if source.get("decoder") is None:  # tokens as they are written in the file
            definition.texts |= {id: token.encode("utf-8", "surrogatepass") for token, id in vocab.items()}
    added = _added_lines(op, source, vocab, definition, unsupported)
    after = [*template_lines(source.get("post_processor"), unsupported), *decoder]
    unsupported.check()
    definition.lines = [*before, *steps, *added, *after]
    definition.settings = _settings(source)
    return definition


def _byte_pair_lines(
    op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported
) -> list[str]:
    """Sets pieces and merges; returns the directives of the model."""
    unsupported.add_fields("model BPE", model, BPE_FIELDS)
    vocab: dict[str, int] = model["vocab"]
    pieces = definition.pieces
    found = all_from_alphabet(list(vocab))
    # Text becomes characters of the alphabet first, so that no text gives a token with other characters.
    place_all(op, pieces, list(vocab.values()), [piece or b"" for piece in found])
    for (token, id), piece in zip(vocab.items(), found, strict=True):
        if piece is None:
            definition.texts[id] = token.encode("utf-8", "surrogatepass")
    if len(set(vocab.values())) < len(vocab):
        raise ValueError(f"{op}: expected distinct ids of tokens, got two tokens with one id")
    affixes = affix_lines(model, unsupported)
    definition.numbers = merge_rows(op, model["merges"], vocab, model.get("continuing_subword_prefix") or "")
    if model.get("dropout"):
        unsupported.add("model BPE: dropout", model["dropout"])
    unknown = model.get("unk_token")
    known = set(pieces)
    covered = all(form in known for byte in range(256) for form in forms_of(bytes([byte]), model))
    if not covered:  # otherwise no byte is unknown, and what happens to those has no effect
        for name in ("fuse_unk", "byte_fallback"):
            if model.get(name):
                unsupported.add(f"model BPE: {name} without tokens for all bytes")
        if unknown is not None and unknown not in vocab:
            unsupported.add("model BPE: unk_token that is not a token, without tokens for all bytes", unknown)
    return [
        "merges listed",
        f"whole {int(bool(model.get('ignore_merges')))}",
        f"unk {-1 if unknown is None or covered else vocab.get(unknown, -1)}",
        *affixes,
    ]


def _added_lines(
    op: str,
    source: dict[str, Any],
    vocab: dict[str, int],
    definition: Definition,
    unsupported: Unsupported,
) -> list[str]:
    """The directives of added tokens, in the order of their ids.

    `tokenizers` does not take the ids of the file: a token of the model keeps its id, others get the ids from the
    number of tokens on.
    """
    has_alphabet = source["model"].get("type", "BPE") == "BPE" and is_byte_level(source.get("pre_tokenizer"))
    normalizes = source.get("normalizer") is not None and has_alphabet
    changes = _not_ascii if decomposes(source.get("normalizer")) else _not_nfc
    added: dict[str, int] = {}
    found: dict[int, dict[str, Any]] = {}
    next_id = len(vocab)
    for token in source.get("added_tokens") or []:
        content = token["content"]
        if not content:
            continue
        unsupported.add_fields("added token", token, ("id", "content", *_FLAGS))
        id = added.get(content, vocab.get(content, -1))
        if id < 0:
            id, next_id = next_id, next_id + 1
        added[content], found[id] = id, token
        if normalizes and token.get("normalized") and changes(content):
            unsupported.add("added token that the normalizer changes", token)
    lines = []
    for id, token in sorted(found.items()):
        content = token["content"]
        if content not in vocab:
            place(op, definition.pieces, id, b"")
        raw = content.encode("utf-8", "surrogatepass")
        flags = sum(flag for name, flag in _FLAGS.items() if token.get(name))
        lines.append(f"added {id} {flags} {hexed(raw)}")
        # The decoder takes characters of the alphabet as bytes, those of added tokens too.
        decoded = from_alphabet(content) if has_alphabet and source.get("decoder") else None
        if decoded not in (None, raw):
            definition.texts[id] = decoded
    return [*lines, "added_match longest"] if lines else []


def _not_nfc(text: str) -> bool:
    return unicodedata.normalize("NFC", text) != text


def _not_ascii(text: str) -> bool:
    return not text.isascii()


def _settings(source: dict[str, Any]) -> dict[str, int]:
    settings: dict[str, int] = {}
    padding, truncation = source.get("padding"), source.get("truncation")
    if padding:
        settings |= {"pad": padding["pad_id"], "pad_type": padding["pad_type_id"]}
        settings["pads_left"] = int(padding["direction"] == "Left")
    if truncation:
        settings["max_length"] = truncation["max_length"]
        settings["truncates_left"] = int(truncation["direction"] == "Left")
    return settings
