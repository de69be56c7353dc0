"""Stripping and normalization: words and titles, most of which stay as they are."""

from functools import partial

from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row


def build(
    op: str,
    arguments: tuple[str, ...],
    workload: str,
    short: bool,
    arrow: str,
    polars: str,
    ratio: float,
    context: Context,
) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    strings = ours.string_tensor(corpus)
    name = f"ours, string_{op}"
    call = partial(ours.operator(f"string_{op}"), strings.data, strings.offsets, *arguments)
    contenders: peers.Contenders = [ours.contender(name, call, ours.strings)]
    contenders += pyarrow(corpus, arrow, arguments) if arrow else []
    contenders += polars_strings(corpus, polars, arguments)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, *call()]))
    targets = [Target(name, "polars", ratio)] + [Target(name, "pyarrow", ratio)] * bool(arrow)
    shown = ", ".join(map(repr, arguments))
    title = f"`{op}({shown})`. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus, function: str, arguments: tuple[str, ...]) -> peers.Contenders:
    call = partial(getattr(peers.load("pyarrow.compute"), function), peers.arrow_strings(corpus), *arguments)
    return [Contender(f"pyarrow {function}", call, canonical.from_arrow, group="pyarrow")]


@peers.needs("polars")
def polars_strings(corpus: Corpus, method: str, arguments: tuple[str, ...]) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    call = partial(getattr(series.str, method), *arguments)
    return [
        Contender(f"polars {method}", call, lambda out: canonical.from_strings(out.to_list()), group="polars")
    ]


MEMORY = "Both read and write each string once, at the speed of memory."
STRIP = (
    "Most strings stay as they are. A copy of all bytes takes half of the time of `string_strip` of W1 (1.3 of "
    "2.3 ms on a busy machine), and a copy of each string by itself, `string_repeat`, longer (2.5 ms); the rest is "
    "a look at both ends of each string. `python -m benchmarks.bounds string_strip`."
)
ENDS = "Many strings change, and the ends of these are tested twice: to measure and to write."
TWICE = "Most strings change, and their characters are decoded twice: to measure and to write."
ASCII = "Most strings are ASCII and stay as they are: both read and copy them."
SPEC = [
    ("strip", (), "utf8_trim_whitespace", "strip_chars"),
    ("strip", ("e\u00e9",), "utf8_trim", "strip_chars"),
    ("remove_prefix", ("th",), "", "strip_prefix"),
    ("normalize", ("NFC",), "utf8_normalize", "normalize"),
    ("normalize", ("NFKD",), "utf8_normalize", "normalize"),
]


def reason(op: str, arguments: tuple[str, ...], workload: str) -> str:
    if "NFKD" in arguments:
        return TWICE if workload == "W3" else ASCII
    if op == "strip":
        return ENDS if arguments else STRIP
    return MEMORY


ROWS = [
    Row(
        f"string_{op}/{' '.join([*arguments, 'words of ' * short + workload])}",
        partial(build, op, arguments, workload, short, arrow, polars, 3 if workload == "W1" else 1.5),
        # The functions of pyarrow and polars, of which one may be missing.
        reasons={
            name: reason(op, arguments, workload)
            for name, function in (("pyarrow", arrow), ("polars", polars))
            if function
        },
    )
    for op, arguments, arrow, polars in SPEC
    for workload in ("W1", "W3")
    for short in (True, False)
]
