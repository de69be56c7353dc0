"""Near duplicates in a column: MinHash signatures, bands of them as candidates, and clusters of similar rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from math import ceil, log1p
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import check_int, check_number
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.data.columns.column import StringColumn

NDArray = np.ndarray[Any, Any]

# Rows whose signatures are computed together.
_ROWS = 2**14
# Pairs whose signatures are compared together.
_PAIRS = 2**16
# A pair as similar as the threshold shares a band with at least this probability.
_RECALL = 0.995
# Rows of equal keys are compared with as many of those that follow: all pairs, if they are not more.
_NEIGHBOURS = 64
# Of more rows, as many other values of the signatures give the order.
_ORDERED_BY = 16
# A row of so many is compared exactly with at most as many others at each power of two of the distance.
_COMPARED = 1
# Pairs that are not compared exactly again, for each row on average.
_REMEMBERED = 16
# An estimate further than this many standard errors from the threshold decides; others are computed exactly.
_SURE = 4.0


@named
def near_duplicates(
    column: StringColumn | StringsLike,
    threshold: float = 0.8,
    *,
    ngram: int = 5,
    hashes: int = 128,
    seed: int = 0,
) -> Tensor:
    """Finds clusters of similar rows: two rows are in one cluster if a chain of similar pairs connects them.

    Two rows are similar if the Jaccard similarity of their sets of n-grams (see `string_minhash`) is at least
    `threshold`. Bands of MinHash signatures find the pairs: a pair at the threshold with a probability of
    99.5 %, a more similar one almost certainly. Each pair that is found is checked: by its signatures if
    their estimate is more than four standard errors from the threshold, otherwise by `string_jaccard`. So pairs
    that are less similar hardly ever join two clusters.

    Rows that share a band are compared with each other if they are at most 65, such as copies of a text. More of
    them, such as texts of one template, are put in order of other values of their signatures, and each is compared
    with the 64 next to it: by signatures, and exactly with 7 of them, the most similar ones. Of these, pairs whose
    similarity is hardly above that of all others may be missed.

    Signatures are kept in a temporary file, 4 * `hashes` bytes a row; memory holds about 60 bytes a row, and up to
    260 if many rows share bands.

    Args:
        column: rows `[N]`: a column, or strings in any form that StringColumn accepts as a chunk.
        threshold: within (0, 1]. With 1.0, rows are similar if they are equal; their strings are compared.
        ngram: length of the n-grams in code points.
        hashes: number of values of a signature, at least 16, and more for a low `threshold`: 51 for 0.1, 104 for 0.05.
        seed: the seed of the signatures.

    Returns:
        int64 `[N]`, the position of the first row of the cluster of each row.

    Raises:
        ValueError: an argument is not as above.

    Example:
        >>> rows = ["the cat sat on the mat, and slept", "to be or not to be", "the cat sat on the mat, and sleeps"]
        >>> near_duplicates(rows, threshold=0.7)
        tensor([0, 1, 0])
    """
    op = "near_duplicates"
    rows = column if isinstance(column, StringColumn) else StringColumn([column])
    limit = check_number(op, "threshold", threshold)
    if not 0 < limit <= 1:
        raise ValueError(f"{op}: expected `threshold` within (0, 1], got {limit:.6g}")
    check_int(op, "ngram", ngram, 1, 2**31 - 1)
    check_int(op, "hashes", hashes, 16, 65_536)
    check_int(op, "seed", seed, -(2**63), 2**64 - 1)
    clusters = _Clusters(len(rows))
    # So many hashes, of which a pair at the threshold shares one with a probability of _RECALL.
    least = 1 if limit == 1 else ceil(log1p(-_RECALL) / log1p(-limit))
    if hashes < least:
        raise ValueError(f"{op}: expected `hashes` >= {least} with `threshold` {limit:.6g}, got {hashes}")
    if limit == 1:
        keys = np.concatenate([np.empty(0, np.uint64), *(s.hash().numpy().view(np.uint64) for s in rows)])
        _join_band(clusters, keys, partial(_equal, rows))
        return torch.from_numpy(clusters.labels)
    with tempfile.TemporaryFile() as file:
        signatures = _signatures(rows, ngram, hashes, seed, file)
        judge = _Judge(rows, signatures, limit, ngram)
        width = _band_width(limit, hashes)
        for begin in range(0, hashes - width + 1, width):
            at = np.arange(begin + width, begin + width + min(_ORDERED_BY, hashes - width)) % hashes
            keys = _keys(signatures[:, begin : begin + width])
            _join_band(clusters, keys, judge.are_similar, partial(_values_at, signatures, at))
            judge.end_band()
    return torch.from_numpy(clusters.labels)


@named
def deduplicate(
    column: StringColumn | StringsLike,
    threshold: float = 0.8,
    *,
    ngram: int = 5,
    hashes: int = 128,
    seed: int = 0,
) -> StringColumn:
    """Keeps the first row of each cluster of `near_duplicates`, in order.

    Args:
        column: rows `[N]`: a column, or strings in any form that StringColumn accepts as a chunk.
        threshold, ngram, hashes, seed: as in `near_duplicates`. With `threshold` 1.0, rows that are equal to an earlier
            one are left out.

    Returns:
        A column of the rows that are kept.

    Raises:
        ValueError: an argument is not as above.

    Example:
        >>> deduplicate(["to be", "or", "to be"], threshold=1.0)[:].tolist()
        ['to be', 'or']
    """
    rows = column if isinstance(column, StringColumn) else StringColumn([column])
    found = near_duplicates(rows, threshold, ngram=ngram, hashes=hashes, seed=seed)
    is_first = found == torch.arange(len(rows), device="cpu")
    begin, chunks = 0, []
    for strings in rows:
        chunks.append(strings[is_first[begin : begin + len(strings)]])
        begin += len(strings)
    return StringColumn(chunks)


def _band_width(threshold: float, hashes: int) -> int:
    """The most values of a band with which a pair at the threshold shares a band with a probability of _RECALL."""
    for width in range(min(hashes, 64), 1, -1):
        if 1 - (1 - threshold**width) ** (hashes // width) >= _RECALL:
            return width
    return 1


def _signatures(rows: StringColumn, ngram: int, hashes: int, seed: int, file: Any) -> NDArray:
    """The signatures of all rows, uint32 `[N, hashes]`, mapped from a file."""
    for strings in rows:
        for begin in range(0, len(strings), _ROWS):
            found = strings[begin : begin + _ROWS].minhash(hashes, ngram, seed, method="bins")
            file.write(found.numpy().astype(np.uint32).data)
    file.flush()
    if len(rows) == 0:
        return np.empty([0, hashes], np.uint32)
    return np.memmap(file, np.uint32, "r", shape=(len(rows), hashes))


def _keys(values: NDArray) -> NDArray:
    """A number for the values of a band, uint64 `[N]`. Equal values have equal ones, others hardly ever."""
    found = np.zeros(len(values), np.uint64)
    for column in values.T:
        found = (found ^ column) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(32)
    return found


def _values_at(signatures: NDArray, columns: NDArray, rows: NDArray) -> NDArray:
    """Some values of the signatures of some rows, which are read in parts."""
    return np.concatenate([signatures[rows[at : at + _ROWS]][:, columns] for at in range(0, len(rows), _ROWS)])


class _Clusters:
    """Sets of rows, each with the number of its first row in `labels`."""

    def __init__(self, count: int) -> None:
        self.labels = np.arange(count)

    def join(self, a: NDArray, b: NDArray) -> None:
        """Joins the sets of rows a[i] and b[i], for all i."""
        labels = self.labels
        while True:
            first, second = labels[a], labels[b]
            differs = first != second
            if not differs.any():
                break
            first, second = first[differs], second[differs]
            np.minimum.at(labels, np.maximum(first, second), np.minimum(first, second))
            while not np.array_equal(labels, shorter := labels[labels]):
                labels = shorter
        self.labels = labels


def _join_band(
    clusters: _Clusters,
    keys: NDArray,
    are_similar: Callable[[NDArray, NDArray, NDArray], NDArray],
    values_at: Callable[[NDArray], NDArray] | None = None,
) -> None:
    """Joins rows with equal keys that are similar, of those with at most _NEIGHBOURS rows between them.

    Rows of a key are in order of their positions. If they are more than _NEIGHBOURS, they are in order of `values_at`,
    other values of their signatures, so that the most similar ones are near each other. `are_similar` takes pairs of
    rows, and whether they are of a key of so many rows.
    """
    # Numbers are sorted faster than positions, so that a position replaces the lowest bits of its key. Rows whose other
    # bits are equal are not joined for that: `are_similar` decides.
    low = np.uint64(2 ** len(keys).bit_length() - 1)
    order = np.sort((keys & ~low) | np.arange(len(keys), dtype=np.uint64))
    rows, sorted_keys = (order & low).astype(np.int64), order & ~low
    begins = np.flatnonzero(np.append(True, sorted_keys[1:] != sorted_keys[:-1]))
    sizes = np.diff(np.append(begins, len(rows)))
    is_many = (sizes > _NEIGHBOURS).repeat(sizes) if len(rows) else np.empty(0, np.bool_)
    if values_at is not None and is_many.any():
        many = rows[is_many]
        columns = values_at(many)
        rows[is_many] = many[np.lexsort([*columns.T[::-1], sorted_keys[is_many]])]
    for nearest in (2**k for k in range(_NEIGHBOURS.bit_length())):
        pairs = []
        for distance in range(nearest, min(2 * nearest, _NEIGHBOURS + 1)):
            (at,) = (sorted_keys[distance:] == sorted_keys[:-distance]).nonzero()
            if len(at) == 0:
                break
            pairs.append((rows[at], rows[at + distance], is_many[at]))
        if not pairs:
            return
        a, b, of_many = map(np.concatenate, zip(*pairs, strict=True))
        is_new = clusters.labels[a] != clusters.labels[b]
        a, b, of_many = a[is_new], b[is_new], of_many[is_new]
        for begin in range(0, len(a), _PAIRS):
            part = slice(begin, begin + _PAIRS)
            is_similar = are_similar(a[part], b[part], of_many[part])
            clusters.join(a[part][is_similar], b[part][is_similar])


class _Judge:
    """Decides which pairs of rows are similar."""

    def __init__(self, rows: StringColumn, signatures: NDArray, threshold: float, ngram: int) -> None:
        self.rows, self.signatures, self.threshold, self.ngram = rows, signatures, threshold, ngram
        hashes = signatures.shape[1]
        self.doubt = _SURE * (threshold * (1 - threshold) / hashes) ** 0.5
        # Pairs whose n-grams have been compared and are not similar: most of them share several bands.
        self.refused = np.empty(0, np.int64)
        self.band: list[NDArray] = []

    def are_similar(self, a: NDArray, b: NDArray, of_many: NDArray) -> NDArray:
        shares = np.concatenate(
            [
                (self.signatures[a[at : at + 1024]] == self.signatures[b[at : at + 1024]]).mean(axis=1)
                for at in range(0, len(a), 1024)
            ]
        )
        pairs = np.minimum(a, b) * len(self.rows) + np.maximum(a, b)
        at = np.searchsorted(self.refused, pairs)
        is_refused = np.append(self.refused, -1)[at] == pairs
        is_unsure = np.abs(shares - self.threshold) <= self.doubt
        found: NDArray = (shares >= self.threshold) & ~is_unsure & ~is_refused
        (unsure,) = (is_unsure & ~is_refused).nonzero()
        # By their row, and the most similar ones first.
        unsure = unsure[np.lexsort([-shares[unsure], a[unsure]])]
        begins = np.append(True, np.diff(a[unsure]) != 0)[: len(unsure)]
        place = np.arange(len(unsure)) - np.maximum.accumulate(np.where(begins, np.arange(len(unsure)), 0))
        unsure = unsure[~of_many[unsure] | (place < _COMPARED)]
        if len(unsure):
            found[unsure] = self._jaccard(a[unsure], b[unsure]) >= np.float32(self.threshold)
            self.band.append(pairs[unsure][~found[unsure]])
        return found

    def end_band(self) -> None:
        """Keeps the pairs of a band that were refused, a limited number for each row on average."""
        self.refused = np.sort(np.concatenate([self.refused, *self.band]))
        limit = _REMEMBERED * len(self.rows)
        if len(self.refused) > limit:
            self.refused = self.refused[:: -(-len(self.refused) // limit)]
        self.band.clear()

    def _jaccard(self, a: NDArray, b: NDArray) -> NDArray:
        x, y = (self.rows[torch.from_numpy(rows)] for rows in (a, b))
        return x.jaccard(y, self.ngram).numpy()


def _equal(rows: StringColumn, a: NDArray, b: NDArray, of_many: NDArray) -> NDArray:
    found: NDArray = (rows[torch.from_numpy(a)] == rows[torch.from_numpy(b)]).numpy()
    return found
