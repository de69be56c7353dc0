"""Recorded outputs of other implementations, through the public functions.

tests/golden has a copy of the recorded cases, one JSON object per line, which names the program that produced it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT

import torch_stringops as so

GOLDEN = Path(__file__).parents[1] / "golden"


def load(stem: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{stem}.jsonl").read_text().splitlines()]


def strings(value: dict[str, Any]) -> so.StringTensor:
    return so.StringTensor.from_list(list(value["values"])).reshape(tuple(value["shape"]))


def flat(nested: Any) -> list[Any]:
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


STRING_SPLIT = [(case, compat) for case in load("string_split") for compat in case.get("compat", ["reference"])]


@each(("case", "compat"), STRING_SPLIT)
def test_string_split(case: dict[str, Any], compat: str, tier: str):
    attrs = case["attrs"]

    def run() -> tuple[so.StringTensor, Any]:
        return so.string_split(
            strings(case["inputs"][0]), attrs.get("delimiter", ""), attrs.get("maxsplit", -1), compat=compat
        )

    if case.get("error"):
        with pytest.raises((*BAD_ARGUMENT, TypeError)):
            run()
        return
    pieces, counts = run()
    want_pieces, want_counts = case["outputs"]
    assert list(pieces.shape) == want_pieces["shape"]
    assert flat(pieces.tolist()) == want_pieces["values"] or not want_pieces["values"]
    assert list(counts.shape) == want_counts["shape"]
    assert counts.reshape(-1).tolist() == want_counts["values"]


def argument(value: dict[str, Any] | None) -> Any:
    """The input of a recorded case, in which complex numbers are pairs, and an omitted input is null."""
    if value is None:
        return None
    if value["dtype"] == "string":
        return strings(value)
    dtype = getattr(torch, value["dtype"])
    if dtype.is_complex:
        return torch.tensor([complex(*pair) for pair in value["values"]], dtype=dtype).reshape(value["shape"])
    if value["dtype"].startswith("uint"):  # torch can create some of these only from NumPy arrays
        return torch.from_numpy(np.array(value["values"], dtype=value["dtype"]).reshape(value["shape"]))
    return torch.tensor(value["values"], dtype=dtype).reshape(value["shape"])


def same(got: Any, want: dict[str, Any]) -> bool:
    if isinstance(got, so.StringTensor):
        found = flat(got.tolist()) if got.numel() else []
        return (want["dtype"], want["shape"], want["values"]) == ("string", list(got.shape), found)
    expected = argument(want)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return False
    if got.dtype.is_floating_point or got.dtype.is_complex:
        return torch.equal(got.nan_to_num(nan=7), expected.nan_to_num(nan=7))
    return torch.equal(got, expected)


def string_tensor_unpack(case: dict[str, Any]) -> list[Any]:
    return list(so.string_tensor_unpack(argument(case["inputs"][0])))


def string_tensor_pack(case: dict[str, Any]) -> list[Any]:
    return [so.string_tensor_pack(*map(argument, case["inputs"]))]


def split_to_sequence(case: dict[str, Any]) -> list[Any]:
    return so.split_to_sequence(*map(argument, case["inputs"]), **case["attrs"])


def split(case: dict[str, Any]) -> list[Any]:
    attrs, opset = case["attrs"], case["version"]
    input, sizes = [*map(argument, case["inputs"]), None][:2]
    options = {name: attrs[name] for name in ("axis", "num_outputs") if name in attrs}
    if sizes is None:
        sizes = attrs.get("split")
    if sizes is None and opset < 18:
        options["num_outputs"] = case["n_outputs"]
    pieces = so.split(input, sizes, **options, opset=opset)
    if len(pieces) != case["n_outputs"]:
        raise ValueError("the node has another number of outputs")
    return pieces


RUN: dict[str, Callable[[dict[str, Any]], list[Any]]] = {
    "split": split,
    "split_to_sequence": split_to_sequence,
    "string_tensor_pack": string_tensor_pack,
    "string_tensor_unpack": string_tensor_unpack,
}
CASES = [(stem, case) for stem in RUN for case in load(stem)]


@each(("stem", "case"), CASES)
def test_recorded_case(stem: str, case: dict[str, Any]):
    if case.get("error"):
        with pytest.raises((*BAD_ARGUMENT, TypeError, IndexError)):
            RUN[stem](case)
        return
    outputs = RUN[stem](case)
    assert len(outputs) == len(case["outputs"])
    for got, want in zip(outputs, case["outputs"], strict=True):
        assert same(got, want)


def test_every_recorded_file_is_run():
    assert {path.stem for path in GOLDEN.glob("*.jsonl")} == {"hash", "string_split", "tokenizer", *RUN}


# onnxruntime requires mark, mincharnum and pad_value; tokenizer gives them defaults.
TOKENIZER = [c for c in load("tokenizer") if {"mark", "mincharnum", "pad_value"} <= c["attrs"].keys()]


@each("case", TOKENIZER)
def test_tokenizer(case: dict[str, Any], tier: str):
    attrs = case["attrs"] | {"mark": bool(case["attrs"]["mark"])}
    if case.get("error"):
        with pytest.raises((*BAD_ARGUMENT, TypeError)):
            so.tokenizer(strings(case["inputs"][0]), **attrs)
        return
    tokens = so.tokenizer(strings(case["inputs"][0]), **attrs)
    (want,) = case["outputs"]
    assert list(tokens.shape) == want["shape"]
    assert flat(tokens.tolist()) == want["values"] or not want["values"]
