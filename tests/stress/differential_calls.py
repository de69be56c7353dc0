"""Random calls of each operator for long comparisons with its oracle: a batch of strings at a time, from a seed.

hypothesis finds small counterexamples, at a few milliseconds a call; here speed is what counts. An operator that has no
entry fails `tests/stress/test_differential.py`.
"""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from ops.test_split_encode import DELIMITERS
from support.harness import Call, call
from support.strategies import MALFORMED, NEARLY, TEXT, WHITESPACE
from support.strings import compact
from support.tokenizer import CHARACTER_MODES, CLASSES, LITERALS, PADS, PATTERNS

PIECES = WHITESPACE + NEARLY + TEXT + [b"a", b"b", b"c", b" ", b" ", b",", b",", b":", b"0", b"_"]
RUNS = [1, 1, 1, 1, 1, 1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 130]

Random = random.Random


def string(rng: Random, *, utf8: bool = False) -> bytes:
    pieces = PIECES if utf8 else PIECES + MALFORMED
    return b"".join(rng.choice(pieces) * rng.choice(RUNS) for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 12])))


def strings(rng: Random, n: int, *, utf8: bool = False) -> list[Any]:
    """n strings, in rows now and then."""
    flat = [string(rng, utf8=utf8) for _ in range(n)]
    cols = rng.choice([0, 0, 1, 7])
    return [flat[i : i + cols] for i in range(0, n - n % cols, cols)] if cols else flat


def flatten(nested: Any) -> list[bytes]:
    return [s for part in nested for s in flatten(part)] if isinstance(nested, list) else [nested]


def splitting(rng: Random, n: int) -> Call:
    delimiter = rng.choice(["", "", ",", "::", *DELIMITERS])
    maxsplit = rng.choice([-1, -1, -1, 0, 1, 2, 5, 2**63 - 1])
    compat = rng.choice(["reference", "reference", "onnxruntime"])
    return call(strings(rng, n), delimiter, maxsplit, compat=compat, skip_empty=rng.random() < 0.5)


def tokens(rng: Random, n: int, *, padded: bool) -> Call:
    how: dict[str, Any] = {"mark": rng.random() < 0.5, "mincharnum": rng.choice([1, 1, 2, 3])}
    patterns = rng.choice([CLASSES + LITERALS, PATTERNS])
    way = rng.randrange(3)
    if way == 0:
        how |= {"mincharnum": 1} | rng.choice(CHARACTER_MODES)
    elif way == 1:
        how["tokenexp"] = rng.choice(patterns)
    else:
        how["separators"] = [rng.choice(patterns) for _ in range(rng.choice([1, 1, 2]))]
    if padded:
        how["pad_value"] = rng.choice(PADS)
    return call(strings(rng, n, utf8=True), **how)


def vocabulary(rng: Random, words: list[bytes]) -> torch.Tensor:
    known = sorted(set(rng.sample(words, len(words) // 2)))
    rng.shuffle(known)
    return torch.ops.stringops.vocab_build(*compact(known))


UNKNOWN = [{}, {"unknown_id": 7}, {"unknown_id": -(2**63)}, {"num_oov_buckets": 1}]


def lookup(rng: Random, n: int) -> Call:
    text = strings(rng, n)
    changed = [w + b"\0" for w in flatten(text)[:50]] + [w[:-1] for w in flatten(text)[:50]]
    table = vocabulary(rng, flatten(text) + changed + [b"%d" % rng.randrange(10**12) for _ in range(200)])
    return call(text, table, **rng.choice(UNKNOWN))


def text_to_ids(rng: Random, n: int) -> Call:
    delimiter = rng.choice(["", "", ",", *DELIMITERS])
    text = strings(rng, n)
    cut = [s.split(delimiter.encode() or None) for s in flatten(text)]
    table = vocabulary(rng, [w for row in cut for w in row])
    return call(text, table, delimiter, skip_empty=rng.random() < 0.5, **rng.choice(UNKNOWN))


def repeated(rng: Random, n: int) -> Call:
    pool = [string(rng) for _ in range(rng.choice([1, 5, 100, n]))]
    return call([rng.choice(pool) for _ in range(n)])


def pairs(rng: Random, n: int) -> Call:
    left = [string(rng) for _ in range(n)]
    changes: list[Callable[[bytes], bytes]] = [
        lambda s: s,
        lambda s: s,
        lambda s: s[:-1] + b"x",
        lambda s: b"x" + s[1:],
        lambda s: s + b"\0",
        lambda s: s[: len(s) // 2] + b"y" + s[len(s) // 2 + 1 :],
    ]
    if rng.random() < 0.3:
        return call(left, [rng.choice(left)])
    return call(left, [rng.choice(changes)(s) for s in left])


def ranges(rng: Random, n: int) -> Call:
    symbols = torch.tensor([rng.randrange(256) for _ in range(rng.choice([0, 1, 300]))], dtype=torch.uint8)
    both = [sorted(rng.randrange(len(symbols) + 1) for _ in range(2)) for _ in range(n)]
    dtype = rng.choice([torch.int32, torch.int64])
    return call(*(torch.tensor(edge, dtype=dtype) for edge in zip(*both, strict=True)), symbols)


def distinct(rng: Random, n: int) -> Call:
    words = {string(rng) for _ in range(n)} | {b"%d" % rng.randrange(10**12) for _ in range(n // 4)}
    return call(sorted(words, key=lambda _: rng.random()))


def parts(rng: Random, n: int) -> Call:
    text = strings(rng, n)
    sizes, left = [], len(text)
    while left:
        sizes.append(rng.randrange(min(left, 200) + 1))
        left -= sizes[-1]
    return call(text, sizes)


def just_strings(rng: Random, n: int) -> Call:
    return call(strings(rng, n))


# Operator (with its overload, where it is not the default): calls of about n strings.
CALLS: dict[str, Callable[[Random, int], Call]] = {
    "_string_tensor_unpack_ranges": just_strings,
    "split.strings": parts,
    "split_encode": text_to_ids,
    "split_to_sequence.strings": parts,
    "string_equal": pairs,
    "string_split": splitting,
    "string_split_ragged": splitting,
    "string_tensor_pack": ranges,
    "string_tensor_unpack": just_strings,
    "string_unique": repeated,
    "tokenizer": partial(tokens, padded=True),
    "tokenizer_ragged": partial(tokens, padded=False),
    "vocab_build": distinct,
    "vocab_encode": lookup,
}
