"""Hostile ONNX files: each is a ValueError with the place, and nothing outside of the model's folder is read."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.programs import run_stress

onnx = pytest.importorskip("onnx")

from support.onnx_samples import classifier, control, function, model, node, strings, value  # noqa: E402

from torch_stringops.onnx import load  # noqa: E402

TensorProto = onnx.TensorProto


def rejected(proto: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        load(proto)


def with_tensor(**fields: Any) -> Any:
    made = classifier()
    tensor = made.graph.initializer[0]
    for name, given in fields.items():
        if name == "dims":
            tensor.dims[:] = given
        else:
            setattr(tensor, name, given)
    return made


def test_damaged_files(tmp_path: Path):
    path = tmp_path / "model.onnx"
    for data, match in (
        (b"", "expected a model with a graph"),
        (b"\xff" * 100, "expected an ONNX model"),
        (classifier().SerializeToString()[:-3], "expected an ONNX model"),
    ):
        path.write_bytes(data)
        rejected(path, match)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.onnx")
    with pytest.raises(TypeError, match="expected a path or a ModelProto, got bytes"):
        load(b"model")  # type: ignore[arg-type]


def test_initialisers():
    name = "initialiser 'embedding.weight'"
    rejected(with_tensor(dims=[-1, 3]), f"{name}: expected sizes within")
    rejected(with_tensor(dims=[2**62, 2**62]), f"{name}: expected sizes within")
    rejected(with_tensor(dims=[2**39, 2**39]), f"{name}: expected at most")
    rejected(with_tensor(dims=[2**20, 2**20]), f"{name}: expected 4398046511104 bytes")
    rejected(with_tensor(raw_data=b"123"), f"{name}: expected 48 bytes for shape")
    rejected(with_tensor(data_type=99), f"{name}: expected a type that torch has, got 99")
    rejected(with_tensor(data_type=TensorProto.STRING), f"{name}: expected strings in string_data")
    rejected(_two_fields(), f"{name}: expected data in one field")
    text = model([node("StringConcat", "s t", "y")], [strings("s")], [strings("y")])
    text.graph.initializer.add(name="t", data_type=TensorProto.STRING, dims=[2], string_data=[b"a", b"\xc3("])
    rejected(text, r"initialiser 't'\[1\]: expected UTF-8")
    text.graph.initializer[0].string_data.pop()
    rejected(text, "initialiser 't': expected 2 strings for shape")


def _two_fields() -> Any:
    made = classifier()
    made.graph.initializer[0].float_data.append(1.0)
    return made


def test_graphs():
    cycle = [node("Identity", "b", "a"), node("Identity", "a", "b")]
    rejected(model(cycle, [], [strings("a")]), "defined before the node, got 'b'")
    rejected(model([node("Identity", "x", "y")], [], [strings("y")]), "defined before the node, got 'x'")
    twice = [node("Identity", "x", "y"), node("Identity", "x", "y")]
    rejected(model(twice, [strings("x")], [strings("y")]), "expected a new name, got 'y'")
    rejected(model([], [strings("x"), strings("x")], [strings("x")]), "expected a new name, got 'x'")
    rejected(model([], [strings("x")], []), "expected a graph with an output")
    rejected(model([node("StringConcat", "x", "y")], [strings("x")], [strings("y")]), "expected 2 to 2 inputs")
    unknown = [node("StringSplit", "x", "y", separator=",")]
    rejected(model(unknown, [strings("x")], [strings("y")]), "StringSplit-20 has no attribute 'separator'")
    wrong = [node("StringSplit", "x", "y", delimiter=3)]
    rejected(model(wrong, [strings("x")], [strings("y")]), "attribute 'delimiter' to be of type STRING")
    pattern = [node("RegexFullMatch", "x", "y", pattern=b"\xff")]
    rejected(model(pattern, [strings("x")], [value("y")]), "expected UTF-8")
    newer = [onnx.helper.make_opsetid("", onnx.defs.onnx_opset_version() + 1)]
    rejected(model([], [strings("x")], [strings("x")], opsets=newer), "needs a newer package onnx")
    both = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("", 19)]
    rejected(model([], [strings("x")], [strings("x")], opsets=both), "one version of each domain")


def test_recursion_and_growth():
    recursive = function()
    recursive.functions[0].node[0].CopyFrom(node("Counts", "s", "counts", "local"))
    rejected(recursive, "at most 32 sub-graphs and functions")
    # Each function calls the one before it twice: 2**30 nodes.
    growing = function()
    del growing.functions[:]
    opsets = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("local", 1)]
    for i in range(30):
        inner = [
            node(f"F{i}" if i else "Identity", text, out, "local" if i else "")
            for text, out in (("s", "t"), ("t", "u"))
        ]
        growing.functions.append(onnx.helper.make_function("local", f"F{i + 1}", ["s"], ["u"], inner, opsets))
    del growing.graph.node[:]
    growing.graph.node.append(node("F30", "x", "y", "local"))
    rejected(growing, "at most 200000 nodes")
    nested = control()
    for _ in range(40):
        outer = control()
        outer.graph.node[0].attribute[0].g.node[1].attribute[0].g.CopyFrom(nested.graph)
        nested = outer
        if nested.ByteSize() > 2**20:
            break
    rejected(nested, "sub-graphs and functions")


def test_sizes_of_vectors_and_trees():
    ints, floats = list(range(20_000)), [0.0]
    vectors = {"classlabels_ints": ints, "coefficients": floats, "rho": floats, "support_vectors": floats}
    for per_class in ([2**31 - 1] * len(ints), [1] * len(ints), [1], [-1] * len(ints)):
        made = node("SVMClassifier", "x", "y z", "ai.onnx.ml", vectors_per_class=per_class, **vectors)
        rejected(model([made], [value("x")], [value("z")]), "SVMClassifier: expected")
    modes = onnx.numpy_helper.from_array(np.zeros(2, np.uint8))
    numbers = onnx.numpy_helper.from_array(np.ones(2, np.float32))
    trees = {
        "tree_roots": [0], "nodes_featureids": [0, 0], "nodes_modes": modes, "nodes_splits": numbers,
        "nodes_truenodeids": [1, 0], "nodes_trueleafs": [0, 1], "nodes_falsenodeids": [0, 1],
        "nodes_falseleafs": [1, 1], "leaf_targetids": [0, 0], "leaf_weights": numbers,
    }  # fmt: skip
    opsets = [onnx.helper.make_opsetid("ai.onnx.ml", 5)]
    text = onnx.helper.make_tensor("", TensorProto.STRING, [2], ["a", "b"])
    members = onnx.numpy_helper.from_array(np.full(3, np.nan, np.float32))
    for changed in (
        {},
        {"nodes_truenodeids": [0, 0]},
        {"nodes_truenodeids": [2, 0]},
        {"nodes_falsenodeids": [2, 0]},
        {"tree_roots": [0, 0]},
        {"tree_roots": [2]},
        {"nodes_featureids": [0]},
        {"leaf_targetids": [1, 0]},
        {"nodes_splits": text},
        {"membership_values": members},
    ):
        made = node("TreeEnsemble", "x", "y", "ai.onnx.ml", **{**trees, **changed})
        proto = model([made], [value("x")], [value("y")], opsets=opsets)
        if changed:
            rejected(proto, "TreeEnsemble: expected")
        else:
            assert load(proto)(torch.tensor([[0.5], [2.0]])).tolist() == [[1.0], [1.0]]


def test_external_data_stay_in_the_folder(tmp_path: Path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(bytes(48))
    (folder / "weights").write_bytes(bytes(52))
    os.symlink(tmp_path / "secret", folder / "link")
    os.symlink(tmp_path, folder / "linked")
    path = folder / "model.onnx"

    def save(location: str, **entries: int) -> None:
        made = classifier()
        tensor = made.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, given in {"location": location, **entries}.items():
            tensor.external_data.add(key=key, value=str(given))
        path.write_bytes(made.SerializeToString())

    save("weights", offset=4, length=48)
    assert load(path).embedding_weight.sum() == 0
    rejected(onnx.load(path, load_external_data=False), "its data are in another file")
    for location in (
        "../secret",
        str(tmp_path / "secret"),
        "link",
        "linked/secret",
        "",
        ".",
        "none",
        "a\0b",
        "x" * 5000,
    ):
        save(location.replace("\0", "\x01"))
        rejected(path, "expected external data in a file of the model's folder")
    for entries in ({"offset": 8}, {"offset": -1}, {"length": 49}, {"offset": 2**63}, {"length": -1}):
        save("weights", **entries)
        rejected(path, "expected 48 bytes of external data within 'weights'")


def test_mutated_files():
    """The short form of `make stress CHECK=onnx_files`."""
    done = run_stress("onnx_files", "--files", "100", timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "100 files" in done.stdout
