"""The overhead of a call: every operator on two strings, compared with the addition of two numbers.

Calls pass only the arguments that have no default. Some public functions are measured too, for the overhead of
StringTensor.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

import torch_stringops
from benchmarks import ours
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

CALLS = 50
ADD = "torch.ops.aten.add.Tensor"
PYTHON = (
    "On ordinary tensors the operator is differentiable, so each call goes through Python; without that layer it takes "
    "less than 2x. The public function returns views and does not call this operator."
)

RAGGED = (
    "On ordinary tensors the operator is differentiable, so each call goes through Python; in inference mode, without "
    "that layer, it takes 1.1x. The public function skips the layer if nothing is differentiated."
)

TABLE = (
    "It builds a table of 300 KB for two tokens, 256 KB of them for all pairs of two bytes, which are set, appended to "
    "the table and copied to the tensor. A tokenizer is built once."
)

ENCODE_TWO = (
    "It encodes two texts, and writes three tensors. A call of `subword_encode` takes half of the time."
)

NORMALIZE = (
    "It folds the case of strings and stop words, puts these into a set, and selects: four operators in one."
)

CALL = (
    "The time is that of the call. By `perf`, the operator itself takes 6 % (tfidf_vectorizer), 16 % (regex_replace) "
    "and 18 % (tokenize_encode); Python, torch's dispatcher and the C library take the rest, to convert lists, texts "
    "and numbers, of which an addition has none, and to allocate two tensors and more. A call that returns three "
    "tensors takes 1.8 times as long as an addition (`python -m benchmarks.bounds overhead`)."
)

TEXT = "Two tensors are checked, and their bytes decoded; torch reads a number in C++."


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
        found.append(Contender(name, partial(suite.overload, *args, **kwargs), ours=True, calls=CALLS))
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
        contenders += [Contender(name, call, ours=True, calls=CALLS)]
        contenders += [Contender(f"torch: {name}", peer, calls=CALLS)]
        targets += [Target(name, f"torch: {name}", at_most=limit)]
    return Comparison("Methods of StringTensor and of Tensor", contenders, targets, max_rounds=1000)


ROWS = [
    Row(
        "overhead/2 strings",
        build,
        reasons={
            "split": PYTHON,
            "split_to_sequence": PYTHON,
            "ragged_to_dense": RAGGED,
            "dense_to_ragged": RAGGED,
            "subword_build": TABLE,
            "subword_encode_pairs": ENCODE_TWO,
            "string_normalizer": NORMALIZE,
            **dict.fromkeys(
                ("regex_replace", "tfidf_vectorizer", "tfidf_vectorizer.strings", "tokenize_encode"), CALL
            ),
        },
    ),
    Row("overhead/methods", methods, reasons={"s[i]": "torch's slicing is half of it.", "s[i].item()": TEXT}),
]
