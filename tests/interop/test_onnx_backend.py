"""The node tests of the `onnx` package."""

import functools
import warnings
from typing import Any

import pytest

onnx = pytest.importorskip("onnx")

from onnx.backend.test.loader import load_model_tests  # noqa: E402
from support import onnx_models, onnx_nodes  # noqa: E402

from torch_stringops.onnx import load  # noqa: E402


@functools.cache
def node_tests() -> list[Any]:
    with warnings.catch_warnings():  # tests of other operators overflow
        warnings.simplefilter("ignore")
        return load_model_tests(kind="node")


@pytest.mark.parametrize(("op", "min_tests"), [
    ("StringSplit", 6), ("RegexFullMatch", 3), ("Split", 16), ("SplitToSequence", 3), ("StringNormalizer", 6),
    ("TfIdfVectorizer", 7),
])  # fmt: skip
def test_node_tests(op: str, min_tests: int):
    found = [test for test in node_tests() if [n.op_type for n in test.model.graph.node] == [op]]
    assert len(found) >= min_tests, "the package has fewer tests than it used to have"
    for test in found:
        for inputs, outputs in test.data_sets:
            got = onnx_nodes.run(test.model, inputs)
            assert onnx_nodes.equal(got, outputs), test.name


# Models that load reads, and whose outputs are not the stored ones.
DIFFERENT = {
    "training_dropout": "a loaded model drops nothing",
    "bernoulli": "random numbers",
    "maxpool_with_argmax": "MaxPool has no positions of maxima",
    "uint64": "torch has no kernels of uint64 for most arithmetic",
}


def test_loaded_models_return_the_stored_outputs():
    """All operators that load reads, of strings and numbers; not the models that write them as functions again."""
    counts = {"equal": 0, "unsupported": 0, "with strings": 0}
    for test in node_tests():
        if "_expanded" in test.name:
            continue
        has_strings = onnx_models.has_strings(test.model)
        try:
            module = load(test.model)
        except ValueError as error:
            reasons = ("unsupported operators", "a type that torch has", "is not supported")
            if has_strings or not any(reason in str(error) for reason in reasons):
                pytest.fail(f"{test.name}: {error}")
            counts["unsupported"] += 1
            continue
        if any(part in test.name for part in DIFFERENT):
            continue
        for inputs, outputs in test.data_sets:
            got = onnx_models.run(module, inputs)
            assert len(got) == len(outputs), test.name
            for value, want in zip(got, outputs, strict=True):
                assert onnx_models.is_close(value, want, test.rtol, test.atol), test.name
        counts["equal"] += 1
        counts["with strings"] += has_strings
    assert counts["with strings"] >= 26, counts
    assert counts["equal"] >= 921, counts
