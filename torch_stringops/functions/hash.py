"""Hashes of the bytes of each string."""

# Written by tools/write_functions.py, from methods of StringTensor: string_hash, string_hash_bucket, string_murmur3,
# string_siphash, string_crc32, string_minhash

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import HashMethod, StringsLike, Unit


def string_hash(input: StringsLike, seed: int = 0) -> Tensor:
    """Computes the XXH3 hash of the bytes of each string, 64 bits.

    It is the same on every machine and in every version, and equals
    `xxhash.xxh3_64_intdigest(string, seed)`. It is not meant to resist an attacker: use `siphash` with a
    secret key for that. Python's `hash(s)` is the hash of the StringTensor as an object.

    Spec: XXH3 of xxHash 0.8, 64 bits.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        seed: within [-2**63, 2**63 - 1]; a negative one stands for `2**64 + seed`.

    Returns:
        int64 `[*S]`: the unsigned hash, less 2**64 if it is 2**63 or greater.

    Example:
        >>> StringTensor.from_list(["to", "be"]).hash()
        tensor([8585794172020190459, 6947242338550651196])
    """
    try:
        return strings_argument("string_hash", "input", input).hash(seed)
    except ERRORS as error:
        name_error(error, "string_hash")
        raise


def string_hash_bucket(input: StringsLike, num_buckets: int, seed: int = 0) -> Tensor:
    """Assigns each string to one of `num_buckets` buckets: its XXH3 hash modulo their number.

    The bucket is `xxhash.xxh3_64_intdigest(string, seed) % num_buckets`, the same on every machine and in
    every version. With seed 0 it is the bucket of unknown strings in `vocab_encode`. A bucket is more
    probable than another by a factor of at most `1 + num_buckets / 2**64`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        num_buckets: at least 1.
        seed: as in `hash`.

    Returns:
        int64 `[*S]`, within [0, num_buckets).

    Raises:
        ValueError: `num_buckets` is less than 1.

    Example:
        >>> StringTensor.from_list(["to", "be"]).hash_bucket(1000)
        tensor([459, 196])
    """
    try:
        return strings_argument("string_hash_bucket", "input", input).hash_bucket(num_buckets, seed)
    except ERRORS as error:
        name_error(error, "string_hash_bucket")
        raise


def string_murmur3(input: StringsLike, seed: int = 0, positive: bool = True) -> Tensor:
    """Computes MurmurHash3 of the bytes of each string, 32 bits (the variant x86_32).

    Spec: com.microsoft MurmurHash3-1.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        seed: within [0, 2**32 - 1].
        positive: whether the result is uint32. Else int32, of the same bits.

    Returns:
        uint32 or int32 `[*S]`.

    Raises:
        ValueError: `seed` is out of range.

    Example:
        >>> StringTensor.from_list(["a", "ab"]).murmur3().tolist()
        [1009084850, 2613040991]
        >>> StringTensor.from_list(["a", "ab"]).murmur3(positive=False)
        tensor([ 1009084850, -1681926305], dtype=torch.int32)
    """
    try:
        return strings_argument("string_murmur3", "input", input).murmur3(seed, positive)
    except ERRORS as error:
        name_error(error, "string_murmur3")
        raise


def string_siphash(input: StringsLike, key: Sequence[int]) -> Tensor:
    """Computes SipHash-2-4 of the bytes of each string, 64 bits, with a secret key.

    Without the key, nobody can choose strings whose hashes collide. `tf.strings.to_hash_bucket_strong` is the
    unsigned hash modulo the number of buckets.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        key: two ints within [-2**63, 2**64 - 1]; a negative int `k` stands for `2**64 + k`.

    Returns:
        int64 `[*S]`: the unsigned hash, less 2**64 if it is 2**63 or greater.

    Raises:
        ValueError: `key` does not have two ints, or one is out of range.

    Example:
        >>> StringTensor.from_list(["a", "ab"]).siphash([1, 2])
        tensor([5158252350249958646, 9219471107255029106])
    """
    try:
        return strings_argument("string_siphash", "input", input).siphash(key)
    except ERRORS as error:
        name_error(error, "string_siphash")
        raise


def string_crc32(input: StringsLike) -> Tensor:
    """Computes the CRC-32 checksum of the bytes of each string, like Python's `zlib.crc32`.

    It detects accidental changes of files and packets. As a hash, `hash` is faster and has fewer
    collisions.

    Spec: the CRC-32 of gzip (RFC 1952).

    Returns:
        int64 `[*S]`, within [0, 2**32).

    Example:
        >>> StringTensor.from_list(["123456789", ""]).crc32()
        tensor([3421780262,          0])
    """
    try:
        return strings_argument("string_crc32", "input", input).crc32()
    except ERRORS as error:
        name_error(error, "string_crc32")
        raise


def string_minhash(
    input: StringsLike,
    num_hashes: int,
    ngram: int,
    seed: int = 0,
    unit: Unit = "codepoint",
    method: HashMethod = "permutations",
) -> Tensor:
    """Computes the MinHash signature of the set of n-grams of each string, to find near duplicates.

    The share of equal values in two signatures, `(a == b).float().mean(-1)`, estimates the Jaccard similarity of
    the two sets, with a standard error of at most `0.5 / sqrt(num_hashes)`. Signatures are the same on every
    machine and in every version.

    The n-grams of a string are its runs of `ngram` code points or bytes; a shorter string, even "", is
    its only n-gram. `method` defines the values:

    - "permutations": `x` is the XXH3 hash of an n-gram (seed 0), modulo 2**32. Value `k` is the least
      `(a * x + b) % 2**64 // 2**32` of all n-grams, where `a` and `b` are numbers `2 * k` and `2 * k + 1`
      of SplitMix64, which starts at `seed`.
    - "bins": `x` is the XXH3 hash of an n-gram (seed `seed`). Value `k` is the least `x % 2**32` of the n-grams in
      bin `k`, which are those with `x // 2**32 * num_hashes // 2**32 == k`. If there are none, round `r`
      (1, 2, ...) takes seed `seed + r * 0x9e3779b97f4a7c15`, until the bin has an n-gram; round `num_hashes + k`
      puts all n-grams into bin `k`.

    "bins" hashes each n-gram of a long text once, where "permutations" takes `num_hashes` steps. It needs further
    rounds for texts of fewer than about `5 * num_hashes` n-grams. The estimates are equally good.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        num_hashes: number of values of a signature, within [1, 65536].
        ngram: length of the n-grams, at least 1.
        seed: chooses the hashes, as in `hash`. Signatures of different seeds or methods do not compare.
        unit: of `ngram`: "codepoint" or "byte". A byte that is not part of a valid code point counts as one code
            point.
        method: "permutations" or "bins", as above.

    Returns:
        int64 `[*S, num_hashes]`, within [0, 2**32 - 1].

    Raises:
        ValueError: an argument is not as above.

    Example:
        >>> s = StringTensor.from_list(["to be or not to be", "to be or not to me", "that is the question"])
        >>> signatures = s.minhash(256, 3)
        >>> (signatures[0] == signatures).float().mean(-1)
        tensor([1.0000, 0.8477, 0.0000])
    """
    try:
        return strings_argument("string_minhash", "input", input).minhash(
            num_hashes, ngram, seed, unit, method
        )
    except ERRORS as error:
        name_error(error, "string_minhash")
        raise
