"""string_edit_distance and similarities of all pairs of names, of pairs of words and of rows, and of two long strings.

Against rapidfuzz, and TensorFlow's edit distance of sparse tensors of characters.
"""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

NAME = "ours, string_edit_distance"
PAIRS = 20_000
NAMES = (500, 2_000)
LONG = 100_000


# The scorers of rapidfuzz, and the types of their results.
SCORERS = {
    "string_edit_distance": ("Levenshtein", "distance", np.int64),
    "string_damerau": ("DamerauLevenshtein", "distance", np.int64),
    "string_ratio": ("Indel", "normalized_similarity", np.float32),
    "string_jaro_winkler": ("JaroWinkler", "similarity", np.float32),
}


def operator(a: Any, b: Any, name: str = "string_edit_distance", **arguments: Any) -> Callable[[], Any]:
    return partial(ours.operator(name), a.data, a.offsets, b.data, b.offsets, **arguments)


def compare(
    title: str, left: Corpus, right: Corpus, others: peers.Contenders, targets: list[Target], **how: Any
) -> Comparison:
    a, b = ours.string_tensor(left), ours.string_tensor(right)
    if how.pop("all_pairs", False):
        a = a[:, None]
    call = operator(a, b, **how)
    name = f"ours, {how.get('name', 'string_edit_distance')}"
    contenders: peers.Contenders = [ours.contender(name, call, lambda out: out.numpy()), *others]
    contenders += ours.memcpy(ours.num_bytes([a.data, a.offsets, b.data, b.offsets, call()]))
    return Comparison(title, contenders, targets, left.num_bytes + right.num_bytes)


def pairs(workload: str, short: bool, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    some = corpus.encoded[:PAIRS]
    left = from_strings("left", corpus.description, some)
    right = from_strings("right", corpus.description, some[1:] + some[:1])
    title = f"Levenshtein distances of {len(left):,} pairs of adjacent strings: {corpus.description}"
    others = [*rapidfuzz("cpdist", left, right), *tensorflow(left, right)]
    targets = [
        Target(NAME, "tensorflow", 3),
        Target(NAME, "tensorflow, decoded"),
        Target(NAME, "rapidfuzz", 1),
    ]
    return compare(title, left, right, others, targets)


def all_pairs(op: str, max_distance: int | None, context: Context) -> Comparison:
    """Names are two words, of which some have other letters."""
    drawn = random.Random(SEED)
    words = [word.title() for word in words_of(context.corpus("W1")).strings[:PAIRS]]

    def name() -> str:
        letters = list(f"{drawn.choice(words)} {drawn.choice(words)}")
        for _ in range(drawn.randrange(3)):
            letters[drawn.randrange(len(letters))] = drawn.choice("abcdefghijklmnopqrstuvwxyz")
        return "".join(letters)

    left, right = (from_strings("names", "names", [name().encode() for _ in range(n)]) for n in NAMES)
    limit = "" if max_distance is None else f", up to {max_distance}"
    title = f"{op} of all pairs of {NAMES[0]:,} and {NAMES[1]:,} names{limit}"
    others = rapidfuzz("cdist", left, right, op, score_cutoff=max_distance)
    how = {} if max_distance is None else {"max_distance": max_distance}
    targets = [Target(f"ours, {op}", "rapidfuzz", 1)]
    return compare(title, left, right, others, targets, name=op, all_pairs=True, **how)


def long_strings(similar: bool, context: Context) -> Comparison:
    drawn = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz "
    text = drawn.choices(letters, k=LONG)
    other = text.copy() if similar else drawn.choices(letters, k=LONG)
    for _ in range(200 if similar else 0):
        at = drawn.randrange(LONG)
        other[at : at + drawn.randrange(2)] = drawn.choices(letters, k=drawn.randrange(2))
    left, right = (from_strings("text", "", ["".join(t).encode()]) for t in (text, other))
    title = f"Levenshtein distance of two {'similar' if similar else 'random'} strings of {LONG:,} letters"
    return compare(title, left, right, rapidfuzz("cpdist", left, right), [Target(NAME, "rapidfuzz", 1)])


@peers.needs("rapidfuzz")
def rapidfuzz(
    function: str, left: Corpus, right: Corpus, op: str = "string_edit_distance", **how: Any
) -> peers.Contenders:
    peers.load("rapidfuzz")
    metric, member, dtype = SCORERS[op]
    scorer = getattr(getattr(peers.load("rapidfuzz.distance"), metric), member)
    run = getattr(peers.load("rapidfuzz.process"), function)
    call = partial(run, left.strings, right.strings, scorer=scorer, workers=1, **how)
    return [Contender(f"rapidfuzz {function}", call, lambda out: out.astype(dtype), group="rapidfuzz")]


@peers.needs("tensorflow")
def tensorflow(left: Corpus, right: Corpus) -> peers.Contenders:
    tf = peers.load("tensorflow")

    def characters(corpus: Corpus, width: int) -> Any:
        split = tf.strings.unicode_decode(peers.tensorflow_strings(corpus), "UTF-8").to_sparse()
        return tf.SparseTensor(split.indices, split.values, [len(corpus), width])

    width = max(map(len, left.strings + right.strings))

    def of_strings() -> Any:
        return tf.edit_distance(characters(left, width), characters(right, width), normalize=False)

    decoded = partial(tf.edit_distance, characters(left, width), characters(right, width), normalize=False)

    def distances(out: Any) -> Any:
        return np.asarray(out).astype(np.int64)

    return [
        Contender("tensorflow unicode_decode, edit_distance", of_strings, distances, group="tensorflow"),
        Contender(
            "tensorflow edit_distance of decoded strings", decoded, distances, group="tensorflow, decoded"
        ),
    ]


ROWS = [
    *(
        Row(
            f"string_edit_distance/{'words of ' * short}{workload}",
            partial(pairs, workload, short),
        )
        for workload in ("W1", "W3")
        for short in (True, False)
    ),
    *(Row(f"{op}/all pairs", partial(all_pairs, op, None)) for op in SCORERS),
    Row("string_edit_distance/all pairs, up to 2", partial(all_pairs, "string_edit_distance", 2)),
    Row("string_edit_distance/random strings of 100 KB", partial(long_strings, False)),
    Row("string_edit_distance/similar strings of 100 KB", partial(long_strings, True)),
]
