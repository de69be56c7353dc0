"""openvino and openvino_tokenizers: graphs of string tensors, as ranges of one buffer."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender
from benchmarks.peers.base import SEPARATOR_CONTROLS, THREADS, UNICODE_SPACES, Contenders, excuse, load, needs

# Maps the inputs of a split (rows, strings, bytes) to its outputs.
Steps = Callable[[list[Any]], list[Any]]


def openvino_request(corpus: Corpus, steps: Steps) -> Any:
    """A compiled graph with the corpus as input, one string per row. `infer()` runs it; outputs are reused."""
    ov = load("openvino")
    parameters = [ov.opset13.parameter([-1], t) for t in [ov.Type.i32] * 4 + [ov.Type.u8]]
    core = ov.Core()
    core.add_extension(load("openvino_tokenizers")._ext_path)
    outputs = steps([p.output(0) for p in parameters])
    model = core.compile_model(ov.Model(outputs, parameters), "CPU", {"INFERENCE_NUM_THREADS": THREADS})
    rows = np.arange(len(corpus) + 1, dtype=np.int32)
    inputs = [rows[:-1], rows[1:], corpus.offsets[:-1], corpus.offsets[1:], corpus.data]
    request = model.create_infer_request()
    for i, array in enumerate(inputs):
        request.set_input_tensor(i, ov.Tensor(np.ascontiguousarray(array)))
    return request


@needs("openvino", "openvino_tokenizers")
def openvino_split(corpus: Corpus, delimiter: str) -> Contenders:
    if delimiter:
        raise ValueError(f"peers: openvino_tokenizers drops the empty pieces between {delimiter!r}")
    space = excuse(corpus, SEPARATOR_CONTROLS + UNICODE_SPACES, "its \\s is ASCII's")
    return openvino_pieces(corpus, r"\s+", matches=False, excuse=space)


@needs("openvino", "openvino_tokenizers")
def openvino_pieces(corpus: Corpus, pattern: str, matches: bool, **how: Any) -> Contenders:
    """The matches of `pattern`, or the text between them, as byte ranges of the input. Zero-copy."""
    request = openvino_request(corpus, openvino_regex(pattern, matches))

    def pieces(_: Any) -> canonical.Ragged:
        first, last, begins, ends, _ = (np.array(request.get_output_tensor(i).data) for i in range(5))
        raw, sizes = corpus.data.tobytes(), (last - first).astype(np.int64)
        ranges = zip(begins.tolist(), ends.tolist(), strict=True)
        return canonical.from_flat((raw[a:b] for a, b in ranges), sizes)

    return [Contender("openvino_tokenizers RegexSplit", request.infer, pieces, group="openvino", **how)]


def openvino_regex(pattern: str, matches: bool) -> Steps:
    step = load("openvino_tokenizers.tokenizer_pipeline").RegexSplitStep
    outputs: Steps = step(pattern, invert=matches, behaviour="remove").get_ov_subgraph
    return outputs


def openvino_vocabulary(words: list[str]) -> Steps:
    """The ids of pieces, with -1 for unknown words."""
    library = load("openvino_tokenizers.tokenizer_pipeline")

    def steps(inputs: list[Any]) -> list[Any]:
        pipeline, step = library.TokenizerPipeline(), library.VocabEncoderStep(words)
        step.set_pipeline(pipeline)  # a weak reference
        outputs: list[Any] = step.get_ov_subgraph(inputs)
        return outputs

    return steps
