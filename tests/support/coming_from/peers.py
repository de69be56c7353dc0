"""What the left sides of docs/coming_from.md return: evaluated with the other library, or recorded from it."""

import importlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.coming_from.bank import Text
from support.coming_from.rows import PATTERN, RANKS, TOKENIZER, Row, as_numpy, named, outcome, plain

RECORDED = Path(__file__).parents[2] / "golden" / "coming_from.json"
# Libraries that do not run next to the tested torch; record.py recorded them.
RECORDED_LIBRARIES = ("TensorFlow", "torchtext")
NOT_COMPARABLE = "not comparable"

Evaluate = Callable[[Row, list[Text]], Any]


def is_text(column: list[Text]) -> bool:
    return all(isinstance(string, str) for string in column)


def python(row: Row, column: list[Text]) -> Any:
    if not is_text(column):
        return NOT_COMPARABLE
    if "regex." in row.left:
        pytest.importorskip("regex")
    return outcome(lambda: eval(row.left, {"re": re, "regex": sys.modules.get("regex"), **named(column)}))


def rapidfuzz(row: Row, column: list[Text]) -> Any:
    library = importlib.import_module("rapidfuzz")
    if not is_text(column):
        return NOT_COMPARABLE
    return outcome(lambda: eval(row.left, {**vars(library), **vars(library.distance), **named(column)}))


def scikit_learn(row: Row, column: list[Text]) -> Any:
    library = importlib.import_module("sklearn.feature_extraction.text")
    if not is_text(column):
        return NOT_COMPARABLE
    return outcome(lambda: eval(row.left, {**vars(library), **named(column)}))


def pyarrow(row: Row, column: list[Text]) -> Any:
    pa = importlib.import_module("pyarrow")
    pc = importlib.import_module("pyarrow.compute")
    if is_text(column):
        strings = pa.array(column, pa.string())
        return outcome(lambda: eval(row.left, {"pa": pa, "pc": pc, **named(strings)}))
    strings = pa.array([s.encode() if isinstance(s, str) else s for s in column], pa.binary())
    try:
        return plain(eval(row.left, {"pa": pa, "pc": pc, **named(strings)}))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        return NOT_COMPARABLE  # a function of text only


def polars(row: Row, column: list[Text]) -> Any:
    pl = importlib.import_module("polars")
    if not is_text(column):
        return NOT_COMPARABLE
    strings = pl.Series(column, dtype=pl.String)
    return outcome(lambda: eval(row.left, {"pl": pl, **named(strings)}))


def pandas(row: Row, column: list[Text]) -> Any:
    library = importlib.import_module("pandas")
    if not is_text(column):
        return NOT_COMPARABLE
    strings = library.Series(column, dtype=object)
    return outcome(lambda: eval(row.left, named(strings)).tolist())


def tokenizers(row: Row, column: list[Text]) -> Any:
    library = importlib.import_module("tokenizers")
    if not is_text(column):
        return NOT_COMPARABLE
    tokenizer = library.Tokenizer.from_str(TOKENIZER)
    names = {"tokenizer": tokenizer, "Tokenizer": library.Tokenizer, "text": TOKENIZER, "s": column}
    return outcome(lambda: eval(row.left, names))


def tiktoken(row: Row, column: list[Text]) -> Any:
    library = importlib.import_module("tiktoken")
    if not is_text(column):
        return NOT_COMPARABLE
    encoding = library.Encoding("x", pat_str=PATTERN, mergeable_ranks=RANKS, special_tokens={})
    names = {"tiktoken": library, "encoding": encoding, "ranks": RANKS, "pattern": PATTERN, "s": column}
    return outcome(lambda: eval(row.left, names))


def transformers(row: Row, column: list[Text]) -> Any:
    library = importlib.import_module("transformers")
    tokenizer = importlib.import_module("tokenizers").Tokenizer.from_str(TOKENIZER)
    if not is_text(column):
        return NOT_COMPARABLE
    fast = library.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<s>")
    return outcome(lambda: eval(row.left, {"tokenizer": fast, "s": column}))


# The nodes of the rows of ONNX, by operator: the opset or domain, the number of inputs and outputs, the attributes.
NODES: dict[str, tuple[int, str, int, int, dict[str, Any]]] = {
    "StringConcat": (20, "", 2, 1, {}),
    "StringSplit": (20, "", 1, 2, {}),
    "RegexFullMatch": (20, "", 1, 1, {"pattern": "[a-z]*"}),
    "StringNormalizer": (10, "", 1, 1, {"case_change_action": "LOWER", "stopwords": ["be"], "locale": "C.UTF-8"}),
    "TfIdfVectorizer": (
        *(9, "", 1, 1),
        {"pool_strings": ["be"], "mode": "TF", "ngram_counts": [0], "ngram_indexes": [0]}
        | {"min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0},
    ),
    "Tokenizer": (20, "com.microsoft", 1, 1, {"tokenexp": "[a-z]+", "mark": 0, "mincharnum": 1, "pad_value": ""}),
    "MurmurHash3": (20, "com.microsoft", 1, 1, {}),
    "Split": (18, "", 1, 2, {"num_outputs": 2}),
    "SplitToSequence": (11, "", 1, 1, {}),
}
# Of outputs that are not strings: int64, bool, float32, uint32.
OUTPUT_TYPES = {"StringSplit": [8, 7], "RegexFullMatch": [9], "TfIdfVectorizer": [1], "MurmurHash3": [12]}


def onnx(row: Row, column: list[Text]) -> Any:
    onnx_nodes = importlib.import_module("support.onnx_nodes")
    sessions = importlib.import_module("support.onnx_sessions")
    if not is_text(column):
        return NOT_COMPARABLE
    name = row.left.removeprefix("com.microsoft ").split("-")[0]
    opset, domain, inputs, outputs, attributes = NODES[name]
    arrays = [as_numpy(column)] * inputs
    untyped = onnx_nodes.model(name, inputs, outputs, opset, domain, **attributes)
    model = onnx_nodes.typed(untyped, arrays, sequence=name == "SplitToSequence")
    for output, kind in zip(model.graph.output, OUTPUT_TYPES.get(name, []), strict=False):
        output.type.tensor_type.elem_type = kind

    def run() -> Any:
        found = sessions.session(model).run(None, {f"x{i}": array for i, array in enumerate(arrays)})
        return found[0] if len(found) == 1 else found

    return outcome(run)


def tensorflow(row: Row, column: list[Text]) -> Any:
    tf = importlib.import_module("tensorflow")
    strings = tf.constant(column, shape=[len(column)], dtype=tf.string)
    return outcome(lambda: eval(row.left, {"tf": tf, **named(strings)}))


EVALUATE: dict[str, tuple[str, Evaluate]] = {
    "Python": ("re", python), "TensorFlow": ("tensorflow", tensorflow), "pyarrow.compute": ("pyarrow", pyarrow),
    "polars": ("polars", polars), "rapidfuzz": ("rapidfuzz", rapidfuzz), "scikit-learn": ("sklearn", scikit_learn),
    "pandas": ("pandas", pandas), "ONNX": ("onnxruntime", onnx), "tokenizers": ("tokenizers", tokenizers),
    "transformers": ("transformers", transformers), "tiktoken": ("tiktoken", tiktoken),
}  # fmt: skip


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="ascii"))
    return found


def theirs(row: Row) -> list[Any]:
    """What the left side returns for each column of the row."""
    if row.library in RECORDED_LIBRARIES:
        return recorded()[row.library]["rows"][row.left]
    module, evaluate = EVALUATE[row.library]
    pytest.importorskip(module)
    return [evaluate(row, column) for column in row.columns]
