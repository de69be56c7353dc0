"""A dataset that streams batches of files, in an order that does not depend on the number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info

from torch_stringops._chunks import Chunks
from torch_stringops._names import named_class
from torch_stringops._vocabulary_arguments import check_int
from torch_stringops.data.arrow_files import load
from torch_stringops.data.batches import joined
from torch_stringops.data.files import Paths, expand, is_compressed, pyarrow_module
from torch_stringops.data.lines import read_lines
from torch_stringops.data.tables import Columns, read_arrow, read_csv, read_jsonl, read_parquet

NDArray = np.ndarray[Any, Any]

_OP = "StreamingDataset"
_READERS: dict[str, Callable[..., Any]] = {
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
}


@named_class
class StreamingDataset(IterableDataset[Any]):
    """Batches of the rows of files of any size, for DataLoader with `batch_size=None`.

    A batch of text files is a StringTensor `[n]` of lines. A batch of tables (CSV, JSON lines, Parquet and Arrow files,
    by their suffix) is a dict from names to StringTensors and Tensors `[n]`.

    In each epoch, every row is in exactly one batch of one rank. A step is a batch on every rank: the next rows in an
    order that depends on the files, `seed`, `buffer_rows` and the epoch, but not on workers or ranks. The last step
    divides its rows evenly. Workers take turns, so that DataLoader returns the batches of a rank in order.

    `state_dict` and `load_state_dict` resume at the row after the last step, on any number of workers and ranks, and
    with any batch size. All ranks load the state of rank 0. Workers of DataLoader read ahead of the main process: pass
    it the number of batches that have been returned, `state_dict(batches)`. StatefulDataLoader of torchdata keeps the
    states of its workers, and needs as many of them when it resumes.

    With `shuffle`, the files are in random order, and so are the rows within each `buffer_rows` rows. Text files, and
    Arrow files that `load` opens, are mapped, so that a process reads what its batches hold, and little else. Others
    are decoded as a whole by each process: for training with many workers, convert them with `save` first.

    Args:
        paths: files, as in `read_lines`; all text, or all tables.
        batch_size: rows of a batch, on each rank.
        shuffle: shuffle files and rows.
        seed: of the order.
        buffer_rows: rows that are shuffled together.
        drop_last: drop the last step if it is not complete.
        columns: of tables, the names of the columns to read. Default: all.
        rank, world_size: this process among those that train. Default: those of torch.distributed, if it is
            initialized, otherwise 0 and 1. Workers that are not forked need them.

    Raises:
        OSError: a file cannot be read.
        TypeError, ValueError: an argument or a file is not as above.

    Example:
        >>> import tempfile
        >>> from torch.utils.data import DataLoader
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.txt").write_text("to\\nbe\\nor\\nnot\\n")
        ...     dataset = StreamingDataset(folder + "/*.txt", batch_size=3)
        ...     dataset.set_epoch(0)
        ...     [batch.tolist() for batch in DataLoader(dataset, batch_size=None)]
        [['to', 'be', 'or'], ['not']]
    """

    def __init__(
        self,
        paths: Paths,
        *,
        batch_size: int,
        shuffle: bool = False,
        seed: int = 0,
        buffer_rows: int = 2**18,
        drop_last: bool = False,
        columns: Columns = None,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        self.files = expand(_OP, paths)
        self.batch_size = check_int(_OP, "batch_size", batch_size, 1)
        self.shuffle, self.drop_last = bool(shuffle), bool(drop_last)
        self.seed = check_int(_OP, "seed", seed, 0, 2**63 - 1)
        self.buffer_rows = check_int(_OP, "buffer_rows", buffer_rows, 1)
        self.columns = columns
        if (rank is None) != (world_size is None):
            raise ValueError(f"{_OP}: expected `rank` and `world_size` together")
        self._given_rank: tuple[int, int] | None = None
        if rank is not None and world_size is not None:
            world_size = check_int(_OP, "world_size", world_size, 1)
            self._given_rank = check_int(_OP, "rank", rank, 0, world_size - 1), world_size
        self._sent_rank: tuple[int, int] | None = None  # in a worker that does not inherit torch.distributed
        self._open: dict[int, Any] = {}  # columns of the files that are in use, by their positions
        self._window: tuple[tuple[int, ...], Any] = ((), None)  # these files, as one
        kinds = {_kind(path) in _READERS for path in self.files}
        if len(kinds) > 1:
            raise ValueError(f"{_OP}: expected files of text or files of tables, got both")
        self.rows = [self._num_rows(i) for i in range(len(self.files))]
        # The epoch, and its first row in this run. Shared with workers, which DataLoader may keep for several epochs.
        self._position = torch.zeros(2, dtype=torch.int64, device="cpu").share_memory_()
        self._step = 0  # the next one of this process
        self._resumed = 0  # where the next iterator of a worker begins

    def __len__(self) -> int:
        """The number of batches of this rank from the position at which the epoch begins or resumes."""
        rank, size = self._rank()
        left = sum(self.rows) - int(self._position[1])
        steps, rest = divmod(left, self.batch_size * size)
        return steps + (not self.drop_last and rest > rank)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, before an iterator of DataLoader is created. It starts at row 0, unless it is resumed."""
        epoch = check_int(_OP, "epoch", epoch, 0)
        if epoch != int(self._position[0]):
            self._position[:] = torch.tensor([epoch, 0], device="cpu")
        self._step = self._resumed = 0

    def state_dict(self, batches: int | None = None) -> dict[str, int]:
        """Returns the position.

        Args:
            batches: the number of batches that this rank has received since the epoch began or resumed. Default: the
                number that this process has read, which is the same without workers.
        """
        steps = self._step if batches is None else check_int(_OP, "batches", batches, 0)
        epoch, first = self._position.tolist()
        _, size = self._rank()
        return {
            "epoch": epoch,
            "first": first,
            "step": steps,
            "step_rows": self.batch_size * size,
            "seed": self.seed,
            "rows": sum(self.rows),
        }

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Resumes at a position of `state_dict`.

        Raises:
            ValueError: the seed or the number of rows are not those of the state; or, in a worker of
                StatefulDataLoader, the number of ranks or the batch size.
        """
        for name, mine in (("seed", self.seed), ("rows", sum(self.rows))):
            if state[name] != mine:
                raise ValueError(f"{_OP}: expected a state of {name} {mine}, got {state[name]}")
        first, step = state["first"], state["step"]
        if get_worker_info() is None:
            first, step = min(first + step * state["step_rows"], mine), 0
        elif state["step_rows"] != self.batch_size * self._rank()[1]:
            raise ValueError(f"{_OP}: expected as many ranks and rows of a batch as before, in a worker")
        self._position[:] = torch.tensor([state["epoch"], first], device="cpu")
        self._step = self._resumed = step

    def __iter__(self) -> Iterator[Any]:
        epoch, first = self._position.tolist()
        rank, size = self._rank()
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        order = RowOrder(self.rows, self.shuffle, self.seed, epoch, self.buffer_rows)
        step_rows = self.batch_size * size
        self._step, self._resumed = self._resumed, 0
        step = self._step + (worker - self._step) % workers
        while (begin := first + step * step_rows) < order.size:
            count = min(step_rows, order.size - begin)
            if count < step_rows and self.drop_last:
                break
            each, more = divmod(count, size)
            begin += each * rank + min(rank, more)
            self._step = step + 1
            if rows := each + (rank < more):
                yield self._batch(order, begin, begin + rows)
            step += workers

    def _rank(self) -> tuple[int, int]:
        if self._given_rank is not None:
            return self._given_rank
        if dist.is_available() and dist.is_initialized():
            return dist.get_rank(), dist.get_world_size()
        if self._sent_rank is not None and get_worker_info() is not None:
            return self._sent_rank
        return 0, 1

    def _batch(self, order: RowOrder, begin: int, end: int) -> Any:
        parts = [self._take(*rows) for rows in order.rows(begin, end)]
        if not isinstance(parts[0], dict):
            return parts[0] if len(parts) == 1 else torch.cat(parts)
        return {
            name: part if len(parts) == 1 else torch.cat([p[name] for p in parts])
            for name, part in parts[0].items()
        }

    def _take(self, files: tuple[int, ...], file: NDArray, row: NDArray) -> Any:
        """Rows of `files`: row[i] of files[file[i]]."""
        if files != self._window[0]:
            self._open = {i: self._open[i] if i in self._open else self._read(i) for i in files}
            found = [self._open[i] for i in files]
            if isinstance(found[0], dict):
                names = found[0].keys()
                if any(f.keys() != names for f in found):
                    raise ValueError(f"{_OP}: expected files of equal columns")
                columns: Any = {name: _as_one([f[name] for f in found]) for name in names}
            else:
                columns = _as_one(found)
            self._window = (files, columns)
        columns = self._window[1]
        firsts = np.cumsum([0, *(self.rows[i] for i in files)])
        at = torch.from_numpy(firsts[file] + row)
        return {n: c[at] for n, c in columns.items()} if isinstance(columns, dict) else columns[at]

    def _num_rows(self, i: int) -> int:
        path = self.files[i]
        if (kind := _kind(path)) == ".parquet":
            return int(pyarrow_module(_OP, "pyarrow.parquet").read_metadata(path).num_rows)
        if kind in (".arrow", ".feather") and not self._reads(path):
            file = pyarrow_module(_OP).ipc.open_file(pyarrow_module(_OP).memory_map(str(path)))
            return sum(file.get_batch(k).num_rows for k in range(file.num_record_batches))
        return _size(self._read(i, check=False))

    def _reads(self, path: Path) -> bool:
        """Whether the rows of an Arrow file cannot be counted without reading it."""
        with open(path, "rb") as file:
            return file.read(6) != b"ARROW1"

    def _read(self, i: int, check: bool = True) -> Any:
        """The columns of a file."""
        path = self.files[i]
        reader = _READERS.get(_kind(path))
        if reader is None:
            found: Any = read_lines(path)
        else:
            found = _mapped(path, self.columns) if reader is read_arrow else None
            if found is None:
                names = [self.columns] if isinstance(self.columns, str) else self.columns
                found = reader(path, columns=names)
        if check and _size(found) != self.rows[i]:
            raise ValueError(f"{_OP}: {path}: expected {self.rows[i]} rows as before, got {_size(found)}")
        return found

    def __getstate__(self) -> dict[str, Any]:
        # A process opens its files. Workers that are not forked are told the rank.
        sent = self._rank() if dist.is_available() and dist.is_initialized() else None
        return {**self.__dict__, "_open": {}, "_window": ((), None), "_sent_rank": sent}


def _as_one(columns: list[Any]) -> Any:
    one = joined(*columns)
    return Chunks(one) if isinstance(one, list) else one


def _kind(path: Path) -> str:
    """The suffix of a file without that of its compression."""
    return Path(path.stem).suffix if is_compressed(path) else path.suffix


def _size(found: Any) -> int:
    return len(next(iter(found.values()))) if isinstance(found, dict) else len(found)


def _mapped(path: Path, columns: Columns) -> Any:
    """The columns of an Arrow file, if all can be mapped; otherwise None."""
    names = [columns] if isinstance(columns, str) else columns
    try:
        if names is None:
            pa = pyarrow_module(_OP)
            names = pa.ipc.open_file(pa.memory_map(str(path))).schema.names
        return {name: load(path, column=name) for name in names}
    except ValueError:
        return None


class RowOrder:
    """The order of the rows of an epoch. The random numbers of NumPy's PCG64 are the same in all versions."""

    def __init__(self, rows: list[int], shuffle: bool, seed: int, epoch: int, buffer_rows: int) -> None:
        self._shuffle, self._key, self._buffer = shuffle, (seed, epoch), buffer_rows
        self._files = self._permutation(len(rows), 0)
        self._firsts = np.cumsum([0, *(rows[i] for i in self._files)])  # by position in the order of files
        self.size = int(self._firsts[-1])
        self._current: tuple[int, Any] = (-1, None)

    def rows(self, begin: int, end: int) -> Iterator[tuple[tuple[int, ...], NDArray, NDArray]]:
        """Rows [begin, end) of the epoch, by buffer: its files; and for each row, which of them, and the row of it."""
        while begin < end:
            buffer = begin // self._buffer
            first = buffer * self._buffer
            stop = min(first + self._buffer, self.size)
            if self._current[0] != buffer:
                self._current = (buffer, self._permutation(stop - first, buffer + 1))
            until = min(end, stop)
            at = first + self._current[1][begin - first : until - first]
            file = np.searchsorted(self._firsts, at, side="right") - 1
            low, high = np.searchsorted(self._firsts, [first, stop - 1], side="right") - 1
            files = tuple(self._files[low : high + 1].tolist())
            yield files, file - low, at - self._firsts[file]
            begin = until

    def _permutation(self, size: int, number: int) -> NDArray:
        if not self._shuffle:
            return np.arange(size)
        return np.random.PCG64([*self._key, number]).random_raw(size).argsort(kind="stable")
