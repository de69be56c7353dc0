"""string_normalizer: ONNX StringNormalizer-10."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from reference.case import string_normalizer_ref
from support import draws, strategies
from support.harness import OpSuite, OpTests, call
from support.strings import compact
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from torch_stringops import StringTensor, string_normalizer

ACTIONS = ["NONE", "LOWER", "UPPER"]
WORDS = [
    "a", "A", "the", "The", "THE", "stra\xdfe", "STRASSE", "\xe9t\xe9", "\xc9T\xc9", "", "\u03c3", "\u03c2", "x" * 20,
]  # fmt: skip
words = st.one_of(st.sampled_from([w.encode() for w in WORDS] + [b"\xff", b"a\xff"]), strategies.strings)
vectors = st.lists(words, max_size=12)
DAYS = [b"Monday", b"tuesday", b"MONDAY", b"", "\xc9t\xe9".encode()]


class TestStringNormalizer(OpTests):
    suite = OpSuite(
        op="string_normalizer",
        reference=string_normalizer_ref,
        too_large=list,  # a vector is no larger than its input, but for case mappings, which string_lower tests
        samples=[
            call(DAYS, []),
            call(DAYS, [], case_change_action="LOWER"),
            call(DAYS, [b"monday", b""]),
            call([DAYS], [[b"monday"], [b"\xc3\x89T\xc3\x89"]], case_change_action="UPPER"),
            call(DAYS, [b"monday", b"MONDAY"], is_case_sensitive=True, case_change_action="LOWER"),
            call([b"a"], [b"A"]),
            call([[b"a"]], [b"a"], is_case_sensitive=True),
            call([[]], [b"a"], case_change_action="LOWER"),
            call([], [], case_change_action="UPPER"),
            call([], [b"a"]),
            call([b"stra\xc3\x9fe", b"\xff", b"\xffA"], [b"STRASSE", b"\xffa"]),
            call([w.encode() for w in WORDS] * 700, [b"the", b"a"], case_change_action="LOWER"),
        ],
        strategy=st.builds(
            lambda s, stop, row, action, exact: call(
                [s] if row else s, stop, case_change_action=action, is_case_sensitive=exact
            ),
            vectors,
            st.lists(words, max_size=4),
            st.booleans(),
            st.sampled_from(ACTIONS),
            st.booleans(),
        ),
        draw=lambda rng, n: call([draws.string(rng) for _ in range(n)], [b"the", b"a"]),
        errors=[
            (
                call([b"a"], [], case_change_action="lower"),
                "expected `case_change_action` to be 'NONE', 'LOWER' or 'UPPER', got 'lower'",
            ),
            (call([[b"a"], [b"b"]], []), "expected strings of shape [C] or [1, C], got shape [2, 1]"),
        ],
    )


def test_arguments_of_the_function():
    words = ["The", "END"]
    assert string_normalizer(words).tolist() == words
    assert string_normalizer(words, stopwords="the").tolist() == ["END"]
    assert string_normalizer([words], case_change_action="LOWER").tolist() == [["the", "end"]]
    with pytest.raises(ValueError, match=r"expected strings of shape \[C\] or \[1, C\], got shape \[\] \(use"):
        string_normalizer("word")


def test_size_is_known_to_tracing_without_stopwords():
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        s = StringTensor(*map(mode.from_tensor, compact([b"a", b"bc", b""])))
        assert string_normalizer(s, case_change_action="UPPER").shape == (3,)
        assert string_normalizer(s.reshape(1, 3)).shape == (1, 3)
        assert not isinstance(string_normalizer(s, stopwords=s).shape[0], int)
        assert string_normalizer(s[:0]).shape == (0,)


def test_equals_onnxruntime_and_the_reference_implementation():
    """On words of ASCII and Latin-1, none of which is empty or has an accent for the reference implementation."""
    onnx_nodes = pytest.importorskip("support.onnx_nodes")
    sessions = pytest.importorskip("support.onnx_sessions")
    reference = pytest.importorskip("onnx.reference").ReferenceEvaluator
    rng = random.Random(5)
    compared = 0
    for _ in range(60):
        plain = rng.random() < 0.5
        letters = "abAB" if plain else "ab\xe9\xc9\xf1"
        vector = ["".join(rng.choices(letters, k=rng.randint(1, 2))) for _ in range(rng.randint(1, 8))]
        attributes: dict[str, Any] = {"case_change_action": rng.choice(ACTIONS), "is_case_sensitive": rng.randint(0, 1)}
        if rng.random() < 0.8:
            attributes["stopwords"] = rng.sample(vector, rng.randint(1, len(vector)))
        array = np.array(vector if rng.random() < 0.5 else [vector], dtype=object)
        model = onnx_nodes.typed(
            onnx_nodes.model("StringNormalizer", 1, 1, 10, locale="C.UTF-8", **attributes), [array]
        )
        if array.ndim == 2:  # onnxruntime rejects an unknown size
            model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
        ours = string_normalizer(
            StringTensor.from_numpy(array), **{**attributes, "is_case_sensitive": bool(attributes["is_case_sensitive"])}
        ).tolist()
        session = sessions.session(model)
        assert ours == session.run(None, {"x0": array})[0].tolist()
        # Without a change of case, the reference implementation compares case even if it should not.
        if plain and (attributes["case_change_action"] != "NONE" or attributes["is_case_sensitive"]):
            assert ours == reference(model).run(None, {"x0": array})[0].tolist()
            compared += 1
    assert compared > 10
