"""The workloads, made from a fixed seed: every machine splits the same bytes (W6: those of its Python).

A corpus is Arrow's layout in NumPy, `data` and `offsets`; what a peer wants in its own form is derived in
`peers/`. Text is made by gathering pieces (words, gaps, punctuation) from one table, so 64 MB take about a
second.
"""

import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SEED = 20260
VOCABULARY_SIZE = 30_000

IntArray = NDArray[np.int64]
ByteArray = NDArray[np.uint8]


@dataclass(frozen=True)
class Corpus:
    """Strings `[N]`: string `i` is `data[offsets[i]:offsets[i + 1]]`."""

    name: str
    description: str
    data: ByteArray
    offsets: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def num_bytes(self) -> int:
        return int(self.offsets[-1])

    @cached_property
    def encoded(self) -> list[bytes]:
        raw, ends = self.data.tobytes(), self.offsets.tolist()
        return [raw[a:b] for a, b in pairwise(ends)]

    @cached_property
    def strings(self) -> list[str]:
        return [s.decode() for s in self.encoded]

    def rows_with(self, characters: str) -> NDArray[np.bool_]:
        """Which rows hold any of `characters`."""
        row_of = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        present = np.bincount(self.data, minlength=256) > 0
        hit = np.zeros(len(self), dtype=bool)
        for code in (character.encode() for character in characters):
            if not all(present[byte] for byte in code):
                continue
            at = np.flatnonzero(self.data[: len(self.data) - len(code) + 1] == code[0])
            for i, byte in enumerate(code[1:], 1):
                at = at[self.data[at + i] == byte]
            hit[row_of[at[row_of[at] == row_of[at + len(code) - 1]]]] = True
        return hit


def from_strings(name: str, description: str, strings: Sequence[bytes]) -> Corpus:
    data = np.frombuffer(b"".join(strings), dtype=np.uint8)
    return Corpus(name, description, data, offsets_of(np.fromiter(map(len, strings), np.int64, len(strings))))


def words_of(corpus: Corpus) -> Corpus:
    """What white space separates, a word a string."""
    words = [word for row in corpus.encoded for word in row.split()]
    return from_strings(f"words of {corpus.name}", f"words of {corpus.name}", words)


def offsets_of(sizes: IntArray) -> NDArray[np.int32]:
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if offsets[-1] > 2**31 - 1:
        raise ValueError(f"corpora: {offsets[-1]} bytes do not fit int32 offsets")
    return offsets.astype(np.int32)


class Pieces:
    """A table of byte strings that texts are gathered from."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.data = np.frombuffer(b"".join(pieces), dtype=np.uint8)
        self.sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
        self.starts = np.cumsum(self.sizes) - self.sizes

    def gather(self, ids: IntArray, chunk: int = 1 << 18) -> ByteArray:
        """The bytes of piece `i` for each `i` of `ids`, joined. By chunks: an index takes 8 bytes a byte."""
        parts = []
        for begin in range(0, len(ids), chunk):
            part = ids[begin : begin + chunk]
            sizes = self.sizes[part]
            ends = np.cumsum(sizes)
            shift = np.repeat(self.starts[part] - (ends - sizes), sizes)
            parts.append(self.data[np.arange(len(shift)) + shift])
        return np.concatenate(parts) if parts else np.zeros(0, np.uint8)

    def rows(self, name: str, description: str, ids: IntArray, counts: IntArray) -> Corpus:
        """Row `r` is made of the next `counts[r]` pieces of `ids`."""
        ends = np.concatenate([[0], np.cumsum(self.sizes[ids])])[np.concatenate([[0], np.cumsum(counts)])]
        return Corpus(name, description, self.gather(ids), offsets_of(np.diff(ends)))


def interleave(words: IntArray, gaps: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Piece ids of rows `word gap word ... word`, and the number of pieces in each row."""
    both = np.empty(2 * len(words), dtype=np.int64)
    both[0::2], both[1::2] = words, gaps
    keep = np.ones(len(both), dtype=bool)
    last = np.cumsum(counts) - 1
    keep[2 * last[counts > 0] + 1] = False
    return both[keep], np.maximum(2 * counts - 1, 0)


@lru_cache(maxsize=2)
def vocabulary(size: int = VOCABULARY_SIZE) -> tuple[bytes, ...]:
    """Distinct lower-case words, most frequent first; frequent words are shorter, as in any language."""
    rng = np.random.default_rng([SEED, size])
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", dtype=np.uint8)
    weights = 1 / (np.arange(26) + 4.0)
    words: dict[bytes, None] = {}
    while len(words) < size:
        rank = np.arange(len(words), size)
        mean = 3.15 + 0.62 * np.log1p(rank)
        sizes = np.clip(np.rint(rng.normal(mean, 1.9)), 1, 20).astype(np.int64)
        text = letters[
            np.searchsorted(np.cumsum(weights / weights.sum())[:-1], rng.random(sizes.sum()))
        ].tobytes()
        ends = np.cumsum(sizes).tolist()
        words.update((text[a:b], None) for a, b in zip([0, *ends], ends, strict=False))
    return tuple(words)


def zipf(rng: np.random.Generator, size: int, count: int) -> IntArray:
    """`count` ranks below `size` by Zipf's law with exponent 1."""
    cumulative = np.cumsum(1 / np.arange(1, size + 1))
    return np.searchsorted(cumulative[:-1] / cumulative[-1], rng.random(count)).astype(np.int64)


def words_per_row(rng: np.random.Generator, rows: int) -> IntArray:
    """2 to 20, mean 8.6."""
    return np.clip(np.rint(rng.triangular(1.5, 3.8, 20.5, rows)), 2, 20).astype(np.int64)


def w1(rows: int = 100_000) -> Corpus:
    """Short ASCII strings."""
    return _zipf_rows("W1", "ASCII strings of 2-20 Zipf words", rows, None)


def w1p(rows: int = 100_000) -> Corpus:
    """W1 with one row of 200 words: what padding costs."""
    return _zipf_rows("W1p", "strings as in W1, one of 200 words", rows, 200)


def _zipf_rows(name: str, description: str, rows: int, long_row: int | None) -> Corpus:
    rng = np.random.default_rng([SEED, 1])
    table = Pieces([*vocabulary(), b" "])
    counts = words_per_row(rng, rows)
    if long_row is not None:
        counts[rows // 2] = long_row
    words = zipf(rng, VOCABULARY_SIZE, int(counts.sum()))
    ids, pieces = interleave(words, np.full(len(words), VOCABULARY_SIZE), counts)
    return table.rows(name, description, ids, pieces)


def w2(rows: int = 10_000) -> Corpus:
    """Paragraphs of about 2 KB."""
    rng = np.random.default_rng([SEED, 2])
    gaps = [b" ", b", ", b". ", b"; ", b"? ", b" (", b") "]
    table = Pieces([*vocabulary(), *gaps])
    counts = rng.integers(220, 360, rows)
    words = zipf(rng, VOCABULARY_SIZE, int(counts.sum()))
    gap = rng.choice(len(gaps), len(words), p=[0.85, 0.06, 0.06, 0.01, 0.01, 0.005, 0.005])
    ids, pieces = interleave(words, VOCABULARY_SIZE + gap, counts)
    return table.rows("W2", "paragraphs of ASCII words and punctuation", ids, pieces)


def w3(rows: int = 100_000) -> Corpus:
    """Mixed scripts and the white space that only UTF-8 has."""
    rng = np.random.default_rng([SEED, 3])

    def script(alphabet: Sequence[str], count: int, shortest: int, longest: int) -> list[bytes]:
        letters = np.array(alphabet)
        sizes = rng.integers(shortest, longest + 1, count)
        return ["".join(letters[rng.integers(0, len(letters), n)]).encode() for n in sizes]

    def block(first: int, last: int) -> list[str]:
        return [chr(c) for c in range(first, last + 1)]

    accented = [*"aeiounrstl", *"áâãäåçèéêëìíîïñòóôõöùúûüýÿœšž"]
    words = script(block(0x430, 0x44F), 4000, 3, 10) + script(block(0x4E00, 0x6FFF), 4000, 1, 4)
    words += script(block(0x3041, 0x3093) + block(0x30A1, 0x30F3), 3000, 2, 6) + script(accented, 4000, 2, 11)
    words += script(block(0x1F300, 0x1F5FF), 500, 1, 2)
    gaps = [" ", "\u3000", "\u2003", "\u00a0"]
    table = Pieces([*words, *(g.encode() for g in gaps)])
    counts = np.clip(np.rint(rng.triangular(1.5, 4.5, 13.5, rows)), 2, 13).astype(np.int64)
    chosen = rng.permutation(len(words))[zipf(rng, len(words), int(counts.sum()))]
    gap = rng.choice(len(gaps), len(chosen), p=[0.88, 0.06, 0.03, 0.03])
    ids, pieces = interleave(chosen, len(words) + gap, counts)
    return table.rows("W3", "UTF-8 strings of five scripts, some Unicode spaces", ids, pieces)


def w4(rows: int = 100_000) -> Corpus:
    """Lines of 20 fields, as of a CSV file without quotes."""
    return _fields("W4", rows, b",")


def w4m(rows: int = 100_000) -> Corpus:
    """W4 with a delimiter of two bytes."""
    return _fields("W4m", rows, b"::")


def _fields(name: str, rows: int, delimiter: bytes) -> Corpus:
    rng = np.random.default_rng([SEED, 4])
    words = vocabulary()[:4000]
    numbers = [b"%d" % n for n in rng.integers(0, 10 ** rng.integers(1, 8, 4000))]
    decimals = [b"%.2f" % x for x in rng.normal(0, 300, 2000)]
    table = Pieces([*words, *numbers, *decimals, b"", delimiter])
    fields = rng.integers(0, 10_000, rows * 20)
    fields[rng.random(len(fields)) < 0.05] = 10_000
    ids, pieces = interleave(fields, np.full(len(fields), 10_001), np.full(rows, 20))
    text = delimiter.decode()
    return table.rows(name, f"lines of 20 fields joined by `{text}`, 5 % of them empty", ids, pieces)


def w5(num_bytes: int = 64_000_000) -> Corpus:
    """One string of log lines."""
    rng = np.random.default_rng([SEED, 5])
    words = vocabulary()[:3000]
    stamps = [b"2026-01-%02dT%02d:%02d:%02d.%03dZ" % t for t in _times(rng, 4000)]
    levels = [b"INFO ", b"DEBUG", b"WARN ", b"ERROR"]
    sources = [b"[worker-%d] %s.%s:" % (n % 32, words[n + 40], words[n + 900]) for n in range(500)]
    values = [b"%s=%d" % (words[n % 300], v) for n, v in enumerate(rng.integers(0, 10**6, 3000))]
    groups = [stamps, levels, sources, [*words, *values], [b" ", b"\n"]]
    table = Pieces([piece for group in groups for piece in group])
    first = np.cumsum([0, *map(len, groups)])[:-1]
    lines = num_bytes // 60 + 1  # a line is longer, so these are enough
    counts = rng.integers(4, 13, lines)
    total = int(np.cumsum(counts + 3)[-1])
    ids = first[3] + zipf(rng, len(groups[3]), total)
    heads = np.cumsum(counts + 3) - (counts + 3)
    ids[heads] = first[0] + rng.integers(0, len(stamps), lines)
    ids[heads + 1] = first[1] + rng.choice(4, lines, p=[0.6, 0.25, 0.1, 0.05])
    ids[heads + 2] = first[2] + zipf(rng, len(sources), lines)
    gaps = np.full(total, first[4])
    gaps[heads[1:] - 1] += 1
    both = np.empty(2 * total, dtype=np.int64)
    both[0::2], both[1::2] = ids, gaps
    needed = int(np.searchsorted(np.cumsum(table.sizes[both]), num_bytes)) + 1
    data = table.gather(both[:needed])[:num_bytes]
    return Corpus("W5", "string of log text", data, np.array([0, len(data)], dtype=np.int32))


def _times(rng: np.random.Generator, count: int) -> list[tuple[int, ...]]:
    low, high = [1, 0, 0, 0, 0], [32, 24, 60, 60, 1000]
    return [tuple(row) for row in rng.integers(low, high, (count, 5)).tolist()]


def w6(num_bytes: int = 12_000_000) -> Corpus:
    """Lines of the running Python's standard library, without line ends; whole files up to `num_bytes`."""
    root = Path(sysconfig.get_path("stdlib"))
    lines: list[bytes] = []
    left = num_bytes
    for path in sorted(root.rglob("*.py")):
        if "site-packages" in path.parts or "dist-packages" in path.parts:
            continue
        text = path.read_bytes()
        if len(text) > left or not _is_utf8(text):
            continue
        left -= len(text)
        lines += text.split(b"\n")
    return from_strings("W6", "source lines of Python's standard library", lines)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


# Name -> maker and its full size; the size is in rows, for W5 and W6 in bytes.
MAKERS: dict[str, tuple[Callable[[int], Corpus], int]] = {
    "W1": (w1, 100_000),
    "W1p": (w1p, 100_000),
    "W2": (w2, 10_000),
    "W3": (w3, 100_000),
    "W4": (w4, 100_000),
    "W4m": (w4m, 100_000),
    "W5": (w5, 64_000_000),
    "W6": (w6, 12_000_000),
}


@lru_cache(maxsize=3)
def corpus(name: str, scale: float = 1.0) -> Corpus:
    """Workload `name` with `scale` times its full size, kept in memory while the next rows may want it."""
    maker, size = MAKERS[name]
    return maker(max(1, round(size * scale)))
