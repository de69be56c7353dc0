"""The strings of mapped Arrow IPC files and streams, and of folders of Hugging Face's `save_to_disk`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops._checks import MAX_BYTES
from torch_stringops.data.files.arrow import pa, validated
from torch_stringops.data.files.local import MappedFile, tensor_of
from torch_stringops.string_tensor import StringTensor

_OP = "load"
# A chunk of large_utf8 has at most this many strings.
_MAX_STRINGS = 2**30
# The end mark of a stream.
_END = b"\xff\xff\xff\xff\0\0\0\0"


def files_of(path: Path) -> list[Path]:
    """The file, or the files of a folder that `Dataset.save_to_disk` of Hugging Face has written, in their order."""
    if not path.is_dir():
        return [path]
    if (path / "dataset_dict.json").exists():
        raise ValueError(
            f"{_OP}: {path}: expected the folder of one split, got those of several (pass one of its folders)"
        )
    try:
        state = json.loads((path / "state.json").read_text(encoding="utf-8"))
        names = [file["filename"] for file in state["_data_files"]]
    except FileNotFoundError:
        raise ValueError(
            f"{_OP}: {path}: expected a file, or a folder with the state.json of save_to_disk (or pass a glob)"
        ) from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{_OP}: {path / 'state.json'}: expected the names of data files: {error!r}") from None
    if state.get("_indices_files") or state.get("_indices_data_files"):
        raise ValueError(f"{_OP}: {path}: expected no indices of rows (save the dataset again after flatten_indices)")
    return [path / name for name in names]


def chunks_of(mapped: MappedFile, name: str | None) -> list[StringTensor]:
    """The strings of the column `name`, or of the only one, in a mapped file."""
    try:
        source = pa.BufferReader(pa.py_buffer(mapped.tensor.numpy()))
        is_file = bytes(mapped.tensor[:6].numpy()) == b"ARROW1"
        reader = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(source)
        at = _position(reader.schema, name)
        chunks: list[StringTensor] = []
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
            chunks += _strings(validated(batch.select([at])).column(0))
        if not is_file and bytes(mapped.tensor[source.tell() - 8 : source.tell()].numpy()) != _END:
            raise ValueError("expected an end mark of the stream: the file may be truncated (read_arrow reads it)")
    except (pa.ArrowException, ValueError, OSError) as error:
        raise ValueError(f"{_OP}: {mapped.path}: {error}") from None
    return chunks


def _position(schema: Any, name: str | None) -> int:
    """The position of a column of strings."""
    names = schema.names
    if name is None and len(names) != 1:
        raise ValueError(f"expected one column, got {len(names)} (pass column=)")
    if name is not None and name not in names:
        raise ValueError(f"expected a column {name!r}")
    at = 0 if name is None else int(names.index(name))
    kind = schema.field(at).type
    if kind not in (pa.utf8(), pa.binary(), pa.large_utf8(), pa.large_binary()):
        raise ValueError(f"expected a column of utf8 or binary, got {kind} (use read_arrow)")
    return at


def _strings(array: Any) -> list[StringTensor]:
    """The strings of an Arrow array. Offsets are not read, but for those of large_utf8, which are converted."""
    if array.null_count:
        raise ValueError("expected no missing strings (use read_arrow with missing=)")
    if len(array) == 0:
        return [StringTensor.from_list([])]
    _, offsets, data = array.buffers()
    is_large = str(array.type).startswith("large_")
    kind = np.dtype(np.int64 if is_large else np.int32)
    positions: np.ndarray[Any, Any] = np.frombuffer(offsets, dtype=kind)[array.offset : array.offset + len(array) + 1]
    if len(positions) != len(array) + 1:
        raise ValueError("expected offsets for every string")
    raw = np.frombuffer(data if data is not None else b"", dtype=np.uint8)
    if is_large:
        return _large_strings(positions, raw)
    return [StringTensor(tensor_of(raw), tensor_of(positions))]


def _large_strings(positions: np.ndarray[Any, np.dtype[np.int64]], raw: np.ndarray[Any, Any]) -> list[StringTensor]:
    """The strings at int64 offsets, in chunks whose offsets fit int32, which are copied. The bytes are not."""
    if positions[0] < 0 or positions[-1] > len(raw) or bool((positions[1:] < positions[:-1]).any()):
        raise ValueError("expected `offsets` non-decreasing and within `data`")
    chunks = []
    begin, last = 0, len(positions) - 1
    while begin < last:
        base = positions[begin]
        end = int(np.searchsorted(positions, base + MAX_BYTES, side="right")) - 1
        end = min(end, begin + _MAX_STRINGS, last)
        if end == begin:
            raise ValueError(f"expected strings of at most 2**31 - 1 bytes, got a longer one at position {begin}")
        offsets = (positions[begin : end + 1] - base).astype(np.int32)
        chunks.append(StringTensor(tensor_of(raw[base : positions[end]]), tensor_of(offsets)))
        begin = end
    return chunks
