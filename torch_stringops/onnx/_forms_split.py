"""Portable forms of operators that cut strings: at a delimiter, into tokens, and into ids of a vocabulary."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from torch_stringops.onnx._call import MICROSOFT, Call, NoForm, flat
from torch_stringops.onnx._forms import form
from torch_stringops.onnx._forms_ragged import below, rows_of
from torch_stringops.onnx._forms_strings import check_pattern, encode
from torch_stringops.string_tensor import StringTensor

_INT64 = ir.DataType.INT64
# What separates words if no delimiter is given: Unicode's whitespace, as Python's str.split.
_WORD = r"[^\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+"


def tokens_of(c: Call, strings: Any, **rules: Any) -> tuple[Any, Any]:
    """The tokens of each string as a matrix, and whether an element of it is a token. Tokens are not empty.

    One more string, which is empty, gives the matrix rank 2 for no strings, too.
    """
    rows = c.add("Concat", flat(c, strings), c.constant(StringTensor.from_list([""])), axis=0)
    padded = c.add(
        "Tokenizer",
        rows,
        domain=MICROSOFT,
        mark=0,
        pad_value="",
        mincharnum=rules.pop("mincharnum", 1),
        **rules,
    )
    # onnx does not know this operator, and its inference crashes at a LabelEncoder of strings of unknown type.
    padded.type, padded.shape = ir.TensorType(ir.DataType.STRING), ir.Shape([None, None])
    # OpenVINO has a LabelEncoder of strings, but no Equal.
    is_token = c.add("Cast", encode(c, padded, [b""], [0], 1), to=ir.DataType.BOOL)
    return c.add("Slice", padded, [0], [-1], [0]), c.add("Slice", is_token, [0], [-1], [0])


@form("string_length", nodes="com.microsoft Tokenizer-1", limits='unit="codepoint"')
def _length(c: Call) -> None:
    if c.attribute("unit") != "codepoint":
        raise NoForm('`unit` is not "codepoint"')
    strings = c.strings()
    _, is_token = tokens_of(c, strings, tokenexp="(?s).")
    counts = c.add("ReduceSum", c.add("Cast", is_token, to=_INT64), [1], keepdims=0)
    c.returns(c.add("Reshape", counts, c.add("Shape", strings), allowzero=1))


def pieces_of(c: Call, strings: Any) -> tuple[Any, Any]:
    """The pieces of each string at the delimiter of a call as a matrix, and whether an element is a piece."""
    delimiter, maxsplit = c.attribute("delimiter"), c.attribute("maxsplit") if _has(c, "maxsplit") else -1
    as_onnxruntime = _has(c, "compat") and c.attribute("compat") == "onnxruntime"
    skip_empty = _has(c, "skip_empty") and c.attribute("skip_empty")
    if not delimiter and not as_onnxruntime:
        if maxsplit >= 0:
            raise NoForm("StringSplit splits at spaces only: no form for `maxsplit` without a delimiter")
        return tokens_of(c, strings, tokenexp=_WORD)
    values = flat(c, strings)
    padded, counts = c.add(
        "StringSplit",
        values,
        outputs=2,
        delimiter=delimiter or None,
        maxsplit=maxsplit if maxsplit >= 0 else None,
    )
    if not as_onnxruntime:  # an empty string is one piece, for which the matrix needs a column
        blank = c.add(
            "Expand",
            c.constant(StringTensor.from_list([[""]])),
            c.add("Concat", c.add("Shape", values), [1], axis=0),
        )
        padded = c.add("Concat", padded, blank, axis=1)
        counts = c.add("Max", counts, c.constant(1))
    width = c.add("Squeeze", c.add("Shape", padded, start=1, end=2))
    is_piece = below(c, counts, width)
    if skip_empty:
        is_blank = c.add("Equal", padded, c.constant(StringTensor.from_list("")))
        is_piece = c.add("And", is_piece, c.add("Not", is_blank))
    return padded, is_piece


def _has(c: Call, name: str) -> bool:
    return any(p.name == name for p in c.operator.parameters)


_SPLIT = {
    "nodes": "StringSplit-20, or com.microsoft Tokenizer-1 at whitespace",
    "limits": "no `maxsplit` at whitespace",
}


@form("string_split_ragged", **_SPLIT)
def _split_ragged(c: Call) -> None:
    c.returns_strings(*rows_of(c, *pieces_of(c, c.strings())))


@form("string_split", **_SPLIT)
def _split(c: Call) -> None:
    strings = c.strings()
    padded, is_piece = pieces_of(c, strings)
    counts = c.add("ReduceSum", c.add("Cast", is_piece, to=_INT64), [1], keepdims=0)
    if _has(c, "skip_empty") and c.attribute("skip_empty"):
        raise NoForm("`skip_empty` has a form for ragged results only")
    longest = c.add("ReduceMax", c.add("Concat", counts, [0], axis=0), keepdims=1)
    padded = c.add("Slice", padded, [0], longest, [1])
    shape = c.add("Shape", strings)
    c.returns_strings(
        c.add("Reshape", padded, c.add("Concat", shape, longest, axis=0), allowzero=1),
        c.add("Reshape", counts, shape, allowzero=1),
    )


_TOKENS = {
    "nodes": "com.microsoft Tokenizer-1",
    "limits": r"no `\p`, `(?i)`, `\B`, `\C`, `[[:class:]]`, `(?=`, `*+`; `mark=False`",
}


def _token_rules(c: Call) -> dict[str, Any]:
    if _has(c, "mark") and c.attribute("mark"):
        raise NoForm("`mark` is set")
    if _has(c, "lower") and c.attribute("lower"):
        raise NoForm("`lower` is set: StringNormalizer changes case by the C library's locale")
    separators, pattern = c.attribute("separators"), c.attribute("tokenexp")
    for text in separators or [pattern]:
        check_pattern(text)
    rules: dict[str, Any] = {"mincharnum": c.attribute("mincharnum")}
    return rules | ({"tokenexp": pattern} if separators is None else {"separators": separators})


@form("tokenizer_ragged", **_TOKENS)
def _tokenizer_ragged(c: Call) -> None:
    c.returns_strings(*rows_of(c, *tokens_of(c, c.strings(), **_token_rules(c))))


@form("tokenizer", **_TOKENS)
def _tokenizer(c: Call) -> None:
    strings = c.strings()
    tokens, is_token = tokens_of(c, strings, **_token_rules(c))
    padding = c.constant(StringTensor.from_list(c.attribute("pad_value")))
    padded = c.add("Where", is_token, tokens, padding)
    shape = c.add("Concat", c.add("Shape", strings), c.add("Shape", padded, start=1), axis=0)
    c.returns_strings(c.add("Reshape", padded, shape, allowzero=1))


def ids_of(c: Call, strings: Any) -> Any:
    """The ids of strings in the vocabulary of a call."""
    if c.attribute("num_oov_buckets") > 0:
        raise NoForm("unknown strings get bins by XXH3, which ONNX does not have; give the vocabulary an unknown token")
    tokens = c.tokens().tolist(as_bytes=True)
    return encode(c, strings, tokens, list(range(len(tokens))), c.attribute("unknown_id"))


_LOOKUP = "no `num_oov_buckets`"


@form("vocab_encode", nodes="LabelEncoder-4", limits=_LOOKUP)
def _vocab_encode(c: Call) -> None:
    c.returns(ids_of(c, c.strings()))


@form("split_encode", nodes=f"{_SPLIT['nodes']}; LabelEncoder-4", limits=f"{_LOOKUP}, no `lower`")
def _split_encode(c: Call) -> None:
    if c.attribute("lower"):
        raise NoForm("`lower` is set: StringNormalizer changes case by the C library's locale")
    pieces, row_splits = rows_of(c, *pieces_of(c, c.strings()))
    c.returns(ids_of(c, pieces), row_splits)


@form("tokenize_encode", nodes="com.microsoft Tokenizer-1; LabelEncoder-4", limits=f"{_LOOKUP}, no `lower`")
def _tokenize_encode(c: Call) -> None:
    tokens, row_splits = rows_of(c, *tokens_of(c, c.strings(), **_token_rules(c)))
    c.returns(ids_of(c, tokens), row_splits)
