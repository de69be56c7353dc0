"""Oracles of vocab_build (the words, read from the table by an independent reader), of vocab_encode (a dict; more
than one bucket needs XXH3, for which the test has literal values), of string_unique (a dict, in order of insertion)
and of _string_unique_sorted (the same, in the order of Python's bytes).
"""

import struct
from typing import Any

MAX_PROBES = 256
INLINE_BYTES = 11


def read_table(table: Any) -> list[bytes]:
    """The words of a table, in the order of their ids."""
    raw = bytes(table)
    magic, num_words, capacity, text_bytes = struct.unpack_from("<8sQQQ", raw)
    assert magic == b"SOVcab04"
    text = raw[64 + 16 * (capacity + MAX_PROBES) :]
    assert len(text) == text_bytes
    words: dict[int, bytes] = {}
    for i in range(capacity + MAX_PROBES):
        low, high, number = struct.unpack_from("<8sIi", raw, 64 + 16 * i)
        size = high >> 24
        if size == 0xFE:
            assert number == -1
            continue
        assert number not in words
        if size == 0xFF:
            at = struct.unpack("<I", low[:4])[0]
            size = struct.unpack_from("<I", text, at)[0]
            assert size > INLINE_BYTES
            assert size & 0xFFFFFF == high & 0xFFFFFF
            words[number] = text[at + 4 : at + 4 + size]
        else:
            padded = low + high.to_bytes(4, "little")[:3]
            words[number] = padded[:size]
            assert not any(padded[size:])
    assert sorted(words) == list(range(num_words))
    return [words[number] for number in range(num_words)]


def vocab_build_ref(words: list[bytes]) -> tuple[list[bytes]]:
    assert len(set(words)) == len(words)
    return (words,)


def vocab_encode_ref(strings: Any, table: Any, unknown_id: int = -1, num_oov_buckets: int = 0) -> tuple[Any]:
    number = {word: i for i, word in enumerate(read_table(table.tolist()))}
    assert num_oov_buckets <= 1
    unknown = len(number) if num_oov_buckets else unknown_id

    def walk(level: Any) -> Any:
        return [walk(part) for part in level] if isinstance(level, list) else number.get(level, unknown)

    return (walk(strings),)


def string_unique_ref(strings: Any) -> tuple[Any, ...]:
    counts: dict[bytes, int] = {}
    number: dict[bytes, int] = {}

    def walk(level: Any) -> Any:
        if isinstance(level, list):
            return [walk(part) for part in level]
        counts[level] = counts.get(level, 0) + 1
        return number.setdefault(level, len(number))

    inverse = walk(strings)
    return list(number), inverse, list(counts.values())


def string_unique_sorted_ref(strings: Any) -> tuple[Any, ...]:
    words, inverse, counts = string_unique_ref(strings)
    order = sorted(range(len(words)), key=words.__getitem__)
    new_number = {old: new for new, old in enumerate(order)}

    def walk(level: Any) -> Any:
        return [walk(part) for part in level] if isinstance(level, list) else new_number[level]

    return [words[i] for i in order], walk(inverse), [counts[i] for i in order]
