"""vocab_encode: ids of 860,000 Zipf words, for a vocabulary that fits the caches and for one that does not."""

from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks import ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, vocabulary, zipf
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

TOKENS = 860_000
LOOKED_UP = 30_000  # words of one kind
# Alphabet: first code point, number of letters, shortest and longest word.
ALPHABETS = {
    "Latin": (0x61, 26, 4, 9),
    "Cyrillic": (0x430, 32, 3, 12),
    "Hindi": (0x905, 52, 3, 8),
    "Han": (0x4E00, 4096, 2, 6),
}
OURS = "ours, vocab_encode"


def words_and_tokens(size: int, scale: float) -> tuple[Corpus, Corpus]:
    """The vocabulary of a language of `size` words, and Zipf tokens. A small vocabulary has only words that occur."""
    rng = np.random.default_rng([SEED, 7])
    language = vocabulary(size)
    ranks = zipf(rng, size, max(1, round(TOKENS * scale)))
    drawn = [language[r] for r in ranks.tolist()]
    known = list(dict.fromkeys(drawn)) if size < 100_000 else list(language)
    return from_strings("words", "words", known), from_strings("tokens", "tokens", drawn)


def build(size: int, targets: dict[str, float], context: Context) -> Comparison:
    words, tokens = words_and_tokens(size, context.scale)
    table = ours.operator("vocab_build")(*ours.tensors(words))
    data, offsets = ours.tensors(tokens)
    encode = partial(ours.operator("vocab_encode"), data, offsets, table)
    contenders: peers.Contenders = [ours.contender(OURS, encode, lambda ids: ids.numpy())]
    for make in (python, onnxruntime, tensorflow, openvino, pyarrow, polars, pandas):
        contenders += make(words, tokens)
    contenders += ours.memcpy(ours.num_bytes([data, offsets, encode()]))
    title = f"Lookup of {len(tokens):,} Zipf tokens among {len(words):,} words"
    ratios = [Target(OURS, peer, ratio) for peer, ratio in targets.items()]
    ratios += [Target(OURS, peer) for peer in ("openvino", "pyarrow", "polars", "pandas")]
    return Comparison(title, contenders, ratios, tokens.num_bytes)


def python(words: Corpus, tokens: Corpus) -> peers.Contenders:
    ids = {word: i for i, word in enumerate(words.strings)}
    strings = tokens.strings
    return [Contender("dict", lambda: [ids.get(s, -1) for s in strings], np.array)]


@peers.needs("onnxruntime", "onnx")
def onnxruntime(words: Corpus, tokens: Corpus) -> peers.Contenders:
    """LabelEncoder, with NumPy arrays and with OrtValues as input and output."""
    session = peers.ort_label_encoder(words.strings)
    objects, value = np.array(tokens.strings, dtype=object), peers.ort_strings(tokens.encoded)

    def own() -> Any:
        return session.run_with_ort_values(["ids"], {"x": value})[0]

    def numpy() -> NDArray[np.int64]:
        ids: NDArray[np.int64] = session.run(["ids"], {"x": objects})[0]
        return ids

    return [
        Contender(
            "onnxruntime LabelEncoder, OrtValue in and out", own, lambda out: out.numpy(), group="onnxruntime"
        ),
        Contender("onnxruntime LabelEncoder, NumPy in and out", numpy, np.asarray),
    ]


@peers.needs("tensorflow")
def tensorflow(words: Corpus, tokens: Corpus) -> peers.Contenders:
    """The lookup of a StaticHashTable, eager and as a traced function."""
    tf, table = peers.load("tensorflow"), peers.tensorflow_table(words)
    strings = peers.tensorflow_strings(tokens)
    return [
        Contender(
            f"tensorflow StaticHashTable, {how}",
            partial(lookup, strings),
            lambda out: out.numpy(),
            group="tensorflow",
        )
        for how, lookup in (("eager", table.lookup), ("traced", tf.function(table.lookup)))
    ]


@peers.needs("openvino", "openvino_tokenizers")
def openvino(words: Corpus, tokens: Corpus) -> peers.Contenders:
    encode = peers.openvino_vocabulary(words.strings)
    request = peers.openvino_request(tokens, lambda inputs: encode(inputs[2:]))

    def ids(_: Any) -> NDArray[np.int64]:
        return np.array(request.get_output_tensor(0).data, dtype=np.int64)

    return [Contender("openvino_tokenizers VocabEncoder", request.infer, ids, group="openvino")]


@peers.needs("pyarrow")
def pyarrow(words: Corpus, tokens: Corpus) -> peers.Contenders:
    pc, known, strings = (
        peers.load("pyarrow.compute"),
        peers.arrow_strings(words),
        peers.arrow_strings(tokens),
    )
    return [
        Contender(
            "pyarrow index_in",
            lambda: pc.index_in(strings, value_set=known),
            lambda out: out.fill_null(-1).to_numpy(),
            group="pyarrow",
            note="builds its table in each call",
        )
    ]


@peers.needs("polars")
def polars(words: Corpus, tokens: Corpus) -> peers.Contenders:
    pl = peers.load("polars")
    known, strings = pl.Enum(words.strings), pl.Series(tokens.strings)

    def ids(out: Any) -> Any:
        return out.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()

    return [
        Contender(
            "polars cast to Enum",
            lambda: strings.cast(known, strict=False),
            ids,
            group="polars",
            note="builds its table in each call",
        )
    ]


@peers.needs("pandas", "pyarrow")
def pandas(words: Corpus, tokens: Corpus) -> peers.Contenders:
    pd, kinds = peers.load("pandas"), peers.pandas_strings(tokens)
    return [
        Contender(
            f"pandas Index.get_indexer of {kind}",
            partial(pd.Index(known).get_indexer, kinds[kind]),
            np.asarray,
            group="pandas",
        )
        for kind, known in peers.pandas_strings(words).items()
    ]


def words_of_kind(kind: str) -> list[bytes]:
    """Twice as many distinct words as `LOOKED_UP` has."""
    rng = np.random.default_rng([SEED, 14])
    size = 2 * LOOKED_UP
    if kind == "user ids":
        return [b"user_%08d" % i for i in rng.permutation(10**7)[:size]]
    if kind == "UUIDs":
        return [str(UUID(bytes=rng.bytes(16))).encode() for _ in range(size)]
    if kind == "timestamps":
        return [
            str(np.datetime64("2024-01-01") + 7 * i).encode() for i in rng.permutation(size).astype("m8[s]")
        ]
    first, count, shortest, longest = ALPHABETS[kind]
    words: dict[str, None] = {}
    while len(words) < size:
        codes = rng.integers(first, first + count, rng.integers(shortest, longest + 1))
        words["".join(map(chr, codes.tolist()))] = None
    return [word.encode() for word in words]


def build_kind(kind: str, hits: bool, context: Context) -> Comparison:
    """Lookups of random words of one kind, all of which are in the vocabulary, or none."""
    words = words_of_kind(kind)
    known = words[:LOOKED_UP]
    pool = known if hits else words[LOOKED_UP:]
    drawn = np.random.default_rng(SEED).integers(0, len(pool), max(1, round(1_000_000 * context.scale)))
    language = from_strings("words", "words", known)
    tokens = from_strings("tokens", "tokens", [pool[i] for i in drawn.tolist()])
    table = ours.operator("vocab_build")(*ours.tensors(language))
    data, offsets = ours.tensors(tokens)
    encode = partial(ours.operator("vocab_encode"), data, offsets, table)
    contenders: peers.Contenders = [ours.contender(OURS, encode, lambda ids: ids.numpy())]
    contenders += [*pyarrow(language, tokens), *polars(language, tokens), *python(language, tokens)]
    contenders += ours.memcpy(ours.num_bytes([data, offsets, encode()]))
    title = (
        f"Lookup of {len(tokens):,} {kind} among {len(known):,}, {'all' if hits else 'none'} of them known"
    )
    return Comparison(
        title, contenders, [Target(OURS, "pyarrow", 3), Target(OURS, "polars")], tokens.num_bytes
    )


ROWS = [
    *(
        Row(
            f"vocab_encode/{kind}, {'hits' if hits else 'misses'}",
            partial(build_kind, kind, hits),
        )
        for kind in (*ALPHABETS, "user ids", "UUIDs", "timestamps")
        for hits in (True, False)
    ),
    Row("vocab_encode/29k", partial(build, 30_000, {"onnxruntime": 1.2, "tensorflow": 2, "dict": 7})),
    Row("vocab_encode/1M", partial(build, 1_000_000, {"onnxruntime": 1.7, "tensorflow": 2.5, "dict": 14})),
]
