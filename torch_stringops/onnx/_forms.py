"""The registry of portable forms: which nodes of ONNX give the result of an operator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch_stringops.onnx._call import Call


@dataclass(frozen=True)
class Form:
    """A portable form.

    Attributes:
        nodes: the operators of ONNX that do the work, for the table of the documentation.
        write: adds the nodes; raises NoForm for arguments for which they would give another result.
        limits: the arguments for which there is no form, for the table.
    """

    nodes: str
    write: Callable[[Call], None]
    limits: str


FORMS: dict[str, Form] = {}
"""The forms by the names of the operators, with their overloads."""


def form(*names: str, nodes: str, limits: str = "") -> Callable[[Callable[[Call], None]], Callable[[Call], None]]:
    """Registers the decorated function as the form of operators."""

    def register(write: Callable[[Call], None]) -> Callable[[Call], None]:
        for name in names:
            FORMS[name] = Form(nodes, write, limits)
        return write

    return register


_CASE = "StringNormalizer changes case one code point at a time, by the C library's locale"
_BYTES = "ONNX has no operator on the bytes of strings"

# The nearest thing that has a form, for operators that users are likely to have in a model.
NEAREST: dict[str, str] = {
    "string_lower": _CASE,
    "string_upper": _CASE,
    "string_casefold": _CASE,
    "regex_replace": "ONNX has no replacement; `tokenizer` with `tokenexp` keeps what a pattern matches",
    "string_replace": "ONNX has no replacement; split at the string instead",
    "string_strip": "ONNX has no strip; splitting at whitespace drops it",
    "string_join_ragged": "ONNX joins a fixed number of strings: `string_concat`",
    "string_join": "ONNX joins a fixed number of strings: `string_concat`",
    "subword_encode": "ONNX has no subword tokenizer, and those of onnxruntime-extensions give other ids",
    "string_to_number": "onnxruntime's Cast reads numbers by other rules",
    "string_hash": "ONNX has MurmurHash3: `string_murmur3`",
    "string_hash_bucket": "ONNX has MurmurHash3: `string_murmur3`",
    "string_bytes": _BYTES,
    "string_length": "ONNX has no length; with `unit='codepoint'` there is a form",
    "string_less": "ONNX compares strings for equality only",
    "regex_find_all_ragged": "ONNX has no search; `tokenizer_ragged(tokenexp=)` has those that are not empty",
    "regex_contains": "ONNX has matches of the whole string: `regex_full_match` with `.*` around the pattern",
}
