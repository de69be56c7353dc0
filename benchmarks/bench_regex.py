"""regex_*: sets, literals, and the patterns of log lines, dates, addresses and source code.

polars' `\\d`, `\\w` and `\\s` are Unicode, so it gets ASCII classes; and no look-ahead nor possessive repetition, which
it does not have: that makes no difference in W1 and W2, whose words single spaces divide. Where nothing matches, peers
give a null, ours "".
"""

import itertools
import random
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks import canonical, ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

LINE = r"(\d+\.\d+\.\d+\.\d+) \S+ \[([^\]]+)\]"
FIELDS = (
    r"(\d+)\.(\d+)\.(\d+)\.(\d+) (\S+) \[(\d+)/(\w+)/(\d+):(\d+):(\d+):(\d+)\] "
    r'"(\S+) (?:/|http://)([^" ]+)'
)
DATE = r"(\d+)-(\d+)-(\d+)"
ADDRESS = r"(\w+)@[\w.]+"
GENERAL = r"\w+|[^\w\s]"
NAMES = "[A-Za-z]+(?:['-][A-Za-z]+)*"
CALLS = r"[a-zA-Z_][a-zA-Z_0-9]*\("
ENDS = "[a-z]+[.]"
EITHER = "the|and|of"
# By masks.
ATTRIBUTES = r"[a-z_][a-z_0-9]*\.[a-z_][a-z_0-9]*"
TEXTS = r"""\"[^\"\n]*\"|'[^'\n]*'"""
FORMS = "[a-z]+(?:ing|ed|s)"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)
SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    + SUFFIX
    + r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    + SUFFIX
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# Row: operator, workload, arguments, targets as ratios of the time of each peer to ours.
Peers = dict[str, float | None]
ROWS_OF: dict[str, tuple[str, str, tuple[Any, ...], Peers]] = {
    "contains/digits/W1": ("regex_contains", "W1", (r"\d+",), {"pyarrow": 2, "polars": 2}),
    "contains/literal/W1": ("regex_contains", "W1", ("the",), {"pyarrow": 2, "polars": 2}),
    "contains/literal/W3": ("regex_contains", "W3", ("the",), {"pyarrow": 2, "polars": 2}),
    "contains/general/W1": ("regex_contains", "W1", ("q[a-z]+x",), {"pyarrow": None, "polars": None}),
    "contains/address": ("regex_contains", "contacts", (ADDRESS,), {"pyarrow": 2, "polars": 2}),
    "full_match/W1": (
        "regex_full_match",
        "W1",
        ("[a-z ]+",),
        {"pyarrow": 2, "polars": 2, "tensorflow": 2, "onnxruntime": 2},
    ),
    "replace/spaces/W1": (
        "regex_replace",
        "W1",
        (r"\s+", "_"),
        {"pyarrow": 2, "polars": 2, "tensorflow": 2},
    ),
    "replace/spaces/W3": (
        "regex_replace",
        "W3",
        (r"\s+", "_"),
        {"pyarrow": 2, "polars": 2, "tensorflow": 2},
    ),
    "replace/words/W1": ("regex_replace", "W1", (r"\w+", "_"), {"pyarrow": 2, "polars": 2}),
    "replace/either/W1": ("regex_replace", "W1", (EITHER, "_"), {"pyarrow": 2, "polars": 2}),
    "replace/date": ("regex_replace", "contacts", (DATE, r"\3.\2.\1"), {"pyarrow": 2, "polars": 2}),
    "extract/line": ("regex_extract", "lines", (LINE, 2), {"pyarrow": 3, "polars": 3}),
    "extract/address": ("regex_extract", "contacts", (ADDRESS, 1), {"pyarrow": 2, "polars": 2}),
    "extract_groups/line": (
        "_regex_extract_groups",
        "lines",
        (FIELDS, list(range(1, 14))),
        {"pyarrow": 3, "polars": 3},
    ),
    "count/words/W1": ("regex_count", "W1", (r"\w+",), {"pyarrow": 2, "polars": 2}),
    "count/general/W1": ("regex_count", "W1", (GENERAL,), {"pyarrow": None, "polars": None}),
    "split/spaces/W1": ("regex_split_ragged", "W1", (r"\s+",), {"pyarrow": 2}),
    "split/spaces/W3": ("regex_split_ragged", "W3", (r"\s+",), {"pyarrow": 2}),
    "split/either/W1": ("regex_split_ragged", "W1", (EITHER,), {"pyarrow": 2}),
    "find_all/words/W1": ("regex_find_all_ragged", "W1", (r"\w+",), {"polars": 2}),
    "find_all/words/W3": ("regex_find_all_ragged", "W3", (r"\w+",), {"polars": 2}),
    "find_all/digits": ("regex_find_all_ragged", "contacts", (r"\d+",), {"polars": 2}),
    "find_all/general/W1": ("regex_find_all_ragged", "W1", (GENERAL,), {"polars": None}),
    "find_all/names/W1": ("regex_find_all_ragged", "W1", (NAMES,), {"polars": 15}),
    "find_all/names/W6": ("regex_find_all_ragged", "W6", (NAMES,), {"polars": 15}),
    "find_all/attributes/W6": ("regex_find_all_ragged", "W6", (ATTRIBUTES,), {"polars": 4}),
    "find_all/texts/W6": ("regex_find_all_ragged", "W6", (TEXTS,), {"polars": 4}),
    "find_all/forms/W1": ("regex_find_all_ragged", "W1", (FORMS,), {"polars": 4}),
    "find_all/calls/W6": ("regex_find_all_ragged", "W6", (CALLS,), {"polars": 1}),
    "find_all/ends/W6": ("regex_find_all_ragged", "W6", (ENDS,), {"polars": 1}),
    "find_all/llama3/W1": ("regex_find_all_ragged", "W1", (LLAMA3,), {"polars": 8}),
    **{
        f"find_all/{name}/{workload}": ("regex_find_all_ragged", workload, (pattern,), {"polars": 8})
        for name, pattern in (("o200k", O200K), ("cl100k", CL100K))
        for workload in ("W1", "W2")
    },
    "find_all/either/W6": ("regex_find_all_ragged", "W6", (EITHER,), {"polars": 1}),
    "find_all/either/W1": ("regex_find_all_ragged", "W1", (EITHER,), {"polars": 1}),
}


def lines(context: Context) -> Corpus:
    """Lines of the log of a server."""
    rng = random.Random(SEED)

    def line() -> str:
        address = ".".join(str(rng.randrange(256)) for _ in range(4))
        time = f"22/Nov/2026:10:{rng.randrange(60):02}:{rng.randrange(60):02}"
        page = f"GET /page{rng.randrange(1000)}.html HTTP/1.1"
        return f'{address} user{rng.randrange(100)} [{time}] "{page}" 200 {rng.randrange(10000)}'

    count = int(100_000 * context.scale)
    return from_strings("lines", "lines of a log", [line().encode() for _ in range(count)])


def contacts(context: Context) -> Corpus:
    """Texts, half of them with an address, the others with a date."""
    rng, texts = random.Random(SEED), context.corpus("W1").encoded

    def text(i: int) -> bytes:
        address = b"name%d@host%d.example.org" % (rng.randrange(1000), rng.randrange(100))
        middle = address if rng.random() < 0.5 else b"2026-11-%02d" % rng.randrange(1, 31)
        return b" ".join([texts[i], middle, texts[i + 1]])

    return from_strings(
        "contacts", "texts with addresses and dates", [text(i) for i in range(len(texts) - 1)]
    )


CORPORA = {"lines": lines, "contacts": contacts}


def build(row: str, context: Context) -> Comparison:
    op, workload, arguments, targets = ROWS_OF[row]
    corpus = CORPORA[workload](context) if workload in CORPORA else context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    call = partial(ours.operator(op), data, offsets, *arguments)
    form = {
        "contains": as_array,
        "full_match": as_array,
        "count": as_array,
        "replace": as_strings,
        "extract": as_strings,
        "extract_groups": as_groups,
    }
    name = f"ours, {op}"
    contenders: peers.Contenders = [
        ours.contender(name, call, form.get(op.removeprefix("_").removeprefix("regex_"), ours.ragged))
    ]
    makers: dict[str, Callable[..., peers.Contenders]] = {
        "pyarrow": pyarrow,
        "polars": polars,
        "tensorflow": tensorflow,
        "onnxruntime": onnxruntime,
    }
    for peer in targets:
        contenders += makers[peer](corpus, op, *arguments)
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *ours.tensors_of(call())]))
    title = f"{op} `{arguments[0]}`. {workload}: {len(corpus):,} {corpus.description}"
    settled = [ours.with_clean_heap(contender) for contender in contenders]
    return Comparison(
        title, settled, [Target(name, peer, ratio) for peer, ratio in targets.items()], corpus.num_bytes
    )


def as_array(out: Any) -> canonical.Canonical:
    return np.asarray(out)


def as_strings(out: Any) -> canonical.Ragged:
    data, offsets = (t.numpy() for t in out)
    return canonical.from_offsets(data, offsets.astype(np.int64), np.arange(len(offsets)))


def as_groups(out: Any) -> canonical.Ragged:
    data, offsets = out
    return as_strings((data, torch.cat([offsets[:, :-1].reshape(-1), offsets[-1, -1:]])))


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus, op: str, pattern: str, *rest: Any) -> peers.Contenders:
    pc, array = peers.load("pyarrow.compute"), peers.arrow_strings(corpus)
    name, call, form = {
        "regex_contains": (
            "match_substring_regex",
            lambda: pc.match_substring_regex(array, pattern),
            as_array,
        ),
        "regex_full_match": (
            "match_substring_regex",
            lambda: pc.match_substring_regex(array, f"^(?:{pattern})$"),
            as_array,
        ),
        "regex_replace": (
            "replace_substring_regex",
            lambda: pc.replace_substring_regex(array, pattern, rest[0]),
            canonical.from_arrow,
        ),
        "regex_extract": (
            "extract_regex",
            lambda: pc.extract_regex(array, named_groups(pattern)),
            lambda out: canonical.from_strings([s or "" for s in out.field(f"g{rest[0]}").to_pylist()]),
        ),
        "_regex_extract_groups": (
            "extract_regex",
            lambda: pc.extract_regex(array, named_groups(pattern)),
            lambda out: canonical.from_strings(
                [s or "" for field in out.flatten() for s in field.to_pylist()]
            ),
        ),
        "regex_count": (
            "count_substring_regex",
            lambda: pc.count_substring_regex(array, pattern),
            as_array,
        ),
        "regex_split_ragged": (
            "split_pattern_regex",
            lambda: pc.split_pattern_regex(array, pattern),
            canonical.from_arrow,
        ),
    }[op]
    return [Contender(f"pyarrow {name}", call, form, group="pyarrow")]


def named_groups(pattern: str) -> str:
    """The pattern with names for its groups, which pyarrow needs: g1, g2."""
    number = itertools.count(1)
    return re.sub(r"\((?!\?)", lambda _: f"(?P<g{next(number)}>", pattern)


@peers.needs("polars")
def polars(corpus: Corpus, op: str, pattern: str, *rest: Any) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    pattern = pattern.replace(r"\s+(?!\S)|", "")
    for possessive in ("?+", "*+", "++", "3}+"):
        pattern = pattern.replace(possessive, possessive[:-1])
    for class_, ascii_set in ((r"[^\w\s]", r"[^0-9A-Za-z_\t\n\f\r ]"), (r"[\w.]", "[0-9A-Za-z_.]")):
        pattern = pattern.replace(class_, ascii_set)
    for class_, ascii_set in (
        (r"\d", "0-9"),
        (r"\w", "0-9A-Za-z_"),
        (r"\s", r"\t\n\f\r "),
        (r"\S", r"^\t\n\f\r "),
    ):
        pattern = pattern.replace(class_, f"[{ascii_set}]")

    def strings(out: Any) -> canonical.Ragged:
        return canonical.from_strings([s or "" for s in out.to_list()])

    name, call, form = {
        "regex_contains": ("contains", lambda: series.str.contains(pattern), as_array),
        "regex_full_match": ("contains", lambda: series.str.contains(f"^(?:{pattern})$"), as_array),
        "regex_replace": (
            "replace_all",
            lambda: series.str.replace_all(pattern, rest[0].replace("\\", "$")),
            strings,
        ),
        "regex_extract": ("extract", lambda: series.str.extract(pattern, rest[0]), strings),
        "_regex_extract_groups": (
            "extract_groups",
            lambda: series.str.extract_groups(pattern),
            lambda out: canonical.from_strings(
                [s or "" for field in out.struct.unnest() for s in field.to_list()]
            ),
        ),
        "regex_count": ("count_matches", lambda: series.str.count_matches(pattern), as_array),
        "regex_find_all_ragged": (
            "extract_all",
            lambda: series.str.extract_all(pattern),
            lambda out: canonical.from_arrow(out.to_arrow()),
        ),
    }[op]
    return [Contender(f"polars str.{name}", call, form, group="polars")]


@peers.needs("tensorflow")
def tensorflow(corpus: Corpus, op: str, pattern: str, *rest: Any) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)
    if op == "regex_full_match":
        call = partial(tf.strings.regex_full_match, strings, pattern)
        return [Contender("tensorflow regex_full_match", call, as_array, group="tensorflow")]
    return [
        Contender(
            "tensorflow regex_replace",
            partial(tf.strings.regex_replace, strings, pattern, *rest),
            lambda out: canonical.from_strings(out.numpy().tolist()),
            group="tensorflow",
        )
    ]


@peers.needs("onnxruntime", "onnx")
def onnxruntime(corpus: Corpus, op: str, pattern: str) -> peers.Contenders:
    """With OrtValues as input and output, which is the fastest way."""
    onnx = peers.load("onnx")
    node = onnx.helper.make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.STRING, ["n"])
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.BOOL, ["n"])
    session = peers.ort_session([node], [x], [y])
    value = peers.ort_strings(corpus.encoded)
    return [
        Contender(
            "onnxruntime RegexFullMatch, OrtValue in and out",
            lambda: session.run_with_ort_values(["y"], {"x": value}),
            lambda out: out[0].numpy(),
            group="onnxruntime",
        )
    ]


FEW = (
    "Of 26 to 30 ns for a line of 36 bytes, its offsets and its begin take 5, classes of bytes 4 to 6, and writing 4 "
    "to 5; finding a match takes 23, as its branches depend on the text. Memory is no bound: a copy takes a fourteenth."
)
SCAN = (
    "Ours also checks the offsets and that all strings are UTF-8, and counts the pieces between the matches; the type "
    "of polars promises UTF-8."
)
MATCHING = (
    "Finding out whether a line matches, `regex_contains`, takes 27 of 45 ms, the 13 groups the rest: three times the "
    "speed of polars is as long as matching alone (`python -m benchmarks.bounds extract_groups`)."
)
REASONS: dict[str, dict[str, str]] = {
    "extract_groups/line": {"polars": MATCHING},
    "replace/either/W1": {"polars": SCAN},
    "contains/literal/W1": {"polars": SCAN},
    "contains/literal/W3": {"polars": SCAN},
    "find_all/attributes/W6": {"polars": FEW},
    "find_all/texts/W6": {"polars": FEW},
}
ROWS = [Row(f"regex/{row}", partial(build, row), reasons=REASONS.get(row, {})) for row in ROWS_OF]
