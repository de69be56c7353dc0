"""Reads tokenizer.json, the format of Hugging Face's `tokenizers`."""

from __future__ import annotations

import unicodedata
from typing import Any

import torch

from torch_stringops.subword._bytelevel import all_from_alphabet, from_alphabet, to_alphabet
from torch_stringops.subword._characters import character_lines
from torch_stringops.subword._decoders import BYTE_LEVEL, decoder_lines
from torch_stringops.subword._definition import (
    LSTRIP,
    NORMALIZED,
    RSTRIP,
    SINGLE_WORD,
    SPECIAL,
    Definition,
    Unsupported,
    hexed,
)
from torch_stringops.subword._json import JsonValue, naming_places, read_pieces, read_vocabulary
from torch_stringops.subword._merges import BPE_FIELDS, affix_lines, forms_of, merge_rows
from torch_stringops.subword._normalizers import is_nfc, normalizer_lines
from torch_stringops.subword._splits import is_byte_level, split_lines
from torch_stringops.subword._steps import template_lines
from torch_stringops.subword._tokens import Tokens
from torch_stringops.subword._unigram import unigram_lines
from torch_stringops.subword._wordpiece import word_piece_lines

_FLAGS = {
    "special": SPECIAL,
    "single_word": SINGLE_WORD,
    "lstrip": LSTRIP,
    "rstrip": RSTRIP,
    "normalized": NORMALIZED,
}


@naming_places
def read_json(op: str, source: dict[str, Any], from_file: bool = True) -> Definition:
    """Converts a tokenizer.json.

    Args:
        op: the function that errors name.
        source: of `parse_json`.
        from_file: numbers are read as `tokenizers` reads those of a file. False: they are those of an object in
            memory, which it wrote.

    Raises:
        ValueError: parts of it are not supported; the message names them all. Or a value is not as it should be; the
            message names its place.
    """
    model = source.get("model")
    if not isinstance(model, dict):
        raise ValueError(f"{op}: expected the JSON of a tokenizer, with an object `model`")
    unsupported = Unsupported(op)
    kind = model.get("type") or _kind_of(model)
    if kind not in ("BPE", "WordPiece", "Unigram"):
        unsupported.add("model", kind)
        unsupported.check()
    definition = Definition()
    tokens = _read_model_tokens(op, model, kind, from_file)
    steps = normalizer_lines(source.get("normalizer"), unsupported)
    steps += split_lines(source.get("pre_tokenizer"), kind == "BPE", unsupported)
    takes_bytes = kind == "BPE" and is_byte_level(source.get("pre_tokenizer"))
    if kind == "WordPiece":
        before = word_piece_lines(op, model, definition, unsupported)
    elif kind == "Unigram":
        before = unigram_lines(op, model, definition, unsupported)
    elif takes_bytes:
        before = ["model bpe", "bytes 1", *_byte_pair_lines(op, model, definition, unsupported)]
    else:
        before = ["model bpe", *character_lines(op, model, definition, unsupported)]
    decoder = decoder_lines(source.get("decoder"), unsupported)
    gives_bytes = decoder == [BYTE_LEVEL]
    if gives_bytes != takes_bytes:  # the decoder takes tokens as the file has them, or other ones than the model
        texts = all_from_alphabet(tokens.strings)[0] if gives_bytes else tokens.strings
        rows = zip(tokens.ids.tolist(), texts.tolist(as_bytes=True), strict=True)
        definition.texts |= {id: text for id, text in rows if text}
    added = _added_lines(op, source, tokens, takes_bytes or gives_bytes, gives_bytes, definition, unsupported)
    after = [*template_lines(source.get("post_processor"), unsupported), *decoder]
    unsupported.check()
    definition.lines = [*before, *steps, *added, *after]
    _set_defaults(source, definition)
    return definition


def _kind_of(model: dict[str, Any]) -> str:
    """The kind of a model that does not name it, in older files: that whose fields it has."""
    if "merges" in model:
        return "BPE"
    if "max_input_chars_per_word" in model:
        return "WordPiece"
    vocab = model.get("vocab")
    is_list = isinstance(vocab, JsonValue) and vocab.text[vocab.begin : vocab.begin + 1] == b"["
    return "Unigram" if is_list else "WordLevel"


def _read_model_tokens(op: str, model: dict[str, Any], kind: str, from_file: bool) -> Tokens:
    """Reads `vocab` of a model, which may have been read, and sets it, and `scores` of a Unigram model."""
    vocab = model.get("vocab")
    if not isinstance(vocab, Tokens):
        if not isinstance(vocab, JsonValue):
            raise ValueError(f"{op}: expected the JSON of a tokenizer, with a `vocab` in `model`")
        if kind == "Unigram":
            strings, model["scores"] = read_pieces(op, vocab, from_file)
            ids = torch.arange(len(strings), device="cpu")
        else:
            strings, ids = read_vocabulary(op, vocab)
        model["vocab"] = vocab = Tokens(op, strings, ids)
    if kind != "BPE" and isinstance(model.get("merges"), JsonValue):
        model["merges"] = model["merges"].parse(op)
    return vocab


def _byte_pair_lines(op: str, model: dict[str, Any], definition: Definition, unsupported: Unsupported) -> list[str]:
    """Sets pieces and merges; returns the directives of the model."""
    unsupported.add_fields("model BPE", model, BPE_FIELDS)
    tokens: Tokens = model["vocab"]
    # Text becomes characters of the alphabet first, so that no text gives a token with other characters.
    pieces, has_others = all_from_alphabet(tokens.strings)
    definition.pieces = tokens.by_id(pieces)
    others = tokens.strings[has_others].tolist(as_bytes=True)
    definition.texts |= zip(tokens.ids[has_others].tolist(), others, strict=True)
    affixes = affix_lines(model, unsupported)
    definition.numbers = merge_rows(op, model["merges"], tokens, model.get("continuing_subword_prefix") or "")
    if model.get("dropout"):
        unsupported.add("model BPE: dropout", model["dropout"])
    unknown = model.get("unk_token")
    unknown_id = tokens.id_of(unknown)
    forms = [to_alphabet(form) for byte in range(256) for form in forms_of(bytes([byte]), model)]
    covered = min(tokens.ids_of(forms)) >= 0
    if not covered:  # otherwise no byte is unknown, and what happens to those has no effect
        for name in ("fuse_unk", "byte_fallback"):
            if model.get(name):
                unsupported.add(f"model BPE: {name} without tokens for all bytes")
        if unknown is not None and unknown_id < 0:
            unsupported.add("model BPE: unk_token that is not a token, without tokens for all bytes", unknown)
    return [
        "merges listed",
        f"whole {int(bool(model.get('ignore_merges')))}",
        f"unk {-1 if covered else unknown_id}",
        *affixes,
    ]


def _added_lines(
    op: str,
    source: dict[str, Any],
    tokens: Tokens,
    has_alphabet: bool,
    gives_bytes: bool,
    definition: Definition,
    unsupported: Unsupported,
) -> list[str]:
    """The directives of added tokens, in the order of their ids.

    `tokenizers` does not take the ids of the file: a token of the model keeps its id, others get the ids from the
    number of tokens on.
    """
    normalizes = source.get("normalizer") is not None and has_alphabet
    changes = _not_nfc if is_nfc(source.get("normalizer")) else _not_ascii
    added: dict[str, int] = {}
    found: dict[int, dict[str, Any]] = {}
    next_id = len(tokens)
    given = [token for token in source.get("added_tokens") or [] if token["content"]]
    contents = [token["content"] for token in given]
    of_model: dict[str, int] = dict(zip(contents, tokens.ids_of(contents), strict=True))
    for token in given:
        content = token["content"]
        unsupported.add_fields("added token", token, ("id", "content", *_FLAGS))
        id = added[content] if content in added else of_model[content]
        if id < 0:
            id, next_id = next_id, next_id + 1
        added[content], found[id] = id, token
        if normalizes and token.get("normalized") and changes(content):
            unsupported.add("added token that the normalizer changes", token)
    lines = []
    if found:
        definition.reserve(op, max(found))
    for id, token in sorted(found.items()):
        content = token["content"]
        raw = content.encode("utf-8", "surrogatepass")
        flags = sum(flag for name, flag in _FLAGS.items() if token.get(name))
        lines.append(f"added {id} {flags} {hexed(raw)}")
        # The decoder takes characters of the alphabet as bytes, those of added tokens too.
        decoded = from_alphabet(content) if gives_bytes else None
        if decoded not in (None, raw):
            definition.texts[id] = decoded
    return [*lines, "added_match longest"] if lines else []


def _not_nfc(text: str) -> bool:
    return unicodedata.normalize("NFC", text) != text


def _not_ascii(text: str) -> bool:
    return not text.isascii()


def _set_defaults(source: dict[str, Any], definition: Definition) -> None:
    """Sets what a file says of padding and truncation, which are defaults of a call."""
    settings, others = definition.settings, definition.not_defaults
    if padding := source.get("padding"):
        settings.update(pad=int(padding["pad_id"]), pad_type=int(padding["pad_type_id"]))
        settings["pads_left"] = int(padding["direction"] == "Left")
        if isinstance(strategy := padding.get("strategy"), dict):
            others.append(f"padding to {int(strategy['Fixed'])} ids")
        if multiple := padding.get("pad_to_multiple_of"):
            others.append(f"padding to a multiple of {int(multiple)}")
    if truncation := source.get("truncation"):
        settings["max_length"] = int(truncation["max_length"])
        settings["truncates_left"] = int(truncation.get("direction", "Right") == "Left")
        if (strategy := truncation.get("strategy", "LongestFirst")) in ("OnlyFirst", "OnlySecond"):
            others.append(f"truncation of pairs by {strategy}")
        if truncation.get("stride"):
            others.append("rows of the ids that truncation leaves out, with a stride")
