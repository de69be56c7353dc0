"""string_length in code points: words and rows, ASCII and not.

The peers count bytes that begin a code point, whatever they are. Ours also checks that they are UTF-8, since a byte
that is not part of a code point counts as one.
"""

from functools import partial

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

OURS = "ours, string_length"


def build(workload: str, short: bool, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    strings = ours.string_tensor(corpus)
    length = partial(ours.operator("string_length"), strings.data, strings.offsets)
    contenders: peers.Contenders = [ours.contender(OURS, length, lambda out: out.numpy())]
    for make in (pyarrow, polars):
        contenders += make(corpus)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, length()]))
    targets = [Target(OURS, "pyarrow", 1), Target(OURS, "polars", 1)]
    title = f"Lengths in code points. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus) -> peers.Contenders:
    call = partial(peers.load("pyarrow.compute").utf8_length, peers.arrow_strings(corpus))
    return [
        Contender("pyarrow utf8_length", call, lambda out: out.to_numpy().astype("int64"), group="pyarrow")
    ]


@peers.needs("polars")
def polars(corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    return [
        Contender(
            "polars len_chars",
            series.str.len_chars,
            lambda out: out.to_numpy().astype("int64"),
            group="polars",
        )
    ]


VIEWS = (
    "polars stores the length and the first 12 bytes of a string next to each other, and does not check them. "
    "Ours checks the offsets and that the bytes are UTF-8."
)
ROWS = [
    Row(
        f"string_length/{'words of ' * short}{workload}",
        partial(build, workload, short),
        reasons={"polars": VIEWS},
    )
    for workload in ("W1", "W3")
    for short in (True, False)
]
