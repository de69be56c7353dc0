"""near_duplicates of short documents with edited copies, compared with datasketch and datatrove.

The peers do not check the pairs that share a band. What they find is checked here, after the clock has stopped, by the
Jaccard similarities of sets of 5-grams in Python. So all clusters are equal, those of ours to the plain sets too.
"""

import random
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import ours, peers
from benchmarks.corpora import SEED, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops.data import near_duplicates

NAME = "ours, near_duplicates"
THRESHOLD, NGRAM, HASHES = 0.8, 5, 128
# The bands of near_duplicates at this threshold, and the number of values of each.
BANDS = (21, 6)
DOCUMENTS, COPIES, BYTES = 4_000, 1_600, 1_400
# Numbers of letters that are replaced: the similarity is above 0.84, or below 0.76. All programs find the former pairs.
SLIGHT, SOME = range(1, 2), (*range(1, 19), *range(40, 61))

Pairs = Iterable[tuple[int, int]]
Labels = NDArray[np.int64]


def documents(context: Context, edits: Iterable[int]) -> list[str]:
    """Texts of random words, and copies of them in which letters are replaced, in random order."""
    drawn = random.Random(SEED)
    words = words_of(context.corpus("W1")).strings
    count, copies = round(DOCUMENTS * context.scale), round(COPIES * context.scale)
    texts = [" ".join(drawn.choices(words, k=BYTES // 4))[:BYTES] for _ in range(count - copies)]
    choices = list(edits)
    for original in drawn.choices(texts, k=copies):
        letters = list(original)
        for at in drawn.sample(range(len(letters)), drawn.choice(choices)):
            letters[at] = drawn.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        texts.append("".join(letters))
    drawn.shuffle(texts)
    return texts


def clusters(texts: list[str], pairs: Pairs) -> Labels:
    """The first row of the cluster of each row, from those pairs that are similar."""

    def grams(text: str) -> set[str]:
        return {text[i : i + NGRAM] for i in range(len(text) - NGRAM + 1)}

    labels = list(range(len(texts)))

    def root(row: int) -> int:
        while labels[row] != row:
            row = labels[row]
        return row

    for i, j in sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}):
        x, y = grams(texts[i]), grams(texts[j])
        if len(x & y) >= THRESHOLD * len(x | y):
            a, b = root(i), root(j)
            labels[max(a, b)] = min(a, b)
    return np.array([root(row) for row in range(len(texts))])


@peers.needs("datasketch")
def datasketch(bands: dict[str, Any], texts: list[str]) -> peers.Contenders:
    sketch = peers.load("datasketch")

    def call() -> Pairs:
        lsh = sketch.MinHashLSH(threshold=THRESHOLD, num_perm=HASHES, **bands)
        signatures = []
        for row, text in enumerate(texts):
            signature = sketch.MinHash(num_perm=HASHES)
            signature.update_batch([text[i : i + NGRAM].encode() for i in range(len(text) - NGRAM + 1)])
            lsh.insert(row, signature)
            signatures.append(signature)
        return [(row, other) for row, signature in enumerate(signatures) for other in lsh.query(signature)]

    return [Contender("datasketch", call, partial(clusters, texts))]


class Spaces:
    """A tokenizer for datatrove, much faster than those that it has."""

    word_tokenize = staticmethod(str.split)


@peers.needs("datatrove", "spacy")
def datatrove(texts: list[str]) -> peers.Contenders:
    """Signatures of n-grams of words, which whitespace separates, as files in a folder."""
    minhash, data = peers.load("datatrove.pipeline.dedup.minhash"), peers.load("datatrove.data")
    peers.load("loguru").logger.remove()
    # Its default hash, of xxhash, takes str, which recent releases of that package refuse.
    hashing = peers.load("datatrove.utils.hashing").HashConfig(hash_fc="sha1")
    config = minhash.MinhashConfig(n_grams=NGRAM, hash_config=hashing)

    def call() -> Pairs:
        with tempfile.TemporaryDirectory(prefix="benchmarks") as folder:
            sign = minhash.MinhashDedupSignature(f"{folder}/signatures", config)
            sign.word_tokenizer = Spaces()
            sign.run(data.Document(text, str(row)) for row, text in enumerate(texts))
            for bucket in range(config.num_buckets):
                minhash.MinhashDedupBuckets(
                    f"{folder}/signatures", f"{folder}/pairs", config=config, lines_to_buffer=-1
                ).run(rank=bucket, world_size=config.num_buckets)
            minhash.MinhashDedupCluster(f"{folder}/pairs", f"{folder}/rows", config=config).run()
            numbers = [
                np.fromfile(path, np.uint32).reshape(-1, 4) for path in Path(folder, "pairs").iterdir()
            ]
        return [(int(i), int(j)) for _, i, _, j in np.concatenate(numbers)]

    return [Contender("datatrove", call, partial(clusters, texts))]


def build(
    edits: Iterable[int],
    others: list[Callable[[list[str]], peers.Contenders]],
    targets: list[Target],
    context: Context,
) -> Comparison:
    texts = documents(context, edits)
    strings = ours.string_tensor(from_strings("documents", "documents", [text.encode() for text in texts]))
    call = partial(near_duplicates, strings, THRESHOLD, ngram=NGRAM, hashes=HASHES)
    size = ours.num_bytes([strings.data])
    contenders: peers.Contenders = [ours.contender(NAME, call, lambda found: found.numpy())]
    for make in others:
        contenders += make(texts)
    contenders += ours.memcpy(size)
    copies = round(COPIES * context.scale)
    title = f"Near duplicates of {len(texts):,} documents of {BYTES:,} bytes, {copies:,} of which are edited copies"
    return Comparison(title, contenders, targets, size)


ROWS = [
    Row(
        "near_duplicates/copies with an edit",
        partial(
            build,
            SLIGHT,
            [partial(datasketch, {}), datatrove],
            [Target(NAME, "datasketch", 50), Target(NAME, "datatrove", 50)],
        ),
    ),
    # The bands that datasketch chooses are for pairs well above the threshold, and miss most of those near it.
    Row(
        "near_duplicates/edited copies",
        partial(build, SOME, [partial(datasketch, {"params": BANDS})], [Target(NAME, "datasketch", 50)]),
    ),
]
