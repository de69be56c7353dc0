"""The node tests of the `onnx` package."""

import functools
import warnings
from typing import Any

import pytest

onnx = pytest.importorskip("onnx")

from onnx.backend.test.loader import load_model_tests  # noqa: E402
from support import onnx_nodes  # noqa: E402


@functools.cache
def node_tests() -> list[Any]:
    with warnings.catch_warnings():  # tests of other operators overflow
        warnings.simplefilter("ignore")
        return load_model_tests(kind="node")


@pytest.mark.parametrize(
    ("op", "min_tests"),
    [
        ("StringSplit", 6),
        ("RegexFullMatch", 3),
        ("Split", 16),
        ("SplitToSequence", 3),
        ("StringNormalizer", 6),
        ("TfIdfVectorizer", 7),
    ],
)
def test_node_tests(op: str, min_tests: int):
    found = [test for test in node_tests() if [n.op_type for n in test.model.graph.node] == [op]]
    assert len(found) >= min_tests, "the package has fewer tests than it used to have"
    for test in found:
        for inputs, outputs in test.data_sets:
            got = onnx_nodes.run(test.model, inputs)
            assert onnx_nodes.equal(got, outputs), test.name
