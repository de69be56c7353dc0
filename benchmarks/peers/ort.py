"""onnxruntime: sessions of one or a few nodes, and strings as OrtValues."""

from typing import Any

import numpy as np

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender
from benchmarks.peers.base import (
    ASCII_CONTROLS,
    SEPARATOR_CONTROLS,
    THREADS,
    UNICODE_SPACES,
    Contenders,
    excuse,
    load,
    needs,
)


@needs("onnxruntime", "onnx")
def onnxruntime_split(corpus: Corpus, delimiter: str, maxsplit: int = -1) -> Contenders:
    """With NumPy arrays of objects, which its Python API copies, and with OrtValues as input and output."""
    onnx = load("onnx")
    attributes: dict[str, str | int] = {"delimiter": delimiter} if delimiter else {}
    if maxsplit >= 0:
        attributes["maxsplit"] = maxsplit
    session = ort_session(
        [onnx.helper.make_node("StringSplit", ["x"], ["y", "z"], **attributes)],
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.STRING, ["n"])],
        [
            onnx.helper.make_tensor_value_info("y", onnx.TensorProto.STRING, ["n", "d"]),
            onnx.helper.make_tensor_value_info("z", onnx.TensorProto.INT64, ["n"]),
        ],
    )
    objects = np.array(corpus.strings, dtype=object)
    value = ort_strings(corpus.encoded)
    blank = None
    if not delimiter:
        blank = excuse(
            corpus, ASCII_CONTROLS + SEPARATOR_CONTROLS + UNICODE_SPACES, "it splits at spaces only"
        )
    return [
        Contender(
            "onnxruntime StringSplit, OrtValue in and out",
            lambda: session.run_with_ort_values(["y", "z"], {"x": value}),
            lambda out: canonical.from_padded_objects(*(v.numpy() for v in out)),
            excuse=blank,
            group="onnxruntime",
        ),
        Contender(
            "onnxruntime StringSplit, NumPy in and out",
            lambda: session.run(["y", "z"], {"x": objects}),
            lambda out: canonical.from_padded_objects(*out),
            excuse=blank,
            group="onnxruntime, NumPy",
        ),
    ]


def ort_label_encoder(words: list[str]) -> Any:
    onnx = load("onnx")
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.STRING, ["n"])
    ids = onnx.helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, ["n"])
    return ort_session([ort_label_encoder_node(words, "x")], [x], [ids])


def ort_label_encoder_node(words: list[str], source: str) -> Any:
    """A node from `source` to `ids`, with -1 for unknown words."""
    return load("onnx").helper.make_node(
        "LabelEncoder",
        [source],
        ["ids"],
        domain="ai.onnx.ml",
        keys_strings=words,
        values_int64s=list(range(len(words))),
        default_int64=-1,
    )


def ort_session(
    nodes: Any, inputs: Any, outputs: Any, constants: Any = (), domains: dict[str, int] | None = None
) -> Any:
    onnx, ort = load("onnx"), load("onnxruntime")
    graph = onnx.helper.make_graph(nodes, "row", inputs, outputs, constants)
    versions = {"": 20, "ai.onnx.ml": 4} | (domains or {})
    opsets = [onnx.helper.make_opsetid(*version) for version in versions.items()]
    model = onnx.helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 9  # that of opset 20, which every onnxruntime with the operator supports
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = THREADS
    options.log_severity_level = 3
    if constants:  # otherwise the only node would be constant-folded
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def ort_strings(strings: list[bytes]) -> Any:
    """An OrtValue of strings: the output of a session with a constant, since the API cannot create one."""
    onnx = load("onnx")
    kind = onnx.TensorProto.STRING
    constant = onnx.helper.make_tensor("c", kind, [len(strings)], strings)
    output = onnx.helper.make_tensor_value_info("x", kind, ["n"])
    session = ort_session(
        [onnx.helper.make_node("Identity", ["c"], ["x"])], [], [output], constants=[constant]
    )
    (value,) = session.run_with_ort_values(["x"], {})
    return value
