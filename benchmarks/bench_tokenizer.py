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
from benchmarks.rows import Context, Row

RAGGED = "ours, ragged"
PADDED = "ours, padded"

# Row: workload, attributes; targets of our ragged and of our padded form, as ratios of the time of each peer to ours.
Peers = dict[str, float | None]
# Limits of padded forms in copies of equal traffic. Lines of code are padded to the tokens of the longest one: nineteen
# twentieths of the result are offsets of empty strings, in new memory.
MARGINS = {"W6": 3}
WORD = "[a-zA-Z0-9_]+"
GENERAL = r"\w+|[^\w\s]"
RUNS = r"\w+|[^\w\s]+"
CAMEL = r"\d+|[A-Z][a-z]+|[a-z]+"
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\pL+| ?\pN+| ?[^\s\pL\pN]+|\s+"


def in_ascii(pattern: str) -> str:
    """The same for peers whose classes have characters beyond ASCII."""
    ascii_only = pattern.replace(r"[^\w\s]", r"[^0-9A-Za-z_ \t\n\f\r]")
    return ascii_only.replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]")


ROWS_OF: dict[str, tuple[str, dict[str, Any], Peers, Peers]] = {
    "words/W1": ("W1", {"tokenexp": WORD}, {"openvino": 9, "polars": 13}, {"onnxruntime": 30}),
    "words/W2": ("W2", {"tokenexp": WORD}, {"openvino": 9, "polars": 13}, {"onnxruntime": 30}),
    **{
        f"{name}/{workload}": (workload, {"tokenexp": pattern}, {"polars": 15} | others, {"onnxruntime": 40})
        for name, pattern, others in (
            ("general", GENERAL, {}),
            ("runs", RUNS, {"openvino": 8, "tokenizers": None}),  # the rule of tokenizers' Whitespace
            ("camel", CAMEL, {}),
            ("gpt2", GPT2, {}),
        )
        for workload in ("W1", "W2")
    },
    **{
        f"{name}/W6": ("W6", {"tokenexp": pattern}, {"polars": 15}, {"onnxruntime": None})
        for name, pattern in {
            "general": in_ascii(GENERAL),
            "runs": in_ascii(RUNS),
            "camel": in_ascii(CAMEL),
            "gpt2": GPT2,
        }.items()
    },
    # Of letters, as \w and \s of polars have those beyond ASCII.
    "letters/W3": ("W3", {"tokenexp": r"\pL+|\pN+"}, {"polars": 5}, {"onnxruntime": 40}),
    "texts/W2": ("W2", {"separators": [", ", " "]}, {}, {"onnxruntime": 20}),
    "separators/W2": ("W2", {"separators": [r",\s|\s\(|\)\s|\.\s", " "]}, {}, {"onnxruntime": 12}),
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
    if workload in MARGINS:
        targets.append(Target(PADDED, f"{ours.MEMCPY}, padded", at_most=MARGINS[workload]))
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


REASONS = {"letters/W3": {"onnxruntime": "Each code point beyond ASCII is looked up by itself."}}
ROWS = [Row(f"tokenizer/{row}", partial(build, row), reasons=REASONS.get(row, {})) for row in ROWS_OF]
