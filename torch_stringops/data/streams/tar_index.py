"""The samples of a tar archive, as in WebDataset: adjacent members whose names are equal up to the first dot."""

from __future__ import annotations

import re
import tarfile
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops._checks import MAX_BYTES

NDArray = np.ndarray[Any, Any]

# A path up to the first dot of its last part, and the rest.
_NAME = re.compile(r"((?:.*/)?[^./]+)\.([^/]+)", re.DOTALL)
# Members that describe the archive.
_META = re.compile(r"__[^/]*__($|/)")
_BLOCK = 512


@dataclass
class TarIndex:
    """Offsets and sizes of the members of samples, int64 `[n, columns]`; the offset of a missing member is -1."""

    keys: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # of columns, in the order of the archive
    offsets: NDArray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    sizes: NDArray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))


def index_tar(path: Path) -> TarIndex:
    """Reads the headers of an archive that is not compressed.

    Raises:
        ValueError: the archive is damaged or truncated, a sample has two members of one extension, a member is sparse
            or has 2**31 bytes or more.
    """
    found = TarIndex()
    columns: dict[str, int] = {}
    rows, places, offsets, sizes = (array("q") for _ in range(4))
    before: str | None = None
    in_sample: set[int] = set()
    for name, offset, size in _members(path):
        match = _NAME.fullmatch(name)
        if match is None or _META.match(name):
            continue
        key, extension = match[1], match[2].lower()
        if key != before:
            before, in_sample = key, set()
            found.keys.append(key.encode(errors="surrogateescape"))
        place = columns.setdefault(extension, len(columns))
        if place in in_sample:
            raise ValueError(
                f"sample {len(found.keys)}: expected one member for each extension, got several of {extension!r}"
            )
        if size > MAX_BYTES:
            raise ValueError(
                f"sample {len(found.keys)}: expected members of at most 2**31 - 1 bytes, got a larger {extension!r}"
            )
        in_sample.add(place)
        rows.append(len(found.keys) - 1)
        places.append(place)
        offsets.append(offset)
        sizes.append(size)
    found.names = list(columns)
    at = np.array(rows, dtype=np.int64), np.array(places, dtype=np.int64)
    found.offsets = np.full((len(found.keys), len(columns)), -1, dtype=np.int64)
    found.offsets[at] = np.array(offsets, dtype=np.int64)
    found.sizes = np.zeros_like(found.offsets)
    found.sizes[at] = np.array(sizes, dtype=np.int64)
    return found


def _members(path: Path) -> Iterator[tuple[str, int, int]]:
    """The name, the offset and the size of each regular file of an archive."""
    end = path.stat().st_size
    try:
        with tarfile.open(path, "r:") as tar:
            for member in tar:
                tar.members = []  # type: ignore[attr-defined]
                if member.issparse():
                    raise ValueError("expected a tar archive without sparse files (write it without --sparse)")
                if not member.isreg():
                    continue
                if member.offset_data + member.size > end:
                    raise ValueError(_truncated(member.offset))
                yield member.name, member.offset_data, member.size
            last = tar.offset
    except (tarfile.TarError, UnicodeError) as error:
        raise ValueError(f"expected a tar archive that is not compressed: {error}") from None
    # The reader stops at a header that is damaged as at the end of the archive.
    with path.open("rb") as file:
        file.seek(last)
        if file.read(_BLOCK) != bytes(_BLOCK):
            raise ValueError(_truncated(last))


def _truncated(at: int) -> str:
    return f"expected a member or the end mark of a tar archive at byte {at}: it is truncated or damaged"
