"""Unigram models in plain Python: of all ways to divide a text into pieces, that of the greatest sum of scores."""

import math
import struct
from collections.abc import Callable, Iterator, Sequence

# An id, and where its part of the text begins and ends.
Piece = tuple[int, int, int]


def scores_of(numbers: Sequence[Sequence[int]]) -> dict[int, float]:
    """By id. Rows are an id, and the halves of a float64."""
    return {id: struct.unpack(">d", struct.pack(">ii", high, low))[0] for id, high, low in numbers}


def float_of(bits: str) -> float:
    found: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return found


def add_double(a: float, b: float) -> float:
    return a + b


def add_single(a: float, b: float) -> float:
    found: float = struct.unpack("<f", struct.pack("<f", a + b))[0]
    return found


def best_pieces(
    text: str,
    by_piece: dict[str, int],
    scores: dict[int, float],
    unknown: int,
    unknown_score: float,
    add: Callable[[float, float], float],
    most: float = math.inf,
) -> list[Piece]:
    """Of equal sums, the one found first stays. A character that is no piece is unknown.

    A sum beyond `most` before a character is subtracted from itself and from all sums found after it.
    """
    longest = max(map(len, by_piece), default=0)
    best: list[tuple[float, Piece] | None] = [None] * (len(text) + 1)
    for begin in range(len(text)):
        before = best[begin]
        base = before[0] if before else 0.0
        if abs(base) > most:
            for end, way in enumerate(best[begin + 1 : begin + longest], begin + 1):
                best[end] = way and (add(way[0], -base), way[1])
            base = 0.0
        ends = range(begin + 1, min(len(text), begin + longest) + 1)
        found = [(end, by_piece[text[begin:end]]) for end in ends if text[begin:end] in by_piece]
        ways = [(end, id, add(scores.get(id, 0.0), base)) for end, id in found]
        if not any(end == begin + 1 for end, _ in found):
            ways.append((begin + 1, unknown, add(unknown_score, base)))
        for end, id, score in ways:
            other = best[end]
            if other is None or score > other[0]:
                best[end] = (score, (id, begin, end))
    path = []
    end = len(text)
    while end > 0:
        way = best[end]
        assert way is not None
        path.append(way[1])
        end = way[1][1]
    return path[::-1]


def with_runs(
    text: str, pieces: list[Piece], unknown: int, by_piece: dict[str, int], byte_ids: Sequence[int]
) -> Iterator[Piece]:
    """Joins unknown parts next to each other: they are a piece, or bytes if each has an id, or unknown."""
    run: Piece | None = None
    for id, begin, end in [*pieces, (-1, len(text), len(text))]:
        if id == unknown:
            run = (unknown, run[1] if run else begin, end)
            continue
        if run:
            part = text[run[1] : run[2]]
            ids = [byte_ids[byte] if byte_ids else -1 for byte in part.encode(errors="surrogateescape")]
            if part in by_piece:
                ids = [by_piece[part]]
            elif min(ids) < 0:
                ids = [unknown]
            yield from ((id, run[1], run[2]) for id in ids)
            run = None
        if id >= 0:
            yield id, begin, end
