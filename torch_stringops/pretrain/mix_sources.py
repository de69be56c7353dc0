"""The sources of a Mix: datasets whose passes follow each other, and which know when one ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from torch_stringops._checks import check_int
from torch_stringops.pretrain.permutation import Permutation


class Source(ABC):
    """A dataset whose passes follow each other. `epoch` is the number of those that have ended."""

    epoch = 0

    def __init__(self, number: int) -> None:
        self.number = number

    @abstractmethod
    def has_next(self) -> bool:
        """Whether the pass has a further item."""

    @abstractmethod
    def next(self) -> Any:
        """The next item of the pass, which has one."""

    @abstractmethod
    def restart(self) -> None:
        """Begins a new pass."""

    @abstractmethod
    def state(self) -> dict[str, Any]: ...

    @abstractmethod
    def load(self, state: dict[str, Any]) -> None: ...

    def take(self) -> Any:
        """The next item, and notes that the pass has ended if it is the last one."""
        if not self.has_next():
            self.restart()
            if not self.has_next():
                raise ValueError(f"Mix: expected source {self.number} to have items in each pass")
        item = self.next()
        self.epoch += not self.has_next()
        return item

    def load_checked(self, state: Any) -> None:
        mine = self.state()
        if not isinstance(state, dict) or state.keys() != mine.keys():
            raise TypeError(f"Mix: expected a state of a dataset of the kind of source {self.number}")
        for name in ("items", "world_size"):
            if state.get(name) != mine.get(name):
                raise ValueError(f"Mix: expected `{name}` {mine[name]} of source {self.number}, got {state[name]}")
        self.epoch = check_int("Mix", f"sources[{self.number}]['epoch']", state["epoch"], 0)
        self.load(state)


class IndexedSource(Source):
    """Items of a dataset with positions, in a new order each epoch."""

    def __init__(self, dataset: Any, number: int, seed: int | None, rank: int, world_size: int) -> None:
        super().__init__(number)
        self.dataset, self.seed = dataset, seed
        self.rank, self.world_size = rank, world_size
        self._size = len(dataset) // world_size  # of a pass of this rank
        self._pass = self._next = 0

    def has_next(self) -> bool:
        return self._next < self._size

    def next(self) -> Any:
        at = np.array([self._next * self.world_size + self.rank])
        if self.seed is not None:
            at = Permutation(len(self.dataset), [self.seed, self.number, self._pass]).of(at)
        self._next += 1
        return self.dataset[int(at[0])]

    def restart(self) -> None:
        self._pass, self._next = self._pass + 1, 0

    def state(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch,
            "pass": self._pass,
            "next": self._next,
            "items": len(self.dataset),
            "world_size": self.world_size,
        }

    def load(self, state: dict[str, Any]) -> None:
        self._pass = check_int("Mix", f"sources[{self.number}]['pass']", state["pass"], 0)
        self._next = check_int("Mix", f"sources[{self.number}]['next']", state["next"], 0, self._size)


class IterableSource(Source):
    """Items of an iterable dataset. One is read ahead, to know where a pass ends."""

    def __init__(self, dataset: Any, number: int) -> None:
        super().__init__(number)
        if not hasattr(dataset, "__iter__"):
            raise TypeError(f"Mix: expected source {number} to be a dataset, got {type(dataset).__name__}")
        self.dataset = dataset
        self._iterator: Iterator[Any] | None = None
        self._ahead: list[Any] = []
        self._taken = 0  # items of this pass
        self._is_over = False  # the pass has no further item: the state of the dataset is of the next one

    def has_next(self) -> bool:
        if not self._ahead and not self._is_over:
            if self._iterator is None:
                self._iterator = iter(self.dataset)
            # The state of the dataset after the items that were taken.
            self._state = self._own_state()
            self._ahead = list(islice(self._iterator, 1))
            self._is_over = not self._ahead
        return bool(self._ahead)

    def next(self) -> Any:
        self._taken += 1
        return self._ahead.pop()

    def restart(self) -> None:
        self._iterator, self._ahead, self._taken, self._is_over = None, [], 0, False

    def state(self) -> dict[str, Any]:
        own = self._state if self._ahead else self._own_state()
        return {"epoch": self.epoch, "taken": self._taken, "is_over": self._is_over, "dataset": own}

    def load(self, state: dict[str, Any]) -> None:
        taken = check_int("Mix", f"sources[{self.number}]['taken']", state["taken"], 0)
        self.restart()
        if hasattr(self.dataset, "load_state_dict"):
            self.dataset.load_state_dict(state["dataset"])
        else:
            self._iterator = islice(iter(self.dataset), taken, None)
        self._taken, self._is_over = taken, bool(state["is_over"])

    def _own_state(self) -> Any:
        return self.dataset.state_dict() if hasattr(self.dataset, "state_dict") else None
