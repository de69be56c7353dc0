"""Reads the tensors of an ONNX file: initialisers, constants and attributes, of numbers and strings.

The file comes from strangers: every size is checked before use, and data outside of the model's file is read only from
files in the model's folder.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto
from torch import Tensor

from torch_stringops.string_tensor import StringTensor

DTYPES: dict[object, torch.dtype] = {
    TensorProto.FLOAT: torch.float32,
    TensorProto.UINT8: torch.uint8,
    TensorProto.INT8: torch.int8,
    TensorProto.UINT16: torch.uint16,
    TensorProto.INT16: torch.int16,
    TensorProto.INT32: torch.int32,
    TensorProto.INT64: torch.int64,
    TensorProto.BOOL: torch.bool,
    TensorProto.FLOAT16: torch.float16,
    TensorProto.DOUBLE: torch.float64,
    TensorProto.UINT32: torch.uint32,
    TensorProto.UINT64: torch.uint64,
    TensorProto.COMPLEX64: torch.complex64,
    TensorProto.COMPLEX128: torch.complex128,
    TensorProto.BFLOAT16: torch.bfloat16,
}
"""The types of ONNX that are dtypes of torch, by their number in TensorProto."""

STRING = TensorProto.STRING
_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")
_MAX_SIZE = 2**40  # of an axis, and of a tensor in elements


def type_name(number: int) -> str:
    """The name of a type, for messages."""
    return TensorProto.DataType.Name(number) if number in TensorProto.DataType.values() else str(number)


def read_tensor(proto: TensorProto, folder: Path | None, what: str) -> Tensor | StringTensor:
    """Converts a TensorProto. `folder` holds external data, `what` names the tensor in messages.

    Raises:
        ValueError: the type is unknown, or the data do not match the shape.
    """
    shape = list(proto.dims)
    count = _count(shape, what)
    if proto.data_type == STRING:
        return _read_strings(proto, shape, count, what)
    if proto.data_type not in DTYPES:
        raise ValueError(f"{what}: expected a type that torch has, got {type_name(proto.data_type)}")
    dtype = DTYPES[proto.data_type]
    if proto.data_location == TensorProto.EXTERNAL:
        raw: bytes | None = _external(proto, folder, count * dtype.itemsize, what)
    else:
        raw = proto.raw_data if proto.HasField("raw_data") else None
    if raw is None:
        return _read_fields(proto, shape, count, dtype, what)
    if any(len(getattr(proto, field)) for field in _FIELDS):
        raise ValueError(f"{what}: expected data in one field, got raw_data and another")
    if len(raw) != count * dtype.itemsize:
        raise ValueError(f"{what}: expected {count * dtype.itemsize} bytes for shape {shape}, got {len(raw)}")
    if count == 0:
        return torch.empty(shape, dtype=dtype, device="cpu")
    values = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
    if dtype is torch.bool:
        return (values != 0).reshape(shape)  # other bytes are no valid bool
    return values.view(dtype).reshape(shape)


def _count(shape: list[int], what: str) -> int:
    if any(not 0 <= size <= _MAX_SIZE for size in shape) or len(shape) > 64:
        raise ValueError(f"{what}: expected sizes within [0, {_MAX_SIZE}] of at most 64 axes, got {shape[:64]}")
    if math.prod(size for size in shape if size) > _MAX_SIZE:
        raise ValueError(f"{what}: expected at most {_MAX_SIZE} elements, got shape {shape}")
    return math.prod(shape)


def _read_strings(proto: TensorProto, shape: list[int], count: int, what: str) -> StringTensor:
    if proto.data_location == TensorProto.EXTERNAL or proto.HasField("raw_data"):
        raise ValueError(f"{what}: expected strings in string_data")
    if len(proto.string_data) != count:
        raise ValueError(f"{what}: expected {count} strings for shape {shape}, got {len(proto.string_data)}")
    strings = list(proto.string_data)
    for i, string in enumerate(strings):
        check_utf8(string, f"{what}[{i}]")
    return StringTensor.from_list(strings).reshape(shape)


def check_utf8(string: bytes, what: str) -> str:
    """Decodes a string of the file."""
    try:
        return string.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{what}: expected UTF-8, as ONNX requires, got byte {error.start} that is not") from None


def _read_fields(proto: TensorProto, shape: list[int], count: int, dtype: torch.dtype, what: str) -> Tensor:
    """Reads the values from the field of their type, of which onnx knows the layout."""
    expected = count * (2 if dtype.is_complex else 1)
    given = sum(len(getattr(proto, field)) for field in _FIELDS)
    if given != expected:
        raise ValueError(f"{what}: expected {expected} values for shape {shape}, got {given}")
    try:
        array = onnx.numpy_helper.to_array(proto)
    except Exception as error:
        raise ValueError(f"{what}: {error}") from error
    if dtype is torch.bfloat16:
        # NumPy has no bfloat16: the package gives a type of its own, of the same two bytes.
        bits = np.ascontiguousarray(array).view(np.int16) if array.dtype.itemsize == 2 else None
        if bits is None:
            return torch.from_numpy(np.array(array, dtype=np.float32)).to(dtype).reshape(shape)
        return torch.from_numpy(bits.copy()).view(dtype).reshape(shape)
    if array.size != count:
        raise ValueError(f"{what}: expected {count} values for shape {shape}, got {array.size}")
    return torch.from_numpy(np.array(array)).to(dtype).reshape(shape)


def _external(proto: TensorProto, folder: Path | None, size: int, what: str) -> bytes:
    """Reads data from another file, which must be in the model's folder after all links are followed."""
    if folder is None:
        raise ValueError(
            f"{what}: its data are in another file (pass the path of the model instead of a ModelProto, "
            "or load external data by onnx.load first)"
        )
    entries = {entry.key: entry.value for entry in proto.external_data}
    location = entries.get("location", "")
    real = os.path.realpath(folder)
    # A name with NUL or of too many characters is an error of the system.
    try:
        path = os.path.realpath(os.path.join(real, location))
        inside = bool(location) and not os.path.isabs(location) and os.path.commonpath([real, path]) == real
    except (OSError, ValueError):
        inside = False
    if not inside or ".." in Path(location).parts or not os.path.isfile(path):
        raise ValueError(f"{what}: expected external data in a file of the model's folder, got {location!r}")
    try:
        offset, length = int(entries.get("offset", "0")), int(entries.get("length", str(size)))
    except ValueError:
        raise ValueError(f"{what}: expected `offset` and `length` of external data to be ints") from None
    if offset < 0 or length != size or offset + length > os.path.getsize(path):
        raise ValueError(
            f"{what}: expected {size} bytes of external data within {location!r}, "
            f"got {length} at {offset} of {os.path.getsize(path)}"
        )
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)
