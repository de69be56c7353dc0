"""A dataset that streams batches of files, in an order that does not depend on workers, threads or ranks."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import check_int, check_number
from torch_stringops._names import named_class
from torch_stringops._types import Partitioning
from torch_stringops.data.columns.threads import in_threads
from torch_stringops.data.files.cache import DEFAULT_BYTES, Cache
from torch_stringops.data.files.listing import AnyPaths, list_files, sorted_files, state_names
from torch_stringops.data.files.remote import Client, RemoteFile
from torch_stringops.data.streams.check_state import check_settings
from torch_stringops.data.streams.nested import add_note, copied, each_tensor
from torch_stringops.data.streams.open_files import open_files
from torch_stringops.data.streams.passes import Position
from torch_stringops.data.streams.remote_shards import RemotePass
from torch_stringops.data.streams.row_order import RowOrder, Shuffle
from torch_stringops.data.streams.shard import Limits, Shard
from torch_stringops.data.streams.stepped_dataset import SteppedDataset
from torch_stringops.data.streams.steps import Steps
from torch_stringops.data.streams.windows import Windows
from torch_stringops.data.tables.source import Columns
from torch_stringops.data.tables.values import Missing
from torch_stringops.string_tensor import StringTensor

_OP = "StreamingDataset"
# A change of the order of rows for equal settings changes this number.
_VERSION = 2
# The parts of a buffer that are read at different places of the files: as many blocks are shuffled together.
_BLOCKS = 64
# Blocks of files that are read in order.
_IN_ORDER = Limits(2**16, 2**19, in_order=True)


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # A batch: lines, or the columns of tables, or the result of `transform`.
    Batch = TypeVar(
        "Batch",
        default=StringTensor | dict[str, StringTensor | Tensor | tuple[StringTensor | Tensor, Tensor]],
    )
else:
    from typing import TypeVar

    Batch = TypeVar("Batch")


@named_class
class StreamingDataset(SteppedDataset[Batch]):
    """Streams batches of the rows of files of any size, for loops and for DataLoader with `batch_size=None`.

    A batch of text files is a StringTensor `[n]` of lines. A batch of tables (CSV, JSON lines, Parquet and Arrow files,
    by their suffix) is a dict from names to StringTensors and Tensors `[n]`, or for columns of lists to
    `(values, row_splits)`, as in `read_parquet`.

    Tar archives that are not compressed (`.tar`) are tables of samples, as in WebDataset: adjacent members
    whose paths are equal up to the first dot of their name are a row. What follows the dot is the name of the
    column; the column `__key__` has the path before it. Members are strings of bytes, except for those of
    `cls`, `cls2`, `class`, `id`, `index`, `inx` and `count`, which are int64. Members without a dot, folders
    and links are left out.

    A step is a batch on every rank: the next `batch_size * world_size` rows of the epoch, in an order that depends on
    the files, `shuffle`, `seed`, the buffer and the epoch, but not on threads, workers or ranks. Files are sorted.

    By default, all ranks take the same number of steps, of equal size, as DistributedDataParallel needs. If
    the rows of the last step cannot be divided evenly, it repeats the first rows of the epoch, fewer than
    there are ranks (`repeated` is their number). With `drop_last`, a step that is not complete is left out.
    With `even=False`, every row is in exactly one batch of one rank, and some ranks may have a row or a step
    less.

    `shuffle` permutes blocks of rows of all files, and then the rows of as many blocks as the buffer holds.
    These are at least 64, unless blocks are row groups of Parquet or compressed record batches, which are
    read as a whole. Of files that can only be read from their beginning (compressed text, CSV, JSON lines,
    Arrow streams), up to 16 are open at a time.

    With `threads`, threads of this process read, transform and pin batches while the caller uses the earlier
    ones; the operators of this package run in parallel in them. Workers of DataLoader are processes, which
    have to send their batches: use threads instead, with `num_workers=0` or without DataLoader.

    `state_dict` and `load_state_dict` resume at the row after the last step, on any number of threads,
    workers and ranks, and with any batch size. All ranks load the state of rank 0. Workers of DataLoader read
    ahead of the main process, so pass the number of batches that it has received: `state_dict(batches)`.
    StatefulDataLoader of torchdata keeps the states of its workers, and needs the same number of them when it
    resumes.

    Remote files are downloaded ahead to a cache on disk, which the processes of a machine share, and are read
    there. A shuffle mixes up to 16 of them at a time, so that each is downloaded once if the cache holds 17.
    When the dataset is created, all files are read once, except for Parquet files, of which only the metadata
    is read. docs/scale.md says what that costs.

    A pass that ends is followed by one of the next epoch; `set_epoch` is only needed to choose another one. A file must
    not change while the dataset is in use: a change of its size or time is an error when it is noticed.

    Args:
        paths: files, URLs, globs and `Manifest`, as in `read_lines`; all text, or all tables.
        batch_size: rows of a batch, on each rank.
        shuffle: shuffle files and rows.
        seed: the seed of the order.
        buffer_rows: the maximum number of rows that are shuffled together.
        buffer_bytes: the maximum number of their bytes in memory. The smaller of the two limits holds. While
            one buffer is used, the next one is read.
        drop_last: drop the last step if it is not complete.
        even: repeat rows so that all ranks have the same number; see above.
        columns: for tables, the names of the columns to read. Default: all.
        text: for CSV, JSON lines and tar archives, names of columns that are strings even if they look like
            numbers.
        missing: for tables, replaces missing values, as in `read_csv`. Default: None, a missing value is an
            error.
        partitioning: for tables, "hive" if folders `name=value` of the paths are columns, as in `read_csv`;
            `text` may name them too. Default: None.
        transform: a function of a batch, which returns what is yielded: a tokenizer, a module, any callable. With
            `threads`, it is called by several threads at the same time.
        threads: the number of threads that make batches. Default: 0, batches are made when they are
            requested.
        prefetch: the maximum number of batches that threads make ahead.
        device: the device to which batches are copied; if it is a GPU, asynchronously, from pinned memory.
        rank, world_size: the rank of this process, and the number of ranks. Default: those of
            torch.distributed, if it is initialized, otherwise 0 and 1. Workers that are not forked need them.
        storage_options: options of fsspec for URLs, such as credentials.
        cache_dir: a folder for copies of remote files, which stay there for the next dataset. Default: the folder
            `torch_stringops` in that of the user's caches (`$XDG_CACHE_HOME` or `~/.cache`).
        cache_bytes: the maximum number of bytes of copies in that folder. The least recently used ones are
            removed first, but none while it is read; docs/scale.md says when the copies that are read exceed it.
        fetch_ahead: the maximum number of remote files that are downloaded before they are needed; 0 for none.
        timeout: seconds without a byte after which a request is repeated.
        retries: how often a request that fails is repeated before it is an error.

    Raises:
        OSError: a file cannot be read, or has changed.
        TypeError, ValueError: an argument or a file is not as above; ranks have other files or settings. Errors of
            `transform` have a note that names the file and the row of the batch.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.txt").write_text("to\\nbe\\nor\\nnot\\n")
        ...     dataset = StreamingDataset(folder + "/*.txt", batch_size=3, threads=2, transform=lambda s: s.upper())
        ...     [batch.tolist() for batch in dataset]
        [['TO', 'BE', 'OR'], ['NOT']]
    """

    _op = _OP

    def __init__(
        self,
        paths: AnyPaths,
        *,
        batch_size: int,
        shuffle: bool = False,
        seed: int = 0,
        buffer_rows: int = 2**18,
        buffer_bytes: int = 2**28,
        drop_last: bool = False,
        even: bool = True,
        columns: Columns = None,
        text: str | Sequence[str] = (),
        missing: Missing = None,
        partitioning: Partitioning | None = None,
        transform: Callable[[Any], Batch] | None = None,
        threads: int = 0,
        prefetch: int = 8,
        device: torch.device | str | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        storage_options: Mapping[str, object] | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        cache_bytes: int = DEFAULT_BYTES,
        fetch_ahead: int = 16,
        timeout: float = 60.0,
        retries: int = 6,
    ) -> None:
        if not check_number(_OP, "timeout", timeout) > 0:
            raise ValueError(f"{_OP}: expected `timeout` to be a positive number of seconds, got {timeout}")
        client = Client(_OP, storage_options, float(timeout), check_int(_OP, "retries", retries, 0))
        self._cache = Cache(_OP, cache_dir, check_int(_OP, "cache_bytes", cache_bytes, 1))
        self._fetch_ahead = check_int(_OP, "fetch_ahead", fetch_ahead, 0)
        self.files = sorted_files(list_files(client, paths))
        self._set_up(batch_size, drop_last, even, rank, world_size)
        self.shuffle = bool(shuffle)
        self.seed = check_int(_OP, "seed", seed, 0, 2**63 - 1)
        self.buffer_rows = check_int(_OP, "buffer_rows", buffer_rows, 1)
        self.buffer_bytes = check_int(_OP, "buffer_bytes", buffer_bytes, 1)
        self.columns = columns
        self.threads = check_int(_OP, "threads", threads, 0)
        self.prefetch = check_int(_OP, "prefetch", prefetch, 1)
        if transform is not None and not callable(transform):
            raise TypeError(f"{_OP}: expected `transform` to be callable, got {type(transform).__name__}")
        self.transform = transform
        self.device = None if device is None else torch.device(device)
        limits = _IN_ORDER
        if self.shuffle:
            limits = Limits(max(1, self.buffer_rows // _BLOCKS), max(1, self.buffer_bytes // _BLOCKS))
        self.partitioning = partitioning
        self._shards = open_files(
            self.files, columns, text, missing, partitioning, limits, self._cache, self._fetch_ahead
        )
        self.rows = [int(shard.rows.sum()) for shard in self._shards]
        self._firsts = np.concatenate([[0], np.cumsum([len(shard.rows) for shard in self._shards])])

    def _num_rows(self) -> int:
        return sum(self.rows)

    def _check_state(self, state: dict[str, Any]) -> None:
        check_settings(state, self._settings())

    def _batches(self, position: Position, steps: Steps, numbers: range) -> Generator[Batch, None, None]:
        coming = map(steps.of, numbers) if self.threads else None
        order, place_of = self._order(position.epoch), self._place_of
        remote = None
        if len(numbers) and any(isinstance(file, RemoteFile) for file in self.files):
            first = steps.first + numbers[0] * steps.step_rows
            remote = RemotePass(self._cache, self._fetch_ahead, order, self._shards, place_of, first)
            place_of = remote.place_of
        windows = Windows(order, place_of, coming)

        def make(step: int) -> Any:
            return self._finished(windows.batch(steps.of(step)), windows, steps, step)

        def make_in_turn() -> Generator[Any, None, None]:
            rest = numbers
            while rest:
                windows.release(steps.first + rest[0] * steps.step_rows)
                batches = windows.batches(steps, rest)
                for step, batch in zip(rest, batches, strict=False):
                    yield self._finished(batch, windows, steps, step)
                rest = rest[len(batches) :]

        def make_in_threads() -> Generator[Any, None, None]:
            with closing(in_threads(make, numbers, self.threads, self.prefetch)) as made:
                for step, batch in zip(numbers, made, strict=True):
                    windows.release(steps.first + (step + 1) * steps.step_rows)
                    yield batch

        try:
            with closing(make_in_threads() if self.threads else make_in_turn()) as made:
                if self.device is None:
                    yield from made
                else:
                    yield from (copied(batch, self.device) for batch in made)
        finally:
            if remote is not None:
                remote.stop()
            windows.close()
            if remote is not None:
                remote.close()

    def _finished(self, batch: Any, windows: Windows, steps: Steps, step: int) -> Any:
        """The batch of a step, transformed and pinned."""
        if self.transform is not None:
            try:
                batch = self.transform(batch)
            except Exception as error:
                place = windows.first_place(steps.of(step))
                add_note(error, f"{_OP}: in `transform`, of the batch from {place}")
                raise
        if self.threads and self.device is not None and self.device.type == "cuda":
            batch = each_tensor(batch, lambda tensor: tensor.pin_memory())
        return batch

    def _order(self, epoch: int) -> RowOrder:
        shuffle = Shuffle(self.seed, self.buffer_rows, self.buffer_bytes) if self.shuffle else None
        sizes = [len(shard.rows) for shard in self._shards]
        return RowOrder(
            rows=np.concatenate([shard.rows for shard in self._shards]),
            sizes=np.concatenate([shard.bytes for shard in self._shards]),
            files=np.repeat(np.arange(len(sizes)), sizes),
            in_order=[shard.in_order for shard in self._shards],
            shuffle=shuffle,
            epoch=epoch,
        )

    def _place_of(self, block: int) -> tuple[Shard, int]:
        """The file of a block of all files, and the number of the block in it."""
        file = int(np.searchsorted(self._firsts, block, side="right")) - 1
        return self._shards[file], block - int(self._firsts[file])

    def _settings(self) -> dict[str, Any]:
        """The settings that determine the order of the rows of an epoch."""
        return {
            "version": _VERSION,
            "files": [
                [name, shard.bytes_of_file, rows]
                for name, shard, rows in zip(state_names(self.files), self._shards, self.rows, strict=True)
            ],
            "columns": self.columns if self.columns is None or isinstance(self.columns, str) else list(self.columns),
            "partitioning": self.partitioning,
            "shuffle": self.shuffle,
            **({"seed": self.seed} if self.shuffle else {}),
            **({"buffer_rows": self.buffer_rows, "buffer_bytes": self.buffer_bytes} if self.shuffle else {}),
        }
