"""Strings in Ray: batches for training, functions of strings over a dataset, and tokens that many machines write.

`CollateStrings` and `write_tokens` need Ray, and all need pyarrow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

from torch_stringops._arguments import as_strings
from torch_stringops._names import named, named_class
from torch_stringops._types import ShardFormat, TokenDtype
from torch_stringops.data._table_lists import Place
from torch_stringops.data._table_values import convert_column
from torch_stringops.data._token_plan import Json, Plan
from torch_stringops.data.arrow_files import open_again
from torch_stringops.data.column import StringColumn
from torch_stringops.data.files import pyarrow_module
from torch_stringops.data.tokens import make_plan, write_shards
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword import SubwordTokenizer

_CollateFn: Any
try:
    from ray.data.collate_fn import ArrowBatchCollateFn as _CollateFn  # type: ignore[import-not-found, no-redef]
except ImportError:  # for documentation and tests; the constructor raises it again
    _CollateFn = None

__all__ = ["CollateStrings", "MapStrings", "write_tokens"]

Values: TypeAlias = StringTensor | Tensor


@named_class
class CollateStrings(_CollateFn or object):  # type: ignore[misc]
    """`collate_fn` of `ray.data.Dataset.iter_torch_batches`: columns of strings as StringTensors, others as tensors.

    Args:
        missing: replaces missing strings. Default: None, a missing string is an error.

    Example:
        loader = dataset.iter_torch_batches(batch_size=256, collate_fn=CollateStrings())
        for batch in loader:
            ids, row_splits = vocabulary.split_encode(batch["text"])
    """

    def __init__(self, missing: str | bytes | None = None) -> None:
        if _CollateFn is None:
            raise ImportError("CollateStrings: needs Ray Data (pip install 'ray[data]')")
        self.missing = missing

    def __call__(self, batch: Any) -> dict[str, Values]:
        found: dict[str, Values] = {}
        for name in batch.column_names:
            chunks: list[Any] = [convert_column(c, name, Place("", 0), self.missing) for c in batch.column(name).chunks]
            found[name] = chunks[0] if len(chunks) == 1 else torch.cat(chunks)
        return found


@named_class
class MapStrings:
    """A function for `ray.data.Dataset.map_batches(..., batch_format="pyarrow")`, of a column of strings.

    Strings come from Arrow and return to it, without Python strings.

    Args:
        function: takes strings `[n]`. It returns strings `[n]`; a tensor `[n]`; or ragged rows, which become a column
            of lists: values `[T]` (strings or a tensor) and int64 `row_splits` `[n + 1]`.
        column: the name of the column.
        output: the name of the column of the results. Default: it replaces `column`.
        missing: replaces missing strings. Default: None, a missing string is an error.

    Example:
        dataset.map_batches(MapStrings(lambda s: s.lower(), "text"), batch_format="pyarrow")
        dataset.map_batches(MapStrings(vocabulary.split_encode, "text", "ids"), batch_format="pyarrow")
    """

    def __init__(
        self,
        function: Callable[[StringTensor], Values | tuple[Values, Tensor]],
        column: str,
        output: str | None = None,
        missing: str | bytes | None = None,
    ) -> None:
        self.function = function
        self.column, self.output = column, output or column
        self.missing = missing

    def __call__(self, table: Any) -> Any:
        result = _to_arrow(self.function(as_strings(table.column(self.column), missing=self.missing)))
        if self.output in table.column_names:
            return table.set_column(table.column_names.index(self.output), self.output, result)
        return table.append_column(self.output, result)


@named
def write_tokens(
    source: StringColumn,
    tokenizer: SubwordTokenizer,
    folder: str | os.PathLike[str],
    *,
    shard_bytes: int = 2**27,
    dtype: TokenDtype = "auto",
    add_eos: bool = True,
    eos_id: int | None = None,
    format: ShardFormat = "arrow",
    progress: bool = True,
) -> dict[str, Any]:
    """`torch_stringops.data.write_tokens` on a cluster of Ray: each shard is a task on one CPU, of any machine.

    The files are those that one process writes, and what is killed is continued by the same call, by either function.
    Tasks get the paths of files, map them, and write their shard: strings and ids stay where they are. So all machines
    need the files of `source` and `folder` at the same absolute paths, those of a shared file system.

    Ray is initialized, if it is not yet. It runs as many tasks at a time as the cluster has CPUs, and runs those of a
    machine that fails again.

    Args:
        source: documents `[N]`, a column of `load`. Other columns are an error: `save` them once.
        tokenizer, folder, shard_bytes, dtype, add_eos, eos_id, format, progress: as in
            `torch_stringops.data.write_tokens`.

    Returns:
        What `manifest.json` holds.

    Raises:
        ImportError: Ray is not installed.
        OSError: a file cannot be read or written.
        TypeError, ValueError: an argument is not as above; or the folder holds tokens of other documents or settings.

    Example:
        column = load("/shared/corpus.arrow")
        manifest = torch_stringops.ray.write_tokens(column, tokenizer, "/shared/tokens")
    """
    if not isinstance(source, StringColumn) or (source._origin or [None])[0] is not open_again:
        raise TypeError("write_tokens: expected `source` to be a column of `load` (of a file that `save` has written)")
    folder = Path(os.path.abspath(folder))
    plan = make_plan(source, tokenizer, folder, shard_bytes, dtype, add_eos, eos_id, format)
    return write_shards(plan, _in_tasks, progress)


def _in_tasks(plan: Plan, records: list[Json | None]) -> Iterator[tuple[int, Json]]:
    """Shards in the order in which they are finished."""
    try:
        import ray  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError("write_tokens: needs Ray (pip install 'ray[data]')") from None
    task = ray.remote(_write_shard)
    sent = [ray.put(plan)]
    waiting = {task.remote(sent, number, record): number for number, record in enumerate(records)}
    while waiting:
        (done,), _ = ray.wait(list(waiting))
        yield waiting.pop(done), ray.get(done)


# The plan that this process got last: it maps files, and so tasks share it.
_plans: dict[str, Plan] = {}


def _write_shard(sent: list[Any], number: int, record: Json | None) -> Json:
    """A task. Ray would make a copy of a plan for each task, but not of a reference in a list."""
    import ray

    key = sent[0].hex()
    if key not in _plans:
        _plans.clear()
        _plans[key] = ray.get(sent[0])
    # A task has one CPU. With more threads, as by OMP_NUM_THREADS, tasks would wait for the CPUs of each other.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _plans[key].write(number, record)
    finally:
        torch.set_num_threads(threads)


def _to_arrow(value: Any) -> Any:
    """Strings, a tensor or ragged rows as an Arrow array."""
    pyarrow = pyarrow_module("MapStrings")
    if isinstance(value, tuple):
        values, row_splits = value
        if int(row_splits[-1]) < 2**31:
            return pyarrow.ListArray.from_arrays(row_splits.to(torch.int32).numpy(), _to_arrow(values))
        return pyarrow.LargeListArray.from_arrays(row_splits.numpy(), _to_arrow(values))
    if isinstance(value, StringTensor):
        is_text = bool(value.is_utf8().all())
        return pyarrow.array(value, pyarrow.utf8() if is_text else pyarrow.binary())
    return pyarrow.array(value.numpy())
