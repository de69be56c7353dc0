"""Batches of rows of about equal length, so that little padding is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Sampler

from torch_stringops._checks import check_int
from torch_stringops._names import named_class
from torch_stringops._types import IntsLike
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.string_tensor import StringTensor

_OP = "BucketBatchSampler"


@named_class
class BucketBatchSampler(Sampler[list[int]]):
    """Samples batches of rows of about equal length, for `DataLoader(dataset, batch_sampler=...)`.

    In each epoch, every row is in one batch of one rank. Rows are shuffled and cut into pools; the rows of a pool are
    sorted by length and cut into batches, which are shuffled. A batch thus consists of random rows of about equal
    length. The ranks take batches in turn. The order depends on the lengths, `seed` and the epoch alone.

    Args:
        lengths: the length of each row, integers `[N]`, such as `ragged_lengths(row_splits)`; or strings
            `[N]`, a StringTensor or a StringColumn, whose lengths in bytes are used.
        batch_size: maximum number of rows of a batch.
        max_padded: maximum of the number of rows of a batch times the length of its longest row: the size of the padded
            batch. A longer row is a batch of its own. Default: no limit.
        shuffle: shuffle rows and batches. Otherwise, rows stay in order of their length within each pool.
        seed: the seed of the order.
        pool_batches: the size of a pool, in batches of `batch_size` rows. Larger pools need less padding, but
            their batches are less random.
        drop_last: drop the last batches if there are fewer of them than ranks, so that all ranks have the
            same number.
        rank, world_size: the rank of this process, and the number of ranks. Default: 0 and 1.

    Raises:
        TypeError, ValueError: an argument is not as above.

    Example:
        >>> sampler = BucketBatchSampler(torch.tensor([5, 1, 4, 2]), batch_size=2, shuffle=False)
        >>> list(sampler)
        [[1, 3], [2, 0]]
    """

    def __init__(
        self,
        lengths: IntsLike | StringTensor | StringColumn,
        *,
        batch_size: int,
        max_padded: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        pool_batches: int = 100,
        drop_last: bool = False,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self.lengths = _lengths(lengths)
        self.batch_size = check_int(_OP, "batch_size", batch_size, 1)
        self.max_padded = None if max_padded is None else check_int(_OP, "max_padded", max_padded, 1)
        self.shuffle, self.drop_last = bool(shuffle), bool(drop_last)
        self.seed = check_int(_OP, "seed", seed, 0, 2**63 - 1)
        self.pool_batches = check_int(_OP, "pool_batches", pool_batches, 1)
        self.world_size = check_int(_OP, "world_size", world_size, 1)
        self.rank = check_int(_OP, "rank", rank, 0, self.world_size - 1)
        self.epoch = 0
        self._made: tuple[int, list[Any]] | None = None

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which determines the order."""
        self.epoch = check_int(_OP, "epoch", epoch, 0)

    def __len__(self) -> int:
        return len(self._batches())

    def __iter__(self) -> Iterator[list[int]]:
        for batch in self._batches():
            yield batch.tolist()

    def _batches(self) -> list[Any]:
        """The batches of this rank."""
        if self._made is None or self._made[0] != self.epoch:
            self._made = self.epoch, self._make()
        batches = self._made[1]
        if self.drop_last:
            batches = batches[: len(batches) // self.world_size * self.world_size]
        return batches[self.rank :: self.world_size]

    def _make(self) -> list[Any]:
        bits = np.random.PCG64([self.seed, self.epoch])  # the same in all versions of NumPy
        size = len(self.lengths)
        rows = bits.random_raw(size).argsort(kind="stable") if self.shuffle else np.arange(size)
        pool, batches = self.batch_size * self.pool_batches, []
        for begin in range(0, size, pool):
            at = rows[begin : begin + pool]
            at = at[self.lengths[at].argsort(kind="stable")]
            batches += self._cut(at, self.lengths[at])
        if not self.shuffle:
            return batches
        return [batches[i] for i in bits.random_raw(len(batches)).argsort(kind="stable")]

    def _cut(self, rows: Any, lengths: Any) -> list[Any]:
        """Cuts rows, in order of their lengths, into batches."""
        if self.max_padded is None:
            return [rows[i : i + self.batch_size] for i in range(0, len(rows), self.batch_size)]
        batches, begin = [], 0
        while begin < len(rows):
            widths = lengths[begin : begin + self.batch_size]
            fit = widths * np.arange(1, len(widths) + 1) <= self.max_padded
            end = begin + max(1, len(widths) if fit.all() else int(fit.argmin()))
            batches.append(rows[begin:end])
            begin = end
        return batches


def _lengths(value: Any) -> np.ndarray[Any, Any]:
    """Integers of a tensor or list, or the lengths of strings in bytes."""
    if isinstance(value, StringColumn):
        lengths = (chunk.length(unit="byte").reshape(-1).numpy() for chunk in value.chunks)
        return np.concatenate([np.empty(0, np.int64), *lengths])
    if isinstance(value, StringTensor):
        value = value.length(unit="byte")
    dtype = torch.int64 if isinstance(value, (list, tuple)) and not value else None  # not torch's default
    t = value if isinstance(value, Tensor) else torch.as_tensor(value, dtype=dtype, device="cpu")
    if t.dim() != 1 or t.is_floating_point() or t.is_complex() or t.dtype == torch.bool:
        raise ValueError(f"{_OP}: expected `lengths` to be integers or strings of rank 1, got shape {list(t.shape)}")
    if t.numel() and int(t.min()) < 0:
        raise ValueError(f"{_OP}: expected `lengths` >= 0, got {int(t.min())}")
    return t.to("cpu", torch.int64).numpy()
