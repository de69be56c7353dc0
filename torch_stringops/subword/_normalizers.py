"""The normalizer of a tokenizer.json, as directives."""

from __future__ import annotations

from torch_stringops.subword._charsmap import charsmap_lines
from torch_stringops.subword._definition import Unsupported, hexed
from torch_stringops.subword._regex import members_of_class
from torch_stringops.subword._steps import Step, bert_line, flatten

# Regular expressions of Replace, by their text: what `runs` does.
_RUNS = {
    " {2,}": "blank 2",
    " +": "blank 1",
    r"\s+": "whitespace 1",
    r"\s{2,}": "whitespace 2",
}

# Steps without fields, and their directives.
_PLAIN = {
    "NFC": "nfc",
    "NFD": "nfd",
    "NFKC": "nfkc",
    "NFKD": "nfkd",
    "StripAccents": "strip_accents",
    "Nmt": "nmt",
    "Lowercase": "lower",
}

# Characters of a class that Replace replaces, each of which is a step.
_MOST_MEMBERS = 20

# Bytes of a text in a directive.
_MAX_TEXT = 255


def normalizer_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    steps = flatten(step, "normalizers")
    if len(steps) > 1 and any(item.get("type") == "BertNormalizer" for item in steps):
        unsupported.add("normalizer BertNormalizer with others", step)
        return []
    return [line for item in steps for line in _line(item, unsupported)]


def is_nfc(step: Step | None) -> bool:
    """Whether no step is other than NFC."""
    return all(item.get("type") == "NFC" for item in flatten(step, "normalizers"))


def _line(step: Step, unsupported: Unsupported) -> list[str]:
    """The directive of a step; none if it has no effect, or is not supported."""
    kind = step.get("type")
    what = f"normalizer {kind}"
    if kind in _PLAIN:
        unsupported.add_fields(what, step, ())
        return [f"normalize {_PLAIN[kind]}"]
    if kind == "BertNormalizer":
        return [bert_line(step, unsupported)]
    if kind == "Strip":
        unsupported.add_fields(what, step, ("strip_left", "strip_right"))
        sides = (step.get("strip_left", True), step.get("strip_right", True))
        return [f"normalize strip {int(sides[0])} {int(sides[1])}"]
    if kind == "Prepend":
        unsupported.add_fields(what, step, ("prepend",))
        text = step["prepend"].encode()
        if len(text) <= _MAX_TEXT:
            return [f"normalize prepend {hexed(text)}"] if text else []
    if kind == "Precompiled":
        unsupported.add_fields(what, step, ("precompiled_charsmap",))
        return charsmap_lines(step, unsupported)
    if kind == "Replace":
        unsupported.add_fields(what, step, ("pattern", "content"))
        return _replace(step, unsupported)
    unsupported.add("normalizer", step)
    return []


def _replace(step: Step, unsupported: Unsupported) -> list[str]:
    pattern, by = step.get("pattern", {}), hexed(step["content"].encode())
    text = pattern.get("String")
    if isinstance(text, str) and len(text.encode()) <= _MAX_TEXT and len(by) <= 2 * _MAX_TEXT:
        return [f"normalize replace {hexed(text.encode())} {by}"] if text else []
    runs = _RUNS.get(pattern.get("Regex"))
    if runs is not None:
        return [f"normalize runs {runs} {by}"]
    regex = pattern.get("Regex")
    members = members_of_class(regex, "onig") if isinstance(regex, str) else None
    if members is not None and sum(last - first + 1 for first, last in members) <= _MOST_MEMBERS:
        characters = [chr(c) for first, last in members for c in range(first, last + 1)]
        # One after the other is the same as all at once if no replacement is replaced.
        if step["content"] in characters or not set(step["content"]) & set(characters):
            return [f"normalize replace {hexed(c.encode())} {by}" for c in characters if c != step["content"]]
    unsupported.add("normalizer Replace: unknown pattern", step)
    return []
