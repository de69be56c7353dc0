"""A dataset that streams batches of files, in an order that does not depend on workers, threads or ranks."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import check_int
from torch_stringops._names import named_class
from torch_stringops.data.columns.threads import in_threads
from torch_stringops.data.files.cache import Cache
from torch_stringops.data.files.listing import list_files, sorted_files, state_names
from torch_stringops.data.files.local import Paths
from torch_stringops.data.files.remote import Client, RemoteFile
from torch_stringops.data.streams.nested import add_note, copied, each_tensor
from torch_stringops.data.streams.open_files import open_files
from torch_stringops.data.streams.options import StreamOptions
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

    A step is a batch on every rank: the next `batch_size * world_size` rows of the epoch, in an order that depends on
    the files, `shuffle`, `seed`, the buffer and the epoch, but not on threads, workers or ranks. Files are sorted.

    By default, all ranks take the same number of steps, of equal size, as DistributedDataParallel needs. If
    the rows of the last step cannot be divided evenly, it repeats the first rows of the epoch, fewer than
    there are ranks (`repeated` is their number). With `drop_last`, a step that is not complete is left out.
    With `StreamOptions(even=False)`, every row is in exactly one batch of one rank, and some ranks may have a
    row or a step less.

    `shuffle` permutes blocks of rows of all files, and then the rows of as many blocks as the buffer holds.
    These are at least 64, unless blocks are row groups of Parquet or compressed record batches, which are
    read as a whole. Of files that can only be read from their beginning (compressed text, CSV, JSON lines,
    Arrow streams), up to 16 are open at a time.

    Without `threads`, small batches are slices of memory of about a megabyte that several share.

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
    is read. docs/scale_internals.md says what that costs.

    A pass that ends is followed by one of the next epoch; `set_epoch` is only needed to choose another one. A file must
    not change while the dataset is in use: a change of its size or time is an error when it is noticed.

    Args:
        paths: files, URLs and globs, as in `read_lines`; all text, or all tables.
        batch_size: rows of a batch, on each rank.
        shuffle: shuffle files and rows.
        seed: the seed of the order.
        drop_last: drop the last step if it is not complete.
        columns: for tables, the names of the columns to read. Default: all.
        missing: for tables, replaces missing values, as in `read_csv`. Default: None, a missing value is an
            error.
        transform: a function of a batch, which returns what is yielded: a tokenizer, a module, any callable. With
            `threads`, it is called by several threads at the same time.
        threads: the number of threads that make batches. Default: 0, batches are made when they are
            requested.
        device: the device to which batches are copied; if it is a GPU, asynchronously, from pinned memory.
        options: everything else, such as the buffer of a shuffle, ranks, and the cache of remote files.

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
        paths: Paths,
        *,
        batch_size: int,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
        columns: Columns = None,
        missing: Missing = None,
        transform: Callable[[Any], Batch] | None = None,
        threads: int = 0,
        device: torch.device | str | None = None,
        options: StreamOptions | None = None,
    ) -> None:
        if not isinstance(options, (StreamOptions, NoneType)):
            raise TypeError(f"{_OP}: expected `options` to be StreamOptions, got {type(options).__name__}")
        self.options = options = options or StreamOptions()
        client = Client(_OP, options.storage_options, float(options.timeout), options.retries)
        self._cache = Cache(_OP, options.cache_dir, options.cache_bytes)
        self.files = sorted_files(list_files(client, paths))
        self._set_up(batch_size, drop_last, options.even, options.rank, options.world_size)
        self.shuffle = bool(shuffle)
        self.seed = check_int(_OP, "seed", seed, 0, 2**63 - 1)
        self.columns = columns
        self.threads = check_int(_OP, "threads", threads, 0)
        if transform is not None and not callable(transform):
            raise TypeError(f"{_OP}: expected `transform` to be callable, got {type(transform).__name__}")
        self.transform = transform
        self.device = None if device is None else torch.device(device)
        limits = _IN_ORDER
        if self.shuffle:
            limits = Limits(max(1, options.buffer_rows // _BLOCKS), max(1, options.buffer_bytes // _BLOCKS))
        self._shards = open_files(self.files, columns, missing, options, limits, self._cache)
        self.rows = [int(shard.rows.sum()) for shard in self._shards]
        self._firsts = np.concatenate([[0], np.cumsum([len(shard.rows) for shard in self._shards])])

    def _num_rows(self) -> int:
        return sum(self.rows)

    def _check_state(self, state: dict[str, Any], mine: dict[str, Any]) -> None:
        files = mine.pop("files")
        super()._check_state(state, mine)
        theirs = state.get("files")
        if not (isinstance(theirs, list) and all(isinstance(f, (list, tuple)) and len(f) == 3 for f in theirs)):
            raise TypeError(f"{_OP}: expected `state['files']` to be a list of names, sizes and numbers of rows")
        if len(theirs) != len(files):
            raise ValueError(f"{_OP}: expected a state of {len(files)} files, got {len(theirs)}")
        for was, now in zip(theirs, files, strict=True):
            for what, a, b in zip(("name", "size in bytes", "number of rows"), was, now, strict=True):
                if a != b:
                    raise ValueError(f"{_OP}: {now[0]}: expected the {what} of the state, {a}, got {b}")

    def _batches(self, position: Position, steps: Steps, numbers: range) -> Generator[Batch, None, None]:
        order, remote = self._order(position.epoch), None
        if len(numbers) and any(isinstance(file, RemoteFile) for file in self.files):
            first = steps.first + numbers[0] * steps.step_rows
            remote = RemotePass(self._cache, self.options.fetch_ahead, order, self._shards, first)
        windows = Windows(order, self._place_of, remote, map(steps.of, numbers) if self.threads else None)

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
            with closing(in_threads(make, numbers, self.threads, self.options.prefetch)) as made:
                for step, batch in zip(numbers, made, strict=True):
                    windows.release(steps.first + (step + 1) * steps.step_rows)
                    yield batch

        made = make_in_threads() if self.threads else make_in_turn()
        try:
            for batch in made:
                yield batch if self.device is None else copied(batch, self.device)
        finally:
            windows.stop()
            made.close()
            windows.close()

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
        shuffle = None
        if self.shuffle:
            shuffle = Shuffle(self.seed, self.options.buffer_rows, self.options.buffer_bytes)
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
        options = self.options
        shuffle = {"seed": self.seed, "buffer_rows": options.buffer_rows, "buffer_bytes": options.buffer_bytes}
        return {
            "version": _VERSION,
            "files": [
                [name, shard.bytes_of_file, rows]
                for name, shard, rows in zip(state_names(self.files), self._shards, self.rows, strict=True)
            ],
            "columns": self.columns if self.columns is None or isinstance(self.columns, str) else list(self.columns),
            "shuffle": self.shuffle,
            **(shuffle if self.shuffle else {}),
        }
