"""Permutations of many numbers in constant memory."""

from __future__ import annotations

from typing import Any

import numpy as np

NDArray = np.ndarray[Any, Any]

_ROUNDS = 4


class Permutation:
    """A permutation of [0, size) that depends on a seed: a Feistel network of the bits of a number.

    The network permutes the numbers below a power of four that is at least `size`, and less than four times it. A
    result that is not below `size` is permuted again, until one is, which keeps the permutation one (cycle walking).
    """

    def __init__(self, size: int, seed: list[int]) -> None:
        self.size = size
        self._bits = np.uint64(max(1, (max(size - 1, 1).bit_length() + 1) // 2))  # of a half
        self._keys = np.random.PCG64(seed).random_raw(_ROUNDS)  # the same in all versions of NumPy

    def of(self, numbers: NDArray) -> NDArray:
        """Returns the numbers at positions, int64 `[n]` within [0, size)."""
        found = numbers.astype(np.uint64)
        out = np.arange(len(found))
        values = found
        while len(out):
            values = self._network(values)
            found[out] = values
            again = values >= self.size
            out, values = out[again], values[again]
        return found.astype(np.int64)

    def _network(self, values: NDArray) -> NDArray:
        mask = (np.uint64(1) << self._bits) - np.uint64(1)
        left, right = values >> self._bits, values & mask
        for key in self._keys:
            # The mixing function of SplitMix64.
            mixed = right + key
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            left, right = right, left ^ ((mixed ^ (mixed >> np.uint64(31))) & mask)
        return (left << self._bits) | right


class BlockOrder:
    """The order of the blocks of an epoch. Runs of blocks that are read together stay together in a shuffle.

    Args:
        bounds: of the runs, int64 `[R + 1]`.
        seed: None, blocks are in their order.
    """

    def __init__(self, bounds: NDArray, seed: list[int] | None) -> None:
        self._bounds, self._seed = bounds, seed
        if seed is not None:
            count = len(bounds) - 1
            self._runs = Permutation(count, seed).of(np.arange(count))
            self._ends = np.cumsum([0, *np.diff(bounds)[self._runs]])

    def block(self, row: int) -> int:
        """The block that is row `row` of the epoch."""
        if self._seed is None:
            return row
        place = int(np.searchsorted(self._ends, row, side="right")) - 1
        run = int(self._runs[place])
        first, size = int(self._bounds[run]), int(self._bounds[run + 1] - self._bounds[run])
        inner = Permutation(size, [*self._seed, run])
        return first + int(inner.of(np.array([row - self._ends[place]]))[0])
