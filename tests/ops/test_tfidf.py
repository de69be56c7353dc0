"""tfidf_vectorizer: ONNX TfIdfVectorizer-9."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from reference.tfidf import tfidf_vectorizer_ref
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call

from torch_stringops import StringTensor, tfidf_vectorizer

MODES = ["TF", "IDF", "TFIDF"]


def int64(values: list[int]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


def random_arguments(rng: random.Random, rows: int | None = None) -> tuple[list[Any], list[int], dict[str, Any]]:
    """Elements 0 to 5 of rows, those of a pool, and the attributes."""
    longest = rng.randint(1, 3)
    grams: list[tuple[int, ...]] = []
    counts = []
    for n in range(1, longest + 1):
        counts.append(sum(map(len, grams)))
        found = {tuple(rng.randrange(5) for _ in range(n)) for _ in range(rng.randint(0, 5))}
        grams += rng.sample(sorted(found), len(found))
    attributes: dict[str, Any] = {
        "max_gram_length": longest,
        "min_gram_length": rng.randint(1, longest),
        "max_skip_count": rng.choice([0, 0, 1, 2, 3, 2**40]),
        "mode": rng.choice(MODES),
        "ngram_counts": counts,
    }
    indexes = rng.sample(range(len(grams)), len(grams))
    if attributes["mode"] != "IDF" and rng.random() < 0.3:
        indexes = [rng.randrange(len(grams) + 2) for _ in grams]
    attributes["ngram_indexes"] = indexes
    if rng.random() < 0.6:
        attributes["weights"] = [rng.choice([0.1, 0.25, 1.0, 3.5]) for _ in grams]
    cols = rng.randint(0, 8)
    sample = [[rng.randrange(6) for _ in range(cols)] for _ in range(rows or rng.randint(1, 4))]
    elements: list[Any] = sample if rows or rng.random() < 0.7 else sample[0]
    return elements, [element for gram in grams for element in gram], attributes


def tensors(attributes: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    rest = dict(attributes)
    weights = rest.pop("weights", None)
    indexes = int64(rest.pop("ngram_indexes"))
    return [indexes, None if weights is None else torch.tensor(weights)], rest


def of_ints(rng: random.Random, rows: int | None = None) -> Call:
    elements, pool, attributes = random_arguments(rng, rows)
    positional, keywords = tensors(attributes)
    dtype = rng.choice([torch.int32, torch.int64])
    return call(torch.tensor(elements, dtype=dtype), int64(pool), *positional, **keywords)


def of_strings(rng: random.Random, rows: int | None = None) -> Call:
    elements, pool, attributes = random_arguments(rng, rows)
    positional, keywords = tensors(attributes)

    def words(level: Any) -> Any:
        if isinstance(level, list):
            return [words(part) for part in level]
        return [b"", b"a", b"b\xff", "\xe9".encode(), b"longer than 11 bytes", b"unknown"][level]

    return call(words(elements), words(pool), *positional, **keywords)


def drawn(make: Callable[..., Call]) -> st.SearchStrategy[Call]:
    return st.integers(0, 2**32 - 1).map(lambda seed: make(random.Random(seed)))


def samples(make: Callable[..., Call]) -> list[Call]:
    rng = random.Random(3)
    return [make(rng) for _ in range(6)] + [make(rng, rows=2000)]


PLAIN: dict[str, Any] = {"max_gram_length": 2, "max_skip_count": 0, "min_gram_length": 1, "mode": "TF"}
ROW = int64([5, 6, 5, 5])
POOL = int64([5, 6, 5, 6, 6, 5])
INDEXES = int64([0, 1, 2, 3])


def rejected(pool: Any = POOL, indexes: Any = INDEXES, weights: Any = None, row: Any = ROW, **changed: Any) -> Call:
    return call(row, pool, indexes, weights, **{**PLAIN, "ngram_counts": [0, 2], **changed})


ERRORS = [
    (rejected(mode="TFiDF"), "expected `mode` to be 'TF', 'IDF' or 'TFIDF', got 'TFiDF'"),
    (rejected(min_gram_length=0), "expected `min_gram_length` >= 1, got 0"),
    (rejected(max_gram_length=0), "expected `max_gram_length` >= `min_gram_length` (1), got 0"),
    (rejected(max_skip_count=-1), "expected `max_skip_count` >= 0, got -1"),
    (rejected(num_outputs=-1), "expected `num_outputs` within [0, 67108864], got -1"),
    (rejected(row=ROW.float()), "expected `input` to be int32 or int64, got float32"),
    (rejected(row=ROW[0]), "expected `input` of shape [C] or [N, C], got shape []"),
    (rejected(row=ROW.reshape(1, 2, 2)), "expected `input` of shape [C] or [N, C], got shape [1, 2, 2]"),
    (rejected(pool=POOL.int()), "expected `pool_int64s` to be int64, got int32 (convert with .to(torch.int64))"),
    (rejected(indexes=INDEXES.reshape(2, 2)), "expected `ngram_indexes` of rank 1, got shape [2, 2]"),
    (
        rejected(ngram_counts=[2, 0]),
        "expected `ngram_counts` to be ascending positions in a pool of 6 elements, got 2 and 0 at position 0",
    ),
    (
        rejected(ngram_counts=[0, 7]),
        "expected `ngram_counts` to be ascending positions in a pool of 6 elements, got 0 and 7 at position 0",
    ),
    (
        rejected(ngram_counts=[-1, 2]),
        "expected `ngram_counts` to be ascending positions in a pool of 6 elements, got -1 and 2 at position 0",
    ),
    (rejected(ngram_counts=[0, 1]), "expected the 2-grams of the pool to have 2 elements each, got 5 in all"),
    (
        rejected(indexes=INDEXES[:3]),
        "expected `ngram_indexes` of 4 elements, as many as there are n-grams in the pool, got 3",
    ),
    (rejected(indexes=INDEXES - 1), "expected `ngram_indexes` within [0, 67108863], got -1 at position 0"),
    (rejected(num_outputs=3), "expected `ngram_indexes` within [0, 2], got 3 at position 3"),
    (rejected(indexes=INDEXES * 2**31), "expected `ngram_indexes` within [0, 67108863], got 2147483648 at position 1"),
    (rejected(weights=torch.ones(3)), "expected `weights` of 4 elements, like `ngram_indexes`, got 3"),
    (
        rejected(weights=torch.ones(4, dtype=torch.float64)),
        "expected `weights` to be float32, got float64 (convert with .to(torch.float32))",
    ),
    (
        rejected(pool=int64([5, 5, 5, 6, 6, 5])),
        "expected distinct n-grams in the pool, got the same 1-gram at positions 0 and 1 of the n-grams",
    ),
    (
        rejected(row=torch.zeros([32, 0], dtype=torch.int64), num_outputs=2**26),
        "expected a result of at most 2147483647 elements, got [32, 67108864] (pass fewer rows or n-grams)",
    ),
]


class TestTfidfVectorizer(OpTests):
    suite = OpSuite(
        op="tfidf_vectorizer",
        reference=tfidf_vectorizer_ref,
        samples=[
            rejected(num_outputs=7, max_skip_count=1),
            call(ROW[:0], int64([]), int64([]), **PLAIN, ngram_counts=[0]),
            *samples(of_ints),
        ],
        strategy=drawn(of_ints),
        draw=lambda rng, n: of_ints(rng, rows=max(n, 1)),
        small=rejected(),
        errors=[(bad, f"tfidf_vectorizer: {text}") for bad, text in ERRORS],
        too_large=list,
    )


class TestTfidfVectorizerStrings(OpTests):
    suite = OpSuite(
        op="tfidf_vectorizer",
        overload_name="strings",
        reference=tfidf_vectorizer_ref,
        samples=samples(of_strings),
        strategy=drawn(of_strings),
        draw=lambda rng, n: of_strings(rng, rows=max(n, 1)),
        small=call([b"ab c", b"d"], [b"d", b"e"], int64([0, 1]), None, **PLAIN, ngram_counts=[0]),
        errors=[
            (
                call([[[b"a"]]], [b"a"], int64([0]), None, **PLAIN, ngram_counts=[0]),
                "expected `input` of shape [C] or [N, C], got shape [1, 1, 1]",
            )
        ],
        too_large=list,
    )


def test_arguments_of_the_function():
    arguments: dict[str, Any] = {**PLAIN, "ngram_counts": [0], "ngram_indexes": [1, 0]}
    words = [["a", "b"], ["b", "c"]]
    assert tfidf_vectorizer(words, pool_strings=["a", "b"], **arguments).tolist() == [[1, 1], [1, 0]]
    assert tfidf_vectorizer(ROW, pool_int64s=[5, 6], weights=[2, 0.5], **{**arguments, "mode": "TFIDF"}).tolist() == [
        0.5,
        6,
    ]
    with pytest.raises(TypeError, match="expected one of `pool_int64s` and `pool_strings`, got neither"):
        tfidf_vectorizer(ROW, **arguments)
    with pytest.raises(TypeError, match="expected one of `pool_int64s` and `pool_strings`, got both"):
        tfidf_vectorizer(ROW, pool_int64s=[5], pool_strings=["a"], **arguments)
    with pytest.raises(TypeError, match="expected `pool_int64s` for an input of integers, got the other pool"):
        tfidf_vectorizer(ROW, pool_strings=["a"], **arguments)
    with pytest.raises(TypeError, match="expected `pool_strings` for an input of strings, got the other pool"):
        tfidf_vectorizer(words, pool_int64s=[5], **arguments)
    with pytest.raises(TypeError, match="expected `ngram_indexes` to be a list of ints or a Tensor, got float"):
        tfidf_vectorizer(ROW, pool_int64s=[5, 6], **{**arguments, "ngram_indexes": 1.0})
    with pytest.raises(ValueError, match=r"expected `input` of shape \[C\] or \[N, C\], got shape \[\] \(use"):
        tfidf_vectorizer("a", pool_strings=["a", "b"], **arguments)


def test_sums_are_rounded_once():
    """float32 has no odd numbers beyond 2**24, and ten tenths in it are not one."""
    plain: dict[str, Any] = {**PLAIN, "ngram_counts": [0], "ngram_indexes": [1, 0], "pool_int64s": [5, 6]}
    count = 20_000_001
    row = torch.tensor([5], dtype=torch.int32).expand(count)
    assert tfidf_vectorizer(row, **plain).tolist() == [0, float(np.float32(count))]
    weighted = {**plain, "mode": "TFIDF", "weights": [0.1, -0.1]}
    for count in (3, 10, 1000):
        row = torch.tensor([[5] * count, [6] * count, [7] * count])
        want = float(np.float32(np.float64(np.float32(0.1)) * count))
        assert tfidf_vectorizer(row, **weighted).tolist() == [[0, want], [-want, 0], [0, 0]]
    # Weights that cancel, and then do not.
    cancelling = {**weighted, "ngram_indexes": [1, 1]}
    assert tfidf_vectorizer(torch.tensor([[5, 6, 5, 6], [5, 6, 5, 5]]), **cancelling).tolist() == [
        [0, 0],
        [0, float(np.float32(2 * np.float64(np.float32(0.1))))],
    ]


def test_a_pool_that_is_written_between_calls_is_seen():
    """The last pool is kept, by its content."""
    pool = StringTensor.from_list(["a", "b"])
    arguments: dict[str, Any] = {**PLAIN, "ngram_counts": [0], "ngram_indexes": [0, 1]}
    assert tfidf_vectorizer(["a", "c"], pool_strings=pool, **arguments).tolist() == [1, 0]
    pool.data.copy_(torch.tensor(list(b"xc"), dtype=torch.uint8))
    assert tfidf_vectorizer(["a", "c"], pool_strings=pool, **arguments).tolist() == [0, 1]
    assert tfidf_vectorizer(["a", "c"], pool_strings=pool, **{**arguments, "min_gram_length": 2}).tolist() == [0, 0]
    ints = int64([1, 2])
    assert tfidf_vectorizer(int64([2, 3]), pool_int64s=ints, **arguments).tolist() == [0, 1]
    ints[0] = 3
    assert tfidf_vectorizer(int64([2, 3]), pool_int64s=ints, **arguments).tolist() == [1, 1]
    with pytest.raises(BAD_ARGUMENT):
        tfidf_vectorizer(int64([2, 3]), pool_int64s=int64([3, 3]), **arguments)
    assert tfidf_vectorizer(int64([2, 3]), pool_int64s=ints, **arguments).tolist() == [1, 1]


def test_equals_onnxruntime_and_the_reference_implementation():
    """The reference implementation takes weights by the position in the output, and needs them for IDF and TFIDF."""
    onnx = pytest.importorskip("onnx")
    sessions = pytest.importorskip("support.onnx_sessions")
    reference = pytest.importorskip("onnx.reference").ReferenceEvaluator
    rng = random.Random(7)
    for _ in range(120):
        elements, pool, attributes = random_arguments(rng)
        attributes["max_skip_count"] = min(attributes["max_skip_count"], 9)
        if not pool or elements == [[]]:
            continue
        strings = rng.random() < 0.5
        array = np.array(elements, dtype=rng.choice([np.int32, np.int64]))
        if strings:
            array, pool = array.astype(str).astype(object), [str(element) for element in pool]
        attributes["pool_strings" if strings else "pool_int64s"] = pool
        node = onnx.helper.make_node("TfIdfVectorizer", ["x"], ["y"], **attributes)
        kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        value = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(
            [node], "g", [value("x", kind, array.shape)], [value("y", onnx.TensorProto.FLOAT, None)]
        )
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 10)], ir_version=8)
        input = StringTensor.from_numpy(array) if strings else torch.from_numpy(array)
        ours = tfidf_vectorizer(input, **attributes).tolist()
        session = sessions.session(model)
        assert ours == session.run(None, {"x": array})[0].tolist()
        if attributes["mode"] == "TF":
            assert ours == reference(model).run(None, {"x": array})[0].tolist()
