"""Random strings from a seed, for comparisons of millions of strings, for which hypothesis is too slow."""

import random
from collections.abc import Callable
from typing import Any

from support.strategies import MALFORMED, NEARLY, TEXT, WHITESPACE

Random = random.Random

PIECES = WHITESPACE + NEARLY + TEXT + [b"a", b"b", b"c", b" ", b" ", b",", b",", b":", b"0", b"_"]
RUNS = [1, 1, 1, 1, 1, 1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 130]


def string(rng: Random, *, utf8: bool = False) -> bytes:
    pieces = PIECES if utf8 else PIECES + MALFORMED
    return b"".join(rng.choice(pieces) * rng.choice(RUNS) for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 12])))


def strings(rng: Random, n: int, *, utf8: bool = False) -> list[Any]:
    """n strings, sometimes in rows."""
    flat = [string(rng, utf8=utf8) for _ in range(n)]
    cols = rng.choice([0, 0, 1, 7])
    return [flat[i : i + cols] for i in range(0, n - n % cols, cols)] if cols else flat


def flatten(nested: Any) -> list[bytes]:
    return [s for part in nested for s in flatten(part)] if isinstance(nested, list) else [nested]


CHANGES: list[Callable[[bytes], bytes]] = [
    lambda s: s,
    lambda s: s,
    lambda s: s[:-1] + b"x",
    lambda s: b"x" + s[1:],
    lambda s: s + b"\0",
    lambda s: s[: len(s) // 2] + b"y" + s[len(s) // 2 + 1 :],
]


def alike(rng: Random, n: int, *, utf8: bool = False) -> tuple[list[bytes], list[bytes]]:
    """n strings, and n equal or similar ones, or a single one to broadcast."""
    left = [string(rng, utf8=utf8) for _ in range(n)]
    if rng.random() < 0.3:
        return left, [rng.choice(left)]
    changed = (rng.choice(CHANGES)(s) for s in left)
    return left, [s.decode(errors="replace").encode() if utf8 else s for s in changed]
