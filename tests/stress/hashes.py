"""XXH3 of the package compared with `xxhash`, on ten million strings: sizes around every border, seeds, CPU tiers.

    stress hashes [--strings N] [--seed S]

Ends with code 1 at the first difference.
"""

import random

import numpy as np
import torch
import xxhash
from support.programs import options

import torch_stringops as so

# The algorithm changes after 3, 8, 16, 128 and 240 bytes, and takes stripes of 64 bytes and blocks of 1024.
BORDERS = [0, 1, 3, 4, 8, 9, 16, 17, 32, 64, 96, 128, 129, 240, 241, 256, 1024, 1025, 2048, 4096]
BATCH = 20_000


def sizes(rng: random.Random, count: int) -> list[int]:
    near = [max(0, rng.choice(BORDERS[:-3]) + rng.randint(-2, 2)) for _ in range(count // 4)]
    rare = [rng.choice(BORDERS) + rng.randint(0, 70) for _ in range(count // 200)]
    return [*near, *rare, *rng.choices(range(64), k=count - len(near) - len(rare))]


def main() -> int:
    args = options(__doc__, strings=10_000_000, seed=0)
    rng = random.Random(args.seed)
    done = 0
    while done < args.strings:
        lengths = sizes(rng, min(BATCH, args.strings - done))
        rng.shuffle(lengths)
        data = rng.randbytes(sum(lengths))
        ends = np.cumsum([0, *lengths], dtype=np.int32)
        strings = so.StringTensor(
            torch.frombuffer(bytearray(data or b"\0"), dtype=torch.uint8)[: len(data)], torch.from_numpy(ends)
        )
        seed = rng.choice([0, 1, -1, rng.getrandbits(64) - 2**63])
        want = [
            xxhash.xxh3_64_intdigest(data[a:b], seed % 2**64)
            for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        ]
        expected = torch.from_numpy(np.array(want, dtype=np.uint64).view(np.int64))
        for tier in so.simd_tiers():
            so.set_simd_tier(tier)
            different = (so.string_hash(strings, seed) != expected).nonzero().flatten().tolist()
            if different:
                print(f"hashes: {tier}, seed {seed}: {len(different)} differ, first of {lengths[different[0]]} bytes")
                return 1
        done += len(lengths)
    print(f"hashes: {done} strings, tiers {', '.join(so.simd_tiers())}: all equal")
    return 0
