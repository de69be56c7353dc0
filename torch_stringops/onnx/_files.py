"""Models as files: one, or two if the tensors are too large for one."""

from __future__ import annotations

import os
from pathlib import Path

import onnx
import onnx_ir as ir

from torch_stringops._atomic import replacing

# A message of Protocol Buffers has less than 2 GiB. The rest is for the graph.
_MAX_BYTES = 2**31 - 2**24


def save(model: ir.Model, path: str | os.PathLike[str] | None) -> onnx.ModelProto:
    """Converts a model to its message, and writes it to `path`, if there is one."""
    tensors = [v.const_value for v in model.graph.initializers.values() if v.const_value is not None]
    if path is not None and sum(t.nbytes for t in tensors if t.dtype != ir.DataType.STRING) >= _MAX_BYTES:
        _write_tensors(model, Path(path))
    proto = ir.serde.serialize_model(model)
    if path is not None:
        with replacing(path) as file:
            file.write(proto.SerializeToString())
    return proto


def _write_tensors(model: ir.Model, path: Path) -> None:
    """Writes the tensors to a second file, to which the model then refers."""
    data = path.with_name(path.name + ".data")
    with replacing(data) as file:
        for value in model.graph.initializers.values():
            tensor = value.const_value
            if tensor is None or tensor.dtype == ir.DataType.STRING:
                continue
            raw = tensor.tobytes()
            value.const_value = ir.ExternalTensor(
                data.name,
                file.tell(),
                len(raw),
                tensor.dtype,
                shape=tensor.shape,  # known, since the tensor has values
                name=value.name or "",
                base_dir=data.parent,
            )
            file.write(raw)
