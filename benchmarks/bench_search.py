"""Search for a frequent word in all strings, and its replacement. Positions of the peers are in bytes."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus, from_strings
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row


@dataclass(frozen=True)
class Search:
    """An operator and its equivalents: functions of the strings and the word."""

    name: str
    ours: tuple[Any, ...]  # arguments after the word
    pyarrow: Callable[[Any, Any, str], Any]
    polars: Callable[[Any, str], Any]
    python: Callable[[bytes, bytes], Any]


NEW = "word"
SEARCHES = [
    Search(
        "string_find",
        ("byte",),
        lambda pc, array, word: pc.find_substring(array, word),
        lambda series, word: series.str.find(word, literal=True).fill_null(-1),
        lambda s, word: s.find(word),
    ),
    Search(
        "string_contains",
        (),
        lambda pc, array, word: pc.match_substring(array, word),
        lambda series, word: series.str.contains(word, literal=True),
        lambda s, word: word in s,
    ),
    Search(
        "string_count",
        (),
        lambda pc, array, word: pc.count_substring(array, word),
        lambda series, word: series.str.count_matches(word, literal=True),
        lambda s, word: s.count(word),
    ),
    Search(
        "string_startswith",
        (),
        lambda pc, array, word: pc.starts_with(array, word),
        lambda series, word: series.str.starts_with(word),
        lambda s, word: s.startswith(word),
    ),
    Search(
        "string_endswith",
        (),
        lambda pc, array, word: pc.ends_with(array, word),
        lambda series, word: series.str.ends_with(word),
        lambda s, word: s.endswith(word),
    ),
    Search(
        "string_replace",
        (NEW,),
        lambda pc, array, word: pc.replace_substring(array, word, NEW),
        lambda series, word: series.str.replace_all(word, NEW, literal=True),
        lambda s, word: s.replace(word, NEW.encode()),
    ),
]


def commonest_word(corpus: Corpus) -> str:
    words = Counter(word for s in corpus.strings for word in s.split() if len(word.encode()) > 2)
    return words.most_common(1)[0][0]


def numbers(values: Any) -> Any:
    return np.asarray(values).astype(np.int64)


def strings_of(out: Any) -> canonical.Ragged:
    data, offsets = (t.numpy() for t in out)
    return canonical.from_offsets(data, offsets.astype(np.int64), np.arange(len(offsets)))


@peers.needs("pyarrow")
def pyarrow(search: Search, corpus: Corpus, word: str, result: Any) -> peers.Contenders:
    call = partial(search.pyarrow, peers.load("pyarrow.compute"), peers.arrow_strings(corpus), word)
    return [Contender("pyarrow", call, result, group="pyarrow")]


@peers.needs("polars")
def polars(search: Search, corpus: Corpus, word: str, result: Any) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    return [Contender("polars", partial(search.polars, series, word), result, group="polars")]


def python(search: Search, corpus: Corpus, word: bytes, result: Any) -> peers.Contenders:
    strings = corpus.encoded
    return [Contender("Python", lambda: [search.python(s, word) for s in strings], result)]


def build(search: Search, workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    word = commonest_word(corpus)
    strings = ours.string_tensor(corpus)
    call = partial(ours.operator(search.name), strings.data, strings.offsets, word, *search.ours)
    is_text = search.name == "string_replace"
    name = f"ours, {search.name}"
    contenders: peers.Contenders = [ours.contender(name, call, strings_of if is_text else numbers)]
    contenders += pyarrow(search, corpus, word, canonical.from_arrow if is_text else numbers)
    from_polars = (lambda out: canonical.from_arrow(out.to_arrow())) if is_text else numbers
    contenders += polars(search, corpus, word, from_polars)
    contenders += python(search, corpus, word.encode(), canonical.from_strings if is_text else numbers)
    out = call()
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, *ours.tensors_of(out)]))
    ratio = 3 if workload == "W1" else 1.5
    reads_all = search.name in (
        "string_startswith",
        "string_endswith",
    )  # a cache line of each string, and the offsets
    targets = [Target(name, peer, None if reads_all else ratio) for peer in ("pyarrow", "polars")]
    targets += [Target(name, "Python"), *[Target(name, ours.MEMCPY, at_most=2.5)] * reads_all]
    title = f"{search.name} of the commonest word: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


def find_each(unit: str, workload: str, context: Context) -> Comparison:
    """A word for each string, which most strings do not have. Only Python has this, and positions in code points."""
    corpus = context.corpus(workload)
    words = [s.split()[-1] for s in reversed(corpus.strings)] if unit == "each" else []
    subs = words if words else [commonest_word(corpus)] * len(corpus)
    strings = ours.string_tensor(corpus)
    if unit == "each":
        others = ours.string_tensor(from_strings("words", "words", [word.encode() for word in words]))
        op = ours.operator("string_find", "each")
        call = partial(op, strings.data, strings.offsets, others.data, others.offsets)
    else:
        call = partial(ours.operator("string_find"), strings.data, strings.offsets, subs[0])
    texts = corpus.strings
    contenders: peers.Contenders = [ours.contender("ours, string_find", call, numbers)]
    contenders.append(Contender("Python", lambda: list(map(str.find, texts, subs)), numbers))
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, call()]))
    what = "a word for each string" if unit == "each" else "the commonest word"
    title = f"Positions in code points of {what}: {len(corpus):,} {corpus.description}"
    targets = [Target("ours, string_find", "Python", 3 if workload == "W1" else 1.5)]
    return Comparison(title, contenders, targets, corpus.num_bytes)


IGNORING = Search(
    "string_contains",
    (),
    lambda pc, array, word: pc.match_substring(array, word, ignore_case=True),
    lambda series, word: series.str.contains(f"(?i){word}"),
    lambda s, word: word.lower() in s.lower(),
)


def ignored_case(workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    word, strings = commonest_word(corpus), ours.string_tensor(corpus)
    call = partial(strings.contains, word.upper(), ignore_case=True)
    contenders: peers.Contenders = [ours.contender("ours, string_contains", call, numbers)]
    contenders += pyarrow(IGNORING, corpus, word, numbers) + polars(IGNORING, corpus, word, numbers)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, call()]))
    title = f"string_contains of the commonest word, in any case: {len(corpus):,} {corpus.description}"
    targets = [Target("ours, string_contains", peer, 1.5) for peer in ("pyarrow", "polars")]
    return Comparison(title, contenders, targets, corpus.num_bytes)


def last(workload: str, context: Context) -> Comparison:
    """Only Python has this."""
    corpus = context.corpus(workload)
    word, strings = commonest_word(corpus), ours.string_tensor(corpus)
    call = partial(ours.operator("string_rfind"), strings.data, strings.offsets, word)
    contenders: peers.Contenders = [
        ours.contender("ours, string_rfind", call, numbers),
        Contender("Python", lambda: [s.rfind(word) for s in corpus.strings], numbers),
    ]
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, call()]))
    title = f"The last position of the commonest word: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target("ours, string_rfind", "Python", 1.5)], corpus.num_bytes)


FIND = "Ours validates the offsets, and writes eight bytes for each string where polars writes four."
FOLDED = "Ours folds all letters of the strings, most of them beyond ASCII; peers look for the word's only."
EACH = (
    "A text of its own for each string begins a search of its own, 46 ns; one text for all is searched for in blocks "
    "of strings, 12 ns each (`python -m benchmarks.bounds find`)."
)
REASONS = {
    "string_contains/ignore_case": {"pyarrow": FOLDED, "polars": FOLDED},
    "string_rfind": {"Python": "Ours counts the code points before the position, which Python's str knows."},
    "string_find": {"polars": FIND},
}
ROWS = [
    Row(
        f"{search.name}/{workload}",
        partial(build, search, workload),
        reasons=REASONS.get(search.name, {}),
    )
    for search in SEARCHES
    for workload in ("W1", "W3")
]
ROWS += [
    Row(f"{name}/{workload}", partial(make, workload), reasons=REASONS.get(name, {}))
    for name, make in (("string_contains/ignore_case", ignored_case), ("string_rfind", last))
    for workload in ("W1", "W3")
]
ROWS += [
    Row(f"string_find/{name} {workload}", partial(find_each, unit, workload), reasons={"Python": EACH})
    for name, unit in (("code points of", "codepoint"), ("a word for each of", "each"))
    for workload in ("W1", "W3")
]
