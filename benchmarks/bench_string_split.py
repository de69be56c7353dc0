"""string_split and string_split_ragged, at whitespace and at literal delimiters.

Ragged results are compared with peers that return lists, and padded results with peers that pad.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch_stringops
from benchmarks import ours, peers
from benchmarks.canonical import Ragged
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Target
from benchmarks.rows import FRESH_PAGES, Context, Row

RAGGED = "ours, ragged"
PADDED = "ours, padded"
PUBLIC = "ours, ragged, public function"
TWICE = ", the strings read twice"

Peers = dict[str, float | None]


def shown(*names: str) -> Peers:
    """Peers without a target."""
    return dict.fromkeys(names)


# Workload: delimiter; targets of our ragged and of our padded form, as ratios of the time of each peer to ours.
WORKLOADS: dict[str, tuple[str, Peers, Peers]] = {
    "W1": (
        "",
        {"pyarrow ascii": 5, "pyarrow utf8": 8, "polars": 5}
        | shown("tensorflow ragged", "openvino", "tokenizers", "pandas", "numpy", "Python"),
        {"onnxruntime": 10} | shown("onnxruntime, NumPy", "tensorflow padded"),
    ),
    "W1p": (
        "",
        {"pyarrow ascii": 6} | shown("tensorflow ragged"),
        {"pyarrow ascii": 1, "onnxruntime": 7, "tensorflow padded": 10} | shown("onnxruntime, NumPy"),
    ),
    "W2": (
        "",
        {"pyarrow ascii": 7, "pyarrow utf8": 12, "polars": 7}
        | shown("tensorflow ragged", "openvino", "tokenizers", "pandas", "Python"),
        {"onnxruntime": 10} | shown("onnxruntime, NumPy"),
    ),
    "W3": ("", {"pyarrow utf8": 6} | shown("polars", "tokenizers", "pandas", "Python"), {}),
    "W5": (
        "",
        {"pyarrow ascii": 3} | shown("pyarrow utf8", "polars", "tensorflow ragged", "openvino", "Python"),
        {},
    ),
    "W6": (
        "",
        {"pyarrow ascii": 6}
        | shown("pyarrow utf8", "polars", "tensorflow ragged", "openvino", "tokenizers", "pandas", "Python"),
        {"pyarrow ascii": 1, "onnxruntime": 7, "tensorflow padded": 10} | shown("onnxruntime, NumPy"),
    ),
    "W4": (
        ",",
        {"pyarrow": 9, "polars": 9} | shown("tensorflow ragged", "pandas", "numpy", "Python"),
        {"onnxruntime": 9} | shown("onnxruntime, NumPy"),
    ),
    "W4m": (
        "::",
        {"pyarrow": 3, "polars": 3} | shown("pandas", "Python"),
        {"onnxruntime": 3} | shown("onnxruntime, NumPy"),
    ),
}

MAKERS: dict[str, Callable[[Corpus, str], peers.Contenders]] = {
    "pyarrow": peers.pyarrow_split,
    "pyarrow ascii": partial(peers.pyarrow_split, kind="ascii"),
    "pyarrow utf8": partial(peers.pyarrow_split, kind="utf8"),
    "polars": peers.polars_split,
    "onnxruntime": peers.onnxruntime_split,
    "tensorflow ragged": partial(peers.tensorflow_split, padded=False),
    "tensorflow padded": partial(peers.tensorflow_split, padded=True),
    "openvino": peers.openvino_split,
    "tokenizers": peers.tokenizers_split,
    "pandas": peers.pandas_split,
    "numpy": peers.numpy_split,
    "Python": peers.python_split,
}


def build(workload: str, context: Context) -> Comparison:
    delimiter, lists, tables = WORKLOADS[workload]
    corpus = context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    ragged = partial(ours.operator("string_split_ragged"), data, offsets, delimiter)
    out = ragged()
    contenders: peers.Contenders = [ours.contender(RAGGED, ragged, ours.ragged)]
    if tables:
        padded = partial(ours.operator("string_split"), data, offsets, delimiter)
        contenders.append(ours.contender(PADDED, padded, ours.padded))
    if workload == "W1":
        strings = torch_stringops.StringTensor(data, offsets)
        public = partial(torch_stringops.string_split_ragged, strings, delimiter)
        contenders.append(ours.contender(PUBLIC, public, from_public))
    for peer, make in MAKERS.items():
        if peer in lists | tables:
            contenders += make(corpus, delimiter)
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *out]))
    if tables:
        contenders += ours.memcpy(ours.num_bytes([data, offsets, *padded()]), ", padded")
    targets = [Target(RAGGED, peer, ratio) for peer, ratio in lists.items()]
    targets += [Target(PADDED, peer, ratio) for peer, ratio in tables.items()]
    if workload == "W1":
        # Both passes read the strings. To keep the masks of the first one would exceed the limit of memory.
        contenders += ours.memcpy(ours.num_bytes([data, data, offsets, *out]), TWICE)
        targets.append(Target(RAGGED, ours.MEMCPY + TWICE, at_most=2.2))
    at = f"`{delimiter}`" if delimiter else "whitespace"
    title = f"Split at {at}. {workload}: {len(corpus):,} {corpus.description}; {len(out[1]) - 1:,} pieces"
    settled = [ours.with_clean_heap(contender) for contender in contenders]
    return Comparison(title, settled, targets, corpus.num_bytes)


def from_public(out: tuple[Any, Any]) -> Ragged:
    pieces, row_splits = out
    return ours.ragged((pieces.data, pieces.offsets, row_splits))


REASONS = {
    "W1p": {"onnxruntime": FRESH_PAGES, "tensorflow padded": FRESH_PAGES},
}
ROWS = [
    Row(f"string_split/{workload}", partial(build, workload), reasons=REASONS.get(workload, {}))
    for workload in WORKLOADS
]
