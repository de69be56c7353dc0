"""Runs ONNX models of one node with the public functions, as a runtime would."""

from typing import Any

import numpy as np
import onnx
import torch

import torch_stringops as so


def model(op: str, inputs: int, outputs: int, opset: int, domain: str = "", **attributes: Any) -> Any:
    """A model of one node with inputs x0, x1, ... and outputs y0, ...; `typed` gives them types."""
    names = [[f"{kind}{i}" for i in range(count)] for kind, count in (("x", inputs), ("y", outputs))]
    node = onnx.helper.make_node(op, *names, domain=domain, **attributes)
    graph = onnx.helper.make_graph([node], op, [], [])
    opsets = [onnx.helper.make_opsetid("", opset)]
    if domain:
        opsets.append(onnx.helper.make_opsetid(domain, 1))
    made = onnx.helper.make_model(graph, opset_imports=opsets)
    made.ir_version = 10
    return made


def typed(made: Any, arrays: list[np.ndarray], *, sequence: bool = False) -> Any:
    """The model with the types and ranks of the arrays as inputs; outputs are like the first, or sequences of it."""
    kinds = [onnx.helper.np_dtype_to_tensor_dtype(array.dtype) for array in arrays]
    for name, kind, array in zip(made.graph.node[0].input, kinds, arrays, strict=True):
        sizes = [f"{name}_{axis}" for axis in range(array.ndim)]
        made.graph.input.append(onnx.helper.make_tensor_value_info(name, kind, sizes))
    made_value = onnx.helper.make_tensor_sequence_value_info if sequence else onnx.helper.make_tensor_value_info
    for name in made.graph.node[0].output:
        made.graph.output.append(made_value(name, kinds[0], None))
    return made


def from_array(array: Any) -> Any:
    """A NumPy array as a tensor or a StringTensor."""
    if array is None:
        return None
    if array.dtype.kind in "OUST":
        return so.StringTensor.from_numpy(array)
    return torch.from_numpy(array)


def run(made: Any, arrays: list[Any], compat: str = "reference") -> list[Any]:
    """The outputs of a model of one node; a sequence is one output."""
    (node,) = made.graph.node
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    opset = next(o.version for o in made.opset_import if o.domain == node.domain)
    inputs = [from_array(array) for array in arrays]
    if node.op_type == "StringSplit":
        delimiter = attributes.pop("delimiter", b"")
        return list(so.string_split(*inputs, delimiter, **attributes, compat=compat))
    if node.op_type == "RegexFullMatch":
        return [so.regex_full_match(*inputs, attributes["pattern"].decode())]
    if node.op_type == "StringNormalizer":
        attributes.pop("locale", None)
        action = attributes.pop("case_change_action", b"NONE").decode()
        exact = bool(attributes.pop("is_case_sensitive", 0))
        return [so.string_normalizer(*inputs, case_change_action=action, is_case_sensitive=exact, **attributes)]
    if node.op_type == "TfIdfVectorizer":
        return [so.tfidf_vectorizer(*inputs, **{**attributes, "mode": attributes["mode"].decode()})]
    if node.op_type == "SplitToSequence":
        return [so.split_to_sequence(*inputs, **attributes)]
    if node.op_type == "Split":
        sizes = attributes.pop("split", None)
        if len(inputs) == 1:
            inputs.append(sizes)
        if inputs[1] is None and opset < 18:
            attributes["num_outputs"] = len(node.output)
        pieces = so.split(*inputs, **attributes, opset=opset)
        if len(pieces) != len(node.output):
            raise ValueError(f"Split: expected {len(node.output)} outputs, got {len(pieces)}")
        return pieces
    raise NotImplementedError(node.op_type)


def equal(got: Any, want: Any) -> bool:
    """Whether an output equals the expected array or sequence of arrays."""
    if isinstance(got, list):
        return len(got) == len(want) and all(map(equal, got, want))
    want = np.asarray(want)
    if isinstance(got, so.StringTensor):
        return list(got.shape) == list(want.shape) and got.reshape(-1).tolist() == want.reshape(-1).tolist()
    if got.dtype == torch.bfloat16:
        got = got.to(torch.float32)
    array = got.numpy()
    return array.dtype == want.dtype and array.shape == want.shape and np.array_equal(array, want)
