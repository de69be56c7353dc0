"""The sources of a Mix: datasets whose passes follow each other, and which know when one ends."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from itertools import islice
from typing import Any

import numpy as np
from torch.utils.data import IterableDataset

from torch_stringops._checks import check_int
from torch_stringops.pretrain.permutation import Permutation


class IndexedItems:
    """The items of a map-style dataset, in a new order each pass; of one rank."""

    def __init__(self, dataset: Any, number: int, seed: int | None, rank: int, world_size: int) -> None:
        self.dataset, self.number, self.seed = dataset, number, seed
        self.rank, self.world_size = rank, world_size
        self._size = len(dataset) // world_size  # of a pass of this rank
        self._pass = self._next = 0

    def __iter__(self) -> Iterator[Any]:
        while self._next < self._size:
            at = np.array([self._next * self.world_size + self.rank])
            if self.seed is not None:
                at = Permutation(len(self.dataset), [self.seed, self.number, self._pass]).of(at)
            self._next += 1
            yield self.dataset[int(at[0])]
        self._pass, self._next = self._pass + 1, 0

    def state_dict(self) -> dict[str, int]:
        sizes = {"items": len(self.dataset), "world_size": self.world_size}
        return {**sizes, "pass": self._pass, "next": self._next}

    def load_state_dict(self, state: Any) -> None:
        mine = self.state_dict()
        if not isinstance(state, dict) or state.keys() != mine.keys():
            raise TypeError(f"Mix: expected a state of a dataset of the kind of source {self.number}")
        for name in ("items", "world_size"):
            if state[name] != mine[name]:
                raise ValueError(f"Mix: expected `{name}` {mine[name]} of source {self.number}, got {state[name]}")
        self._pass = check_int("Mix", f"sources[{self.number}]['pass']", state["pass"], 0)
        self._next = check_int("Mix", f"sources[{self.number}]['next']", state["next"], 0, self._size)


class Source:
    """A dataset whose passes follow each other. One item is read ahead, to know where a pass ends.

    Attributes:
        epoch: the number of passes that have ended.
    """

    def __init__(self, dataset: Any, number: int, seed: int | None, rank: int, world_size: int) -> None:
        is_indexed = hasattr(dataset, "__getitem__") and isinstance(dataset, Sized)
        if is_indexed and not isinstance(dataset, IterableDataset):
            dataset = IndexedItems(dataset, number, seed, rank, world_size)
        if not hasattr(dataset, "__iter__"):
            raise TypeError(f"Mix: expected source {number} to be a dataset, got {type(dataset).__name__}")
        self.dataset, self.number, self.epoch = dataset, number, 0
        self._restart()

    def _restart(self) -> None:
        self._iterator: Iterator[Any] | None = None
        self._ahead: list[Any] = []
        self._taken = 0  # items of this pass
        self._is_over = False  # the pass has no further item: the state of the dataset is of the next one

    def has_next(self) -> bool:
        """Whether the pass has a further item."""
        if not self._ahead and not self._is_over:
            if self._iterator is None:
                self._iterator = iter(self.dataset)
            # The state of the dataset after the items that were taken.
            self._state = self._own_state()
            self._ahead = list(islice(self._iterator, 1))
            self._is_over = not self._ahead
        return bool(self._ahead)

    def take(self) -> Any:
        """The next item, and notes that the pass has ended if it is the last one."""
        if not self.has_next():
            self._restart()
            if not self.has_next():
                raise ValueError(f"Mix: expected source {self.number} to have items in each pass")
        self._taken += 1
        item = self._ahead.pop()
        self.epoch += not self.has_next()
        return item

    def state(self) -> dict[str, Any]:
        own = self._state if self._ahead else self._own_state()
        return {"epoch": self.epoch, "taken": self._taken, "is_over": self._is_over, "dataset": own}

    def load(self, state: Any) -> None:
        mine = self.state()
        is_kind = isinstance(state, dict) and state.keys() == mine.keys()
        if not is_kind or (state["dataset"] is None) != (mine["dataset"] is None):
            raise TypeError(f"Mix: expected a state of a dataset of the kind of source {self.number}")
        where = f"sources[{self.number}]"
        epoch = check_int("Mix", f"{where}['epoch']", state["epoch"], 0)
        taken = check_int("Mix", f"{where}['taken']", state["taken"], 0)
        self._restart()
        if hasattr(self.dataset, "load_state_dict"):
            self.dataset.load_state_dict(state["dataset"])
        else:
            self._iterator = islice(iter(self.dataset), taken, None)
        self.epoch, self._taken, self._is_over = epoch, taken, bool(state["is_over"])

    def _own_state(self) -> Any:
        return self.dataset.state_dict() if hasattr(self.dataset, "state_dict") else None
