"""onnxruntime: sessions of one or a few nodes, with OrtValues as inputs and outputs.

Its Python API converts strings from and to NumPy objects in each call; OrtValues take a third of the time.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor
from onnx.helper import make_tensor_value_info as info

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.peers import THREADS

TEXT, INT64 = TensorProto.STRING, TensorProto.INT64


def strings(corpus: Corpus) -> Any:
    """The output of a session with a constant, since the API cannot make an OrtValue of strings."""
    constant = make_tensor("c", TEXT, [len(corpus)], corpus.encoded)
    made = session([make_node("Identity", ["c"], ["x"])], [], [info("x", TEXT, ["n"])], [constant])
    return made.run_with_ort_values(["x"], {})[0]


def numbers(array: Any) -> Any:
    return ort.OrtValue.ortvalue_from_numpy(array)


def session(nodes: Any, inputs: Any, outputs: Any, constants: Any = ()) -> Any:
    graph = make_graph(nodes, "row", inputs, outputs, constants)
    versions = {"": 20, "ai.onnx.ml": 4, "com.microsoft": 1}
    model = make_model(graph, opset_imports=[make_opsetid(*version) for version in versions.items()])
    model.ir_version = 9  # that of opset 20, which every onnxruntime with the operators supports
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = THREADS
    options.log_severity_level = 3
    if constants:  # otherwise the only node would be constant-folded
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(
    nodes: Any, feeds: dict[str, tuple[Any, int, list[Any]]], outputs: dict[str, tuple[int, list[Any]]]
) -> Callable[[], Any]:
    """The call of a session with inputs (OrtValue, type, shape) and outputs (type, shape)."""
    inputs = [info(name, kind, shape) for name, (_, kind, shape) in feeds.items()]
    made = session(nodes, inputs, [info(name, kind, shape) for name, (kind, shape) in outputs.items()])
    values = {name: value for name, (value, _, _) in feeds.items()}
    return partial(made.run_with_ort_values, list(outputs), values)


def one_node(
    name: str, corpus: Corpus, kind: int, shape: list[str], domain: str = "", **attributes: Any
) -> Callable[[], Any]:
    node = make_node(name, ["x"], ["y"], domain=domain, **attributes)
    return run([node], {"x": (strings(corpus), TEXT, ["n"])}, {"y": (kind, shape)})


def split(corpus: Corpus, delimiter: str, maxsplit: int = -1) -> Callable[[], Any]:
    attributes = ({"delimiter": delimiter} if delimiter else {}) | ({"maxsplit": maxsplit} if maxsplit >= 0 else {})
    node = make_node("StringSplit", ["x"], ["y", "z"], **attributes)
    return run([node], {"x": (strings(corpus), TEXT, ["n"])}, {"y": (TEXT, ["n", "d"]), "z": (INT64, ["n"])})


def label_encoder(words: Corpus, source: str) -> Any:
    return make_node(
        "LabelEncoder",
        [source],
        ["ids"],
        domain="ai.onnx.ml",
        keys_strings=words.strings,
        values_int64s=list(range(len(words))),
        default_int64=-1,
    )


def vocab_encode(tokens: Corpus, words: Corpus) -> Callable[[], Any]:
    return run([label_encoder(words, "x")], {"x": (strings(tokens), TEXT, ["n"])}, {"ids": (INT64, ["n"])})


def split_encode(corpus: Corpus, words: Corpus) -> Callable[[], Any]:
    nodes = [make_node("StringSplit", ["x"], ["y", "counts"]), label_encoder(words, "y")]
    outputs = {"ids": (INT64, ["n", "d"]), "counts": (INT64, ["n"])}
    return run(nodes, {"x": (strings(corpus), TEXT, ["n"])}, outputs)


def normalizer(
    corpus: Corpus, stopwords: Corpus, case_change_action: str, is_case_sensitive: bool
) -> Callable[[], Any]:
    return one_node(
        *("StringNormalizer", corpus, TEXT, ["m"]),
        case_change_action=case_change_action,
        is_case_sensitive=int(is_case_sensitive),
        stopwords=stopwords.strings,
        locale="C.UTF-8",
    )


def tfidf(ids: Any, pool: Any, indexes: Any, weights: Any, **attributes: Any) -> Callable[[], Any]:
    """On rows of 50."""
    lists = {"pool_int64s": pool.tolist(), "ngram_indexes": indexes.tolist(), "weights": weights.tolist()}
    node = make_node("TfIdfVectorizer", ["x"], ["y"], **lists, **attributes)
    return run(
        [node],
        {"x": (numbers(ids.reshape(-1, 50)), INT64, ["n", 50])},
        {"y": (TensorProto.FLOAT, ["n", "m"])},
    )


def split_to_sequence(values: Any, size: int) -> Any:
    """A sequence cannot be converted to NumPy: the output of `run` is compared instead."""
    of_strings = isinstance(values, Corpus)
    array = np.array(values.strings, dtype=object) if of_strings else values
    kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    made = session(
        [make_node("SplitToSequence", ["x", "size"], ["chunks"])],
        [info("x", kind, ["n", *array.shape[1:]]), info("size", INT64, [])],
        [onnx.helper.make_tensor_sequence_value_info("chunks", kind, None)],
    )
    scalar = np.array(size)
    feeds = {"x": strings(values) if of_strings else numbers(array), "size": numbers(scalar)}

    def read(_: Any) -> Any:
        (chunks,) = made.run(["chunks"], {"x": array, "size": scalar})
        return np.concatenate(chunks)

    return partial(made.run_with_ort_values, ["chunks"], feeds), read


MADE: dict[str, Any] = {
    "string_split": split,
    "tokenizer": lambda corpus, **how: one_node("Tokenizer", corpus, TEXT, ["n", "d"], "com.microsoft", **how),
    "string_murmur3": lambda corpus, *_: one_node(
        "MurmurHash3", corpus, TensorProto.INT32, ["n"], "com.microsoft", positive=0
    ),
    "regex_full_match": lambda corpus, pattern: one_node(
        "RegexFullMatch", corpus, TensorProto.BOOL, ["n"], pattern=pattern
    ),
    "string_normalizer": normalizer,
    "tfidf_vectorizer": tfidf,
    "vocab_encode": vocab_encode,
    "split_encode": split_encode,
    **dict.fromkeys(("split_to_sequence", "split_to_sequence, copied"), split_to_sequence),
}


def read_ids(out: Any) -> Any:
    ids, counts = (value.numpy() for value in out)
    return canonical.from_ids(ids[np.arange(ids.shape[1]) < counts[:, None]], np.concatenate([[0], np.cumsum(counts)]))


READS: dict[str, Any] = {
    "string_split": lambda out: canonical.from_objects(*(value.numpy() for value in out)),
    "split_encode": read_ids,
}
SPACES = "it splits at spaces only"
CASES = "its changes of case are those of the C library"
DIFFERS = {"string_split": SPACES, "split_encode": SPACES, "string_normalizer": CASES}
