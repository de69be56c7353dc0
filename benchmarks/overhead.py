"""The overhead of a call: every operator on two strings, compared with a call of torch on two numbers.

That is an addition, unless the operator returns more tensors, converts more arguments or has a derivative in Python.
Calls pass only the arguments that have no default.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import torch_stringops
from benchmarks import ours
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

CALLS = 50
ADD = "torch.ops.aten.add.Tensor"
# What torch itself takes for such a call, where it takes longer than an addition.
THREE = "torch.ops.aten.native_layer_norm"  # returns three tensors, and converts a list and a number
DERIVATIVE = "an operator in Python with a derivative"
TABLE = "a copy of the table"
OTHERS: dict[str, tuple[str, float]] = {
    # On ordinary tensors, calls of these go through Python, where their derivatives are.
    **dict.fromkeys(("dense_to_ragged", "ragged_to_dense", "split", "split_to_sequence"), (DERIVATIVE, 1.3)),
    # By `perf`, the operator itself takes 6 % (tfidf_vectorizer), 16 % (regex_replace) and 18 % (tokenize_encode) of
    # the call. The rest converts lists, texts and numbers, of which an addition has none, and allocates tensors.
    **dict.fromkeys(("regex_replace", "tfidf_vectorizer", "tfidf_vectorizer.strings", "tokenize_encode"), (THREE, 1.5)),
    "subword_encode_pairs": ("subword_encode", 2),  # encodes two texts
    # The case of strings and stop words is folded, a set is made of these, and strings are selected.
    "string_normalizer": (THREE, 1.6),
    # The table of two tokens has 300 KB, 256 KB of them for all pairs of two bytes. These are set, appended to the
    # table and copied to the tensor.
    "subword_build": (TABLE, 6),
}


def suites() -> dict[str, Any]:
    """The suite of each public operator, by overload. The suites of tests/ops define the calls to measure."""
    if (folder := str(Path(__file__).resolve().parents[1] / "tests")) not in sys.path:
        sys.path.append(folder)
    from support.registry import all_suites

    return {name: suite for name, suite in all_suites().items() if not name.startswith("_")}


def contenders() -> list[Contender]:
    found = []
    for name, suite in suites().items():
        args, kwargs = suite.tensors(suite.small_call())
        found.append(Contender(name, partial(suite.overload, *args, **kwargs), None, ours=True, calls=CALLS))
    return found


def differentiable() -> Callable[..., Tensor]:
    """An addition that is called as operators with a derivative in Python are."""
    library = torch.library.Library("benchmarks", "DEF")
    library.define("add(Tensor a, Tensor b) -> Tensor")
    library.impl("add", torch.ops.aten.add.Tensor, "CPU")
    torch.library.register_autograd("benchmarks::add", lambda context, grad: (grad, grad), lib=library)
    LIBRARIES.append(library)
    return torch.ops.benchmarks.add.default


LIBRARIES: list[torch.library.Library] = []  # an operator exists as long as its library


def of_torch(a: Tensor, b: Tensor, table: Tensor) -> list[Contender]:
    calls: dict[str, Callable[[], Any]] = {
        ADD: partial(torch.ops.aten.add.Tensor, a, b),
        THREE: partial(torch.ops.aten.native_layer_norm.default, a, [2], None, None, 1e-5),
        DERIVATIVE: partial(differentiable(), a, b),
        TABLE: table.clone,
    }
    return [Contender(name, call, None, calls=CALLS) for name, call in calls.items()]


def build(context: Context) -> Comparison:
    a, b = torch.ones(2), torch.ones(2)
    called = contenders()
    table = next(contender.call() for contender in called if contender.name == "subword_build")
    copies = (replace(copy, calls=CALLS) for copy in ours.memcpy(ours.num_bytes([a, b, torch.add(a, b)])))
    targets = [Target(c.name, *OTHERS.get(c.name, (ADD, 2))) for c in called]
    contenders_ = [*called, *of_torch(a, b, table), *copies]
    return Comparison("A call on two strings", contenders_, targets, max_rounds=1000)


def methods(context: Context) -> Comparison:
    """Methods of a StringTensor, each compared with the same call on a Tensor of numbers."""
    strings = torch_stringops.StringTensor.from_list(["to be", "or", "not", "to", "be"] * 20)
    numbers = torch.arange(len(strings))
    pairs, pairs_of_numbers = strings.reshape(-1, 2), numbers.reshape(-1, 2)
    calls: dict[str, tuple[Callable[[], Any], Callable[[], Any], float]] = {
        "s[i]": (lambda: strings[3], lambda: numbers[3], 3),
        "s[i, j]": (lambda: pairs[3, 1], lambda: pairs_of_numbers[3, 1], 3),
        "s[a:b]": (lambda: strings[2:9], lambda: numbers[2:9], 2.5),
        "s[i].item()": (lambda: strings[3].item(), lambda: numbers[3].item(), 6),
        's == "x"': (lambda: strings == "be", lambda: numbers == 1, 3),
    }
    contenders = [replace(copy, calls=CALLS) for copy in ours.memcpy(16)]
    targets = []
    for name, (call, peer, limit) in calls.items():
        contenders += [Contender(name, call, None, ours=True, calls=CALLS)]
        contenders += [Contender(f"torch: {name}", peer, None, calls=CALLS)]
        targets += [Target(name, f"torch: {name}", at_most=limit)]
    return Comparison("Methods of StringTensor and of Tensor", contenders, targets, max_rounds=1000)


ROWS = [Row("overhead/2 strings", build), Row("overhead/methods", methods)]
