"""The decoder of a tokenizer.json, as directives."""

from __future__ import annotations

from torch_stringops.subword._definition import Unsupported, hexed
from torch_stringops.subword._steps import BYTE_LEVEL_FIELDS, Step, flatten

METASPACE_FIELDS = ("replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep")

# Steps of one token come before those of a row.
_OF_TOKENS, _BYTES, _FUSE, _OF_FUSED, _OF_ROW = range(5)

# Bytes that may replace a character after tokens are fused.
_MOST_FUSED = 4


# The directive of the decoder of byte-level models, which takes characters of the alphabet as bytes.
BYTE_LEVEL = "decode bytelevel"


def decoder_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    """The directives of a decoder; without one, `tokenizers` puts spaces between tokens."""
    if step is None:
        return ["decode join 20"]
    lines: list[str] = []
    stage = _OF_TOKENS
    steps = flatten(step, "decoders")
    kinds = [item.get("type") for item in steps]
    if kinds == ["ByteLevel"]:
        unsupported.add_fields("decoder ByteLevel", steps[0], BYTE_LEVEL_FIELDS)
        return [BYTE_LEVEL]
    if kinds == ["WordPiece"]:
        unsupported.add_fields("decoder WordPiece", steps[0], ("prefix", "cleanup"))
        prefix, cleanup = steps[0].get("prefix", "##"), steps[0].get("cleanup", True)
        return [f"decode wordpiece {hexed(prefix.encode())} {int(cleanup)}"]
    # The table has a text of each id at the beginning of a row and one at the end, but none of a row of one id.
    if "BPEDecoder" in kinds and "Metaspace" in kinds:
        unsupported.add("decoder BPEDecoder with Metaspace", step)
    for item, kind in zip(steps, kinds, strict=True):
        line, needs = _line(item, stage, unsupported)
        if stage > needs:
            unsupported.add(f"decoder {kind} at this place", step)
        stage = max(stage, needs)
        lines += [line] if line else []
    return lines or ["decode join -"]


def _line(step: Step, stage: int, unsupported: Unsupported) -> tuple[str, int]:
    """The directive of a step, and the stage that it belongs to."""
    kind = step.get("type")
    what = f"decoder {kind}"
    if kind == "Replace":
        unsupported.add_fields(what, step, ("pattern", "content"))
        text = step["pattern"].get("String")
        is_fused = stage == _FUSE
        is_character = isinstance(text, str) and len(text) == 1 and not text.isascii()
        is_short = len(step["content"].encode()) <= _MOST_FUSED
        if not text or (is_fused and not (is_character and is_short)):
            unsupported.add("decoder Replace: pattern", step)
            return "", stage
        name = "fuse_replace" if is_fused else "replace"
        line = f"decode {name} {hexed(text.encode())} {hexed(step['content'].encode())}"
        return line, _OF_FUSED if is_fused else _OF_TOKENS
    if kind == "Metaspace":
        unsupported.add_fields(what, step, METASPACE_FIELDS)
        drops = int(prepend_scheme(step) != "never")
        return f"decode metaspace {hexed(step['replacement'].encode())} {drops}", _OF_TOKENS
    if kind == "BPEDecoder":
        unsupported.add_fields(what, step, ("suffix",))
        return f"decode suffix {hexed(step.get('suffix', '</w>').encode())}", _OF_TOKENS
    if kind == "ByteFallback":
        unsupported.add_fields(what, step, ())
        return ("decode byte_fallback" if stage < _BYTES else ""), _BYTES  # no token of a byte is left after the first
    if kind == "Fuse":
        unsupported.add_fields(what, step, ())
        return "", _FUSE
    if kind == "Strip":
        unsupported.add_fields(what, step, ("content", "start", "stop"))
        content, count = step["content"].encode(), step.get("start", 0)
        if step.get("stop") or len(content) != 1:
            unsupported.add("decoder Strip: other than ASCII characters at the beginning", step)
            return "", stage
        is_fused = stage in (_FUSE, _OF_FUSED)
        name = "fuse_strip" if is_fused else "strip"
        return f"decode {name} {hexed(content)} {count}", _OF_ROW if is_fused else _OF_TOKENS
    unsupported.add("decoder", step)
    return "", stage


def prepend_scheme(step: Step) -> str:
    """The directive of a Metaspace, also in the form of older files."""
    scheme = step.get("prepend_scheme")
    if scheme is None:
        return "always" if step.get("add_prefix_space", True) else "never"
    return str(scheme)
