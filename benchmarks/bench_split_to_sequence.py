"""split_to_sequence into 100 chunks, of the strings of W1 and of a matrix of numbers. Our chunks are views."""

from functools import partial
from typing import Any

import numpy as np
import torch

import torch_stringops
from benchmarks import canonical, ours, peers
from benchmarks.canonical import Canonical
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

PUBLIC = "ours, split_to_sequence, views"
OPERATOR = "ours, split_to_sequence, the operator, which copies"
CHUNKS = 100
FEATURES = 64


def chunk_size(rows: int) -> int:
    return max(1, -(-rows // CHUNKS))


def strings(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    tensor = ours.string_tensor(corpus)
    size = chunk_size(len(corpus))
    sizes = [size] * (len(corpus) // size) + [len(corpus) % size] * (len(corpus) % size > 0)
    copies = partial(ours.operator("split_to_sequence", "strings"), tensor.data, tensor.offsets, sizes)
    contenders: peers.Contenders = [
        ours.contender(PUBLIC, partial(torch_stringops.split_to_sequence, tensor, size), of_string_tensors),
        ours.contender(OPERATOR, copies, of_pairs),
    ]
    objects = np.array(corpus.strings, dtype=object)
    contenders += onnxruntime(size, objects, partial(peers.ort_strings, corpus.encoded))
    contenders += ours.memcpy(ours.num_bytes([tensor.data, tensor.offsets, *copies()]))
    title = f"SplitToSequence. W1: {len(corpus):,} {corpus.description}, into {len(sizes)} chunks"
    targets = [Target(PUBLIC, "onnxruntime", 5), Target(OPERATOR, "onnxruntime")]
    return Comparison(title, [ours.with_clean_heap(c) for c in contenders], targets, corpus.num_bytes)


def of_string_tensors(chunks: list[Any]) -> Canonical:
    return canonical.from_lists([chunk.tolist() for chunk in chunks])


def of_pairs(tensors: list[torch.Tensor]) -> Canonical:
    pairs = zip(tensors[::2], tensors[1::2], strict=True)
    return of_string_tensors([torch_stringops.StringTensor(*pair) for pair in pairs])


def numbers(context: Context) -> Comparison:
    rows = max(1, round(100_000 * context.scale))
    array = np.arange(rows * FEATURES, dtype=np.float32).reshape(rows, FEATURES)
    tensor, size = torch.tensor(array), chunk_size(rows)
    public = partial(torch_stringops.split_to_sequence, tensor, size)
    sizes = [len(chunk) for chunk in public()]
    contenders: peers.Contenders = [
        ours.contender(PUBLIC, public, of_tensors),
        ours.contender(OPERATOR, partial(ours.operator("split_to_sequence"), tensor, sizes), of_tensors),
        Contender("torch.split, views", partial(torch.split, tensor, size), of_tensors),
    ]
    contenders += onnxruntime(size, array, partial(ort_value, array))
    contenders += ours.memcpy(2 * array.nbytes)
    targets = [
        Target(PUBLIC, "onnxruntime", 5),
        Target(OPERATOR, "onnxruntime"),
        Target(PUBLIC, "torch.split, views"),
    ]
    title = f"SplitToSequence. float32 [{rows:,}, {FEATURES}], into {len(sizes)} chunks"
    return Comparison(title, contenders, targets, array.nbytes)


def of_tensors(chunks: Any) -> Canonical:
    return of_arrays([chunk.numpy() for chunk in chunks])


def of_arrays(chunks: list[Any]) -> Canonical:
    """The number of rows of each chunk, followed by all elements."""
    return np.concatenate([np.array([len(chunk) for chunk in chunks]), *(c.reshape(-1) for c in chunks)])


def ort_value(array: Any) -> Any:
    return peers.load("onnxruntime").OrtValue.ortvalue_from_numpy(array)


@peers.needs("onnxruntime", "onnx")
def onnxruntime(size: int, array: Any, make_value: Any) -> peers.Contenders:
    """From an OrtValue to a sequence, which cannot be converted to NumPy: the output of `run` is compared instead."""
    helper = peers.load("onnx").helper
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    session = peers.ort_session(
        [helper.make_node("SplitToSequence", ["x", "size"], ["chunks"])],
        [
            helper.make_tensor_value_info("x", kind, ["n", *array.shape[1:]]),
            helper.make_tensor_value_info("size", helper.np_dtype_to_tensor_dtype(np.dtype(np.int64)), []),
        ],
        [helper.make_tensor_sequence_value_info("chunks", kind, None)],
    )
    scalar = np.array(size)
    feeds = {"x": make_value(), "size": ort_value(scalar)}

    def result(_: Any) -> Canonical:
        (chunks,) = session.run(["chunks"], {"x": array, "size": scalar})
        if array.dtype == object:
            return canonical.from_lists([chunk.tolist() for chunk in chunks])
        return of_arrays(chunks)

    call = partial(session.run_with_ort_values, ["chunks"], feeds)
    return [Contender("onnxruntime SplitToSequence, OrtValue in and out", call, result, group="onnxruntime")]


VIEWS = (
    "It reads the sizes from a tensor before torch makes the views: `split_with_sizes` of a list takes 55 us of 76 "
    "(`python -m benchmarks.bounds split_to_sequence`)."
)
COPIES = (
    "Copying as many bytes into new memory takes 1.2 ms of 1.65 and of 1.44; ours makes 100 tensors of torch."
)
ROWS = [
    Row("split_to_sequence/W1", strings),
    Row(
        "split_to_sequence/numbers",
        numbers,
        reasons={"torch.split, views": VIEWS, OPERATOR: COPIES},
    ),
]
