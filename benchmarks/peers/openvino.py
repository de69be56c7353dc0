"""openvino and openvino_tokenizers: graphs of string tensors, as ranges of one buffer. Outputs are reused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset15 as opset
from openvino_tokenizers import _ext_path
from openvino_tokenizers.tokenizer_pipeline import RegexSplitStep, TokenizerPipeline, VocabEncoderStep

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.peers import THREADS

# Maps the inputs of a graph (rows, strings, bytes) to its outputs.
Steps = Callable[[list[Any]], list[Any]]


def compiled(outputs: list[Any], parameters: list[Any], inputs: list[Any]) -> Any:
    core = ov.Core()
    core.add_extension(_ext_path)
    model = core.compile_model(ov.Model(outputs, parameters), "CPU", {"INFERENCE_NUM_THREADS": THREADS})
    request = model.create_infer_request()
    for i, array in enumerate(inputs):
        request.set_input_tensor(i, ov.Tensor(array))
    return request


def request_of(corpus: Corpus, steps: Steps) -> Any:
    """A graph with the corpus as input, one string in each row."""
    parameters = [opset.parameter([-1], t) for t in [ov.Type.i32] * 4 + [ov.Type.u8]]
    rows = np.arange(len(corpus) + 1, dtype=np.int32)
    inputs = [rows[:-1], rows[1:], corpus.offsets[:-1], corpus.offsets[1:], corpus.data]
    outputs = steps([p.output(0) for p in parameters])
    return compiled(outputs, parameters, [np.ascontiguousarray(array) for array in inputs])


def outputs_of(request: Any, count: int) -> list[Any]:
    return [np.array(request.get_output_tensor(i).data) for i in range(count)]


def regex_split(pattern: str, matches: bool) -> Steps:
    steps: Steps = RegexSplitStep(pattern, invert=matches, behaviour="remove").get_ov_subgraph
    return steps


def vocabulary(words: Corpus) -> Steps:
    """The ids of pieces, with -1 for unknown words."""

    def steps(inputs: list[Any]) -> list[Any]:
        pipeline, step = TokenizerPipeline(), VocabEncoderStep(words.strings)
        step.set_pipeline(pipeline)  # a weak reference
        outputs: list[Any] = step.get_ov_subgraph(inputs)
        return outputs

    return steps


def pieces(corpus: Corpus, pattern: str, matches: bool) -> Any:
    """The matches of `pattern`, or the text between them, as byte ranges of the input."""
    request = request_of(corpus, regex_split(pattern, matches))

    def read(_: Any) -> canonical.Ragged:
        first, last, begins, ends = outputs_of(request, 4)
        raw, ranges = corpus.data.tobytes(), zip(begins.tolist(), ends.tolist(), strict=True)
        return canonical.from_flat((raw[a:b] for a, b in ranges), (last - first).astype(np.int64))

    return request.infer, read


def vocab_encode(tokens: Corpus, words: Corpus) -> Any:
    steps = vocabulary(words)
    request = request_of(tokens, lambda inputs: steps(inputs[2:]))
    return request.infer, lambda _: outputs_of(request, 1)[0]


def split_encode(corpus: Corpus, words: Corpus) -> Any:
    request = request_of(corpus, lambda inputs: vocabulary(words)(regex_split(r"\s+", False)(inputs)))

    def read(_: Any) -> canonical.Ragged:
        first, last, ids = outputs_of(request, 3)
        return canonical.from_ids(ids, np.concatenate([[0], np.cumsum(last - first)]))

    return request.infer, read


def pack(begins: Any, ends: Any, data: Any) -> Any:
    parameters = [opset.parameter([-1], t) for t in (ov.Type.i32, ov.Type.i32, ov.Type.u8)]
    request = compiled([opset.string_tensor_pack(*parameters)], parameters, [begins, ends, data])
    return request.infer, lambda _: request.get_output_tensor(0).str_data.tolist()


def unpack(corpus: Corpus) -> Any:
    """From an OpenVINO tensor, whose strings are separate allocations."""
    parameter = opset.parameter([-1], ov.Type.string)
    outputs = opset.string_tensor_unpack(parameter).outputs()
    request = compiled(outputs, [parameter], [np.array(corpus.strings)])
    return request.infer, lambda _: np.concatenate([x.astype(np.int64) for x in outputs_of(request, 3)])


MADE: dict[str, Any] = {
    "string_split_ragged": lambda corpus, _: pieces(corpus, r"\s+", False),
    "tokenizer_ragged": lambda corpus, tokenexp, **_: pieces(corpus, tokenexp, True),
    "vocab_encode": vocab_encode,
    "split_encode": split_encode,
    "string_tensor_pack": pack,
    "string_tensor_unpack": unpack,
}
ASCII = "its `\\s` is ASCII's"
DIFFERS = {"string_split_ragged": ASCII, "split_encode": ASCII}
