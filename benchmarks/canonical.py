"""The common format in which results of contenders are compared: NumPy arrays.

Pieces of strings are converted to `Ragged`; other results are arrays. The conversions are simple rather than fast,
since they run once per contender, outside of timed regions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


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

    def without_rows(self, rows: NDArray[np.bool_]) -> "Ragged":
        return self.keep(np.repeat(~rows, self.counts))


Canonical = Ragged | NDArray[Any]


def difference(expected: Canonical, got: Canonical, excused: NDArray[np.bool_] | None = None) -> str:
    """Describes the first difference outside of excused rows; "" if the results are equal."""
    if isinstance(expected, Ragged) != isinstance(got, Ragged):
        return "one result is ragged, the other is an array"
    if isinstance(expected, Ragged):
        assert isinstance(got, Ragged)
        return _ragged_difference(expected, got, excused)
    assert not isinstance(got, Ragged)
    if expected.shape != got.shape:
        return f"shape {list(got.shape)}, expected {list(expected.shape)}"
    unequal = expected != got
    return f"{unequal.sum()} of {unequal.size} elements" if unequal.any() else ""


def _ragged_difference(expected: Ragged, got: Ragged, excused: NDArray[np.bool_] | None) -> str:
    if len(expected.counts) != len(got.counts):
        return f"{len(got.counts)} rows, expected {len(expected.counts)}"
    if excused is not None:
        expected, got = expected.without_rows(excused), got.without_rows(excused)
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


def from_offsets(data: NDArray[np.uint8], offsets: NDArray[Any], row_splits: NDArray[Any]) -> Ragged:
    """Pieces at `offsets` `[T + 1]` in rows at `row_splits` `[N + 1]`. Neither needs to start at 0."""
    offsets = offsets[int(row_splits[0]) : int(row_splits[-1]) + 1]
    return Ragged(data[int(offsets[0]) : int(offsets[-1])], np.diff(offsets), np.diff(row_splits))


def joined(results: Iterable[Ragged]) -> Ragged:
    """Concatenates the rows of several results."""
    columns = zip(*((r.data, r.sizes, r.counts) for r in results), strict=True)
    return Ragged(*map(np.concatenate, columns))


def from_padded_offsets(data: NDArray[np.uint8], offsets: NDArray[Any], counts: NDArray[Any]) -> Ragged:
    """Compact padded pieces at `offsets` `[N, D + 1]`. The padding must be empty strings."""
    sizes = np.diff(offsets, axis=-1)
    real = np.arange(sizes.shape[1]) < counts[:, None]
    if sizes[~real].any():
        raise ValueError("canonical: padding is not empty")
    return Ragged(data[: int(sizes.sum())], sizes[real].astype(np.int64), counts.astype(np.int64))


def from_padded_objects(pieces: NDArray[np.object_], counts: NDArray[Any]) -> Ragged:
    """Padded pieces in an array of objects `[N, D]`."""
    real = np.arange(pieces.shape[1]) < counts[:, None]
    if any(pieces[~real]):
        raise ValueError("canonical: padding is not empty")
    return from_flat(pieces[real].tolist(), counts)


def from_flat(pieces: Iterable[str | bytes], counts: NDArray[Any]) -> Ragged:
    flat: list[Any] = list(pieces)
    if set(map(type, flat)) == {str} and (text := "".join(flat)).isascii():
        data = text.encode()  # faster than encoding each piece
    else:
        flat = [p.encode() if isinstance(p, str) else p for p in flat]
        data = b"".join(flat)
    sizes = np.fromiter(map(len, flat), np.int64, len(flat))
    return Ragged(np.frombuffer(data, dtype=np.uint8), sizes, np.asarray(counts, dtype=np.int64))


def from_lists(rows: Sequence[Sequence[str]]) -> Ragged:
    return from_flat((p for row in rows for p in row), np.fromiter(map(len, rows), np.int64, len(rows)))


def from_strings(strings: Sequence[str | bytes]) -> Ragged:
    """A list of strings: each row has one piece."""
    return from_flat(strings, np.ones(len(strings), dtype=np.int64))


def from_ids(ids: NDArray[np.int64], row_splits: NDArray[np.int64]) -> Canonical:
    """Ragged rows of ids: the row splits followed by the ids."""
    return np.concatenate([row_splits, ids])


def from_arrow(array: Any) -> Ragged:
    """A pyarrow `list<string>` or `string` array without nulls, or a ChunkedArray of them."""
    if hasattr(array, "combine_chunks"):
        array = array.combine_chunks()
    if hasattr(array, "chunks"):
        (array,) = array.chunks
    if array.null_count:
        raise ValueError("canonical: the array has nulls")
    if hasattr(array, "flatten") and hasattr(array, "values"):
        row_splits, array = array.offsets.to_numpy(), array.values
    else:
        row_splits = np.arange(len(array) + 1)
    _, offsets, data = array.buffers()
    width = np.int64 if str(array.type).startswith("large") else np.int32
    ends = (
        np.frombuffer(offsets, dtype=width)[array.offset : array.offset + len(array) + 1] if offsets else [0]
    )
    raw = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)
    return from_offsets(raw, np.asarray(ends, dtype=np.int64), row_splits)
