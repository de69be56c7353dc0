"""string_tensor_unpack: W1 as byte ranges.

The public function is zero-copy for a compact tensor. The operator copies the bytes, and so does OpenVINO, from strings
in separate allocations; the limit of the operator is memcpy.
"""

from functools import partial
from typing import Any

import numpy as np

import torch_stringops
from benchmarks import ours, peers
from benchmarks.canonical import Canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

PUBLIC = "ours, string_tensor_unpack"
OPERATOR = "ours, string_tensor_unpack, the operator, which copies"


def build(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    tensor = ours.string_tensor(corpus)
    copies = partial(ours.operator("string_tensor_unpack"), tensor.data, tensor.offsets)
    contenders: peers.Contenders = [
        ours.contender(PUBLIC, partial(torch_stringops.string_tensor_unpack, tensor), of_tensors),
        ours.contender(OPERATOR, copies, of_tensors),
        *openvino(corpus),
    ]
    contenders += ours.memcpy(ours.num_bytes([tensor.data, tensor.offsets, *copies()]))
    targets = [Target(PUBLIC, "openvino", 8), Target(OPERATOR, "openvino")]
    targets.append(Target(OPERATOR, ours.MEMCPY))
    title = f"StringTensorUnpack. W1: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


def joined(arrays: list[Any]) -> Canonical:
    return np.concatenate([array.astype(np.int64) for array in arrays])


def of_tensors(out: Any) -> Canonical:
    return joined([t.numpy() for t in out])


@peers.needs("openvino")
def openvino(corpus: Corpus) -> peers.Contenders:
    """From an OpenVINO tensor, into outputs that are reused between calls."""
    ov, opset = peers.load("openvino"), peers.load("openvino.opset15")
    parameter = opset.parameter([-1], ov.Type.string)
    model = ov.Model(opset.string_tensor_unpack(parameter).outputs(), [parameter])
    request = ov.Core().compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": 1}).create_infer_request()
    request.set_input_tensor(ov.Tensor(np.array(corpus.strings)))

    def result(_: Any) -> Canonical:
        return joined([request.get_output_tensor(i).data for i in range(3)])

    return [Contender("openvino StringTensorUnpack", request.infer, result, group="openvino")]


COPY = "The operator copies as many bytes, so that it takes as long: the interval contains 1."
ROWS = [Row("string_tensor_unpack/W1", build, reasons={ours.MEMCPY: COPY})]
