"""The common form in which results of all libraries are compared: NumPy arrays.

Strings and rows of strings or ids become `Ragged`, other results arrays. `of` knows the results of every library. It is
simple rather than fast, since it runs once for each contender, after the clock has stopped.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from torch_stringops import StringTensor


@dataclass(frozen=True)
class Ragged:
    """All pieces concatenated in `data`, the number of bytes of each piece, and the number of pieces of each row."""

    data: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]

    def keep(self, pieces: NDArray[np.bool_]) -> "Ragged":
        """Keeps only the marked pieces. The number of rows does not change."""
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        counts = np.bincount(rows[pieces], minlength=len(self.counts))
        return Ragged(self.data[np.repeat(pieces, self.sizes)], self.sizes[pieces], counts)

    def without_empty(self) -> "Ragged":
        return self.keep(self.sizes > 0)

    def pieces(self) -> list[bytes]:
        raw, ends = self.data.tobytes(), np.cumsum(self.sizes).tolist()
        return [raw[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    def rows(self) -> list[list[bytes]]:
        pieces, ends = self.pieces(), np.cumsum(self.counts).tolist()
        return [pieces[a:b] for a, b in zip([0, *ends], ends, strict=False)]


Canonical = Ragged | NDArray[Any]


def of(out: Any) -> Canonical:
    """The canonical form of a result."""
    if isinstance(out, Ragged):
        return out
    if isinstance(out, StringTensor):
        out = out.reshape(-1).contiguous()
        return from_offsets(out.data.numpy(), out.offsets.numpy(), np.arange(len(out) + 1))
    if isinstance(out, torch.Tensor):
        return of_array(out.numpy())
    if isinstance(out, tuple) and all(isinstance(x, torch.Tensor | StringTensor) for x in out):
        return of_tensors(*out)
    if isinstance(out, np.ndarray):
        return of_array(out)
    if isinstance(out, list | tuple):
        return of_list(out)
    library = type(out).__module__.split(".")[0]
    return {"pyarrow": from_arrow, "polars": of_polars, "tensorflow": of_tensorflow}[library](out)


def of_array(array: NDArray[Any]) -> Canonical:
    """Strings of any dtype, of which a matrix has empty strings as padding; booleans and integers as int64."""
    if array.dtype.kind in "OSTU":
        width = array.shape[1] if array.ndim > 1 else 1
        flat = from_flat(array.reshape(-1).tolist(), np.full(len(array), width))
        return flat if array.ndim == 1 else flat.without_empty()
    return array.astype(np.int64) if array.dtype.kind in "biu" else array


def of_tensors(first: Any, second: Any, third: Any = None, *rest: Any) -> Canonical:
    """Strings, ragged or padded strings, or ragged ids, in the forms that our operators return."""
    if isinstance(first, StringTensor):  # and row splits
        return of_tensors(first.data, first.offsets, second)
    if first.dtype != torch.uint8:
        return from_ids(first.numpy(), second.numpy())
    data, offsets = first.numpy(), second.numpy().astype(np.int64)
    if offsets.ndim == 1:
        return from_offsets(data, offsets, np.arange(len(offsets)) if third is None else third.numpy())
    counts = (np.diff(offsets, axis=-1) > 0).sum(axis=-1) if third is None else third.numpy()
    return from_padded(data, offsets, counts)


def of_list(out: Sequence[Any]) -> Canonical:
    """Strings, rows of strings, rows of ids, numbers, or the outputs of onnxruntime."""
    kinds = set(map(type, out))
    if kinds <= {str, bytes}:
        return from_flat(out, np.ones(len(out), dtype=np.int64))
    if kinds <= {list, tuple}:
        flat = [piece for row in out for piece in row]
        counts = np.fromiter(map(len, out), np.int64, len(out))
        if flat and isinstance(flat[0], str | bytes):
            return from_flat(flat, counts)
        return from_ids(np.array(flat, dtype=np.int64), np.cumsum([0, *counts]))
    if len(out) == 1 and hasattr(out[0], "numpy"):
        return of_array(out[0].numpy())
    return of_array(np.array(out))


def of_polars(series: Any) -> Canonical:
    strings = str(series.dtype) in ("String", "List(String)")
    return from_arrow(series.to_arrow()) if strings else of_array(series.to_numpy())


def of_tensorflow(out: Any) -> Canonical:
    if not hasattr(out, "row_splits"):
        return of_array(out.numpy())
    values, row_splits = out.flat_values.numpy(), out.row_splits.numpy()
    return from_flat(values.tolist(), np.diff(row_splits)) if values.dtype == object else from_ids(values, row_splits)


def from_offsets(data: NDArray[np.uint8], offsets: NDArray[Any], row_splits: NDArray[Any]) -> Ragged:
    """Pieces at `offsets` `[T + 1]` in rows at `row_splits` `[N + 1]`. Neither needs to start at 0."""
    offsets = offsets[int(row_splits[0]) : int(row_splits[-1]) + 1].astype(np.int64)
    return Ragged(data[offsets[0] : offsets[-1]], np.diff(offsets), np.diff(row_splits).astype(np.int64))


def from_padded(data: NDArray[np.uint8], offsets: NDArray[Any], counts: NDArray[Any]) -> Ragged:
    """Compact padded pieces at `offsets` `[N, D + 1]`. The padding must be empty strings."""
    sizes = np.diff(offsets, axis=-1)
    real = np.arange(sizes.shape[1]) < counts[:, None]
    if sizes[~real].any():
        raise ValueError("canonical: padding is not empty")
    return Ragged(data[: int(sizes.sum())], sizes[real].astype(np.int64), counts.astype(np.int64))


def from_objects(pieces: NDArray[np.object_], counts: NDArray[Any]) -> Ragged:
    """Padded pieces in an array of objects `[N, D]`."""
    real = np.arange(pieces.shape[1]) < counts[:, None]
    if any(pieces[~real]):
        raise ValueError("canonical: padding is not empty")
    return from_flat(pieces[real].tolist(), counts)


def from_flat(pieces: Iterable[str | bytes | None], counts: NDArray[Any]) -> Ragged:
    """Strings, in rows of so many; None is an empty string."""
    flat = [p.encode() if isinstance(p, str) else p or b"" for p in pieces]
    sizes = np.fromiter(map(len, flat), np.int64, len(flat))
    return Ragged(np.frombuffer(b"".join(flat), dtype=np.uint8), sizes, np.asarray(counts, dtype=np.int64))


def from_ids(ids: NDArray[Any], row_splits: NDArray[Any]) -> Ragged:
    """Rows of ids, or of tuples of ids, as pieces of eight bytes for each number."""
    flat = np.ascontiguousarray(ids, dtype=np.int64).reshape(-1)
    sizes = np.full(len(ids), 8 * flat.size // max(len(ids), 1))
    return Ragged(flat.view(np.uint8), sizes, np.diff(np.asarray(row_splits, dtype=np.int64)))


def splits(counts: Any) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def from_arrow(array: Any) -> Canonical:
    """An array, or a ChunkedArray, of strings, of lists of strings or of numbers."""
    if hasattr(array, "as_py"):
        return of_list([array.as_py()])
    array = array.combine_chunks() if hasattr(array, "combine_chunks") else array
    kind = str(array.type)
    if "list" in kind:
        return from_flat(array.flatten().to_pylist(), np.diff(array.offsets.to_numpy()))
    if "string" in kind:
        return from_flat(array.to_pylist(), np.ones(len(array)))
    return of_array(array.to_numpy(zero_copy_only=False))


def joined(results: Iterable[Any]) -> Ragged:
    """The rows of several results, one after the other."""
    columns = zip(*((r.data, r.sizes, r.counts) for r in map(of, results)), strict=True)
    return Ragged(*map(np.concatenate, columns))


def difference(expected: Canonical, got: Canonical) -> str:
    """Describes the first difference; "" if the results are equal."""
    if isinstance(expected, Ragged) != isinstance(got, Ragged):
        return "one result is ragged, the other is an array"
    if isinstance(expected, Ragged) and isinstance(got, Ragged):
        return _ragged_difference(expected, got)
    if expected.shape != got.shape:
        return f"shape {list(got.shape)}, expected {list(expected.shape)}"
    unequal = expected != got
    return f"{unequal.sum()} of {unequal.size} elements" if unequal.any() else ""


def _ragged_difference(expected: Ragged, got: Ragged) -> str:
    if len(expected.counts) != len(got.counts):
        return f"{len(got.counts)} rows, expected {len(expected.counts)}"
    unequal = np.flatnonzero(expected.counts != got.counts)
    if len(unequal):
        row = unequal[0]
        return (
            f"{len(unequal)} rows have another number of pieces; "
            f"the first is row {row}: {got.counts[row]}, expected {expected.counts[row]}"
        )
    unequal = np.flatnonzero(expected.sizes != got.sizes)
    if len(unequal):
        return f"{len(unequal)} pieces have another size; the first is piece {unequal[0]}"
    unequal = np.flatnonzero(expected.data != got.data)
    return f"{len(unequal)} bytes; the first is byte {unequal[0]}" if len(unequal) else ""


def num_rows(result: Canonical) -> int:
    return len(result.counts if isinstance(result, Ragged) else result)


def differing_rows(expected: Canonical, got: Canonical) -> int:
    """How many rows differ; all of them if the numbers of rows do."""
    a, b = (x.rows() if isinstance(x, Ragged) else list(x) for x in (expected, got))
    return max(len(a), len(b)) if len(a) != len(b) else sum(bool(np.any(x != y)) for x, y in zip(a, b, strict=True))
