"""Comparison with onnxruntime on random inputs: equal outputs, and errors for the same inputs.

docs/differences.md lists the differences; each is identified here by its rule.
"""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx.reference import ReferenceEvaluator  # noqa: E402
from support import onnx_nodes  # noqa: E402
from support.errors import BAD_ARGUMENT  # noqa: E402
from support.onnx_sessions import session  # noqa: E402

SEEDS = st.integers(0, 2**32 - 1)

# The errors of onnxruntime for types without a kernel; other types are compared.
NO_KERNEL = ("NOT_IMPLEMENTED", "Could not find an implementation")
SPLIT_DTYPES = ["bool", "int32", "int64", "uint8", "float16", "float32", "float64", "str"]


def run(model: Any, arrays: list[np.ndarray]) -> list[Any] | None:
    """onnxruntime's outputs; None if it rejects the model or the inputs."""
    names = [value.name for value in model.graph.input]
    try:
        return session(model).run(None, dict(zip(names, arrays, strict=True)))
    except Exception as error:
        if any(text in str(error) for text in NO_KERNEL):
            pytest.fail(f"onnxruntime has no kernel: {error}")
        return None


def numbers(rng: random.Random, shape: list[int], dtype: str) -> np.ndarray:
    count = int(np.prod(shape))
    if dtype == "str":
        words = ["", "a", "bb", "é", "日本", "😀", "with blank", ",", "x" * 40]
        array = np.empty(count, dtype=object)
        array[:] = [rng.choice(words) for _ in range(count)]
        return array.reshape(shape)
    return np.array([rng.randrange(100) for _ in range(count)]).astype(dtype).reshape(shape)


def shape_and_axis(rng: random.Random) -> tuple[list[int], int, int]:
    shape = [
        rng.choice([0, 1, 2, 3, 4, 5, 7]) if rng.random() < 0.3 else rng.randint(1, 6) for _ in range(rng.randint(1, 4))
    ]
    axis = rng.randrange(len(shape))
    return shape, axis, axis - rng.choice([0, len(shape)])


def sizes_of(rng: random.Random, length: int) -> list[int]:
    """Sizes that mostly sum to `length`, and sometimes do not, or are negative."""
    edges = sorted(rng.randint(0, length) for _ in range(rng.randint(0, 4)))
    sizes = [b - a for a, b in zip([0, *edges], [*edges, length], strict=True)]
    if rng.random() < 0.15:
        sizes[rng.randrange(len(sizes))] += rng.choice([-1, 1])
    if rng.random() < 0.05:
        sizes += [-1, 1]
    return sizes


def rejected(model: Any, arrays: list[Any]) -> bool:
    try:
        onnx_nodes.run(model, arrays)
    except (*BAD_ARGUMENT, IndexError):
        return True
    return False


# StringSplit, in both modes.

PIECES = [
    "a", "b", ",", ",,", "::", ":", " ", "  ", "\t", "\n", "é", "日本", "\u3000", "\u00a0", "\u2003", "word", "😀",
]  # fmt: skip
DELIMITERS = ["", ",", "::", " ", "a", "aa", "é", "日本", ", "]


def texts(rng: random.Random, shape: list[int]) -> np.ndarray:
    array = np.empty(int(np.prod(shape)), dtype=object)
    array[:] = ["".join(rng.choices(PIECES, k=rng.choice([0, 1, 2, 3, 5, 9]))) for _ in range(array.size)]
    return array.reshape(shape)


def string_split(seed: int, ranks: list[int]) -> tuple[Any, np.ndarray]:
    rng = random.Random(seed)
    shape = {
        0: [],
        1: [rng.choice([0, 1, 2000])],
        2: [rng.randint(0, 60), rng.randint(0, 40)],
        3: [3, 20, 4],
    }[rng.choice(ranks)]
    attributes: dict[str, Any] = {"delimiter": rng.choice(DELIMITERS)}
    if rng.random() < 0.3:
        del attributes["delimiter"]
    if rng.random() < 0.6:
        attributes["maxsplit"] = rng.choice([-1, 0, 1, 2, 3, 2**63 - 1])
    array = texts(rng, shape)
    model = onnx_nodes.typed(onnx_nodes.model("StringSplit", 1, 2, 20, **attributes), [array])
    model.graph.output[1].type.tensor_type.elem_type = onnx.TensorProto.INT64
    return model, array


@given(seed=SEEDS)
def test_string_split_as_onnxruntime(seed: int):
    model, array = string_split(seed, [0, 1, 1, 2, 3])
    assert onnx_nodes.equal(onnx_nodes.run(model, [array], "onnxruntime"), run(model, [array]))


@given(seed=SEEDS)
def test_string_split_as_the_reference(seed: int):
    model, array = string_split(seed, [1, 1, 2, 3])  # the reference has no rank 0
    if array.size == 0:
        return
    assert onnx_nodes.equal(onnx_nodes.run(model, [array]), ReferenceEvaluator(model).run(None, {"x0": array}))


# Split.


def leaves_nothing(length: int, count: int) -> bool:
    """Whether the last of `count` pieces is empty; onnxruntime rejects that, but its shape inference does not."""
    size = -(-length // count)
    return length == size * (count - 1)


@given(seed=SEEDS)
def test_split_as_onnxruntime(seed: int):
    rng = random.Random(seed)
    opset = rng.choice([2, 11, 13, 18])
    shape, at, axis = shape_and_axis(rng)
    if rng.random() < 0.05:
        axis = rng.choice([len(shape), -len(shape) - 1])
    arrays = [numbers(rng, shape, rng.choice(SPLIT_DTYPES))]
    attributes: dict[str, Any] = {"axis": axis}
    outputs = rng.randint(1, 6)
    if rng.random() < 0.6:
        sizes = sizes_of(rng, shape[at])
        outputs = len(sizes)
        if opset < 13:
            attributes["split"] = sizes
        else:
            arrays.append(np.array(sizes, dtype=np.int64))
    elif opset == 18:
        attributes["num_outputs"] = outputs
    model = onnx_nodes.typed(onnx_nodes.model("Split", len(arrays), outputs, opset, **attributes), arrays)
    want = run(model, arrays)
    if want is not None:
        assert onnx_nodes.equal(onnx_nodes.run(model, arrays), want)
    elif not ("num_outputs" in attributes and leaves_nothing(shape[at], outputs)):
        assert rejected(model, arrays)


# SplitToSequence.


@given(seed=SEEDS)
def test_split_to_sequence_as_onnxruntime(seed: int):
    rng = random.Random(seed)
    shape, at, axis = shape_and_axis(rng)
    if rng.random() < 0.05:
        axis = rng.choice([len(shape), -len(shape) - 1])
    arrays = [numbers(rng, shape, rng.choice(["bool", "int32", "int64", "float16", "float32", "float64", "str"]))]
    attributes: dict[str, Any] = {"axis": axis}
    kind = rng.choice(["none", "scalar", "sizes", "sizes"])
    if kind == "scalar":
        arrays.append(np.array(rng.choice([1, 2, 3, 5, 100, 0, -1]), dtype=rng.choice([np.int32, np.int64])))
    elif kind == "sizes":
        arrays.append(np.array(sizes_of(rng, shape[at]), dtype=rng.choice([np.int32, np.int64])))
    # With a scalar onnxruntime squeezes, which the specification forbids.
    attributes["keepdims"] = 1 if kind == "scalar" else rng.choice([0, 1, 2])
    model = onnx_nodes.model("SplitToSequence", len(arrays), 1, 11, **attributes)
    model = onnx_nodes.typed(model, arrays, sequence=True)
    want = run(model, arrays)
    if want is None:
        assert rejected(model, arrays)
    else:
        assert onnx_nodes.equal(onnx_nodes.run(model, arrays), want)


# Tokenizer: com.microsoft, version 1.
