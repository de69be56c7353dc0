"""Oracles of vocab_build (the words, read from the table by an independent reader), of vocab_encode (a dict; more
than one bucket needs XXH3, for which the test has literal values), of string_unique (a dict, in order of insertion)
and of _string_unique_sorted (the same, in the order of Python's bytes, or of the counts).
"""

import struct
from typing import Any

SLOT_BYTES = (16, 32, 64, 16)  # of words of up to 11, 27, 59 bytes, and of more


def read_table(table: Any) -> list[bytes]:
    """The words of a table, in the order of their ids."""
    raw = bytes(table)
    magic, num_words, text_bytes, _, _, *capacities = struct.unpack_from("<8sQQQQ4I", raw)
    assert magic == b"SOVcab05"
    slots, at = {}, 64
    for c in (2, 1, 0, 3):
        slots[c] = [raw[at + SLOT_BYTES[c] * i :][: SLOT_BYTES[c]] for i in range(capacities[c])]
        at += SLOT_BYTES[c] * capacities[c]
    text = raw[at + sum(capacity // 4 + 1 for capacity in capacities) :]
    assert len(text) == text_bytes
    words: dict[int, bytes] = {}
    for c, slot in [(c, slot) for c, of_class in slots.items() for slot in of_class]:
        size, number = struct.unpack("<Bi", slot[-5:])
        if size == 0xFE:
            assert number == -1
            continue
        assert number not in words
        if c == 3:
            begin, low_bits_of_size, mark = struct.unpack("<I4x3sB", slot[:12])
            size = struct.unpack_from("<I", text, begin)[0]
            assert mark == 0xFF
            assert size > SLOT_BYTES[2] - 5
            assert low_bits_of_size == size.to_bytes(4, "little")[:3]
            words[number] = text[begin + 4 : begin + 4 + size]
        else:
            words[number] = slot[:size]
            assert size <= len(slot) - 5
            assert c == 0 or size > SLOT_BYTES[c - 1] - 5
            assert not any(slot[size:-5])
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


def string_unique_sorted_ref(strings: Any, by_count: bool = False) -> tuple[Any, ...]:
    words, inverse, counts = string_unique_ref(strings)
    order = sorted(range(len(words)), key=lambda i: -counts[i] if by_count else words[i])  # type: ignore[arg-type]
    new_number = {old: new for new, old in enumerate(order)}

    def walk(level: Any) -> Any:
        return [walk(part) for part in level] if isinstance(level, list) else new_number[level]

    return [words[i] for i in order], walk(inverse), [counts[i] for i in order]
