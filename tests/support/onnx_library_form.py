"""Runs ONNX graphs in the library form with onnx's reference evaluator, whose nodes call torch's operators.

It needs no library, and thus shows that the nodes say all that a call of an operator needs.
"""

from typing import Any

import numpy as np
import onnx
import torch
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from torch_stringops import StringTensor
from torch_stringops.onnx._operators import DOMAIN, PACK, UNPACK, Operator, Parameter, operators

ATTRIBUTES = {
    "str": lambda value: value.decode(),
    "bool": bool,
    "int": int,
    "List[int]": list,
    "float": lambda value: float(onnx.numpy_helper.to_array(value)),
    "List[str]": lambda value: [text.decode() for text in value.string_data],
    "ScalarType": lambda value: getattr(torch, value.decode()),
}


def run(model: onnx.ModelProto, inputs: dict[str, Any]) -> list[Any]:
    """The outputs of a model."""
    return list(ReferenceEvaluator(model, new_ops=NODES).run(None, inputs))


def as_array(value: Any) -> np.ndarray:
    """A tensor or strings, as a session takes and returns them."""
    if isinstance(value, StringTensor):
        return value.numpy() if value.dim() else np.array(value.item(), object)
    return np.ascontiguousarray(value.detach().numpy()) if value.dim() else value.detach().numpy()


def node_of(operator: Operator) -> type[OpRun]:
    def call(node: Any, *inputs: Any) -> tuple[np.ndarray, ...]:
        given = {p.name: read(p, list(inputs), i) for i, p in enumerate(operator.inputs)}
        types = {p.name: p.type for p in operator.attributes}
        for a in node.onnx_node.attribute:
            given[a.name] = ATTRIBUTES[types[a.name]](onnx.helper.get_attribute_value(a))
        results = operator.overload(**given)
        return tuple(as_array(r) for r in (results if isinstance(results, tuple | list) else [results]))

    return type(operator.op_type, (OpRun,), {"op_domain": DOMAIN, "_run": lambda *args, **_: call(*args)})


def read(p: Parameter, inputs: list[Any], at: int) -> Any:
    if p.kind == "tensors":
        return [torch.tensor(np.array(value)) for value in inputs[at:]]
    value = inputs[at] if at < len(inputs) else None
    if value is None:
        return None
    if p.kind == "tensor":
        return torch.tensor(np.array(value))
    assert value.dtype == np.int64
    assert value.ndim == (0 if p.kind == "size" else 1)
    return value.tolist()


def pack(_: Any, strings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    s = (
        StringTensor.from_numpy(np.array(strings, object))
        if strings.ndim
        else StringTensor.from_list(strings.item())
    )
    return s.data.numpy(), s.offsets.numpy()


def unpack(_: Any, data: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray]:
    return (StringTensor(torch.tensor(data), torch.tensor(offsets)).numpy(),)


NODES = [node_of(operator) for operator in operators().values()] + [
    type(name, (OpRun,), {"op_domain": DOMAIN, "_run": function})
    for name, function in ((PACK, pack), (UNPACK, unpack))
]
