"""Search for many patterns at once, words of the strings themselves: 10, 1,000 and 10,000.

Also replacement of single characters, and search for many regular expressions, of which peers get one alternation.
polars takes the pattern that is first in the list, so that its patterns are sorted by their length, the longest first.
It builds its automaton in each call; ours is kept from the first one.
"""

import re
from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

NEW = b"<new>"


def strings_of(workload: str, context: Context) -> Corpus:
    if workload == "words":
        return words_of(context.corpus("W6"))
    if workload == "logs":
        return from_strings(
            "logs", "lines of log text", context.corpus("W5").encoded[0].splitlines()[:100_000]
        )
    return context.corpus("W6")


def drawn_patterns(corpus: Corpus, count: int) -> list[bytes]:
    """Words of four characters or more; if there are too few, pairs of words."""
    words = sorted(set(re.findall(rb"\w{4,}", b"\n".join(corpus.encoded))))
    rng = np.random.default_rng(SEED)
    chosen = rng.permutation(len(words))[:count].tolist()
    patterns = [words[i] for i in chosen]
    while len(patterns) < count:
        a, b = rng.integers(len(words), size=2).tolist()
        patterns.append(words[a] + b" " + words[b])
    return sorted(patterns, key=len, reverse=True)


def of_polars(op: str, series: Any, patterns: Any, new: Any) -> Any:
    if op == "string_contains_any":
        return series.str.contains_any(patterns)
    if op == "string_replace_many":
        return series.str.replace_many(patterns, new, leftmost=True)
    return series.str.extract_many(patterns, leftmost=True)


def result_of(op: str, out: Any) -> canonical.Canonical:
    """Our result: tensors."""
    if op == "string_contains_any":
        return np.asarray(out).astype(np.int64)
    data, offsets, *splits = (t.numpy() for t in out)
    return canonical.from_offsets(
        data, offsets.astype(np.int64), splits[0] if splits else np.arange(len(offsets))
    )


def peer_result_of(op: str, out: Any) -> canonical.Canonical:
    if op == "string_contains_any":
        return np.asarray(out).astype(np.int64)
    return canonical.from_arrow(out.to_arrow())


@peers.needs("polars")
def polars(op: str, corpus: Corpus, patterns: list[bytes]) -> peers.Contenders:
    pl = peers.load("polars")
    series = pl.Series(corpus.strings)
    listed = pl.Series([p.decode() for p in patterns]).implode()
    call = partial(of_polars, op, series, listed, pl.Series([NEW.decode()]).implode())
    return [Contender("polars", call, partial(peer_result_of, op), group="polars")]


def build(op: str, workload: str, count: int, context: Context) -> Comparison:
    corpus = strings_of(workload, context)
    patterns = drawn_patterns(corpus, count)
    strings = ours.string_tensor(corpus)
    listed = ours.string_tensor(from_strings("patterns", "patterns", patterns))
    arguments = [strings.data, strings.offsets, listed.data, listed.offsets]
    if op == "string_replace_many":
        new = ours.string_tensor(from_strings("new", "new", [NEW]))
        arguments += [new.data, new.offsets]
    call = partial(ours.operator(op), *arguments)
    name = f"ours, {op}"
    contenders: peers.Contenders = [ours.contender(name, call, partial(result_of, op))]
    contenders += polars(op, corpus, patterns)
    contenders += ours.memcpy(ours.num_bytes([*arguments, *ours.tensors_of(call())]))
    title = f"{op} of {count:,} patterns: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(name, "polars", 2)], corpus.num_bytes)


LITERALS = (
    "Both look for texts of the patterns by vector instructions, which takes 8 of 17 ms in the logs. In a tenth of the "
    "lines there is one; the automaton reads these at 120 MB/s."
)
AUTOMATON = (
    "Of 1,000 or 10,000 patterns, hashes of the first four bytes are looked up by vector instructions, 0.5 ns a byte. "
    "Where one is found, at 3 to 13 % of the places, a trie is followed, 25 to 75 ns: loads from the second-level "
    "cache, and branches that depend on the text. The replacement of 10 is bound by memory: copying as many bytes "
    "takes 1.3 of 3.6 ms. `python -m benchmarks.bounds many`."
)
# Letters to one of two bytes, to two letters, to nothing.
TABLE: dict[str, str | None] = {"e": "\xe9", "o": "oo", "t": "T", "_": None, "-": None}


def translate(workload: str, context: Context) -> Comparison:
    corpus = strings_of(workload, context)
    strings, texts = ours.string_tensor(corpus), corpus.strings
    name, table = "ours, string_translate", str.maketrans(TABLE)

    def read(out: Any) -> canonical.Canonical:
        return canonical.from_offsets(out.data.numpy(), out.offsets.numpy(), np.arange(out.offsets.shape[0]))

    contenders: peers.Contenders = [
        ours.contender(name, partial(strings.translate, TABLE), read),
        Contender("Python", lambda: [text.translate(table) for text in texts], canonical.from_strings),
        *polars_translate(corpus),
        *ours.memcpy(ours.num_bytes([strings.data, strings.offsets]) * 2),
    ]
    title = f"Replacement of {len(TABLE)} characters. {len(corpus):,} {corpus.description}"
    targets = [Target(name, "Python", 5), Target(name, "polars", 1.2)]
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("polars")
def polars_translate(corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    call = partial(series.str.replace_many, [*TABLE], [new or "" for new in TABLE.values()])
    return [Contender("polars", call, lambda out: canonical.from_arrow(out.to_arrow()))]


def any_regex(count: int, workload: str, context: Context) -> Comparison:
    corpus = strings_of(workload, context)
    patterns = [rf"\b{p.decode()}[a-z]*=" for p in drawn_patterns(corpus, count)]
    strings = ours.string_tensor(corpus)
    name = "ours, regex_contains_any"
    contenders: peers.Contenders = [
        ours.contender(
            name, partial(strings.regex_contains_any, patterns), partial(result_of, "string_contains_any")
        )
    ]
    for make in (polars_any_regex, re2_any_regex):
        contenders += make(corpus, patterns)
    contenders += ours.memcpy(corpus.num_bytes)
    title = f"Search for {count} regular expressions. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(name, p, 2) for p in ("polars", "re2")], corpus.num_bytes)


@peers.needs("polars")
def polars_any_regex(corpus: Corpus, patterns: list[str]) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    # Its \\b is that of Unicode.
    either = "|".join(pattern.replace(r"\b", r"(?-u:\b)") for pattern in patterns)
    return [
        Contender(
            "polars", partial(series.str.contains, either), partial(peer_result_of, "string_contains_any")
        )
    ]


@peers.needs("re2")
def re2_any_regex(corpus: Corpus, patterns: list[str]) -> peers.Contenders:
    find, texts = peers.load("re2").compile("|".join(patterns)).search, corpus.encoded
    return [Contender("re2", lambda: [find(text) is not None for text in texts], np.array, max_rounds=3)]


ROWS = [
    *(
        Row(f"string_translate/{workload}", partial(translate, workload))
        for workload in ("words", "lines", "logs")
    ),
    *(
        Row(
            f"regex_contains_any/{count} in {workload}",
            partial(any_regex, count, workload),
            reasons={"polars": LITERALS},
        )
        for count in (10, 100)
        for workload in ("lines", "logs")
    ),
    *(
        Row(f"{op}/{count} in {workload}", partial(build, op, workload, count), reasons={"polars": AUTOMATON})
        for op in ("string_contains_any", "string_extract_many", "string_replace_many")
        for workload in ("words", "lines", "logs")
        for count in (10, 1000, 10_000)
    ),
]
