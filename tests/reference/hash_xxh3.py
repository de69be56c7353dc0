"""XXH3 of 64 bits with a seed, after the specification: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md."""

from itertools import starmap

MASK = 2**64 - 1
PRIME32_1, PRIME32_2, PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIME64_1, PRIME64_2, PRIME64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME64_4, PRIME64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
PRIME_MX1, PRIME_MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

# The default secret.
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def read(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def swap(value: int, size: int) -> int:
    return int.from_bytes(value.to_bytes(size, "little"), "big")


def rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & MASK


def folded(a: int, b: int) -> int:
    product = a * b
    return product & MASK ^ product >> 64


def avalanche(h: int) -> int:
    h = (h ^ h >> 37) * PRIME_MX1 & MASK
    return h ^ h >> 32


def avalanche_xxh64(h: int) -> int:
    h = (h ^ h >> 33) * PRIME64_2 & MASK
    h = (h ^ h >> 29) * PRIME64_3 & MASK
    return h ^ h >> 32


def of_0_to_16(data: bytes, seed: int) -> int:
    n = len(data)
    if n == 0:
        return avalanche_xxh64(seed ^ read(SECRET, 56) ^ read(SECRET, 64))
    if n <= 3:
        combined = data[-1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        key = (read(SECRET, 0, 4) ^ read(SECRET, 4, 4)) + seed & MASK
        return avalanche_xxh64(combined ^ key)
    if n <= 8:
        seed ^= swap(seed & 0xFFFFFFFF, 4) << 32
        key = (read(SECRET, 8) ^ read(SECRET, 16)) - seed & MASK
        h = key ^ (read(data, n - 4, 4) + (read(data, 0, 4) << 32))
        h ^= rotate(h, 49) ^ rotate(h, 24)
        h = h * PRIME_MX2 & MASK
        h = (h ^ (h >> 35) + n) * PRIME_MX2 & MASK
        return h ^ h >> 28
    low = (read(SECRET, 24) ^ read(SECRET, 32)) + seed & MASK ^ read(data, 0)
    high = (read(SECRET, 40) ^ read(SECRET, 48)) - seed & MASK ^ read(data, n - 8)
    return avalanche(n + swap(low, 8) + high + folded(low, high) & MASK)


def mixed(data: bytes, at: int, secret_at: int, seed: int) -> int:
    low = read(data, at) ^ read(SECRET, secret_at) + seed & MASK
    high = read(data, at + 8) ^ read(SECRET, secret_at + 8) - seed & MASK
    return folded(low, high)


def of_17_to_240(data: bytes, seed: int) -> int:
    n = len(data)
    h = n * PRIME64_1
    if n <= 128:
        for i in range((n - 1) // 32 + 1):
            h += mixed(data, 16 * i, 32 * i, seed) + mixed(data, n - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(h & MASK)
    h += sum(mixed(data, 16 * i, 16 * i, seed) for i in range(8))
    h = avalanche(h & MASK)
    h += sum(mixed(data, 16 * i, 16 * (i - 8) + 3, seed) for i in range(8, n // 16))
    return avalanche(h + mixed(data, n - 16, 136 - 17, seed) & MASK)


def accumulate(lanes: list[int], data: bytes, at: int, secret: bytes, secret_at: int) -> None:
    for i in range(8):
        value = read(data, at + 8 * i)
        key = value ^ read(secret, secret_at + 8 * i)
        lanes[i ^ 1] = lanes[i ^ 1] + value & MASK
        lanes[i] = lanes[i] + (key & 0xFFFFFFFF) * (key >> 32) & MASK


def of_long(data: bytes, seed: int) -> int:
    n = len(data)
    secret = b"".join(
        (read(SECRET, at) + (seed if at % 16 == 0 else -seed) & MASK).to_bytes(8, "little") for at in range(0, 192, 8)
    )
    lanes = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]
    stripes = (n - 1) // 64
    for stripe in range(stripes):
        accumulate(lanes, data, 64 * stripe, secret, stripe % 16 * 8)
        if stripe % 16 == 15:
            lanes[:] = [(a ^ a >> 47 ^ read(secret, 128 + 8 * i)) * PRIME32_1 & MASK for i, a in enumerate(lanes)]
    accumulate(lanes, data, n - 64, secret, 192 - 64 - 7)
    pairs = (
        (lanes[2 * i] ^ read(secret, 11 + 16 * i), lanes[2 * i + 1] ^ read(secret, 11 + 16 * i + 8)) for i in range(4)
    )
    return avalanche(n * PRIME64_1 + sum(starmap(folded, pairs)) & MASK)


def xxh3(data: bytes, seed: int = 0) -> int:
    if len(data) <= 16:
        return of_0_to_16(data, seed)
    return of_17_to_240(data, seed) if len(data) <= 240 else of_long(data, seed)
