"""The base of datasets that yield a batch a step on every rank: passes, ranks, workers and states."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info

from torch_stringops._checks import check_int
from torch_stringops.data.streams.passes import Passes, Position
from torch_stringops.data.streams.same_on_ranks import check_same_on_ranks
from torch_stringops.data.streams.steps import Last, Steps

T = TypeVar("T", covariant=True)

# StatefulDataLoader asks each worker for less than this many batches before one of them is needed.
_MAX_PREFETCH = 16


class _Place(NamedTuple):
    """The next step of a pass. Worker i of n makes the steps whose number plus `shift` is i modulo n."""

    position: Position
    step: int = 0
    shift: int = 0


class SteppedDataset(IterableDataset[T]):
    """Rows of an epoch in an order that depends on the settings alone, divided into steps.

    A subclass has the number of rows of an epoch, the settings that their order depends on, and the batches of steps.
    """

    _op: ClassVar[str]
    batch_size: int
    drop_last: bool
    even: bool

    def _set_up(self, batch_size: int, drop_last: bool, even: bool, rank: int | None, world_size: int | None) -> None:
        self.batch_size = check_int(self._op, "batch_size", batch_size, 1)
        self.drop_last, self.even = bool(drop_last), bool(even)
        if (rank is None) != (world_size is None):
            raise ValueError(f"{self._op}: expected `rank` and `world_size` together")
        self._given_rank: tuple[int, int] | None = None
        if rank is not None and world_size is not None:
            world_size = check_int(self._op, "world_size", world_size, 1)
            self._given_rank = check_int(self._op, "rank", rank, 0, world_size - 1), world_size
        self._sent_rank: tuple[int, int] | None = None  # in a worker that does not inherit torch.distributed
        self._passes = Passes()
        # Where the iterator of this process is, and, in a worker, where the next one resumes.
        self._place: _Place | None = None
        self._resumed: _Place | None = None
        self._checked_ranks = False

    def _num_rows(self) -> int:
        """The rows of an epoch."""
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        """The settings that determine the order of the rows of an epoch."""
        raise NotImplementedError

    def _check_state(self, state: dict[str, Any], mine: dict[str, Any]) -> None:
        """Raises ValueError or TypeError if a state is not one of the settings `mine`."""
        if not isinstance(state, dict):
            raise TypeError(f"{self._op}: expected `state` to be a dict of state_dict, got {type(state).__name__}")
        for name, value in mine.items():
            if (theirs := state.get(name)) != value:
                raise ValueError(f"{self._op}: expected a state of `{name}` {value!r}, got {theirs!r}")
        for name in ("epoch", "first", "step", "step_rows"):
            check_int(self._op, f"state[{name!r}]", state.get(name), 0)

    def _batches(self, position: Position, steps: Steps, numbers: range) -> Generator[T, None, None]:
        """Yields the batches of the steps of these numbers."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        self._place = None
        return self._iterate()

    def _iterate(self) -> Iterator[T]:
        begun = self._begin()
        if begun is None:
            return
        place, steps, numbers = begun
        with closing(self._batches(place.position, steps, numbers)) as batches:
            for number, batch in zip(numbers, batches, strict=True):
                self._place = place._replace(step=number + 1)
                # The pass ends with its last batch, also if no further one is asked for.
                if number == numbers[-1]:
                    self._passes.end()
                yield batch
        if not numbers:
            self._passes.end()

    def __len__(self) -> int:
        """The number of batches of this rank from the position at which the pass begins or resumes."""
        return len(self._steps(self._passes.following()))

    @property
    def repeated(self) -> int:
        """The number of rows that are in two batches of an epoch, on all ranks together."""
        return self._steps(self._passes.following()).repeated

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next pass, before an iterator of DataLoader is created.

        The pass begins at row 0, or where `load_state_dict` has resumed that epoch.
        """
        epoch = check_int(self._op, "epoch", epoch, 0)
        self._check_ranks()
        position, ended = self._passes.current()
        kept = position.first if position.epoch == epoch and not ended else 0
        self._passes.set(Position(epoch, kept))
        self._place = None

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Returns the position, with all that the order of rows depends on.

        After the last batch of a pass, it is the begin of the next epoch.

        Args:
            batches: the number of batches that this rank has received since the pass began or resumed. Default: the
                number that this process has returned, which is known unless workers of DataLoader read.

        Raises:
            ValueError: workers of DataLoader read, and `batches` is not given.
        """
        if batches is None and get_worker_info() is None and self._passes.read_by_workers:
            raise ValueError(
                f"{self._op}: expected `batches`, the number of batches received in this pass, since workers of "
                "DataLoader read ahead: state_dict(batches); or iterate in this process"
            )
        place, in_worker = self._place, get_worker_info() is not None
        step_rows = self.batch_size * self._rank()[1]
        if not in_worker:
            position, ended = self._passes.current()
            place = _Place(position, 0 if place is None else place.step)
            if batches is not None:
                place, ended = place._replace(step=check_int(self._op, "batches", batches, 0)), False
            if ended or not self._is_left(place, step_rows, 0):
                place = _Place(Position(position.epoch + 1, 0))
        elif place is None:
            place = self._resumed or _Place(self._passes.following())
        return {
            **self._settings(),
            "epoch": place.position.epoch,
            "first": place.position.first,
            "step": place.step,
            "step_rows": step_rows,
            **({"shift": place.shift} if in_worker else {}),
        }

    def _is_left(self, place: _Place, step_rows: int, rank: int) -> bool:
        """Whether the pass of a state has a step left on a rank. Rank 0 has the most."""
        first = place.position.first + place.step * step_rows
        return first == 0 or len(replace(self._steps(replace(place.position, first=first)), rank=rank)) > 0

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes at a position of `state_dict`.

        Raises:
            ValueError: what is read (files by their names, sizes and rows; tokens by their numbers and tokenizer), or
                a setting that the order depends on, is not that of the state; or, in a worker of StatefulDataLoader,
                the number of ranks or the batch size is not.
        """
        self._check_ranks()
        self._check_state(state, self._settings())
        place, step_rows = _Place(Position(state["epoch"], state["first"]), state["step"]), state["step_rows"]
        self._place = None
        if get_worker_info() is None:
            first = min(place.position.first + place.step * step_rows, self._num_rows())
            is_left = self._is_left(place, step_rows, 0)
            self._passes.set(Position(state["epoch"], first) if is_left else Position(state["epoch"] + 1, 0))
            return
        if step_rows != self.batch_size * self._rank()[1]:
            raise ValueError(f"{self._op}: expected as many ranks and rows of a batch as before, in a worker")
        self._resumed = place._replace(shift=state.get("shift", 0))
        # Only the worker of the last batch knows that it was the last: the pass of all workers is then the next one.
        is_left = self._is_left(place, step_rows, self._rank()[0])
        self._passes.resume(place.position if is_left else Position(state["epoch"] + 1, 0))

    def _begin(self) -> tuple[_Place, Steps, range] | None:
        """Begins a pass: its place, its steps, and the numbers of those that this process makes. None is an empty pass.

        The state of a StatefulDataLoader at the end of a pass has the same states of workers within the loop, after
        which its iterator reads the next pass, and after the loop, where it drops the iterator, and another one reads.
        The pass is not begun by an iterator that might end it before it is dropped.
        """
        self._check_ranks()
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        place, self._resumed = self._resumed, None
        if place is None:
            place = _Place(self._passes.begin())
        elif (position := self._passes.current()[0]) != place.position:
            if len(self._steps(position)) <= _MAX_PREFETCH * workers:
                return None
            # DataLoader goes on with the worker after that of the last batch.
            place = _Place(position, 0, (place.shift + len(self._steps(place.position))) % workers)
            self._passes.resume(position)
        steps = self._steps(place.position)
        first = place.step + (worker - place.shift - place.step) % workers
        return place, steps, range(first, len(steps), workers)

    def _steps(self, position: Position) -> Steps:
        last: Last = "drop" if self.drop_last else "even" if self.even else "once"
        return Steps(self._num_rows(), position.first, self.batch_size, *self._rank(), last)

    def _rank(self) -> tuple[int, int]:
        if self._given_rank is not None:
            return self._given_rank
        if dist.is_available() and dist.is_initialized():
            return dist.get_rank(), dist.get_world_size()
        if self._sent_rank is not None and get_worker_info() is not None:
            return self._sent_rank
        return 0, 1

    def _check_ranks(self) -> None:
        """Compares the files and settings with those of the other ranks, once, in the processes that form the group."""
        if self._checked_ranks or self._given_rank is not None or get_worker_info() is not None:
            return
        if dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1:
            check_same_on_ranks(self._op, {**self._settings(), "batch_size": self.batch_size, "even": self.even})
            self._checked_ranks = True

    def __getstate__(self) -> dict[str, Any]:
        # Workers that are not forked are told the rank.
        sent = self._rank() if dist.is_available() and dist.is_initialized() else None
        return {**self.__dict__, "_sent_rank": sent}
