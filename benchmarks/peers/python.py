"""Python's own strings, lists and dictionaries."""

import itertools
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchmarks.corpora import Corpus

NAME = "Python"


def strings(corpus: Corpus) -> list[str]:
    return corpus.strings


def numbers(array: Any) -> Any:
    return array.tolist()


def each(of_one: Callable[..., Any]) -> Callable[..., list[Any]]:
    return lambda s, *arguments: [of_one(x, *arguments) for x in s]


def of_bytes(of_one: Callable[..., Any]) -> Callable[..., Callable[[], list[Any]]]:
    """The strings as bytes."""

    def make(corpus: Corpus, *arguments: Any) -> Callable[[], list[Any]]:
        s, encoded = corpus.encoded, [a.encode() if isinstance(a, str) else a for a in arguments]
        return lambda: [of_one(x, *encoded) for x in s]

    return make


def is_utf8(string: bytes) -> bool:
    try:
        string.decode()
    except UnicodeDecodeError:
        return False
    return True


def equal(s: list[str], other: list[str]) -> list[bool]:
    if len(other) == 1:
        one = other[0]
        return [x == one for x in s]
    return [x == y for x, y in zip(s, other, strict=True)]


def look_up(tokens: Corpus, words: Corpus) -> Callable[[], list[int]]:
    ids, s = {word: i for i, word in enumerate(words.strings)}, tokens.strings
    return lambda: [ids.get(x, -1) for x in s]


def split_encode(corpus: Corpus, words: Corpus) -> Callable[[], list[list[int]]]:
    ids, s = {word: i for i, word in enumerate(words.strings)}, corpus.strings
    return lambda: [[ids.get(word, -1) for word in x.split()] for x in s]


def vocab_build(words: Corpus) -> Any:
    s = words.strings
    return lambda: dict(zip(s, range(len(s)), strict=True)), lambda ids: [ids[x] for x in s]


def from_codepoints(corpus: Corpus) -> Callable[[], list[str]]:
    rows = [list(map(ord, s)) for s in corpus.strings]
    return lambda: ["".join(map(chr, row)) for row in rows]


def pack(begins: Any, ends: Any, data: Any) -> Callable[[], list[bytes]]:
    raw, first, last = data.tobytes(), begins.tolist(), ends.tolist()
    return lambda: [raw[a:b] for a, b in zip(first, last, strict=True)]


def json_fields(s: list[str], fields: dict[str, Any]) -> list[list[Any]]:
    paths = [path[2:].split(".") for path, _ in fields.values()]
    columns: list[list[Any]] = [[] for _ in paths]
    for string in s:
        document = json.loads(string)
        for path, column in zip(paths, columns, strict=True):
            value = document
            for key in path:
                value = value[key]
            column.append(value)
    return columns


def from_strings(s: Iterable[list[str]]) -> list[str]:
    return [word for word, _ in Counter(itertools.chain.from_iterable(s)).most_common()]


def ragged_unique(values: list[int], splits: list[int]) -> list[list[int]]:
    return [list(dict.fromkeys(values[a:b])) for a, b in itertools.pairwise(splits)]


CALLS: dict[str, Any] = {
    "string_casefold": each(str.casefold),
    "string_rfind": each(str.rfind),
    "string_find.each": lambda s, words: list(map(str.find, s, words)),
    "string_find": lambda s, word, *_: [x.find(word) for x in s],
    "string_translate": lambda s, table: each(str.translate)(s, str.maketrans(table)),
    "string_equal": equal,
    "==": equal,
    "string_sort": sorted,
    "unique, sorted": lambda s: sorted(set(s)),
    "string_unique": Counter,
    "string_searchsorted": lambda row, s: [bisect_left(row, x) for x in s],
    "string_char_ngrams_ragged": lambda s, n, _: [[x[i : i + n] for i in range(len(x) - n + 1)] for x in s],
    "string_split_ragged": lambda s, delimiter, maxsplit=-1: [x.split(delimiter or None, maxsplit) for x in s],
    "json_fields": json_fields,
    "ragged_unique": ragged_unique,
    "from_strings": from_strings,
}
MADE: dict[str, Any] = {
    "string_contains": of_bytes(lambda x, word: word in x),
    "string_count": of_bytes(bytes.count),
    "string_startswith": of_bytes(bytes.startswith),
    "string_endswith": of_bytes(bytes.endswith),
    "string_replace": of_bytes(bytes.replace),
    "string_is_utf8": of_bytes(is_utf8),
    "string_bytes": of_bytes(list),
    "string_codepoints": lambda corpus: partial(each(lambda s: [ord(c) for c in s]), corpus.strings),
    "string_repair": of_bytes(lambda x: x.decode(errors="replace")),
    "string_from_codepoints": from_codepoints,
    "string_tensor_pack": pack,
    "vocab_build": vocab_build,
    "vocab_encode": look_up,
    "split_encode": split_encode,
}
READS: dict[str, Any] = {"string_unique": lambda counts: ([*counts], [*counts.values()])}
