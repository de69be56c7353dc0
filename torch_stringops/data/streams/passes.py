"""The epoch and the first row of each pass over a dataset, also in workers of DataLoader.

A pass that ends is followed by one of the next epoch. Workers cannot ask the main process, nor tell it: they share a
table of int64 with it and with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import get_worker_info

# Workers of a DataLoader that the table has room for.
MAX_WORKERS = 256

# The first row of the table: the number of the setting, and the position that was set.
_SETTING, _EPOCH, _FIRST = range(3)
# A row of the table for each worker: the setting of its pass; what is equal for all workers of a pass, and for no other
# pass of DataLoader; where the pass began; and whether this worker has ended it.
_OF, _SEED, _NUMBER, _AT_EPOCH, _AT_FIRST, _ENDED = range(6)


@dataclass(frozen=True)
class Position:
    epoch: int
    first: int  # row of the epoch


class Passes:
    """The positions of passes. `begin` and `end` are called around each pass, in the process that reads it."""

    def __init__(self) -> None:
        self._table = torch.zeros([1 + MAX_WORKERS, 6], dtype=torch.int64, device="cpu").share_memory_()
        self._table[1:, _OF] = -1
        self._ended = False  # the last pass of this process, which is not a worker
        self._number = 0  # of passes of this worker

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy has a table of its own, which its workers share."""
        self.__dict__.update(state)
        self._table.share_memory_()

    def set(self, position: Position) -> None:
        """Sets where the next pass begins."""
        self._table[0, _EPOCH], self._table[0, _FIRST] = position.epoch, position.first
        self._table[0, _SETTING] += 1
        self._ended = False

    @property
    def read_by_workers(self) -> bool:
        """Whether workers have begun a pass since the position was set."""
        return bool((self._table[1:, _OF] == self._table[0, _SETTING]).any())

    def _snapshot(self) -> Tensor:
        """The table at one time, although workers write it."""
        before: Tensor = self._table.clone()
        while not torch.equal(before, after := self._table.clone()):
            before = after
        return before

    def current(self, table: Tensor | None = None) -> tuple[Position, bool]:
        """The begin of the last pass, or of the next one if none began since it was set; and whether it has ended."""
        table = self._snapshot() if table is None else table
        setting, epoch, first = table[0, :3].tolist()
        workers = table[1:]
        workers = workers[workers[:, _OF] == setting]
        if len(workers) == 0:
            return Position(epoch, first), self._ended
        last = workers[workers[:, _AT_EPOCH] == workers[:, _AT_EPOCH].max()]
        return Position(*last[0, [_AT_EPOCH, _AT_FIRST]].tolist()), bool(last[:, _ENDED].all())

    def following(self, table: Tensor | None = None) -> Position:
        """The position at which the next pass begins."""
        position, ended = self.current(table)
        return Position(position.epoch + 1, 0) if ended else position

    def resume(self, position: Position) -> None:
        """Begins a pass of this worker at a position of a state. All workers call this before one of them reads.

        `current` is then the furthest of these positions.
        """
        info = get_worker_info()
        assert info is not None
        self._table[1 + info.num_workers :, _OF] = -1  # of an earlier DataLoader with more workers
        values = [-1, 0, position.epoch, position.first, 0]
        if self._table[1 + info.id].tolist() != [int(self._table[0, _SETTING]), *values]:
            self._write(info.id, values)

    def begin(self) -> Position:
        """Begins a pass."""
        info = get_worker_info()
        if info is None:
            position = self.following()
            if position != self.current()[0]:
                self.set(position)
            self._ended = False
            return position
        # A worker may begin when others of its pass have ended it: all that follows is decided by one table.
        table = self._snapshot()
        setting = int(table[0, _SETTING])
        seed, self._number = info.seed - info.id, self._number + 1
        workers = table[1 : 1 + info.num_workers]
        key = torch.tensor([setting, seed, self._number], device="cpu")
        same = (workers[:, [_OF, _SEED, _NUMBER]] == key).all(dim=1)
        # Another pass may be equal in these, if the generator of DataLoader is seeded again.
        after = int(workers[info.id, _AT_EPOCH]) if same[info.id] else -1
        joined = workers[same & (workers[:, _AT_EPOCH] > after)]
        if len(joined):
            last = joined[joined[:, _AT_EPOCH].argmax()]
            position = Position(int(last[_AT_EPOCH]), int(last[_AT_FIRST]))
        else:
            position = self.following(table)
        self._write(info.id, [seed, self._number, position.epoch, position.first, 0])
        return position

    def _write(self, worker: int, values: list[int]) -> None:
        row = self._table[1 + worker]
        # Other processes may read at any time, and this one may be killed: the row counts once its setting is there.
        row[_OF] = -1
        row[_SEED:] = torch.tensor(values, device="cpu")
        row[_OF] = self._table[0, _SETTING]

    def end(self) -> None:
        """Ends the pass, of which this process has read all its rows."""
        info = get_worker_info()
        if info is None:
            self._ended = True
        else:
            self._table[1 + info.id, _ENDED] = 1
