"""Portable forms of operators from strings to strings or values: joining, comparison, patterns, hashes, selection."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import onnx_ir as ir

from torch_stringops.onnx._call import MICROSOFT, ML, Call, NoForm, flat
from torch_stringops.onnx._forms import form
from torch_stringops.string_tensor import StringTensor

# Syntax of patterns whose meaning depends on the tables of Unicode or on bytes, which differ in onnxruntime's RE2.
_UNSAFE = re.compile(r"\\[pPCB]|\(\?[a-zA-Z]*i|\[:\^?\w+:\]|[^\x00-\x7f]\*\?")


# Syntax that RE2 lacks, in a pattern without its escapes and classes.
_ESCAPES = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]", re.DOTALL)
_NOT_RE2 = re.compile(r"\(\?<?[=!]|(?:[*+?]|\{\d+(?:,\d*)?\})\+")


def check_pattern(pattern: str) -> None:
    """Raises NoForm for a pattern that onnxruntime may match differently, or does not read."""
    found = _NOT_RE2.search(_ESCAPES.sub("_", pattern))
    if found:
        raise NoForm(f"onnxruntime has no `{found[0]}` of its pattern: no look-ahead, no possessive repetition")
    found = _UNSAFE.search(pattern)
    if found:
        raise NoForm(f"onnxruntime may match `{found[0]}` of its pattern differently")
    if re.search(r"\{\d{3,}", pattern):
        raise NoForm("its pattern has more repetitions than onnxruntime allows")


def quoted(text: str) -> str:
    """A pattern that matches the text."""
    return "".join(rf"\x{{{ord(c):x}}}" for c in text)


@form("string_concat", nodes="StringConcat-20")
def _concat(c: Call) -> None:
    first, *others = c.list_of_strings()
    if not others:
        first = c.add("Identity", first)
    for other in others:
        first = c.add("StringConcat", first, other)
    c.returns_strings(first)


@form("string_equal", nodes="Equal-19")
def _equal(c: Call) -> None:
    c.returns(c.add("Equal", c.strings(), c.strings("other_")))


@form("string_isin", nodes="LabelEncoder-4", limits="constant test strings")
def _isin(c: Call) -> None:
    tests = c.known_strings("test_")
    if tests is None:
        raise NoForm("its test strings are computed")
    c.returns(is_one_of(c, c.strings(), tests))


def is_one_of(c: Call, strings: Any, tests: StringTensor) -> Any:
    """Whether each string is one of constant ones."""
    keys = sorted(set(tests.reshape(-1).tolist(as_bytes=True)))
    found = encode(c, strings, keys, list(range(len(keys))), -1) if keys else None
    if found is None:
        return c.add("Not", c.add("Equal", strings, strings))
    return c.add("GreaterOrEqual", found, c.constant(0))


def encode(c: Call, strings: Any, keys: list[bytes], ids: list[int], default: int) -> Any:
    """The id of each string, `default` if it is none of the keys."""
    names = ir.Attr("keys_strings", ir.AttributeType.STRINGS, [key.decode() for key in keys])
    return c.add("LabelEncoder", strings, domain=ML, keys_strings=names, values_int64s=ids, default_int64=default)


@form(
    "regex_full_match",
    nodes="RegexFullMatch-20",
    limits=r"no `\p`, `(?i)`, `\B`, `\C`, `[[:class:]]`, `(?=`, `*+`",
)
def _full_match(c: Call) -> None:
    check_pattern(c.attribute("pattern"))
    c.returns(c.add("RegexFullMatch", c.strings(), pattern=c.attribute("pattern")))


@form("string_startswith", "string_endswith", "string_contains", nodes="RegexFullMatch-20")
def _contains(c: Call) -> None:
    before, after = {"startswith": ("", ".*"), "endswith": (".*", ""), "contains": (".*", ".*")}[
        c.operator.name.removeprefix("string_")
    ]
    pattern = f"(?s){before}{quoted(c.attribute('sub'))}{after}"
    c.returns(c.add("RegexFullMatch", c.strings(), pattern=pattern))


@form("string_is_ascii", nodes="RegexFullMatch-20")
def _is_ascii(c: Call) -> None:
    c.returns(c.add("RegexFullMatch", c.strings(), pattern=r"[\x00-\x7f]*"))


@form("string_murmur3", nodes="com.microsoft MurmurHash3-1")
def _murmur3(c: Call) -> None:
    seed, positive = c.attribute("seed"), int(c.attribute("positive"))
    if not 0 <= seed < 2**31:
        raise NoForm("`seed` is 2**31 or more")
    c.returns(c.add("MurmurHash3", c.strings(), domain=MICROSOFT, seed=seed, positive=positive))


@form("_string_where", nodes="Where")
def _where(c: Call) -> None:
    c.returns_strings(c.add("Where", c.tensor("condition"), c.strings(), c.strings("other_")))


@form("_string_masked_select", nodes="Compress")
def _masked_select(c: Call) -> None:
    strings = c.strings()
    mask = c.add("Expand", c.tensor("mask"), c.add("Shape", strings))
    c.returns_strings(c.add("Compress", flat(c, strings), flat(c, mask), axis=0))


@form("_string_gather", nodes="Gather, Concat")
def _gather(c: Call) -> None:
    pieces = [flat(c, strings) for strings in c.list_of_strings()]
    pool = pieces[0] if len(pieces) == 1 else c.add("Concat", *pieces, axis=0)
    c.returns_strings(c.add("Gather", pool, c.tensor("positions"), axis=0))


@form("string_unique", "_string_unique_sorted", nodes="Unique-11")
def _unique(c: Call) -> None:
    strings = c.strings()
    is_sorted = int(c.operator.name == "_string_unique_sorted")
    if is_sorted and c.attribute("by_count"):
        raise NoForm("Unique does not sort by counts")
    found, _, inverse, counts = c.add("Unique", flat(c, strings), outputs=4, sorted=is_sorted)
    c.returns_strings(found, c.add("Reshape", inverse, c.add("Shape", strings), allowzero=1), counts)


@form("string_from_number", nodes="Cast", limits="int32, int64")
def _from_number(c: Call) -> None:
    numbers = c.tensor("input")
    if numbers.dtype not in (ir.DataType.INT32, ir.DataType.INT64):
        raise NoForm("onnxruntime prints other numbers than integers differently")
    c.returns_strings(c.add("Cast", numbers, to=ir.DataType.STRING))


@form(
    "string_normalizer",
    nodes="LabelEncoder-4, Compress",
    limits='case_change_action="NONE", is_case_sensitive=True, constant stop words',
)
def _normalizer(c: Call) -> None:
    if c.attribute("case_change_action") != "NONE" or not c.attribute("is_case_sensitive"):
        raise NoForm("StringNormalizer changes case by the C library's locale")
    stops = c.known_strings("stopwords_")
    if stops is None:
        raise NoForm("its stop words are computed")
    strings = c.strings()
    kept = c.add("Compress", flat(c, strings), flat(c, c.add("Not", is_one_of(c, strings, stops))), axis=0)
    # If all strings are removed, the result is one empty string; of no strings, it has none.
    count, least = c.add("Shape", kept), c.add("Min", c.add("Shape", flat(c, strings)), [1])
    padded = c.add("Concat", kept, c.constant(StringTensor.from_list([""])), axis=0)
    kept = c.add("Slice", padded, [0], c.add("Max", count, least))
    c.returns_strings(c.add("Unsqueeze", kept, [0]) if c.rank("offsets") == 2 else kept)


@form("tfidf_vectorizer", "tfidf_vectorizer.strings", nodes="TfIdfVectorizer-9", limits="constant pools")
def _tfidf(c: Call) -> None:
    is_strings = c.operator.name.endswith(".strings")
    pool: Any = c.known_strings("pool_") if is_strings else c.known("pool_int64s")
    indexes, weights = c.known("ngram_indexes"), c.known("weights")
    if pool is None or indexes is None or (c.input("weights") is not None and weights is None):
        raise NoForm("its pool, indexes or weights are computed")
    size = c.known("num_outputs")
    if c.input("num_outputs") is not None and (size is None or int(size) != int(indexes.max(initial=-1)) + 1):
        raise NoForm("`num_outputs` is not the greatest of `ngram_indexes` plus one")
    if c.attribute("max_gram_length") > len(c.attribute("ngram_counts")):
        raise NoForm("`max_gram_length` is greater than the length of `ngram_counts`")
    values = c.strings() if is_strings else c.tensor("input")
    rank = c.rank("offsets" if is_strings else "input")
    if rank == 2:  # one more row, as onnxruntime has no result for no rows
        blank = c.constant(StringTensor.from_list([[""]]) if is_strings else np.zeros((1, 1), values.dtype.numpy()))
        width = c.add("Concat", [1], c.add("Shape", values, start=1), axis=0)
        rows = c.add("Shape", values, start=0, end=1)
        values = c.add("Concat", values, c.add("Expand", blank, width), axis=0)
    pool_name = "pool_strings" if is_strings else "pool_int64s"
    found = c.add(
        "TfIdfVectorizer",
        values,
        **{name: c.attribute(name) for name in ("max_gram_length", "max_skip_count", "min_gram_length", "mode")},
        ngram_counts=c.attribute("ngram_counts"),
        ngram_indexes=indexes.reshape(-1).tolist(),
        weights=None if weights is None else weights.reshape(-1).astype(float).tolist(),
        **{pool_name: pool.tolist() if is_strings else pool.reshape(-1).tolist()},
    )
    c.returns(c.add("Slice", found, [0], rows, [0]) if rank == 2 else found)
