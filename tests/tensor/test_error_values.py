"""Errors about a wrong value name the operator and the argument, and quote the value."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.registry import OVERLOADS
from tensor.test_error_texts import SUBJECTS, outcome
from torch._dynamo.exc import Unsupported
from torch._subclasses.fake_tensor import FakeTensorMode

import torch_stringops as so
from torch_stringops import StringTensor
from torch_stringops._checks import quoted

TEXT_ARGUMENTS = [
    (op, argument.name, str(argument.type))
    for op in OVERLOADS
    if op in so.__all__
    for argument in getattr(torch.ops.stringops, op).default._schema.arguments
    if "str" in str(argument.type)
]

LONG = 10**6
TOKENS = StringTensor.from_list(["to", "be", "or", "not"])


@pytest.mark.parametrize(("op", "name", "kind"), TEXT_ARGUMENTS)
def test_text_that_utf8_cannot_hold_is_rejected_by_name(op: str, name: str, kind: str):
    s = SUBJECTS[op]
    position = next(position for position, tried in s.tried.items() if tried == name)
    text = "ab\ud800" + "x" * LONG
    listed = "List" in kind
    error = outcome(s, position, ["a", text] if listed else text)
    assert type(error) is ValueError
    assert str(error) == (
        f"{op}: expected `{name}{'[1]' if listed else ''}` to be text that UTF-8 can hold, got a lone surrogate at "
        "codepoint 2 (encode it yourself, and pass bytes)"
    )


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda text: TOKENS.eq(text), "StringTensor.eq: expected `other` to be text"),
        (lambda text: text == TOKENS, "StringTensor.__eq__: expected `other` to be text"),
        (lambda text: TOKENS.where(TOKENS == "to", text), "StringTensor.where: expected `other` to be text"),
        (
            lambda text: StringTensor.from_arrow(TOKENS, missing=text),
            "StringTensor.from_arrow: expected `missing` to be text",
        ),
        (
            lambda text: so.ragged_to_dense(TOKENS, torch.tensor([0, 1, 4]), 2, text),
            "ragged_to_dense: expected `padding_value` to be text",
        ),
    ],
)
def test_text_that_utf8_cannot_hold_is_rejected_by_functions_on_strings(
    call: Callable[[str], Any], name: str
):
    with pytest.raises(ValueError, match="UTF-8") as caught:
        call("ab\ud800" + "x" * LONG)
    assert str(caught.value) == (
        f"{name} that UTF-8 can hold, got a lone surrogate at codepoint 2 "
        "(encode it yourself, and pass bytes)"
    )


@pytest.mark.parametrize("given", ["replac", "x" * LONG, "\ud800", "a\0b", ""])
def test_unknown_error_handlers_are_quoted(given: str):
    for call in (TOKENS.tolist, TOKENS[0].item, TOKENS.numpy):
        with pytest.raises(LookupError, match="handler") as caught:
            call(errors=given)
        assert str(caught.value) == (
            f"StringTensor.{call.__name__}: expected `errors` to be 'strict', 'replace', 'ignore', 'surrogateescape' "
            f"or the name of a registered handler, got {quoted(given)}"
        )


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("rigth", "'rigth'"),
        ("", "''"),
        ("it's a\\b", r"'it\'s a\\b'"),
        ("a\nb\x7f\0", r"'a\x0ab\x7f\x00'"),
        ("é~ ", r"'\xc3\xa9~ '"),
        ("x" * 32, "'" + "x" * 32 + "'"),
        ("x" * 33, "'" + "x" * 32 + "'..."),
        ("é" * 16, "'" + r"\xc3\xa9" * 16 + "'"),
        ("x" + "é" * 16, "'x" + r"\xc3\xa9" * 15 + r"\xc3'..."),
        ("x" * LONG, "'" + "x" * 32 + "'..."),
    ],
)
def test_wrong_choices_are_quoted_alike_by_operators_and_fakes(given: str, shown: str):
    splits = torch.tensor([0, 1])
    side = f"ragged_mask: expected `side` to be 'left' or 'right', got {shown}"
    compat = f"string_split: expected `compat` to be 'reference' or 'onnxruntime', got {shown}"
    with FakeTensorMode() as mode:
        fakes = [mode.from_tensor(t) for t in (splits, TOKENS.data, TOKENS.offsets)]
    for tensors, context in (((splits, TOKENS.data, TOKENS.offsets), nullcontext()), (fakes, mode)):
        with context, pytest.raises(BAD_ARGUMENT) as caught:
            torch.ops.stringops.ragged_mask(tensors[0], 1, given)
        assert str(caught.value) == side
        with context, pytest.raises(BAD_ARGUMENT) as caught:
            torch.ops.stringops.string_split(tensors[1], tensors[2], ",", compat=given)
        assert str(caught.value) == compat


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: so.string_split(TOKENS, 7),
            TypeError,
            "string_split: expected `delimiter` to be str, got int",
        ),
        (
            lambda: TOKENS.strip(TOKENS),
            TypeError,
            "StringTensor.strip: expected `chars` to be str, got StringTensor",
        ),
        (
            lambda: so.tokenizer(TOKENS, separators=["a", TOKENS[0]]),
            TypeError,
            "tokenizer: expected `separators[1]` to be str, got StringTensor",
        ),
        (
            lambda: torch.ops.stringops.string_lower(TOKENS),
            TypeError,
            "string_lower: expected `data` to be a Tensor, got StringTensor (pass its `data` and `offsets`)",
        ),
        (
            lambda: max(TOKENS, key=len),
            TypeError,
            "len() of a 0-d StringTensor (use s.length() for its characters; torch.tensor, which calls len, makes "
            "tensors of numbers: use s.to_number(), s.hash(), or the two tensors s.data and s.offsets)",
        ),
        (
            lambda: so.tokenizer(TOKENS, separators=["a", None]),
            TypeError,
            "tokenizer: expected `separators[1]` to be str, got NoneType",
        ),
        (
            lambda: so.tokenizer(TOKENS, separators=7),
            TypeError,
            "tokenizer: expected `separators` to be List[str], got int",
        ),
        (
            lambda: so.string_split(TOKENS, maxsplit=2**64),
            ValueError,
            "string_split: expected `maxsplit` within [-2**63, 2**63 - 1], got 18446744073709551616",
        ),
        (
            lambda: so.string_split(TOKENS, maxsplit=10**5000),
            ValueError,
            "string_split: expected `maxsplit` within [-2**63, 2**63 - 1], got an int of 16610 bits",
        ),
        (
            lambda: so.ragged_mask(None),
            TypeError,
            "ragged_mask: expected `row_splits` to be a Tensor, got NoneType",
        ),
        (
            lambda: so.ragged_lengths(["a"]),
            TypeError,
            "ragged_lengths: expected `row_splits` to be a Tensor or numbers in a list, got a list of others",
        ),
        (
            lambda: TOKENS.numpy("x" * LONG),
            TypeError,
            "StringTensor.numpy: expected `dtype` to be one of NumPy's, got '" + "x" * 32 + "'...",
        ),
        (
            lambda: np.asarray(TOKENS, dtype=float),
            ValueError,
            "StringTensor.__array__: NumPy cannot convert the strings to float64",
        ),
        (
            lambda: TOKENS.reshape([1] * 65),
            ValueError,
            "StringTensor.reshape: expected at most 64 sizes or axes, got 65",
        ),
        (
            lambda: TOKENS.expand_as(3),
            TypeError,
            "StringTensor.expand_as: expected `other` to be a StringTensor or a Tensor, got int",
        ),
        (
            lambda: so.set_simd_tier("x" * LONG),
            ValueError,
            f"set_simd_tier: expected `tier` to be one of {so.simd_tiers()}, got '{'x' * 32}'...",
        ),
    ],
)
def test_errors_name_the_operator_the_argument_and_its_value(
    call: Callable[[], Any], error: type[Exception], text: str
):
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value) == text


OPTIONS = {
    "side": lambda v: so.ragged_to_dense(TOKENS, torch.tensor([0, 0]), side=v),
    "padding_value": lambda v: so.ragged_to_dense(TOKENS, torch.tensor([0, 0]), padding_value=v),
    "compat": lambda v: so.string_split(TOKENS, compat=v),
    "mincharnum": lambda v: so.tokenizer(TOKENS, separators=[" "], mincharnum=v),
    "pad_value": lambda v: so.tokenizer(TOKENS, separators=[" "], pad_value=v),
    "tier": so.set_simd_tier,
    "num_outputs": lambda v: so.split(TOKENS, num_outputs=v),
    "opset": lambda v: so.split(TOKENS, [1], opset=v),
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(
    "wrong",
    [["a"], np.array(["a", "b"]), torch.zeros(2), {}],
    ids=lambda w: type(w).__name__,
)
def test_arrays_as_options_are_a_type_error(option: str, wrong: object):
    """`wrong == "left"` is an array, whose truth value is ambiguous."""
    with pytest.raises(TypeError, match=rf"^\w+: expected `{option}` to be .*, got {type(wrong).__name__}\b"):
        OPTIONS[option](wrong)


def test_strings_for_a_text_are_named_alike_in_traced_calls():
    traced = torch.compile(lambda s, t: s.strip(t), backend="eager", fullgraph=True)
    with pytest.raises(Unsupported, match="string_strip: expected `chars` to be str, got StringTensor"):
        traced(TOKENS, TOKENS[0])


def test_strings_of_a_traced_call_are_not_read():
    class Lists(torch.nn.Module):
        def forward(self, s: StringTensor) -> torch.Tensor:
            return torch.tensor([len(x) for x in s.lower().tolist()])

    with pytest.raises(
        RuntimeError, match="StringTensor.tolist: the strings of a traced call have no values"
    ):
        so.export(Lists(), (TOKENS,))
    # torch.compile leaves the graph to read them.
    assert torch.compile(lambda s: s.upper().tolist(), backend="eager")(TOKENS) == ["TO", "BE", "OR", "NOT"]
