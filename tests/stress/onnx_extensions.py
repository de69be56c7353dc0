"""Ids of the tokenizers of onnxruntime-extensions beside those of SubwordTokenizer, on the same files.

    stress onnx_extensions [--strings N] [--seed S]

A row for each operator: the number of strings and of those with other ids, all together and without those that contain
NUL. The strings are those of `stress real_tokenizers`; the files are of packages that tests/subword/real.py downloads.
"""

import json
import random
from itertools import pairwise
from typing import Any

import numpy as np
import onnxruntime
import onnxruntime_extensions
from onnx import TensorProto, helper
from subword.real import RealFile, files
from support import programs
from support import subword as make

BATCH = 200


def gpt2(file: RealFile) -> tuple[dict[str, Any], dict[str, Any]]:
    bpe = json.loads(file.text())["model"]
    merges = "\n".join(m if isinstance(m, str) else " ".join(m) for m in bpe["merges"])
    return {"vocab": json.dumps(bpe["vocab"]), "merges": f"#version: 0.2\n{merges}", "padding_length": -1}, {}


def bert(file: RealFile) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"vocab_file": file.text().decode(), "do_lower_case": 1, "strip_accents": 1}, {}


def sentencepiece(file: RealFile) -> tuple[dict[str, Any], dict[str, Any]]:
    numbers = {"nbest_size": np.array([0]), "alpha": np.array([0.0], np.float32)}
    switches = {name: np.array([False]) for name in ("add_bos", "add_eos", "reverse")}
    return {"model": file.text()}, {**numbers, **switches}


# The operator, the part of a file's name, the attributes and further inputs, and whether it adds special tokens.
CASES = [
    ("GPT2Tokenizer", "bpe/BPE_tokenizer_32.0K.json", gpt2, False),
    ("BertTokenizer", "clip/vocab.txt", bert, True),
    ("SentencepieceTokenizer", "tokenizer_t5/spiece.model", sentencepiece, False),
]


def session(op: str, attributes: dict[str, Any], more: dict[str, Any]) -> onnxruntime.InferenceSession:
    outputs = {"GPT2Tokenizer": "ids mask", "BertTokenizer": "ids types mask"}.get(op, "ids row_splits").split()
    node = helper.make_node(op, ["text", *more], outputs, domain="ai.onnx.contrib", **attributes)
    inputs = [helper.make_tensor_value_info("text", TensorProto.STRING, [None])] + [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), [1]) for name, a in more.items()
    ]
    kinds = [TensorProto.INT32 if op == "SentencepieceTokenizer" else TensorProto.INT64, *[TensorProto.INT64] * 2]
    values = [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(outputs, kinds, strict=False)]
    graph = helper.make_graph([node], op, inputs, values)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.contrib", 1)]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(onnxruntime_extensions.get_library_path())
    proto = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


def rows(op: str, found: list[np.ndarray]) -> list[list[int]]:
    if op == "SentencepieceTokenizer":
        ids, splits = found
        return [ids[a:b].tolist() for a, b in pairwise(splits.tolist())]
    ids, mask = found[0], found[-1]
    lengths = mask.reshape(-1, mask.shape[-1]).sum(1)
    return [row[:n].tolist() for row, n in zip(ids.reshape(-1, ids.shape[-1]), lengths, strict=True)]


def theirs(op: str, run: Any, more: dict[str, Any], texts: list[str]) -> list[list[int] | None]:
    """The ids of each text; None for those that the operator refuses. BertTokenizer takes one text or a pair."""
    if op == "BertTokenizer" and len(texts) > 1:
        return [row for text in texts for row in theirs(op, run, more, [text])]
    try:
        return list(rows(op, run(None, {"text": np.array(texts, object), **more})))
    except Exception:
        if len(texts) == 1:
            return [None]
        half = len(texts) // 2
        return theirs(op, run, more, texts[:half]) + theirs(op, run, more, texts[half:])


def main() -> int:
    options = programs.options(__doc__, strings=100_000, seed=1)
    found = {file.name: file for file in files()}
    for op, part, arguments, special in CASES:
        file = next(file for name, file in found.items() if name.endswith(part))
        attributes, more = arguments(file)
        run = session(op, attributes, more).run
        tokenizer = file.peer().load()
        texts = make.texts(random.Random(options.seed), options.strings)
        differing, counts = [0, 0], [0, 0]  # without and with NUL
        for i in range(0, len(texts), BATCH):
            batch = texts[i : i + BATCH]
            ids, splits = tokenizer.encode(batch, add_special_tokens=special)
            ours = [ids[a:b].tolist() for a, b in pairwise(splits.tolist())]
            for text, mine, other in zip(batch, ours, theirs(op, run, more, batch), strict=True):
                counts["\0" in text] += 1
                differing["\0" in text] += mine != other
        print(
            f"{op}: {len(texts):,} strings, {sum(differing):,} differ; without NUL {differing[0]:,} of {counts[0]:,}",
            flush=True,
        )
    return 0
