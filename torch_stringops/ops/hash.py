"""Hashes of strings: string_hash, string_hash_bucket, string_murmur3, string_siphash, string_crc32,
string_minhash.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_strings, choice_error, number
from torch_stringops._native import operator_on_strings
from torch_stringops._tracing import known, register_fake, strings_shape
from torch_stringops.ops._declare import declare_reduce
from torch_stringops.ops.length import check_unit

MAX_HASHES = 65536

_string_hash = declare_reduce("string_hash", torch.int64)
_string_crc32 = declare_reduce("string_crc32", torch.int64)


def _check_buckets(op: str, *, num_buckets: int, **_: Any) -> None:
    if known(num_buckets < 1):
        raise ValueError(f"{op}: expected `num_buckets` >= 1, got {number(num_buckets)}")


_string_hash_bucket = declare_reduce("string_hash_bucket", torch.int64, _check_buckets)


@register_fake("string_murmur3")
def _fake_murmur3(data: Tensor, offsets: Tensor, seed: int = 0, positive: bool = True) -> Any:
    op = "string_murmur3"
    if known(seed < 0) or known(seed >= 2**32):
        raise ValueError(f"{op}: expected `seed` within [0, 2**32 - 1], got {number(seed)}")
    check_strings(op, data, offsets)
    return offsets.new_empty(strings_shape(offsets), dtype=torch.uint32 if positive else torch.int32)


_string_murmur3: Callable[..., Tensor] = operator_on_strings(
    "string_murmur3", lambda s, values: values.reshape(()) if s._scalar else values
)


def _check_key(op: str, *, key: list[int], **_: Any) -> None:
    if len(key) != 2:
        raise ValueError(f"{op}: expected `key` to be two ints, got {len(key)}")


_string_siphash = declare_reduce("string_siphash", torch.int64, _check_key)


@register_fake("string_minhash")
def _fake_minhash(
    data: Tensor,
    offsets: Tensor,
    num_hashes: int,
    ngram: int,
    seed: int = 0,
    unit: str = "codepoint",
    method: str = "permutations",
) -> Any:
    op = "string_minhash"
    if known(num_hashes < 1) or known(num_hashes > MAX_HASHES):
        raise ValueError(f"{op}: expected `num_hashes` within [1, {MAX_HASHES}], got {number(num_hashes)}")
    if known(ngram < 1):
        raise ValueError(f"{op}: expected `ngram` >= 1, got {number(ngram)}")
    check_unit(op, unit=unit)
    if method not in ("permutations", "bins"):
        raise choice_error(op, "method", "'bins' or 'permutations'", method)
    check_strings(op, data, offsets)
    return offsets.new_empty([*strings_shape(offsets), num_hashes], dtype=torch.int64)


_string_minhash: Callable[..., Tensor] = operator_on_strings(
    "string_minhash", lambda s, values: values.squeeze(0) if s._scalar else values
)


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
    _check_key(op, key=ints)
    for k in ints:
        if not -(2**63) <= k < 2**64:
            raise ValueError(f"{op}: expected `key` within [-2**63, 2**64 - 1], got {number(k)}")
    return [k - 2**64 if k >= 2**63 else k for k in ints]
