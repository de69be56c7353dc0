"""Oracles of the operators that hash, on one string, after the specifications of the hashes.

XXH3 is in hash_xxh3.py. CRC-32 divides bit by bit, after RFC 1952. MurmurHash3 is the variant x86_32. SipHash-2-4 is from the paper of Aumasson and Bernstein.
MinHash takes the least of each permutation of the n-grams' hashes, or the least hash of each bin.
"""

from reference.hash_xxh3 import xxh3

MASK = 2**64 - 1


def signed(value: int, bits: int = 64) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def string_hash_ref(string: bytes, seed: int = 0) -> int:
    return signed(xxh3(string, seed & MASK))


def string_hash_bucket_ref(string: bytes, num_buckets: int, seed: int = 0) -> int:
    return xxh3(string, seed & MASK) % num_buckets


def string_murmur3_ref(string: bytes, seed: int = 0, positive: bool = True) -> int:
    def rotate(x: int, bits: int) -> int:
        return (x << bits | x >> (32 - bits)) & 0xFFFFFFFF

    h = seed
    for at in range(0, len(string), 4):
        block = string[at : at + 4]
        k = int.from_bytes(block, "little") * 0xCC9E2D51 & 0xFFFFFFFF
        h ^= rotate(k, 15) * 0x1B873593 & 0xFFFFFFFF
        if len(block) == 4:
            h = rotate(h, 13) * 5 + 0xE6546B64 & 0xFFFFFFFF
    h ^= len(string)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    h ^= h >> 16
    return h if positive else signed(h, 32)


def string_crc32_ref(string: bytes) -> int:
    rest = 0xFFFFFFFF
    for byte in string:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0xEDB88320 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


def string_siphash_ref(string: bytes, key: list[int]) -> int:
    def rotate(x: int, bits: int) -> int:
        return (x << bits | x >> (64 - bits)) & MASK

    k0, k1 = (k & MASK for k in key)
    a, b, c, d = (
        k ^ int.from_bytes(text, "big")
        for k, text in zip((k0, k1, k0, k1), (b"somepseu", b"dorandom", b"lygenera", b"tedbytes"), strict=True)
    )

    def mix() -> None:
        nonlocal a, b, c, d
        a, c = a + b & MASK, c + d & MASK
        b, d = rotate(b, 13) ^ a, rotate(d, 16) ^ c
        a = rotate(a, 32)
        c, a = c + b & MASK, a + d & MASK
        b, d = rotate(b, 17) ^ c, rotate(d, 21) ^ a
        c = rotate(c, 32)

    padded = string + bytes(7 - len(string) % 8) + bytes([len(string) % 256])
    for at in range(0, len(padded), 8):
        block = int.from_bytes(padded[at : at + 8], "little")
        d ^= block
        mix()
        mix()
        a ^= block
    c ^= 0xFF
    for _ in range(4):
        mix()
    return signed(a ^ b ^ c ^ d)


def splitmix64(seed: int, count: int) -> list[int]:
    numbers = []
    for i in range(1, count + 1):
        z = seed + i * 0x9E3779B97F4A7C15 & MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        numbers.append(z ^ z >> 31)
    return numbers


def first_of_bin(ngrams: set[bytes], k: int, num_bins: int, seed: int) -> int:
    """The least hash in bin k, in the first round in which an n-gram falls into it."""
    for r in [*range(num_bins), num_bins + k]:
        hashes = [xxh3(gram, seed + r * 0x9E3779B97F4A7C15 & MASK) for gram in ngrams]
        values = [h & 0xFFFFFFFF for h in hashes if r >= num_bins or (h >> 32) * num_bins >> 32 == k]
        if values:
            return min(values)
    raise AssertionError


def string_minhash_ref(
    string: bytes, num_hashes: int, ngram: int, seed: int = 0, unit: str = "codepoint", method: str = "permutations"
) -> list[int]:
    if unit == "byte":
        units = [string[i : i + 1] for i in range(len(string))]
    else:
        units = [c.encode(errors="surrogateescape") for c in string.decode(errors="surrogateescape")]
    starts = range(max(1, len(units) - ngram + 1))
    ngrams = {b"".join(units[i : i + ngram]) for i in starts}
    if method == "bins":
        return [first_of_bin(ngrams, k, num_hashes, seed) for k in range(num_hashes)]
    hashes = {xxh3(gram) & 0xFFFFFFFF for gram in ngrams}
    numbers = splitmix64(seed & MASK, 2 * num_hashes)
    return [
        min((factor * h + term & MASK) >> 32 for h in hashes)
        for factor, term in zip(numbers[::2], numbers[1::2], strict=True)
    ]
