"""What a call costs before it does anything: operators on two strings, beside an addition of two numbers."""

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


def operator_calls() -> dict[str, Callable[[], tuple[Any, ...]]]:
    """Operator -> its arguments for two strings."""
    strings = torch_stringops.StringTensor.from_list(["ab c", "d"])
    data, offsets = strings.data, strings.offsets
    begins, ends = torch.tensor([0, 2]), torch.tensor([1, 3])
    return {
        "string_split_ragged": lambda: (data, offsets),
        "string_split": lambda: (data, offsets),
        "string_tensor_pack": lambda: (begins, ends, data),
        "string_unique": lambda: (data, offsets),
        "vocab_encode": lambda: (data, offsets, ours.operator("vocab_build")(data, offsets)),
        "ragged_to_dense": lambda: (begins, torch.tensor([0, 1, 2]), 2),
    }


def contenders() -> list[Contender | Skipped]:
    found: list[Contender | Skipped] = []
    for name, arguments in operator_calls().items():
        try:
            call = partial(ours.operator(name), *arguments())
        except ours.Missing as error:
            found.append(Skipped(name, str(error)))
        else:
            found.append(Contender(name, call, ours=True, calls=CALLS))
    return found


def build(context: Context) -> Comparison:
    a, b = torch.ones(2), torch.ones(2)
    operators = contenders()
    strings = torch_stringops.StringTensor.from_list(["ab c", "d"])
    public = partial(torch_stringops.string_split_ragged, strings)
    traffic = ours.num_bytes(ours.tensors_of([strings, *public()]))
    return Comparison(
        "A call on two strings",
        [
            *operators,
            Contender("torch_stringops.string_split_ragged", public, ours=True, calls=CALLS),
            Contender(ADD, partial(torch.ops.aten.add.Tensor, a, b), calls=CALLS),
            *(replace(copy, calls=CALLS) for copy in ours.memcpy(traffic)),
        ],
        [Target(c.name, ADD, at_most=2) for c in operators],
        max_rounds=1000,
    )


ROWS = [Row("overhead/2 strings", build)]
