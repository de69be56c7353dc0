"""Random nodes of ai.onnx.ml, and Scan and Loop, read by `load`, in the reference evaluator of onnx and in onnxruntime.

    stress onnx_reference [--models N] [--seed S]

The evaluator is onnx's own implementation of the operators, in NumPy. A row for each operator has the number of models by
which of the two gives equal outputs. Ends with code 1 if neither does. Leaves of TreeEnsembleRegressor and -Classifier have
a weight for each target, as exporters write them: of a target without weights, the two differ from each other.
"""

import random
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator
from support import onnx_models, programs
from support.onnx_samples import SAMPLES, node, strings, value
from support.onnx_sessions import session

from torch_stringops.onnx import load

Rng = random.Random
WORDS = ["a", "bc", "café", "", "to be"]
OPSETS = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3)]


def floats(rng: Rng, *shape: int) -> np.ndarray:
    return np.array([rng.randint(-8, 8) / 4 for _ in range(int(np.prod(shape)))], np.float32).reshape(shape)


def words(rng: Rng, count: int) -> np.ndarray:
    return np.array([rng.choice(WORDS) for _ in range(count)], object)


def listed(rng: Rng, count: int) -> list[float]:
    return floats(rng, count).tolist()


def labels(rng: Rng, count: int, ints: str = "classlabels_ints") -> dict[str, Any]:
    if rng.random() < 0.5:
        return {"classlabels_strings": [f"class {i}" for i in range(count)]}
    return {ints: [3 * i - 1 for i in range(count)]}


def scaler(rng: Rng) -> tuple[Any, Any]:
    n = rng.choice([1, 3])
    return ("Scaler", {"offset": listed(rng, n), "scale": listed(rng, n)}), [floats(rng, 4, 3)]


def binarizer(rng: Rng) -> tuple[Any, Any]:
    return ("Binarizer", {"threshold": rng.randint(-4, 4) / 4}), [floats(rng, 3, 4)]


def normalizer(rng: Rng) -> tuple[Any, Any]:
    return ("Normalizer", {"norm": rng.choice(["MAX", "L1", "L2"])}), [floats(rng, 3, 4)]


def imputer(rng: Rng) -> tuple[Any, Any]:
    x = floats(rng, 4, 3)
    missing = rng.choice([float("nan"), 0.5])
    x[rng.randrange(4), rng.randrange(3)] = missing
    return ("Imputer", {"imputed_value_floats": listed(rng, 3), "replaced_value_float": missing}), [x]


def extractor(rng: Rng) -> tuple[Any, Any]:
    at = np.array([rng.randrange(4) for _ in range(rng.randint(1, 5))])
    return ("ArrayFeatureExtractor", {}), [floats(rng, 3, 4), at]


def encoder(rng: Rng) -> tuple[Any, Any]:
    x = words(rng, 6)
    known = rng.sample(WORDS, 3)
    kind = rng.randrange(3)
    if kind == 0:
        return ("LabelEncoder", {"keys_strings": known, "values_int64s": [5, -1, 7], "default_int64": 9}), [x]
    if kind == 1:
        numbers = listed(rng, 3)
        return ("LabelEncoder", {"keys_strings": known, "values_floats": numbers, "default_float": 0.5}), [x]
    ints = np.array([rng.randint(0, 4) for _ in range(6)])
    return ("LabelEncoder", {"keys_int64s": [0, 2, 4], "values_strings": known, "default_string": "?"}), [ints]


def one_hot(rng: Rng) -> tuple[Any, Any]:
    return ("OneHotEncoder", {"cats_strings": rng.sample(WORDS, 3), "zeros": 1}), [words(rng, 5).reshape(-1, 1)]


def linear_regressor(rng: Rng) -> tuple[Any, Any]:
    targets = rng.choice([1, 2])
    attributes = {"coefficients": listed(rng, 3 * targets), "intercepts": listed(rng, targets), "targets": targets}
    return ("LinearRegressor", attributes), [floats(rng, 4, 3)]


TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]


def linear_classifier(rng: Rng) -> tuple[Any, Any]:
    count = rng.choice([2, 3])
    attributes = {
        "coefficients": listed(rng, 3 * count),
        "intercepts": listed(rng, count),
        "post_transform": rng.choice(TRANSFORMS),
        "multi_class": 1,
        **labels(rng, count),
    }
    return ("LinearClassifier", attributes), [floats(rng, 4, 3)]


def kernel(rng: Rng) -> dict[str, Any]:
    parameters = [rng.randint(1, 4) / 4, rng.randint(-2, 2) / 4, float(rng.randint(1, 3))]
    return {"kernel_type": rng.choice(["LINEAR", "POLY", "RBF", "SIGMOID"]), "kernel_params": parameters}


def svm_regressor(rng: Rng) -> tuple[Any, Any]:
    vectors = rng.randint(1, 4)
    attributes = {
        "n_supports": vectors, "support_vectors": listed(rng, 3 * vectors), "coefficients": listed(rng, vectors),
        "rho": listed(rng, 1), "one_class": rng.randrange(2), **kernel(rng),
    }  # fmt: skip
    return ("SVMRegressor", attributes), [floats(rng, 4, 3)]


def svm_classifier(rng: Rng) -> tuple[Any, Any]:
    count = rng.choice([2, 3, 4])
    per_class = [rng.randint(1, 3) for _ in range(count)]
    vectors, pairs = sum(per_class), count * (count - 1) // 2
    attributes = {
        "vectors_per_class": per_class,
        "support_vectors": listed(rng, 3 * vectors),
        "coefficients": [rng.uniform(-2, 2) for _ in range((count - 1) * vectors)],
        "rho": [rng.uniform(-1, 1) for _ in range(pairs)],
        **labels(rng, count),
        **kernel(rng),
    }
    if rng.random() < 0.5:
        attributes["prob_a"] = [rng.uniform(-2, -1) for _ in range(pairs)]
        attributes["prob_b"] = [rng.uniform(-1, 1) for _ in range(pairs)]
    return ("SVMClassifier", attributes), [floats(rng, 4, 3)]


MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


def tree_nodes(rng: Rng) -> tuple[dict[str, list[Any]], list[tuple[int, int]]]:
    """The nodes of some trees of three branches at most, and the (tree, node) of each leaf."""
    names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    nodes: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
    leaves = []
    for tree in range(rng.randint(1, 3)):
        branches = rng.choice([1, 3])
        mode = rng.choice(MODES)
        for i in range(2 * branches + 1):
            is_leaf = i >= branches
            children = (0, 0) if is_leaf else (2 * i + 1, 2 * i + 2)
            row = (tree, i, rng.randrange(3), "LEAF" if is_leaf else mode, rng.randint(-4, 4) / 4, *children)
            for key, item in zip(nodes, row, strict=True):
                nodes[key].append(item)
            if is_leaf:
                leaves.append((tree, i))
    return nodes, leaves


def weighted(rng: Rng, leaves: list[tuple[int, int]], kind: str, count: int) -> dict[str, Any]:
    """A weight of each leaf for each target."""
    return {
        f"{kind}_treeids": [tree for tree, _ in leaves for _ in range(count)],
        f"{kind}_nodeids": [i for _, i in leaves for _ in range(count)],
        f"{kind}_ids": list(range(count)) * len(leaves),
        f"{kind}_weights": listed(rng, len(leaves) * count),
    }


def tree_regressor(rng: Rng) -> tuple[Any, Any]:
    nodes, leaves = tree_nodes(rng)
    count = rng.choice([1, 2])
    attributes = {
        **nodes,
        **weighted(rng, leaves, "target", count),
        "n_targets": count,
        "aggregate_function": rng.choice(["SUM", "AVERAGE", "MIN", "MAX"]),
    }
    if rng.random() < 0.5:
        attributes["base_values"] = listed(rng, count)
    return ("TreeEnsembleRegressor", attributes), [floats(rng, 5, 3)]


def tree_classifier(rng: Rng) -> tuple[Any, Any]:
    nodes, leaves = tree_nodes(rng)
    count = rng.choice([3, 4])
    attributes = {
        **nodes,
        **weighted(rng, leaves, "class", count),
        "post_transform": rng.choice(TRANSFORMS),
        **labels(rng, count, "classlabels_int64s"),
    }
    return ("TreeEnsembleClassifier", attributes), [floats(rng, 5, 3)]


def tree_ensemble(rng: Rng) -> tuple[Any, Any]:
    """TreeEnsemble-5: branches in one list, leaves in another; each tree has one or three branches."""
    roots: list[int] = []
    columns: dict[str, list[int]] = {
        name: [] for name in ("featureids", "modes", "truenodeids", "trueleafs", "falsenodeids", "falseleafs")
    }
    leaves = 0
    for _ in range(rng.randint(1, 3)):
        first = len(columns["modes"])
        roots.append(first)
        branches = rng.choice([1, 3])
        for i in range(branches):
            places = []
            for child in (2 * i + 1, 2 * i + 2):
                is_leaf = child >= branches
                places.append((leaves if is_leaf else first + child, int(is_leaf)))
                leaves += is_leaf
            row = (rng.randrange(3), rng.randrange(6), *places[0], *places[1])
            for column, item in zip(columns.values(), row, strict=True):
                column.append(item)
    modes = np.array(columns.pop("modes"), np.uint8)
    count = rng.choice([1, 3])
    attributes = {
        "tree_roots": roots,
        "nodes_modes": onnx.numpy_helper.from_array(modes),
        "nodes_splits": onnx.numpy_helper.from_array(floats(rng, len(modes))),
        **{f"nodes_{name}": column for name, column in columns.items()},
        "leaf_targetids": [rng.randrange(count) for _ in range(leaves)],
        "leaf_weights": onnx.numpy_helper.from_array(floats(rng, leaves)),
        "n_targets": count,
        "aggregate_function": rng.randrange(4),
        "post_transform": 0,
    }
    return ("TreeEnsemble", attributes), [floats(rng, 5, 3)]


def feature_vectorizer(rng: Rng) -> tuple[Any, Any]:
    return ("FeatureVectorizer", {"inputdimensions": [2, 3]}), [floats(rng, 4, 2), floats(rng, 4, 3)]


OUTPUTS = {"LinearClassifier": 2, "SVMClassifier": 2, "TreeEnsembleClassifier": 2}
MAKERS: tuple[Callable[[Rng], tuple[Any, Any]], ...] = (
    scaler, binarizer, normalizer, imputer, extractor, encoder, one_hot, linear_regressor, linear_classifier,
    svm_regressor, svm_classifier, tree_regressor, tree_classifier, tree_ensemble, feature_vectorizer,
)  # fmt: skip


def drawn(rng: Rng) -> tuple[str, onnx.ModelProto, list[np.ndarray]]:
    """The name of an operator, a model of one node, and its inputs."""
    (op, attributes), inputs = rng.choice(MAKERS)(rng)
    names = [f"x{i}" for i in range(len(inputs))]
    results = [f"y{i}" for i in range(OUTPUTS.get(op, 1))]
    made = node(op, " ".join(names), " ".join(results), "ai.onnx.ml", **attributes)
    kinds = [
        strings(name) if x.dtype == object else value(name, helper.np_dtype_to_tensor_dtype(x.dtype))
        for name, x in zip(names, inputs, strict=True)
    ]
    graph = helper.make_graph([made], op, kinds, [helper.make_empty_tensor_value_info(name) for name in results])
    opsets = [OPSETS[0], helper.make_opsetid("ai.onnx.ml", 5)] if op == "TreeEnsemble" else OPSETS
    return op, helper.make_model(graph, opset_imports=opsets, ir_version=10), inputs


def loops(rng: Rng) -> tuple[str, onnx.ModelProto, list[np.ndarray]]:
    return "Loop and Scan", SAMPLES["loops"](), [floats(rng, rng.randint(1, 9), 3) * rng.choice([1, 20])]


def of_onnxruntime(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> Any:
    return session(model).run(None, feeds)


def of_reference(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> Any:
    return ReferenceEvaluator(model).run(None, feeds)


def outcome(model: onnx.ModelProto, inputs: list[np.ndarray]) -> tuple[str, list[Any]]:
    """Which of the two the outputs equal, and all outputs."""
    got = onnx_models.run(load(model), inputs)
    feeds = dict(zip((given.name for given in model.graph.input), inputs, strict=True))
    names, outputs = [], [got]
    for name, function in (("reference", of_reference), ("onnxruntime", of_onnxruntime)):
        try:
            want = function(model, feeds)
        except Exception as error:
            outputs.append(error)
            continue
        outputs.append(want)
        if len(got) == len(want) and all(
            onnx_models.is_close(g, w, 1e-4, 1e-5) for g, w in zip(got, want, strict=True)
        ):
            names.append(name)
    return " and ".join(names) or "none", outputs


def main() -> int:
    options = programs.options(__doc__, models=5000, seed=1)
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(4)
    rng = Rng(options.seed)
    counts: Counter[tuple[str, str]] = Counter()
    for _ in range(options.models):
        op, model, inputs = (loops if rng.random() < 0.05 else drawn)(rng)
        result, outputs = outcome(model, inputs)
        if result == "none" and not counts[op, result]:
            print(f"{op}: {onnx.printer.to_text(model)}\n{inputs}\n{outputs}")
        counts[op, result] += 1
    for op in sorted({op for op, _ in counts}):
        print(f"{op:24}", {result: n for (name, result), n in sorted(counts.items()) if name == op})
    return any(result == "none" for _, result in counts)
