"""The base of datasets that yield a batch a step on every rank: passes, ranks, workers and states."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info

from torch_stringops._checks import check_int
from torch_stringops.data._passes import Passes, Position
from torch_stringops.data._same_on_ranks import check_same_on_ranks
from torch_stringops.data._steps import Last, Steps

T = TypeVar("T", covariant=True)


class SteppedDataset(IterableDataset[T]):
    """Rows of an epoch in an order that depends on the settings alone, divided into steps.

    A subclass has the number of rows of an epoch, the settings that their order depends on, and a check of those of a
    state. It iterates over the numbers of `_begin`, and calls `_passes.end` after the last.
    """

    _op: ClassVar[str]
    batch_size: int
    drop_last: bool
    even: bool

    def _set_up(
        self, batch_size: int, drop_last: bool, even: bool, rank: int | None, world_size: int | None
    ) -> None:
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
        self._step = 0  # the next one of this process
        self._resumed = 0  # where the next iterator of a worker begins
        self._checked_ranks = False

    def _num_rows(self) -> int:
        """The rows of an epoch."""
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        """The settings that determine the order of the rows of an epoch."""
        raise NotImplementedError

    def _check_state(self, state: dict[str, Any]) -> None:
        """Raises ValueError or TypeError if a state is not one of these settings."""
        raise NotImplementedError

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
        self._step = self._resumed = 0

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Returns the position, with all that the order of rows depends on.

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
        steps = self._step if batches is None else check_int(self._op, "batches", batches, 0)
        position, _ = self._passes.current()
        return {
            **self._settings(),
            "epoch": position.epoch,
            "first": position.first,
            "step": steps,
            "step_rows": self.batch_size * self._rank()[1],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes at a position of `state_dict`.

        Raises:
            ValueError: what is read (files by their names, sizes and rows; tokens by their numbers and tokenizer), or
                a setting that the order depends on, is not that of the state; or, in a worker of StatefulDataLoader,
                the number of ranks or the batch size is not.
        """
        self._check_ranks()
        self._check_state(state)
        first, step = state["first"], state["step"]
        if get_worker_info() is None:
            first, step = min(first + step * state["step_rows"], self._num_rows()), 0
        elif state["step_rows"] != self.batch_size * self._rank()[1]:
            raise ValueError(f"{self._op}: expected as many ranks and rows of a batch as before, in a worker")
        self._passes.set(Position(state["epoch"], first))
        self._step = self._resumed = step

    def _begin(self) -> tuple[Position, Steps, range]:
        """Begins a pass: its position, its steps, and the numbers of those that this process makes."""
        self._check_ranks()
        position = self._passes.begin()
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        steps = self._steps(position)
        self._step, self._resumed = self._resumed, 0
        first = self._step + (worker - self._step) % workers
        return position, steps, range(first, len(steps), workers)

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
            check_same_on_ranks(
                self._op, {**self._settings(), "batch_size": self.batch_size, "even": self.even}
            )
            self._checked_ranks = True

    def __getstate__(self) -> dict[str, Any]:
        # Workers that are not forked are told the rank.
        sent = self._rank() if dist.is_available() and dist.is_initialized() else None
        return {**self.__dict__, "_sent_rank": sent}
