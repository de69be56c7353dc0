"""Errors of the Tokenizer: invalid UTF-8, wrong attributes, results beyond the limits."""

import itertools
from typing import Any

import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.strings import compact, decode
from support.tokenizer import attributes

import torch_stringops as so

INVALID = [
    b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xc2a", b"\xc2\xc2\x80", b"\xe0\x80\x80",
    b"\xe0\x9f\xbf", b"\xe0\xa0", b"\xe2\x82", b"\xe2\x28\xa1", b"\xed\xa0\x80", b"\xed\xbf\xbf",
    b"\xef\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98", b"\xf0\x9f\x98a",
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff",
]  # fmt: skip
MODES: list[dict[str, Any]] = [
    {"separators": [" "]}, {"separators": [" ", "a+"]}, {"separators": [""]}, {"tokenexp": "[a-z]+"},
    {"tokenexp": "."}, {"tokenexp": "[^a]"}, {"tokenexp": "ab|b"}, {"tokenexp": "ab"},
    {"separators": ["日"]},
]  # fmt: skip


@each("bad", INVALID)
def test_invalid_utf8_is_named_by_row_and_byte(bad: bytes, tier: str, path: str):
    for how, before in itertools.product(MODES, ("", "é日", "x" * 61, "x" * 62 + "é", "日" * 4000)):
        for strings in ([b"a", b"", before.encode() + bad], [[b"a", b""], [before.encode() + bad + b"b", b"\xff"]]):
            where = rf"invalid UTF-8 in row 2 at byte {len(before.encode())}\b"
            with pytest.raises(BAD_ARGUMENT, match=f"^tokenizer: .*{where}"):
                torch.ops.stringops.tokenizer(*compact(strings), **attributes(**how))
            with pytest.raises(BAD_ARGUMENT, match=f"^tokenizer_ragged: .*{where}"):
                torch.ops.stringops.tokenizer_ragged(*compact(strings), mark=False, mincharnum=1, **how)


def test_a_codepoint_does_not_extend_across_strings(tier: str, path: str):
    for how in MODES:
        for rows in (
            [b"a\xe3", b"\x80\x80b"],
            [b"\xc3", b"\xa9"],
            [b"x" * 63 + b"\xc3", b"\xa9"],
            [b"\xf0\x9f", b"", b"\x98\x80"],
        ):
            with pytest.raises(
                BAD_ARGUMENT, match=rf"in row 0 at byte {len(rows[0].rstrip(bytes(range(0x80, 256))))}\b"
            ):
                torch.ops.stringops.tokenizer(*compact(rows), **attributes(**how))


def test_bytes_outside_of_all_strings_need_not_be_utf8(tier: str, path: str):
    data = torch.tensor([*b"\xffa b\xff\xffc\x80"], dtype=torch.uint8)
    offsets = torch.tensor([[1, 4], [6, 7]], dtype=torch.int32)
    for how in ({"separators": [" "]}, {"tokenexp": "[a-z]"}, {"tokenexp": "a|b|c"}):
        got, ends = torch.ops.stringops.tokenizer(data, offsets, **attributes(**how))
        assert decode(got, ends) == [[[b"a", b"b"]], [[b"c", b"#"]]]


def test_no_match_is_within_a_codepoint(path: str):
    r"""RE2's word characters are ASCII, so that \B holds between the bytes of all others."""
    strings = compact(["aéé b".encode()])
    for how, want in (
        ({"tokenexp": r"\B"}, []),
        ({"tokenexp": r"b|\B."}, ["é", " ", "b"]),
        ({"separators": ["x", r"\B"]}, ["aé", "b"]),
        ({"separators": [r"a|\B"]}, ["é", "b"]),
    ):
        data, offsets, _ = torch.ops.stringops.tokenizer_ragged(*strings, **how)
        assert decode(data, offsets) == [w.encode() for w in want]


@each("size", [63, 64, 65, 1000])
def test_separators_around_the_width_of_a_mask(size: int, tier: str, path: str):
    separator = "x" * (size - 1) + "y"
    text = f"a{separator}b{separator}{separator}x{separator}"
    got = so.tokenizer_ragged(so.StringTensor.from_list([text, "a", separator[1:]]), separators=[separator])
    assert [row.tolist() for row in (got[0], got[1])] == [["a", "b", "x", "a", separator[1:]], [0, 3, 4, 5]]


def verdicts(sequences: list[bytes], how: dict[str, Any]) -> None:
    valid = []
    for sequence in sequences:
        try:
            valid.append(sequence.decode())
        except UnicodeDecodeError as error:
            with pytest.raises(BAD_ARGUMENT, match=rf"in row 0 at byte {error.start}\b"):
                torch.ops.stringops.tokenizer_ragged(*compact([sequence]), mark=False, mincharnum=1, **how)
    got = so.tokenizer_ragged(so.StringTensor.from_list(valid), **how)[0]
    assert got.tolist() == [c for text in valid for c in text]


def test_utf8_is_validated_as_by_python(tier: str):
    edges = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF]
    verdicts([bytes(s) for s in itertools.product(range(256), edges)], {"separators": [""]})
    verdicts([bytes([a, *s]) for a in range(0xDF, 0xF1) for s in itertools.product(edges, repeat=2)], {"tokenexp": "."})
    four = [bytes([a, b, 0x80, c]) for a in range(0xEF, 0xF6) for b in edges for c in edges]
    verdicts(four, {"separators": [""]})
    scalars = [chr(c) for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000]
    verdicts(["".join(scalars).encode()], {"separators": [""]})


# Attributes and arguments of the public functions.
def test_ragged_tokens_of_every_rank():
    table = so.StringTensor.from_list([[["a b", "c"], ["", "d e f"]]])
    for shape in ([4], [2, 2], [1, 2, 2], [2, 1, 2, 1]):
        tokens, row_splits = so.tokenizer_ragged(table.reshape(shape), separators=[" "])
        assert tokens.tolist() == ["a", "b", "c", "d", "e", "f"]
        assert row_splits.tolist() == [0, 2, 3, 3, 6]
    tokens, row_splits = so.tokenizer_ragged("a b", tokenexp=r"\w")
    assert (tokens.tolist(), row_splits.tolist()) == (["a", "b"], [0, 2])
    empty = so.StringTensor.from_list([[[]]])
    assert so.tokenizer_ragged(empty, separators=[" "])[1].tolist() == [0]
    compiled = torch.compile(lambda s: so.tokenizer_ragged(s, tokenexp=r"\w"), fullgraph=True, backend="aot_eager")
    assert compiled(table)[1].tolist() == [0, 2, 3, 3, 6]


def test_strings_as_separators_are_rejected():
    with pytest.raises(TypeError, match=r"expected `separators` to be a list of patterns, got strings \(use .tolist"):
        so.tokenizer_ragged(["a"], separators=so.StringTensor.from_list([" "]))


@pytest.mark.parametrize("function", [so.tokenizer, so.tokenizer_ragged])
def test_wrong_attributes_are_rejected_before_empty_inputs_return(function: Any):
    strings = so.StringTensor(*compact([]))
    wrong: list[dict[str, Any]] = [
        {},
        {"separators": []},
        {"tokenexp": ""},
        {"tokenexp": "a", "mincharnum": 0},
    ]
    wrong += [{"separators": [" "], "tokenexp": "a"}, {"separators": [""], "mincharnum": 2}]
    for how in wrong:
        with pytest.raises(BAD_ARGUMENT, match=rf"^{function.__name__}: expected "):
            function(strings, **how)
