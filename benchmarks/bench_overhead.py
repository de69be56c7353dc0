"""What a call costs before it does anything: operators on two strings, beside an addition of two numbers.

Each with the arguments that it cannot do without. Of a few operators the public function stands beside it: what
StringTensor adds.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch

import torch_stringops
from benchmarks import ours
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row

CALLS = 50
ADD = "torch.ops.aten.add.Tensor"
PREFIX = "stringops::"
PYTHON = (
    "On ordinary tensors the operator has a gradient, so each call passes through Python; below that it takes less "
    "than 2x. The public function returns views, without this operator."
)

# A call's positional arguments, and those with a name.
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def operators() -> list[str]:
    """Every registered operator, with its overload where it is not the default one; private ones left out."""
    found = (name.removeprefix(PREFIX) for name in torch._C._dispatch_get_all_op_names() if PREFIX in name)
    return sorted(name for name in found if not name.startswith("_"))


def arguments() -> dict[str, Callable[[], Arguments]]:
    """Operator -> its arguments for two strings, made when it is its turn."""
    strings = torch_stringops.StringTensor.from_list(["ab c", "d"])
    text = strings.data, strings.offsets
    begins, ends = torch.tensor([0, 2]), torch.tensor([1, 3])
    row_splits, lengths = torch.tensor([0, 1, 2]), torch.tensor([1, 1])

    def call(*positional: Any, **named: Any) -> Callable[[], Arguments]:
        return lambda: (positional, named)

    def with_table() -> Arguments:
        return (*text, ours.operator("vocab_build")(*text)), {}

    return {
        "dense_to_ragged": call(begins.view(2, 1), lengths),
        "ragged_mask": call(row_splits, 2),
        "ragged_to_dense": call(begins, row_splits, 2),
        "split": call(begins, num_outputs=2),
        "split.strings": call(*text, num_outputs=2),
        "split_encode": with_table,
        "split_to_sequence": call(begins),
        "split_to_sequence.strings": call(*text),
        "string_equal": call(*text, *text),
        "string_split": call(*text),
        "string_split_ragged": call(*text),
        "string_tensor_pack": call(begins, ends, strings.data),
        "string_tensor_unpack": call(*text),
        "string_unique": call(*text),
        "tokenizer": call(*text, tokenexp="[a-z]+"),
        "tokenizer_ragged": call(*text, tokenexp="[a-z]+"),
        "vocab_build": call(*text),
        "vocab_encode": with_table,
    }


def contenders() -> list[Contender | Skipped]:
    found: list[Contender | Skipped] = []
    for name, made in arguments().items():
        try:
            operator = ours.operator(*name.split("."))
            positional, named = made()
        except ours.Missing as error:
            found.append(Skipped(name, str(error)))
        else:
            found.append(Contender(name, partial(operator, *positional, **named), ours=True, calls=CALLS))
    return found


def functions() -> list[Contender]:
    strings = torch_stringops.StringTensor.from_list(["ab c", "d"])
    calls = {
        "string_split_ragged": partial(torch_stringops.string_split_ragged, strings),
        "string_equal": partial(torch_stringops.string_equal, strings, strings),
        "tokenizer_ragged": partial(torch_stringops.tokenizer_ragged, strings, tokenexp="[a-z]+"),
    }
    return [
        Contender(f"torch_stringops.{name}", call, ours=True, calls=CALLS) for name, call in calls.items()
    ]


def build(context: Context) -> Comparison:
    a, b = torch.ones(2), torch.ones(2)
    called, public = contenders(), functions()
    traffic = ours.num_bytes([a, b, torch.add(a, b)])
    return Comparison(
        "A call on two strings",
        [
            *called,
            *public,
            Contender(ADD, partial(torch.ops.aten.add.Tensor, a, b), calls=CALLS),
            *(replace(copy, calls=CALLS) for copy in ours.memcpy(traffic)),
        ],
        [Target(c.name, ADD, at_most=2) for c in called],
        max_rounds=1000,
    )


ROWS = [Row("overhead/2 strings", build, reasons={"split": PYTHON, "split_to_sequence": PYTHON})]
