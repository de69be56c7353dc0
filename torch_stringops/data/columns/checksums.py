"""Checksums of the record batches of `save`: XXH3-64 of offsets and bytes, in the custom metadata of each batch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from torch_stringops.functions.hash import string_hash
from torch_stringops.string_tensor import StringTensor

# Keys of metadata: of the schema, the number of strings; of a batch, its number in the file and its checksums.
STRINGS = b"torch_stringops.strings"
BATCH = b"torch_stringops.batch"
XXH3 = b"torch_stringops.xxh3_64"

# Longer buffers have a checksum for each part of this size, since a string is limited to 2**31 - 1 bytes.
_PART = 2**30


def batch_metadata(strings: StringTensor, number: int) -> dict[bytes, bytes]:
    """The metadata of a record batch of strings `[n]`."""
    return {BATCH: b"%d" % number, XXH3: checksums(strings)}


def check_batch(strings: StringTensor, number: int, metadata: Mapping[bytes, bytes] | None) -> None:
    """Raises ValueError if the metadata of a record batch are missing, or are not those of its strings."""
    if metadata is None or BATCH not in metadata or XXH3 not in metadata:
        raise ValueError(f"batch {number}: expected checksums, which `save` writes, got none")
    if metadata[BATCH] != b"%d" % number:
        raise ValueError(f"batch {number}: expected the batches of `save` in their order")
    if metadata[XXH3] != checksums(strings):
        raise ValueError(f"batch {number}: expected the checksums that `save` wrote, got others (damaged data)")


def check_strings(count: int, metadata: Mapping[bytes, bytes] | None) -> None:
    """Raises ValueError if the metadata of a schema are missing, or give another number of strings."""
    if metadata is None or STRINGS not in metadata:
        raise ValueError("expected checksums, which `save` writes, got none")
    if metadata[STRINGS] != b"%d" % count:
        raise ValueError(f"expected {metadata[STRINGS].decode(errors='replace')} strings, got {count}")


def checksums(strings: StringTensor) -> bytes:
    """Checksums of the offsets, which begin at 0, and of the bytes of strings `[n]`."""
    offsets = strings.offsets
    first, last = offsets[[0, -1]].tolist()
    if not 0 <= first <= last <= strings.data.numel():
        return b"offsets out of bounds"
    rebased = offsets - first if first else offsets
    return b" ".join((_hash(rebased.contiguous().view(torch.uint8)), _hash(strings.data[first:last])))


def _hash(data: Tensor) -> bytes:
    """XXH3-64 of each part of the bytes, in hexadecimal digits."""
    found = []
    for part in data.split(_PART):
        one = StringTensor(part, torch.tensor([0, part.numel()], dtype=torch.int32, device="cpu"))
        found.append(b"%016x" % (int(string_hash(one)) & (2**64 - 1)))
    return b".".join(found)
