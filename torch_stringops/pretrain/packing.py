"""How documents become blocks of a fixed number of tokens.

A block is a list of parts of documents: `(document, begin, count)` in tokens of the document. Parts of a document that
is longer than a block begin `length` tokens after each other and have one token in common, so that each token but the
first of a document is the label of one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from torch_stringops.pretrain.token_dataset import TokenDataset

NDArray = np.ndarray[Any, Any]
# Documents that are packed together: sorting their lengths takes less than a second.
_WINDOW = 2**20


class Parts(NamedTuple):
    """The parts of a block, int64 `[n]` each: of which document, where in all tokens they begin, and their tokens."""

    documents: NDArray
    begins: NDArray
    counts: NDArray


class Packing:
    """The blocks of a dataset, each of at most `length + 1` tokens."""

    num_blocks: int
    # The tokens that blocks have, of (length + 1) * num_blocks.
    num_used: int

    def __init__(self, dataset: TokenDataset, length: int) -> None:
        self.dataset, self.length = dataset, length

    def parts(self, block: int) -> Parts:
        """The parts of a block, in their order."""
        raise NotImplementedError

    def runs(self) -> NDArray:
        """The bounds of ranges of blocks that are read together, int64: a shuffle keeps them together."""
        return np.array([0, self.num_blocks], dtype=np.int64)


class Concatenation(Packing):
    """Documents one after the other, cut every `length` tokens. The last tokens, which fill no block, are left out."""

    def __init__(self, dataset: TokenDataset, length: int) -> None:
        super().__init__(dataset, length)
        self.num_blocks = max(0, dataset.num_tokens - 1) // length
        self.num_used = self.num_blocks * (length + 1)

    def parts(self, block: int) -> Parts:
        begin = block * self.length
        end = begin + self.length + 1
        first, last = self.dataset._documents_at(np.array([begin, end - 1]))
        documents = np.arange(first, last + 1)
        bounds = self.dataset._bounds(documents).clip(begin, end)
        counts = bounds[:, 1] - bounds[:, 0]
        has_tokens = counts > 0
        return Parts(documents[has_tokens], bounds[has_tokens, 0], counts[has_tokens])


class BestFit(Packing):
    """Whole documents, each in the fullest block that has room, the longest ones first; of windows of 2^20 documents.

    Documents of more than `length + 1` tokens are cut, and what remains of them is packed as a document.
    """

    def __init__(self, dataset: TokenDataset, length: int) -> None:
        super().__init__(dataset, length)
        self._plan = lru_cache(maxsize=2)(self._make_plan)
        counts, self.num_used = [], 0
        for window in range(-(-dataset.num_documents // _WINDOW)):
            plan = self._plan(window)
            counts.append(len(plan.firsts) - 1)
            self.num_used += int(plan.counts.sum())
        self._bounds = np.cumsum([0, *counts])
        self.num_blocks = int(self._bounds[-1])

    def parts(self, block: int) -> Parts:
        window = int(np.searchsorted(self._bounds, block, side="right")) - 1
        plan = self._plan(window)
        a, b = plan.firsts[block - self._bounds[window] :][:2]
        return Parts(plan.documents[a:b], plan.begins[a:b], plan.counts[a:b])

    def runs(self) -> NDArray:
        return self._bounds

    def _make_plan(self, window: int) -> _Plan:
        first = window * _WINDOW
        lengths = self.dataset._lengths(first, min(first + _WINDOW, self.dataset.num_documents))
        token = int(self.dataset._bounds(np.array([first]))[0, 0])
        starts = token + np.cumsum(lengths) - lengths
        # A document of n tokens has a part at each multiple of `length` that is less than n - 1, at least one.
        numbers = np.where(lengths > 0, np.maximum(-(-(lengths - 1) // self.length), 1), 0)
        of = np.repeat(np.arange(len(lengths)), numbers)
        at = (np.arange(len(of)) - np.repeat(np.cumsum(numbers) - numbers, numbers)) * self.length
        counts = np.minimum(lengths[of] - at, self.length + 1)
        blocks = _numbered(best_fit(counts, self.length + 1))
        order = blocks.argsort(kind="stable")
        num_blocks = int(blocks.max()) + 1 if len(blocks) else 0
        firsts = np.searchsorted(blocks[order], np.arange(num_blocks + 1))
        return _Plan(first + of[order], (starts[of] + at)[order], counts[order], firsts)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_plan"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._plan = lru_cache(maxsize=2)(self._make_plan)


class _Plan(NamedTuple):
    """The parts of the blocks of a window; block i has those of [firsts[i], firsts[i + 1])."""

    documents: NDArray
    begins: NDArray
    counts: NDArray
    firsts: NDArray


def best_fit(counts: NDArray, capacity: int) -> NDArray:
    """Best-fit decreasing: the block of each part, int64 `[n]`.

    Parts are taken from the longest to the shortest, each into the block with the least room that is enough, or into a
    new one. Parts of equal length, and blocks of equal room, are handled together: the steps are not as many as parts,
    but as the lengths and the rooms that occur.

    Args:
        counts: tokens of each part, int64 `[n]` within [1, capacity].
        capacity: tokens of a block.
    """
    found = np.empty(len(counts), np.int64)
    order = counts.argsort(kind="stable")[::-1]
    sizes, firsts = np.unique(-counts[order], return_index=True)
    bounds = [*firsts.tolist(), len(counts)]
    # The blocks of each room, in pieces, and a byte for each room that has blocks.
    blocks_of: list[list[NDArray]] = [[] for _ in range(capacity + 1)]
    has_blocks = bytearray(capacity + 1)
    num_blocks = 0
    for size, begin, end in zip((-sizes).tolist(), bounds[:-1], bounds[1:], strict=True):
        while begin < end:
            room = has_blocks.find(1, size)
            if room < 0:
                room = capacity
                blocks = np.arange(num_blocks, num_blocks + -(-(end - begin) // (capacity // size)))
                num_blocks += len(blocks)
            else:
                blocks = blocks_of[room].pop()
                has_blocks[room] = bool(blocks_of[room])
            # A block takes as many parts of this size as it has room for; the last one may take fewer.
            each = room // size
            used = min(len(blocks), -(-(end - begin) // each))
            taken = min(used * each, end - begin)
            found[order[begin : begin + taken]] = np.repeat(blocks[:used], each)[:taken]
            begin += taken
            full = taken // each
            for rest, some in (
                (room - each * size, blocks[:full]),
                (room - (taken - full * each) * size, blocks[full:used]),
                (room, blocks[used:]),
            ):
                if rest and len(some):
                    blocks_of[rest].append(some)
                    has_blocks[rest] = True
    return found


def _numbered(blocks: NDArray) -> NDArray:
    """Blocks in the order of their first parts, so that they follow the documents as far as they can."""
    _, firsts, inverse = np.unique(blocks, return_index=True, return_inverse=True)
    rank = np.empty(len(firsts), np.int64)
    rank[firsts.argsort()] = np.arange(len(firsts))
    return rank[inverse]
