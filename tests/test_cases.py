"""Recorded outputs of real implementations, through the public functions.

tests/golden holds a copy of the recorded cases, one JSON object a line; each names the program that gave it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import torch_stringops as so

GOLDEN = Path(__file__).parent / "golden"


def load(stem: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{stem}.jsonl").read_text().splitlines()]


def strings(value: dict[str, Any]) -> so.StringTensor:
    return so.StringTensor.from_list(list(value["values"])).reshape(tuple(value["shape"]))


def flat(nested: Any) -> list[Any]:
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


STRING_SPLIT = [
    (case, compat) for case in load("string_split") for compat in case.get("compat", ["reference"])
]


@pytest.mark.parametrize(("case", "compat"), STRING_SPLIT, ids=[f"{c['id']}-{m}" for c, m in STRING_SPLIT])
def test_string_split(case: dict[str, Any], compat: str, tier: str):
    attrs = case["attrs"]

    def run() -> tuple[so.StringTensor, Any]:
        return so.string_split(
            strings(case["inputs"][0]), attrs.get("delimiter", ""), attrs.get("maxsplit", -1), compat=compat
        )

    if case.get("error"):
        with pytest.raises((ValueError, TypeError)):
            run()
        return
    pieces, counts = run()
    want_pieces, want_counts = case["outputs"]
    assert list(pieces.shape) == want_pieces["shape"]
    assert flat(pieces.tolist()) == want_pieces["values"] or not want_pieces["values"]
    assert list(counts.shape) == want_counts["shape"]
    assert counts.reshape(-1).tolist() == want_counts["values"]
