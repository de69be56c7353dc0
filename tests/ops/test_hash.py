import json
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.hash import (
    string_crc32_ref,
    string_hash_bucket_ref,
    string_hash_ref,
    string_minhash_ref,
    string_murmur3_ref,
    string_siphash_ref,
)
from support.cases import each
from support.families import ReduceSuite, ReduceTests
from support.harness import call
from support.strings import compact

from torch_stringops import StringTensor, string_hash, string_siphash

# Lengths around those at which XXH3 changes its formula; invalid UTF-8.
STRINGS = [b"", b"a", b"abc", b"abcd", b"12345678", b"123456789", b"\xff\xc3(", b"\x00"]
STRINGS += [bytes(range(n)) for n in (16, 17, 32, 33, 128, 129, 240, 241)]
SEEDS = [0, 1, -1, 2**63 - 1, -(2**63)]
GOLDEN = Path(__file__).parents[1] / "golden" / "hash.jsonl"


class TestStringHash(ReduceTests):
    suite = ReduceSuite(
        op="string_hash",
        reference=string_hash_ref,
        samples=[STRINGS, *(call(STRINGS, seed) for seed in SEEDS), call([bytes(range(256)) * 8], 7)],
        text=False,
    )


class TestStringHashBucket(ReduceTests):
    suite = ReduceSuite(
        op="string_hash_bucket",
        reference=string_hash_bucket_ref,
        samples=[call(STRINGS, n, seed) for n in (1, 2, 3, 1000, 2**31 + 11, 2**62, 2**63 - 1) for seed in SEEDS[:3]],
        text=False,
        small=call([b"ab c", b"d"], 10),
        errors=[(call([b"a"], n), f"string_hash_bucket: expected `num_buckets` >= 1, got {n}") for n in (0, -1)],
    )


class TestStringMurmur3(ReduceTests):
    suite = ReduceSuite(
        op="string_murmur3",
        reference=string_murmur3_ref,
        samples=[STRINGS, *(call(STRINGS, s, p) for s in (0, 7, 2**32 - 1) for p in (True, False))],
        text=False,
        errors=[
            (call([b"a"], n), f"string_murmur3: expected `seed` within [0, 2**32 - 1], got {n}") for n in (-1, 2**32)
        ],
    )


class TestStringCrc32(ReduceTests):
    suite = ReduceSuite(
        op="string_crc32", reference=string_crc32_ref, samples=[STRINGS, [bytes(range(256)) * 9]], text=False
    )


class TestStringSiphash(ReduceTests):
    suite = ReduceSuite(
        op="string_siphash",
        reference=string_siphash_ref,
        samples=[call(STRINGS, key) for key in ([0, 0], [1, 2], [-1, 2**63 - 1])],
        text=False,
        small=call([b"ab c", b"d"], [1, 2]),
        errors=[
            (call([b"a"], key), f"string_siphash: expected `key` to be two ints, got {len(key)}")
            for key in ([], [1], [1, 2, 3])
        ],
    )


class TestStringMinhash(ReduceTests):
    suite = ReduceSuite(
        op="string_minhash",
        reference=string_minhash_ref,
        samples=[
            call([b"to be or not to be", "caf\xe9 \u65e5\u672c".encode(), b"", b"a", b"\xff\xc3("], 5, 3),
            call([b"aaaaaaaa", bytes(range(256)) * 2], 33, 2, -1, "byte"),
            call(["\u65e5\u672c\u8a9e".encode()], 1, 2**40, 7),
            call([b"to be or not", "caf\xe9 \u65e5\u672c".encode(), b"", b"\xff\xc3("], 7, 3, 2, "codepoint", "bins"),
            call([b"aaaaaaaa", bytes(range(256))], 33, 5, -1, "byte", "bins"),
        ],
        text=False,
        small=call([b"ab c", b"d"], 4, 2),
        errors=[
            (call([b"a"], 0, 1), "expected `num_hashes` within [1, 65536], got 0"),
            (call([b"a"], 65537, 1), "expected `num_hashes` within [1, 65536], got 65537"),
            (call([b"a"], 1, 0), "expected `ngram` >= 1, got 0"),
            (call([b"a"], 1, 1, 0, "bytes"), "expected `unit` to be 'byte' or 'codepoint', got 'bytes'"),
            (call([b"a"], 1, 1, 0, "byte", "bin"), "expected `method` to be 'bins' or 'permutations', got 'bin'"),
        ],
        strategy=st.builds(
            lambda s, n, g, seed, unit, method: call(s, n, g, seed, unit, method),
            st.lists(st.binary(max_size=12), max_size=6),
            st.sampled_from([1, 3, 16, 17]),
            st.sampled_from([1, 2, 5]),
            st.sampled_from(SEEDS),
            st.sampled_from(["byte", "codepoint"]),
            st.sampled_from(["bins", "permutations"]),
        ),
    )


@each("method", ["permutations", "bins"])
@each("count", [5, 20, 60, 150, 1000])
@each("share", [0.2, 0.8])
def test_estimates_of_minhash(method: str, count: int, share: float) -> None:
    """The mean over random sets is their similarity; the variance is at most that of independent values."""
    hashes, trials = 64, 1000
    rng = random.Random(count)
    sets = ["".join(map(chr, rng.sample(range(0x4E00, 0x9FFF), count))) for _ in range(trials)]
    common = round(share * count)
    middle = (count + common) // 2
    first = StringTensor.from_list([chars[:middle] for chars in sets])
    second = StringTensor.from_list([chars[middle - common :] for chars in sets])
    equal = first.minhash(hashes, 1, 7, method=method) == second.minhash(hashes, 1, 7, method=method)
    estimates, similarity = equal.double().mean(1), common / count
    variance = similarity * (1 - similarity) / hashes
    assert abs(estimates.mean() - similarity) < 4 * (variance / trials) ** 0.5
    assert estimates.var() < 1.2 * variance
    # A band of four values is equal as often as four independent ones.
    band = equal[:, :60].reshape(-1, 15, 4).all(2).double().mean(1)
    assert abs(band.mean() - similarity**4) < 4 * (band.var() / trials) ** 0.5


@each("case", [json.loads(line) for line in GOLDEN.read_text().splitlines()])
def test_recorded_hashes(case: dict[str, Any], tier: str) -> None:
    """Hashes never change. The file names the programs that produced them."""
    strings = compact([bytes.fromhex(s) for s in case["strings"]])
    got = getattr(torch.ops.stringops, case["op"])(*strings, *case["args"])
    unsigned = [value % 2 ** case["bits"] for value in got.flatten().tolist()]
    if case["modulus"]:
        unsigned = [value % case["modulus"] for value in unsigned]
    assert unsigned == case["outputs"]


def test_a_key_of_siphash_may_be_unsigned() -> None:
    s = StringTensor.from_list(["a", "b"])
    assert s.siphash([2**64 - 1, 2**63]).equal(s.siphash((-1, -(2**63))))
    for key in ([1, 2**64], [1, -(2**63) - 1]):
        with pytest.raises(ValueError, match=r"string_siphash: expected `key` within \[-2\*\*63, 2\*\*64 - 1\]"):
            string_siphash(s, key)
    with pytest.raises(TypeError, match="string_siphash: expected `key` to be two ints, got str"):
        string_siphash(s, "ab")
    with pytest.raises(TypeError, match="string_siphash: expected `key` to be two ints, got float, int"):
        string_siphash(s, [1.0, 2])


def test_the_hash_of_the_object_is_another() -> None:
    s = StringTensor.from_list(["a"])
    assert hash(s) == object.__hash__(s)
    assert {s: 1}[s] == 1


def test_checksums_are_those_of_zlib(tier: str) -> None:
    strings = [bytes(range(7, 7 + n)) * m for n in range(40) for m in (1, 9)]
    assert StringTensor.from_list(strings).crc32().tolist() == [zlib.crc32(string) for string in strings]


@each("seed", [0, 1, -1, 2**63 - 1])
def test_hashes_of_every_size_are_those_of_xxhash(seed: int, tier: str) -> None:
    # The algorithm changes after 3, 8, 16, 128 and 240 bytes, and takes blocks of 1024.
    xxhash = pytest.importorskip("xxhash")
    strings = [random.Random(n).randbytes(n) for n in [*range(400), *range(1000, 1100), *range(2040, 2060), 5000]]
    want = [xxhash.xxh3_64_intdigest(string, seed % 2**64) for string in strings]
    assert [value % 2**64 for value in string_hash(StringTensor.from_list(strings), seed).tolist()] == want
