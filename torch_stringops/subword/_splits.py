"""The pre-tokenizer of a tokenizer.json, which cuts text into words, as directives."""

from __future__ import annotations

import torch

from torch_stringops.ops import subword
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._decoders import METASPACE_FIELDS, prepend_scheme
from torch_stringops.subword._definition import Unsupported, hexed
from torch_stringops.subword._regex import PatternFault, translated
from torch_stringops.subword._steps import BYTE_LEVEL_FIELDS, Step, flatten

_BEHAVIORS = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}

# Steps without fields.
_PLAIN = {"WhitespaceSplit": "whitespace", "Whitespace": "words", "BertPreTokenizer": "bert"}

_SPLIT_FIELDS = ("pattern", "behavior", "invert")

# Bytes of a text, and characters of a piece of fixed length, in a directive.
_MOST = 255


def is_byte_level(step: Step | None) -> bool:
    """Whether words become characters of the alphabet of bytes."""
    steps = flatten(step, "pretokenizers")
    return bool(steps) and steps[-1].get("type") == "ByteLevel"


def split_lines(step: Step | None, takes_bytes: bool, unsupported: Unsupported) -> list[str]:
    """The directives of a pre-tokenizer. `takes_bytes`: the model's tokens may be bytes, those of ByteLevel."""
    lines: list[str] = []
    steps = flatten(step, "pretokenizers")
    while steps:
        three = _published(steps[:3], unsupported) if len(steps) >= 3 else None
        lines += [three] if three else _lines(steps[0], takes_bytes and len(steps) == 1, unsupported)
        steps = steps[3 if three else 1 :]
    return lines


def _lines(item: Step, may_give_bytes: bool, unsupported: Unsupported) -> list[str]:
    """The directives of one step; none if it is not supported."""
    kind = item.get("type")
    what = f"pre_tokenizer {kind}"
    if kind == "ByteLevel" and may_give_bytes:
        unsupported.add_fields(what, item, BYTE_LEVEL_FIELDS)
        lines = ["prefix_space 1"] if item.get("add_prefix_space", True) else []
        return [*lines, "split gpt2"] if item.get("use_regex", True) else lines
    if kind == "Split":
        return _split(item, unsupported)
    if kind in _PLAIN:
        unsupported.add_fields(what, item, ())
        return [f"split {_PLAIN[kind]}"]
    if kind == "Digits":
        unsupported.add_fields(what, item, ("individual_digits",))
        return [f"split digits each={int(bool(item.get('individual_digits')))}"]
    if kind == "Metaspace":
        unsupported.add_fields(what, item, METASPACE_FIELDS)
        by, split = hexed(item["replacement"].encode()), int(item.get("split") is not False)
        return [f"split metaspace {by} {prepend_scheme(item)} {split}"]
    if kind == "Punctuation" and item.get("behavior", "Isolated") in _BEHAVIORS:
        unsupported.add_fields(what, item, ("behavior",))
        return [f"split punctuation {_BEHAVIORS[item.get('behavior', 'Isolated')]}"]
    if kind == "CharDelimiterSplit":
        unsupported.add_fields(what, item, ("delimiter",))
        return [f"split literal {hexed(item['delimiter'].encode())} removed 0"]
    if kind == "FixedLength" and 1 <= (length := item.get("length", 5)) <= _MOST:
        unsupported.add_fields(what, item, ("length",))
        return [f"split fixed {length}"]
    unsupported.add("pre_tokenizer", item)
    return []


def _published(items: list[Step], unsupported: Unsupported) -> str | None:
    """The directive of splits by published patterns, whose words masks find; None if they are others."""
    for item in items:
        behavior, inverts = item.get("behavior"), bool(item.get("invert"))
        # One pattern leaves no gaps between its matches, so that the matches alone are all pieces.
        keeps_pieces = behavior == "Isolated" or (behavior == "Removed" and inverts and len(items) == 1)
        if item.get("type") != "Split" or not keeps_pieces:
            return None
    patterns = [item.get("pattern", {}).get("Regex") for item in items]
    line = published_line([p for p in patterns if isinstance(p, str)], "onig", len(items))
    for item in items if line else []:
        unsupported.add_fields("pre_tokenizer Split", item, _SPLIT_FIELDS)
    return line


def published_line(patterns: list[str], engine: str, count: int = 1) -> str | None:
    """The directive of so many published patterns; None if the operators do not know them."""
    # A lone surrogate stands in no published pattern; its bytes are not UTF-8, which the operators refuse.
    encoded = [hexed(pattern.encode("utf-8", "surrogatepass")) for pattern in patterns]
    line = " ".join(["split published", engine, *encoded])
    return line if len(patterns) == count and _fault(line) is None else None


def _split(item: Step, unsupported: Unsupported) -> list[str]:
    if line := _published([item], unsupported):
        return [line]
    unsupported.add_fields("pre_tokenizer Split", item, _SPLIT_FIELDS)
    literal, pattern = (item.get("pattern", {}).get(kind) for kind in ("String", "Regex"))
    if item.get("behavior") not in _BEHAVIORS:
        unsupported.add("pre_tokenizer", item)
        return []
    rest = f"{_BEHAVIORS[item['behavior']]} {int(bool(item.get('invert')))}"
    if literal and len(literal.encode()) <= _MOST:
        return [f"split literal {hexed(literal.encode())} {rest}"]
    if not isinstance(pattern, str):
        unsupported.add("pre_tokenizer", item)
        return []
    return pattern_lines(pattern, "onig", rest, "pre_tokenizer Split: ", unsupported)


def pattern_lines(pattern: str, engine: str, rest: str, what: str, unsupported: Unsupported) -> list[str]:
    """The directive of a pattern of any other kind; none if the operators cannot search for it."""
    try:
        line = f"split pattern {hexed(translated(pattern, engine).encode())} {rest}"
        if reason := _fault(line):
            raise PatternFault(f"what the operators do not search for ({reason})")
    except PatternFault as fault:
        unsupported.add(f"{what}pattern with {fault}:", pattern)
        return []
    return [line]


def _fault(line: str) -> str | None:
    """Why the operators do not take a directive; None if they do."""
    try:
        no_rows = torch.empty(0, 3, dtype=torch.int64, device="cpu")
        subword._subword_build(StringTensor.from_list([]), no_rows, f"subword 1\nmodel bpe\n{line}\n")
    except (ValueError, RuntimeError) as error:  # RuntimeError: torch 2.15, for ValueError
        return str(error).partition("(")[2].partition(") in line")[0] or str(error)
    return None
