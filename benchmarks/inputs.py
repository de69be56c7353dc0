"""Inputs that are made of a corpus, or drawn: other operands, vocabularies, numbers, times, documents with copies."""

import random
import re
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks import kinds  # noqa: F401, which adds its corpora
from benchmarks.corpora import SEED, Corpus, corpus, from_strings, vocabulary, words_of, words_per_row, zipf

Values = tuple[Any, ...]
WIDTH = 20  # of padded rows
BEGIN, END = 1, 2
NUM_IDS = 30  # of ragged_count
DATETIME_FIELDS = ("year", "month", "day", "hour", "minute", "second", "nanosecond", "weekday", "day_of_year")


# The operands of calls in addition to a corpus.


def commonest(found: Corpus) -> str:
    words = Counter(word for s in found.strings for word in s.split() if len(word.encode()) > 2)
    return words.most_common(1)[0][0]


def with_commonest(found: Corpus) -> Values:
    return found, commonest(found)


def with_a_word_each(found: Corpus) -> Values:
    words = [(s.split() or [b"-"])[-1] for s in reversed(found.encoded)]
    return found, from_strings("words", "words", words)


def with_shuffled(found: Corpus) -> Values:
    order = np.random.default_rng([SEED, 31]).permutation(len(found))
    return found, from_strings("others", "others", [found.encoded[i] for i in order])


def with_reversed(found: Corpus) -> Values:
    mask = np.random.default_rng([SEED, 22]).random(len(found)) < 0.5
    return found, from_strings("reversed", "reversed", found.encoded[::-1]), mask


def with_the_commonest_string(found: Corpus) -> Values:
    return found, from_strings("one", "one", [Counter(found.encoded).most_common(1)[0][0]])


def with_others(found: Corpus) -> Values:
    """Half of the others are equal, a quarter differ in the last byte, and a quarter are those of another row."""
    choices = np.random.default_rng([SEED, 9]).integers(0, 4, len(found)).tolist()
    strings, before = [], b""
    for string, choice in zip(found.encoded, choices, strict=True):
        changed = string[:-1] + bytes([string[-1] ^ 1]) if string and string.isascii() else string
        strings.append(before if choice == 0 else changed if choice == 1 else string)
        before = string
    return found, from_strings("others", "others", strings)


def with_sorted(found: Corpus) -> Values:
    """The distinct strings in order, and all of them in random order."""
    return from_strings("sorted", "sorted", sorted(set(found.encoded))), with_shuffled(found)[1]


def with_some(found: Corpus) -> Values:
    test = sorted(set(found.encoded))
    return found, from_strings("test", "test", test[:: max(1, len(test) // 1000)])


def pairs(found: Corpus) -> Values:
    """Adjacent strings."""
    some = found.encoded[:20_000]
    return from_strings("left", "left", some), from_strings("right", "right", some[1:] + some[:1])


def with_vocabulary(found: Corpus, most: int | None = None, lower: bool = False) -> Values:
    """The words of all strings, most frequent first."""
    counts = Counter(word for s in found.strings for word in (s.lower() if lower else s).split())
    words = [word.encode() for word, _ in counts.most_common(most)]
    return found, from_strings("words", "words", words)


def with_stopwords(found: Corpus) -> Values:
    """The commonest words of the vocabulary of a generated corpus, or of the text itself."""
    counts = Counter(found.encoded)
    generated = found.name.startswith("words of W")
    words = vocabulary()[:150] if generated else [word for word, _ in counts.most_common(150)]
    return found, from_strings("stopwords", "stop words", words)


def heads(found: Corpus) -> Values:
    """The times at the beginning of lines."""
    times = [line[:19] for line in found.encoded if re.match(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", line)]
    return (from_strings("times", "times", times),)


def with_mask(density: float, found: Corpus) -> Values:
    return found, np.random.default_rng([SEED, 20]).random(len(found)) < density


def with_order(found: Corpus) -> Values:
    return found, np.random.default_rng([SEED, 21]).permutation(len(found))


def drawn_patterns(found: Corpus, count: int) -> list[bytes]:
    """Words of four characters or more, the longest first; if there are too few, pairs of words."""
    words = sorted(set(re.findall(rb"\w{4,}", b"\n".join(found.encoded))))
    rng = np.random.default_rng(SEED)
    patterns = [words[i] for i in rng.permutation(len(words))[:count].tolist()]
    while len(patterns) < count:
        a, b = rng.integers(len(words), size=2).tolist()
        patterns.append(words[a] + b" " + words[b])
    return sorted(patterns, key=len, reverse=True)


def with_patterns(count: int, new: bool, found: Corpus) -> Values:
    patterns = from_strings("patterns", "patterns", drawn_patterns(found, count))
    return (found, patterns, from_strings("new", "new", [b"<new>"])) if new else (found, patterns)


def with_regexes(count: int, found: Corpus) -> Values:
    return found, [rf"\b{p.decode()}[a-z]*=" for p in drawn_patterns(found, count)]


def documents(size: int, place: str, context: Any) -> Values:
    """Documents of `size` KB of source code, and a word that is near the begin or the end of each, or in none."""
    word = "zeppelin"
    text = "\n".join(context.corpus("W6").strings).replace(word, "")[:4_000_000]
    at = {"early": 40, "late": 1000 * size - 60}.get(place)
    found = [text[i : i + 1000 * size] for i in range(0, len(text), 1000 * size)]
    if at is not None:
        found = [t[:at] + word + t[at + len(word) :] for t in found]
    return from_strings("documents", f"documents of {size} KB", [t.encode() for t in found]), word


def documents_and_patterns(size: int, place: str, context: Any) -> Values:
    found, word = documents(size, place, context)
    drawn = drawn_patterns(words_of(corpus("W1", 0.1)), 300)
    absent = [p[::-1] + b"q" + p for p in drawn]
    return found, from_strings("patterns", "patterns", [word.encode(), *absent])


def ranges_of_words(found: Corpus) -> Values:
    """int32 begins and ends of the words of a corpus whose only whitespace is single spaces between words."""
    blanks = np.flatnonzero(found.data == ord(" "))
    begins = np.sort(np.concatenate([found.offsets[:-1], blanks + 1]))
    ends = np.sort(np.concatenate([found.offsets[1:], blanks]))
    return begins.astype(np.int32), ends.astype(np.int32), found.data


def parts(strings: Any, count: int, size: int) -> list[Any]:
    """The first `count` parts of `size` strings, or of fewer if there are not as many."""
    size = min(size, len(strings) // count)
    return [strings[i * size : (i + 1) * size] for i in range(count)]


# Drawn inputs. They take a context, whose scale is that of their sizes.


def vocabulary_and_tokens(size: int, context: Any) -> Values:
    """Zipf tokens of a language of `size` words. A small vocabulary has only words that occur."""
    language = vocabulary(size)
    ranks = zipf(np.random.default_rng([SEED, 7]), size, max(1, round(860_000 * context.scale)))
    drawn = [language[r] for r in ranks.tolist()]
    known = list(dict.fromkeys(drawn)) if size < 100_000 else list(language)
    return from_strings("tokens", "tokens", drawn), from_strings("words", "words", known)


def lookups(hits: bool, context: Any) -> Values:
    """UUIDs, all of which are in the vocabulary of 30,000, or none."""
    rng = np.random.default_rng([SEED, 14])
    words = [str(UUID(bytes=rng.bytes(16))).encode() for _ in range(60_000)]
    pool = words[:30_000] if hits else words[30_000:]
    drawn = np.random.default_rng(SEED).integers(0, len(pool), max(1, round(1_000_000 * context.scale)))
    tokens = from_strings("tokens", "tokens", [pool[i] for i in drawn.tolist()])
    return tokens, from_strings("words", "words", words[:30_000])


def words_only(size: int, context: Any) -> Values:
    return (from_strings("words", "words", vocabulary(max(1, round(size * context.scale)))),)


def lists_of_words(context: Any) -> Values:
    """3,000,000 Zipf words, in lists of 15 as of documents."""
    language = vocabulary(300_000)
    ranks = zipf(np.random.default_rng([SEED, 14]), len(language), max(1, round(3_000_000 * context.scale))).tolist()
    return ([[language[r].decode() for r in ranks[i : i + 15]] for i in range(0, len(ranks), 15)],)


def seconds(context: Any) -> Values:
    """Times of the years 1970 to 2096."""
    return (np.random.default_rng([SEED, 33]).integers(0, 2**32, max(1, round(500_000 * context.scale))),)


def values_of(kind: str, context: Any) -> Values:
    convert = int if kind == "integers" else float
    return (np.array([convert(s) for s in corpus(kind, context.scale).strings]),)


def ragged_numbers(context: Any, below: int = 30_000) -> Values:
    """Values and row splits of int64 numbers."""
    rng = np.random.default_rng([SEED, 8])
    lengths = words_per_row(rng, max(1, round(100_000 * context.scale)))
    splits = np.concatenate([[0], np.cumsum(lengths)])
    return rng.integers(1, 30_000, splits[-1]) % below, splits


def dense_numbers(context: Any) -> Values:
    values, splits = ragged_numbers(context)
    lengths = np.diff(splits)
    dense = np.zeros((len(lengths), WIDTH), dtype=np.int64)
    dense[np.arange(WIDTH) < lengths[:, None]] = values
    return dense, lengths


def matrix(context: Any) -> Values:
    count = max(1, round(100_000 * context.scale))
    return (np.arange(count * 64, dtype=np.float32).reshape(count, 64),)


def tfidf(context: Any) -> Values:
    """1,000 rows of 50 ids, a pool of the frequent 1-grams and 2-grams, their positions and weights."""
    rng = np.random.default_rng([SEED, 17])
    ids = (np.minimum(rng.zipf(1.2, 50_000), 30_000) - 1).astype(np.int64)
    grams = [(a, b) for a in range(60) for b in range(50)]
    pool = np.array([*range(2000), *(i for gram in grams for i in gram)])
    return (
        ids,
        pool,
        rng.permutation(2000 + len(grams)),
        rng.integers(1, 9, 2000 + len(grams)).astype(np.float32),
    )


def names(context: Any) -> Values:
    """Lists of 500 and 2,000 names: two words, of which some have other letters."""
    drawn = random.Random(SEED)
    words = [word.title() for word in words_of(context.corpus("W1")).strings[:20_000]]

    def name() -> bytes:
        letters = list(f"{drawn.choice(words)} {drawn.choice(words)}")
        for _ in range(drawn.randrange(3)):
            letters[drawn.randrange(len(letters))] = drawn.choice("abcdefghijklmnopqrstuvwxyz")
        return "".join(letters).encode()

    return tuple(from_strings("names", "names", [name() for _ in range(n)]) for n in (500, 2_000))


def long_strings(context: Any) -> Values:
    drawn, letters = random.Random(SEED), "abcdefghijklmnopqrstuvwxyz "
    texts = [drawn.choices(letters, k=max(100, round(100_000 * context.scale))) for _ in range(2)]
    return tuple(from_strings("text", "text", ["".join(text).encode()]) for text in texts)


def documents_with_copies(edits: Iterable[int], context: Any) -> Values:
    """4,000 texts of 1,400 bytes, 1,600 of which are copies with some letters replaced, in random order."""
    drawn = random.Random(SEED)
    words = words_of(context.corpus("W1")).strings
    count, copies = round(4_000 * context.scale), round(1_600 * context.scale)
    texts = [" ".join(drawn.choices(words, k=350))[:1_400] for _ in range(count - copies)]
    choices = list(edits)
    for original in drawn.choices(texts, k=copies):
        letters = list(original)
        for at in drawn.sample(range(len(letters)), drawn.choice(choices)):
            letters[at] = drawn.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        texts.append("".join(letters))
    drawn.shuffle(texts)
    return (from_strings("documents", "documents", [text.encode() for text in texts]),)


def clusters(
    texts: list[str], pairs: Iterable[tuple[int, int]], ngram: int = 5, threshold: float = 0.8
) -> NDArray[Any]:
    """The first row of the cluster of each row, from those pairs whose sets of n-grams are similar."""

    def grams(text: str) -> set[str]:
        return {text[i : i + ngram] for i in range(len(text) - ngram + 1)}

    labels = list(range(len(texts)))

    def root(row: int) -> int:
        while labels[row] != row:
            row = labels[row]
        return row

    for i, j in sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}):
        x, y = grams(texts[i]), grams(texts[j])
        if len(x & y) >= threshold * len(x | y):
            a, b = root(i), root(j)
            labels[max(a, b)] = min(a, b)
    return np.array([root(row) for row in range(len(texts))])


MASKS = {f"{share:.0%}": partial(with_mask, share) for share in (0.1, 0.5, 0.9)}
