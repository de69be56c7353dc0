"""Comparison with onnxruntime's com.microsoft Tokenizer on random strings and patterns: equal shapes, equal tokens.

STRINGOPS_ONNXRUNTIME_STRINGS sets the number of strings (6,000 use every listed pattern), STRINGOPS_ONNXRUNTIME_SEED
the seed.
"""

import itertools
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from reference.tokenizer import tokenizer_ref
from support.cases import each
from support.tokenizer import CHARACTER_MODES, FLAGS, MEMBERS, NEGATIONS, PADS, PATTERNS, PIECES, QUANTIFIERS, bracket

import torch_stringops as so

pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

from support import onnx_sessions  # noqa: E402

STRINGS = int(os.environ.get("STRINGOPS_ONNXRUNTIME_STRINGS", "6000"))
SEED = int(os.environ.get("STRINGOPS_ONNXRUNTIME_SEED", "20"))


def session(attributes: dict[str, Any]) -> Any:
    kind = onnx.TensorProto.STRING
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Tokenizer", ["x"], ["y"], domain="com.microsoft", **attributes)],
        "tokenizer",
        [onnx.helper.make_tensor_value_info("x", kind, None)],
        [onnx.helper.make_tensor_value_info("y", kind, None)],
    )
    opsets = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("com.microsoft", 1)]
    model = onnx.helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 9
    return onnx_sessions.session(model)


def draw_attributes(rng: random.Random, pattern: str) -> Iterator[dict[str, Any]]:
    """The pattern as the expression, and as one of the separators; sometimes the character modes."""

    def others() -> dict[str, Any]:
        return {
            "mark": rng.randrange(2),
            "mincharnum": rng.choice([1, 1, 2, 3]),
            "pad_value": rng.choice(PADS),
        }

    yield others() | {"tokenexp": pattern}
    more = rng.choices([*PATTERNS, ""], k=rng.choice([0, 0, 1, 2]))
    yield others() | {"separators": rng.sample([pattern, *more], len(more) + 1)}
    if rng.randrange(6) == 0:
        yield others() | {"mincharnum": 1} | rng.choice(CHARACTER_MODES)


def draw_strings(rng: random.Random, count: int) -> np.ndarray[Any, Any]:
    pieces = rng.sample(PIECES, 6) + rng.choices(PIECES[:12], k=4)
    strings = ["".join(rng.choices(pieces, k=rng.choice([0, 1, 2, 3, 5, 8, 13]))) for _ in range(count)]
    columns = rng.choice([1, 2, 3])
    array = np.array(strings, dtype=object)
    return array if columns == 1 else array[: count // columns * columns].reshape(-1, columns)


def draw_pattern(rng: random.Random) -> str:
    members = rng.choices(MEMBERS, k=rng.randint(1, 4))
    return bracket(rng.choice(NEGATIONS), members, rng.choice(QUANTIFIERS), rng.choice(FLAGS))


def calls() -> Iterator[tuple[dict[str, Any], np.ndarray[Any, Any]]]:
    """Alternately each listed pattern and a random class, repeated."""
    rng = random.Random(SEED)
    drawn = 0
    for listed in itertools.cycle(PATTERNS):
        for pattern in (listed, draw_pattern(rng)):
            for attributes in draw_attributes(rng, pattern):
                strings = draw_strings(rng, 6)
                drawn += strings.size
                yield attributes, strings
        if drawn >= STRINGS:
            return


def ours(strings: np.ndarray[Any, Any], attributes: dict[str, Any]) -> so.StringTensor:
    tensor = so.StringTensor.from_list(strings.reshape(-1).tolist()).reshape(strings.shape)
    return so.tokenizer(tensor, **attributes | {"mark": bool(attributes["mark"])})


def test_tokens_equal_those_of_onnxruntime():
    for attributes, strings in calls():
        (want,) = session(attributes).run(["y"], {"x": strings})
        got = ours(strings, attributes)
        assert tuple(got.shape) == want.shape, (attributes, strings.tolist())
        assert got.tolist() == want.tolist(), (attributes, strings.tolist())


def test_oracle_equals_onnxruntime():
    """Verifies the oracle, which all other tests use."""
    for attributes, strings in itertools.islice(calls(), 100):
        (want,) = session(attributes).run(["y"], {"x": strings})
        encoded = np.vectorize(str.encode, otypes=[object])(strings).tolist()
        (got,) = tokenizer_ref(encoded, **attributes)
        decoded = np.vectorize(bytes.decode, otypes=[object])(np.array(got, dtype=object).reshape(want.shape))
        assert decoded.tolist() == want.tolist(), (attributes, strings.tolist())


@each("shape", [(0,), (2, 0), (0, 3), (0, 0), (1,), (1, 1)])
@each("mode", [{"separators": [" "]}, {"separators": [""]}, {"tokenexp": "a+"}])
@each("mark", [0, 1])
def test_shapes_of_empty_inputs_equal_those_of_onnxruntime(shape: tuple[int, ...], mode: dict[str, Any], mark: int):
    attributes = {"mark": mark, "mincharnum": 1, "pad_value": "#"} | mode
    strings = np.full(shape, "", dtype=object)
    (want,) = session(attributes).run(["y"], {"x": strings})
    assert tuple(ours(strings, attributes).shape) == want.shape
