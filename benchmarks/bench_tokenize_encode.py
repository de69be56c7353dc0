"""tokenize_encode: text to lower-cased ids in one call, against our three operators, and against peers.

The vocabulary has all lower-cased words of the text, in order of frequency.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.bench_split_encode import UNKNOWN, most_frequent, of_ragged, of_tensors, splits_of
from benchmarks.canonical import Canonical, from_ids
from benchmarks.corpora import Corpus, from_strings
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

PARTS = "ours, string_lower + tokenizer_ragged + vocab_encode"
# What both variants have in common, and the limit of the whole in its time.
LOOKUP = "ours, vocab_encode of the tokens alone"
TEXT = "ours, string_lower + tokenizer_ragged alone"
WORDS = r"[^\s\pZ]+"  # `\s` is whitespace in ASCII alone


def build(
    workload: str, tokenexp: str, lower: bool, common: str, limit: float, context: Context
) -> Comparison:
    corpus = context.corpus(workload)
    to_lower, tokenize = ours.operator("string_lower"), ours.operator("tokenizer_ragged")
    encode, fused = ours.operator("vocab_encode"), ours.operator("tokenize_encode")
    data, offsets = ours.tensors(corpus)

    def tokens() -> tuple[Any, Any, Any]:
        text = to_lower(data, offsets) if lower else (data, offsets)
        return tokenize(*text, tokenexp=tokenexp)  # type: ignore[no-any-return]

    words = ours.string_tensor(corpus)._new(*tokens()[:2]).tolist()
    known = most_frequent(from_strings("tokens", "tokens", [" ".join(words).encode()]), None)
    table = ours.operator("vocab_build")(*ours.tensors(known))

    def parts() -> tuple[Any, Any]:
        piece_data, piece_offsets, row_splits = tokens()
        return encode(piece_data, piece_offsets, table), row_splits

    name = "ours, tokenize_encode"
    call = partial(fused, data, offsets, table, tokenexp=tokenexp, lower=lower)
    contenders: peers.Contenders = [
        ours.contender(name, call, of_tensors),
        ours.contender(PARTS, parts, of_tensors),
        Contender(LOOKUP, partial(encode, *tokens()[:2], table), ours=True),
        Contender(TEXT, tokens, ours=True),
    ]
    targets = [Target(name, common, at_most=limit), Target(name, PARTS)]
    if lower:
        contenders += tokenizers(corpus, known)
        targets.append(Target(name, "tokenizers", 20 if workload == "W1" else 3))
        if workload == "W1":  # TensorFlow converts ASCII alone
            contenders += tensorflow(corpus, known)
            targets.append(Target(name, "tensorflow TextVectorization", 5))
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *call()]))
    title = f"Tokens {tokenexp}{', lower-cased' if lower else ''}, looked up. {workload}: {len(corpus):,} "
    settled = [ours.with_clean_heap(contender) for contender in contenders]
    return Comparison(
        f"{title}{corpus.description}; {len(words):,} tokens", settled, targets, corpus.num_bytes
    )


@peers.needs("tokenizers")
def tokenizers(corpus: Corpus, words: Corpus) -> peers.Contenders:
    library = peers.load("tokenizers")
    ids = {word: i for i, word in enumerate([*words.strings, UNKNOWN])}
    tokenizer = library.Tokenizer(library.models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.normalizer = library.normalizers.Lowercase()
    tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()

    def result(out: Any) -> Canonical:
        rows = [e.ids for e in out]
        return from_ids(
            np.fromiter((i for row in rows for i in row), np.int64), splits_of([len(r) for r in rows])
        )

    call = partial(tokenizer.encode_batch_fast, corpus.strings, add_special_tokens=False)
    return [Contender("tokenizers Lowercase, encode_batch_fast", call, result, group="tokenizers")]


@peers.needs("tensorflow")
def tensorflow(corpus: Corpus, words: Corpus) -> peers.Contenders:
    tf = peers.load("tensorflow")
    layer = tf.keras.layers.TextVectorization(
        standardize="lower", split="whitespace", ragged=True, vocabulary=words.strings
    )
    return [
        Contender(
            "tensorflow TextVectorization, lower, ragged, traced",
            partial(tf.function(layer), peers.tensorflow_strings(corpus)),
            partial(of_ragged, first=2),  # id 0 is padding, and id 1 is for unknown words
            group="tensorflow TextVectorization",
        )
    ]


SAME = (
    "Both variants convert to lower case, find the tokens and look them up by the same code; doing these in blocks "
    "saved at most 15 % (benchmarks/log/split.md). This one saves the memory of the tokens."
)


def row(name: str, tokenexp: str, lower: bool, common: str, limit: float) -> Row:
    workload = name.split(",")[0]
    return Row(
        f"tokenize_encode/{name}",
        partial(build, workload, tokenexp, lower, common, limit),
        reasons={PARTS: SAME},
    )


ROWS = [
    row("W1, lower", WORDS, True, LOOKUP, 2.8),
    row("W3, lower", WORDS, True, TEXT, 1.5),
    row("W1", r"\w+", False, LOOKUP, 2.2),
    row("W1, classes", r"\w+|[^\w\s]", False, LOOKUP, 2.2),
    row("W1, engine", r"\w+(?:x$)?", False, TEXT, 1.25),
]
