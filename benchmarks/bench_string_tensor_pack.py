"""string_tensor_pack: gathers the words of W1 from byte ranges. Unlike memcpy, it also reads the ranges."""

from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

OURS = "ours, string_tensor_pack"


def ranges_of_words(corpus: Corpus) -> tuple[Any, Any]:
    """int32 begins and ends of the words of a corpus whose only whitespace is single spaces between words."""
    blanks = np.flatnonzero(corpus.data == ord(" "))
    begins = np.sort(np.concatenate([corpus.offsets[:-1], blanks + 1]))
    ends = np.sort(np.concatenate([corpus.offsets[1:], blanks]))
    return begins.astype(np.int32), ends.astype(np.int32)


def build(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    begins, ends = ranges_of_words(corpus)
    inputs = [torch.tensor(a) for a in (begins, ends, corpus.data)]
    pack = partial(ours.operator("string_tensor_pack"), *inputs)
    contenders: peers.Contenders = [
        ours.contender(OURS, pack, of_tensors),
        *openvino(begins, ends, corpus),
        *python(begins, ends, corpus),
    ]
    contenders += ours.memcpy(ours.num_bytes([*inputs, *pack()]))
    title = f"StringTensorPack of {len(begins):,} words of W1"
    targets = [Target(OURS, "openvino"), Target(OURS, "Python")]
    return Comparison(title, [ours.with_clean_heap(c) for c in contenders], targets, corpus.num_bytes)


def of_tensors(out: Any) -> canonical.Ragged:
    data, offsets = (t.numpy() for t in out)
    return canonical.from_offsets(data, offsets.astype(np.int64), np.arange(len(offsets)))


@peers.needs("openvino")
def openvino(begins: Any, ends: Any, corpus: Corpus) -> peers.Contenders:
    """To an OpenVINO tensor, which is reused between calls."""
    ov, opset = peers.load("openvino"), peers.load("openvino.opset15")
    parameters = [opset.parameter([-1], t) for t in (ov.Type.i32, ov.Type.i32, ov.Type.u8)]
    model = ov.Model([opset.string_tensor_pack(*parameters)], parameters)
    threads = {"INFERENCE_NUM_THREADS": peers.THREADS}
    request = ov.Core().compile_model(model, "CPU", threads).create_infer_request()
    for i, array in enumerate((begins, ends, corpus.data)):
        request.set_input_tensor(i, ov.Tensor(np.ascontiguousarray(array)))

    def strings(_: Any) -> canonical.Ragged:
        return canonical.from_strings(request.get_output_tensor(0).str_data.tolist())

    return [Contender("openvino StringTensorPack", request.infer, strings, group="openvino")]


def python(begins: Any, ends: Any, corpus: Corpus) -> peers.Contenders:
    raw, first, last = corpus.data.tobytes(), begins.tolist(), ends.tolist()

    def slices() -> list[bytes]:
        return [raw[a:b] for a, b in zip(first, last, strict=True)]

    return [Contender("Python", slices, canonical.from_strings)]


ROWS = [Row("string_tensor_pack/words of W1", build)]
