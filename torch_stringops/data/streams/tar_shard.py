"""Tar archives of samples, whose blocks are ranges of samples: tables with a column for each extension."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import torch

from torch_stringops._checks import MAX_BYTES
from torch_stringops.data.files.arrow import pa
from torch_stringops.data.streams.shard import Limits, Rows, Shard
from torch_stringops.data.streams.table_rows import Reading, read_columns
from torch_stringops.data.streams.tar_index import index_tar
from torch_stringops.data.tables.kinds import kind_of
from torch_stringops.data.tables.source import check_known, select
from torch_stringops.data.tables.values import STRINGS, fill_of, no_missing
from torch_stringops.string_tensor import StringTensor

# The column of the names of samples, as in WebDataset.
KEY = "__key__"
# Extensions whose members are integers in text, as in WebDataset.
_INTEGERS = {"cls", "cls2", "class", "count", "index", "inx", "id"}
# Members with smaller gaps between them are read together. Headers and padding take up to 1,023 bytes.
_GAP = 4096


class TarShard(Shard):
    """A tar archive that is not compressed. A read takes the members of a range of samples at their offsets."""

    def __init__(self, path: Path, reading: Reading, limits: Limits) -> None:
        super().__init__(path)
        self._reading = reading
        found = index_tar(path)
        self._names = select([KEY, *found.names], reading.columns)
        check_known([KEY, *found.names], reading.text, "text")
        places = [found.names.index(name) for name in self._names if name != KEY]
        self._offsets, self._sizes = found.offsets[:, places].copy(), found.sizes[:, places].copy()
        wanted = self._sizes.sum(axis=1)
        if len(wanted) and wanted.max() > MAX_BYTES:
            at = int(wanted.argmax()) + 1
            raise ValueError(f"sample {at}: expected at most 2**31 - 1 bytes (pass columns= to read fewer)")
        self._members = [name for name in self._names if name != KEY]
        lacks = {name: bool((self._offsets[:, i] < 0).any()) for i, name in enumerate(self._members)}
        self.kinds = {
            name: kind_of(pa.nulls(0, "int64"), name, reading.missing, lacks[name])
            if self._is_integer(name)
            else STRINGS
            for name in self._names
        }
        self._keys = StringTensor.from_list(found.keys) if KEY in self._names else None
        ends = np.concatenate([[0], np.cumsum(wanted + 1024 * len(places))])
        blocks, first = [], 0
        while first < len(wanted):
            last = int(np.searchsorted(ends, ends[first] + limits.bytes, side="right")) - 1
            stop = max(first + 1, min(first + limits.rows, last))
            blocks.append((stop - first, int(ends[stop] - ends[first])))
            first = stop
        self._set(blocks)
        self._firsts = np.concatenate([[0], np.cumsum(self.rows)])

    def read(self, block: int) -> Rows:
        first, last = int(self._firsts[block]), int(self._firsts[block + 1])
        offsets, sizes = self._offsets[first:last], self._sizes[first:last]
        data, begins = self._read_members(offsets, sizes)
        arrays: dict[str, Any] = {}
        for name in self._names:
            if name == KEY:
                assert self._keys is not None
                arrays[name] = self._keys[first:last].clone()
                continue
            at = self._members.index(name)
            ends = begins[:, at] + sizes[:, at]
            ranges = torch.from_numpy(np.stack([begins[:, at], ends], axis=1).astype(np.int32))
            strings = StringTensor(data, ranges).reshape(-1)
            gaps = offsets[:, at] < 0
            arrays[name] = (
                self._integers(name, strings, gaps, first)
                if self._is_integer(name)
                else self._filled(name, strings, gaps, first)
            )
        return read_columns(arrays, last - first, self.path, first, self._reading, has_text=True)

    def _is_integer(self, name: str) -> bool:
        return name.rpartition(".")[2] in _INTEGERS and name not in self._reading.text

    def _read_members(self, offsets: np.ndarray[Any, Any], sizes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        """Bytes of the file, and where members begin in them. Those that a sample lacks are empty."""
        order = offsets.reshape(-1).argsort(kind="stable")
        order = order[offsets.reshape(-1)[order] >= 0]
        begins, lengths = offsets.reshape(-1)[order], sizes.reshape(-1)[order]
        ends = begins + lengths
        places = np.zeros(offsets.size, dtype=np.int64)
        if not len(order):
            return torch.empty(0, dtype=torch.uint8, device="cpu"), places.reshape(offsets.shape)
        is_first = np.concatenate([[True], begins[1:] - ends[:-1] > _GAP])
        (starts,) = is_first.nonzero()
        run_begins, run_ends = begins[starts], ends[np.append(starts[1:], len(order)) - 1]
        if (run_ends - run_begins).sum() > MAX_BYTES:
            is_first[:] = True
            run_begins, run_ends = begins, ends
        run_starts = np.concatenate([[0], np.cumsum(run_ends - run_begins)])
        room = np.empty(int(run_starts[-1]), dtype=np.uint8)
        with open(self.path, "rb", buffering=0) as file:
            self._check_file(os.fstat(file.fileno()))
            for begin, at, end in zip(
                run_begins.tolist(), run_starts[:-1].tolist(), run_starts[1:].tolist(), strict=True
            ):
                self._read_range(file, begin, room[at:end])
        runs = is_first.cumsum() - 1
        places[order] = begins - run_begins[runs] + run_starts[runs]
        return torch.from_numpy(room), places.reshape(offsets.shape)

    def _filled(self, name: str, strings: StringTensor, gaps: np.ndarray[Any, Any], row: int) -> StringTensor:
        if not gaps.any():
            return strings
        fill = fill_of(self._reading.missing, name)
        if not isinstance(fill, (str, bytes)):
            raise ValueError(no_missing(name, row + int(gaps.argmax()) + 1, "strings"))
        filled: Any = StringTensor.from_list([fill])
        found: StringTensor = torch.where(torch.from_numpy(gaps), filled, strings)  # type: ignore[call-overload]
        return found

    def _integers(self, name: str, strings: StringTensor, gaps: np.ndarray[Any, Any], row: int) -> Any:
        values: list[int | None] = []
        for i, (text, is_missing) in enumerate(zip(strings.tolist(as_bytes=True), gaps.tolist(), strict=True)):
            try:
                number = None if is_missing else int(text)
                if number is not None and not -(2**63) <= number < 2**63:
                    raise ValueError
                values.append(number)
            except ValueError:
                raise ValueError(
                    f"column {name!r}, row {row + i + 1}: expected an integer that int64 holds "
                    f"(pass text=[{name!r}] to read strings)"
                ) from None
        return pa.array(values, pa.int64())
