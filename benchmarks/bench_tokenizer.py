"""tokenizer and tokenizer_ragged: character classes, general regular expressions, single characters.

Ragged results are compared with peers that return lists or ranges, and padded results with onnxruntime.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import FRESH_PAGES, Context, Row

RAGGED = "ours, ragged"
PADDED = "ours, padded"

# Row: workload, attributes; targets of our ragged and of our padded form, as ratios of the time of each peer to ours.
Peers = dict[str, float | None]
WORD = "[a-zA-Z0-9_]+"
GENERAL = r"\w+|[^\w\s]"
RUNS = r"\w+|[^\w\s]+"
ROWS_OF: dict[str, tuple[str, dict[str, Any], Peers, Peers]] = {
    "words/W1": ("W1", {"tokenexp": WORD}, {"openvino": 9, "polars": 13}, {"onnxruntime": 30}),
    "words/W2": ("W2", {"tokenexp": WORD}, {"openvino": 9, "polars": 13}, {"onnxruntime": 30}),
    "general/W1": ("W1", {"tokenexp": GENERAL}, {"polars": None}, {"onnxruntime": 1.2}),
    "general/W2": ("W2", {"tokenexp": GENERAL}, {"polars": None}, {"onnxruntime": 1.2}),
    # The rule of tokenizers' Whitespace.
    "runs/W1": (
        "W1",
        {"tokenexp": RUNS},
        {"openvino": None, "tokenizers": None, "polars": None},
        {"onnxruntime": 1.2},
    ),
    "runs/W2": (
        "W2",
        {"tokenexp": RUNS},
        {"openvino": None, "tokenizers": None, "polars": None},
        {"onnxruntime": 1.2},
    ),
    "separators/W2": ("W2", {"separators": [r",\s|\s\(|\)\s|\.\s", " "]}, {}, {"onnxruntime": 1.2}),
    "characters/W1": ("W1", {"separators": [""]}, {"polars": 15}, {"onnxruntime": 10}),
    "characters/W3": ("W3", {"separators": [""]}, {"polars": 15}, {"onnxruntime": 10}),
}


def build(row: str, context: Context) -> Comparison:
    workload, how, lists, tables = ROWS_OF[row]
    corpus = context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    ragged = partial(ours.operator("tokenizer_ragged"), data, offsets, mark=False, mincharnum=1, **how)
    padded = partial(ours.operator("tokenizer"), data, offsets, mark=False, mincharnum=1, pad_value="", **how)
    out = ragged()
    contenders: peers.Contenders = [
        ours.contender(RAGGED, ragged, ours.ragged),
        ours.contender(PADDED, padded, from_padded),
    ]
    makers: dict[str, Callable[..., peers.Contenders]] = {
        "openvino": lambda corpus, how: peers.openvino_pieces(corpus, how["tokenexp"], matches=True),
        "polars": polars,
        "onnxruntime": onnxruntime,
        "tokenizers": lambda corpus, how: peers.pre_tokenized(corpus, "Whitespace"),
    }
    for peer, make in makers.items():
        if peer in lists | tables:
            contenders += make(corpus, how)
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *out]))
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *padded()]), ", padded")
    targets = [Target(RAGGED, peer, ratio) for peer, ratio in lists.items()]
    targets += [Target(PADDED, peer, ratio) for peer, ratio in tables.items()]
    ((name, value),) = how.items()
    title = f"Tokenizer, {name} `{value}`. {workload}: {len(corpus):,} {corpus.description}; {len(out[1]) - 1:,} tokens"
    settled = [ours.with_clean_heap(contender) for contender in contenders]
    return Comparison(title, settled, targets, corpus.num_bytes)


def from_padded(out: tuple[Tensor, Tensor]) -> canonical.Ragged:
    """Tokens are not empty, so empty strings are padding."""
    data, offsets = (t.numpy() for t in out)
    return canonical.from_padded_offsets(data, offsets, (np.diff(offsets, axis=-1) > 0).sum(axis=-1))


@peers.needs("polars")
def polars(corpus: Corpus, how: dict[str, Any]) -> peers.Contenders:
    pl = peers.load("polars")
    series = pl.Series(corpus.strings)

    def pieces(out: Any) -> canonical.Ragged:
        return canonical.from_arrow(out.to_arrow())

    if "tokenexp" in how:
        pattern = how["tokenexp"]
        name = f"polars str.extract_all({pattern!r})"
        return [Contender(name, lambda: series.str.extract_all(pattern), pieces, group="polars")]
    return [
        Contender('polars str.split("")', lambda: series.str.split(""), pieces, group="polars"),
        Contender(
            'polars str.extract_all("(?s).")', lambda: series.str.extract_all("(?s)."), pieces, group="polars"
        ),
    ]


@peers.needs("onnxruntime", "onnx")
def onnxruntime(corpus: Corpus, how: dict[str, Any]) -> peers.Contenders:
    """With OrtValues as input and output, which is the fastest way."""
    onnx = peers.load("onnx")
    node = onnx.helper.make_node(
        "Tokenizer", ["x"], ["y"], domain="com.microsoft", mark=0, mincharnum=1, pad_value="", **how
    )
    kind = onnx.TensorProto.STRING
    x = onnx.helper.make_tensor_value_info("x", kind, ["n"])
    y = onnx.helper.make_tensor_value_info("y", kind, ["n", "d"])
    session = peers.ort_session([node], [x], [y], domains={"com.microsoft": 1})
    value = peers.ort_strings(corpus.encoded)

    def tokens(out: Any) -> canonical.Ragged:
        table = out[0].numpy()
        return canonical.from_padded_objects(table, (table != "").sum(axis=1))

    return [
        Contender(
            "onnxruntime Tokenizer, OrtValue in and out",
            lambda: session.run_with_ort_values(["y"], {"x": value}),
            tokens,
            group="onnxruntime",
        )
    ]


REASONS = {row: {"onnxruntime": FRESH_PAGES} for row in ("characters/W1", "characters/W3")}
ENGINE = (
    "Only patterns of a single character set bypass the engine. This pattern is matched by RE2, one call per token, "
    "which takes most of the time; openvino_tokenizers returns ranges and does not copy tokens."
)
REASONS |= {row: {"openvino": ENGINE} for row in ("runs/W1", "runs/W2")}
ROWS = [Row(f"tokenizer/{row}", partial(build, row), reasons=REASONS.get(row, {})) for row in ROWS_OF]
