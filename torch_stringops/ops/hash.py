"""Hashes of strings: string_hash, string_hash_bucket, string_murmur3, string_siphash, string_crc32,
string_minhash.
"""

import operator
from collections.abc import Sequence

import torch

from torch_stringops._checks import number
from torch_stringops.ops._declare import declare_reduce

_string_hash = declare_reduce("string_hash", torch.int64)
_string_crc32 = declare_reduce("string_crc32", torch.int64)
_string_hash_bucket = declare_reduce("string_hash_bucket", torch.int64)
_string_murmur3 = declare_reduce("string_murmur3", lambda given: torch.uint32 if given["positive"] else torch.int32)
_string_siphash = declare_reduce("string_siphash", torch.int64)
_string_minhash = declare_reduce("string_minhash", torch.int64, inner=lambda given: [given["num_hashes"]])


def as_key(key: Sequence[int]) -> list[int]:
    """The ints of a key of SipHash as int64, in which torch passes them."""
    op = "string_siphash"
    if not isinstance(key, Sequence) or isinstance(key, (str, bytes)):
        raise TypeError(f"{op}: expected `key` to be two ints, got {type(key).__name__}")
    try:
        ints = [operator.index(k) for k in key]
    except TypeError:
        names = ", ".join(type(k).__name__ for k in key[:2])
        raise TypeError(f"{op}: expected `key` to be two ints, got {names}") from None
    if len(ints) != 2:
        raise ValueError(f"{op}: expected `key` to be two ints, got {len(ints)}")
    for k in ints:
        if not -(2**63) <= k < 2**64:
            raise ValueError(f"{op}: expected `key` within [-2**63, 2**64 - 1], got {number(k)}")
    return [k - 2**64 if k >= 2**63 else k for k in ints]
