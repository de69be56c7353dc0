"""Small ONNX models of all kinds: strings, numbers, sub-graphs, sequences, functions, ai.onnx.ml."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = [
    helper.make_opsetid("", 20),
    helper.make_opsetid("ai.onnx.ml", 4),
    helper.make_opsetid("com.microsoft", 1),
]


def value(name: str, kind: int = TensorProto.FLOAT, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def strings(name: str, shape: Any = None) -> Any:
    return value(name, TensorProto.STRING, shape)


def model(nodes: list[Any], inputs: list[Any], outputs: list[Any], **options: Any) -> Any:
    """A model of the nodes. `initializer` are arrays by name; `functions` those of the model."""
    initializers = [numpy_helper.from_array(a, name) for name, a in options.pop("initializer", {}).items()]
    graph = helper.make_graph(nodes, "sample", inputs, outputs, initializers)
    made = helper.make_model(graph, opset_imports=options.pop("opsets", OPSETS), **options)
    made.ir_version = 10
    return made


def node(op: str, inputs: str, outputs: str, domain: str = "", **attributes: Any) -> Any:
    """A node whose inputs and outputs are separated by blanks; `-` stands for a missing one."""
    names = [["" if name == "-" else name for name in text.split()] for text in (inputs, outputs)]
    return helper.make_node(op, *names, domain=domain, **attributes)


def classifier() -> Any:
    """Words to ids to an embedding to scores: the text model of most."""
    rng = np.random.default_rng(0)
    weights = {
        "embedding.weight": rng.normal(size=(4, 3)).astype(np.float32),
        "out.weight": rng.normal(size=(3, 2)).astype(np.float32),
        "out.bias": rng.normal(size=2).astype(np.float32),
    }
    nodes = [
        node("StringNormalizer", "text", "lowered", case_change_action="LOWER"),
        node("StringSplit", "lowered", "words counts", delimiter=" "),
        node("LabelEncoder", "words", "ids", "ai.onnx.ml", keys_strings=["a", "be", "to"], values_int64s=[1, 2, 3],
             default_int64=0),
        node("Gather", "embedding.weight ids", "embedded"),
        node("ReduceMean", "embedded axis", "mean", keepdims=0),
        node("Gemm", "mean out.weight out.bias", "scores"),
        node("Softmax", "scores", "y", axis=-1),
    ]  # fmt: skip
    return model(nodes, [strings("text", ["n"])], [value("y")], initializer=weights | {"axis": np.array([1])})


def shapes() -> Any:
    """The arithmetic on shapes that exporters write."""
    nodes = [
        node("Shape", "x", "shape"),
        node("Gather", "shape zero", "rows"),
        node("Mul", "rows two", "double"),
        node("Unsqueeze", "double first", "double_1"),
        node("Concat", "double_1 minus", "to", axis=0),
        node("Reshape", "x to", "y"),
    ]
    numbers = {"zero": np.array(0), "two": np.array(2), "first": np.array([0]), "minus": np.array([-1])}
    return model(nodes, [value("x", shape=["n", 4])], [value("y")], initializer=numbers)


def control() -> Any:
    """A Loop whose body has an If that captures a string of the graph around it."""
    branches = [
        helper.make_graph([node(op, "s t", "joined")], name, [], [strings("joined")])
        for op, name in (("StringConcat", "then"), ("StringConcat", "else"))
    ]
    body = helper.make_graph(
        [
            node("Equal", "i one", "is_one"),
            node("If", "is_one", "joined", then_branch=branches[0], else_branch=branches[1]),
            node("Identity", "joined", "out"),
            node("Identity", "go", "goes"),
        ],
        "body",
        [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), strings("s")],
        [value("goes", TensorProto.BOOL, []), strings("out")],
    )
    nodes = [node("Loop", "count - start", "y", body=body)]
    return model(
        nodes, [strings("start"), strings("t")], [strings("y")], initializer={"count": np.array(3), "one": np.array(1)}
    )


def sequences() -> Any:
    nodes = [
        node("SplitToSequence", "x", "parts", axis=0),
        node("SequenceLength", "parts", "length"),
        node("SequenceAt", "parts last", "end"),
        node("SequenceInsert", "parts end first", "more"),
        node("ConcatFromSequence", "more", "y", axis=0),
    ]
    outputs = [strings("y"), value("length", TensorProto.INT64, [])]
    numbers = {"last": np.array(-1), "first": np.array(0)}
    return model(nodes, [strings("x", ["n"])], outputs, initializer=numbers)


def function() -> Any:
    """A model with a function that has an attribute, called twice."""
    inner = helper.make_node("StringSplit", ["s"], ["pieces", "counts"])
    inner.attribute.append(onnx.AttributeProto(name="delimiter", ref_attr_name="at", type=onnx.AttributeProto.STRING))
    made = helper.make_function(
        "local", "Counts", ["s"], ["counts"], [inner], [helper.make_opsetid("", 20)], attributes=["at"]
    )
    nodes = [
        node("Counts", "x", "commas", "local", at=","),
        node("Counts", "x", "dots", "local", at="."),
        node("Add", "commas dots", "y"),
    ]
    opsets = [*OPSETS, helper.make_opsetid("local", 1)]
    return model(nodes, [strings("x", ["n"])], [value("y", TensorProto.INT64)], functions=[made], opsets=opsets)


def trees() -> Any:
    attributes = {
        "nodes_nodeids": [0, 1, 2], "nodes_treeids": [0, 0, 0], "nodes_featureids": [0, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_values": [0.5, 0.0, 0.0],
        "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0], "class_treeids": [0, 0],
        "class_nodeids": [1, 2], "class_ids": [0, 1], "class_weights": [1.0, 1.0],
        "classlabels_strings": ["low", "high"],
    }  # fmt: skip
    nodes = [node("TreeEnsembleClassifier", "x", "label scores", "ai.onnx.ml", **attributes)]
    return model(nodes, [value("x", shape=["n", 1])], [strings("label"), value("scores")])


def layers() -> Any:
    """Words to an LSTM and a reversed GRU, whose lengths are those of the texts."""
    rng = np.random.default_rng(0)
    shapes = {"embedding": (4, 3), "w": (1, 20, 3), "r": (1, 20, 5), "w2": (1, 15, 3), "r2": (1, 15, 5)}
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = [
        node("StringSplit", "text", "pieces counts"),
        node("LabelEncoder", "pieces", "ids", "ai.onnx.ml", keys_strings=["a", "be"], values_int64s=[1, 2]),
        node("Gather", "embedding ids", "rows"),
        node("Transpose", "rows", "words", perm=[1, 0, 2]),
        node("LSTM", "words w r", "y", hidden_size=5),
        node("Cast", "counts", "lengths", to=TensorProto.INT32),
        node("GRU", "words w2 r2 - lengths", "z last", hidden_size=5, direction="reverse"),
    ]
    outputs = [value("y"), value("z"), value("last")]
    return model(nodes, [strings("text", ["n"])], outputs, initializer=weights)


def loops() -> Any:
    """A Loop over rows as tf2onnx writes it, which ends early for large sums, and a Scan from the last row."""
    inner = [
        node("Gather", "x at", "row"), node("Mul", "total factor", "scaled"), node("Add", "scaled row", "sum"),
        node("ReduceMax", "sum", "largest", keepdims=0), node("Less", "largest bound", "goes"),
        node("Add", "at one", "next"), node("Identity", "factor", "same"),
    ]  # fmt: skip
    body = helper.make_graph(
        inner,
        "body",
        [
            value("i", TensorProto.INT64, []),
            value("go", TensorProto.BOOL, []),
            value("at", TensorProto.INT32, []),
            value("total"),
            value("factor"),
        ],
        [value("goes", TensorProto.BOOL, []), value("next", TensorProto.INT32), value("sum"), value("same"), value("sum")],
    )  # fmt: skip
    step = helper.make_graph(
        [node("Add", "state slice", "new"), node("Neg", "new", "negative")],
        "step",
        [value("state", shape=[3]), value("slice", shape=[3])],
        [value("new", shape=[3]), value("negative", shape=[3])],
    )
    nodes = [
        node("Shape", "x", "shape"),
        node("Cast", "shape", "shape_32", to=TensorProto.INT32),
        node("Slice", "shape_32 zero one_1", "rows_1"),
        node("Squeeze", "rows_1 zero", "rows"),
        node("Cast", "rows", "count", to=TensorProto.INT64),
        node("Loop", "count true first start factor_0", "after last factor_1 sums", body=body),
        node("Scan", "start x", "state_1 scanned", body=step, num_scan_inputs=1, scan_input_directions=[1]),
    ]
    weights = {
        "zero": np.array([0]), "one_1": np.array([1]), "one": np.array(1, np.int32), "first": np.array(0, np.int32),
        "true": np.array(True), "start": np.zeros(3, np.float32), "factor_0": np.array([1.0, 2.0, 0.5], np.float32),
        "bound": np.array(50.0, np.float32),
    }  # fmt: skip
    outputs = [value("after", TensorProto.INT32), *map(value, ("last", "sums", "state_1", "scanned"))]
    return model(nodes, [value("x", shape=["n", 3])], outputs, initializer=weights)


SAMPLES = {f.__name__: f for f in (classifier, shapes, control, sequences, function, trees, layers, loops)}
