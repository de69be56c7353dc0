"""How the rows of an epoch are divided into steps, and a step among ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# The treatment of rows that do not fill a step: some are repeated so that all ranks have the same number, they are
# dropped, or each is in one batch of one rank, and ranks may differ by a row or a batch.
Last = Literal["even", "drop", "once"]


@dataclass(frozen=True)
class Steps:
    """The steps of a rank, from row `first` of an epoch of `rows`. A step is a batch on every rank."""

    rows: int
    first: int
    batch_size: int
    rank: int
    num_ranks: int
    last: Last

    @property
    def step_rows(self) -> int:
        return self.batch_size * self.num_ranks

    def __len__(self) -> int:
        rest = max(self.rows - self.first, 0) % self.step_rows
        return self.num_full + (rest > 0 and (self.last == "even" or (self.last == "once" and rest > self.rank)))

    @property
    def num_full(self) -> int:
        """The number of steps whose batches have `batch_size` rows on every rank."""
        return max(self.rows - self.first, 0) // self.step_rows

    @property
    def repeated(self) -> int:
        """The number of rows, on all ranks, that are in two batches."""
        rest = max(self.rows - self.first, 0) % self.step_rows
        return -rest % self.num_ranks if self.last == "even" else 0

    def of(self, step: int) -> list[tuple[int, int]]:
        """The ranges of rows of the epoch that are the batch of a step. The first rows follow the last one."""
        begin = self.first + step * self.step_rows
        count = min(self.step_rows, self.rows - begin)
        each, more = divmod(count, self.num_ranks)
        if self.last == "even" and more:
            begin += (each + 1) * self.rank
            return _wrapped(begin, begin + each + 1, self.rows)
        begin += each * self.rank + min(self.rank, more)
        return [(begin, begin + each + (self.rank < more))]


def _wrapped(begin: int, end: int, size: int) -> list[tuple[int, int]]:
    """The range [begin, end), in which row `size` is row 0."""
    found = []
    while begin < end:
        at = begin % size
        count = min(end - begin, size - at)
        found.append((at, at + count))
        begin += count
    return found
