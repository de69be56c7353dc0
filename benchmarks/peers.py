"""The peers: what a user would otherwise call, each with its input in its own form and held to `THREADS` threads.

A function here returns contenders, or names why there is none.
"""

import functools
import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender, Excuse, Skipped

Contenders = list[Contender | Skipped]

# Of every peer that has threads; `__main__` sets it. The variable is that of polars, which reads it once.
THREADS = int(os.environ.get("POLARS_MAX_THREADS", "1"))

# White space beyond the blank: what peers disagree on.
ASCII_CONTROLS = "\t\n\v\f\r"
SEPARATOR_CONTROLS = "\x1c\x1d\x1e\x1f"
UNICODE_SPACES = (
    "\u0085\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)


def needs(*modules: str) -> Callable[[Callable[..., Contenders]], Callable[..., Contenders]]:
    """A peer whose `modules` are not installed is skipped by name."""

    def decorate(make: Callable[..., Contenders]) -> Callable[..., Contenders]:
        @functools.wraps(make)
        def wrapped(*args: Any, **kwargs: Any) -> Contenders:
            for module in modules:
                try:
                    load(module)
                except ImportError as error:
                    return [Skipped(modules[0], f"not installed ({error})")]
            return make(*args, **kwargs)

        return wrapped

    return decorate


@functools.cache
def load(name: str) -> Any:
    """The module, set to `THREADS` threads."""
    module = importlib.import_module(name)
    if name == "pyarrow":
        module.set_cpu_count(THREADS)
        module.set_io_thread_count(THREADS)
    elif name == "tensorflow":
        module.config.threading.set_intra_op_parallelism_threads(THREADS)
        module.config.threading.set_inter_op_parallelism_threads(THREADS)
    elif name == "polars" and module.thread_pool_size() != THREADS:
        raise ImportError("polars has another number of threads: set POLARS_MAX_THREADS before it is imported")
    return module


def python_split(corpus: Corpus, delimiter: str) -> Contenders:
    strings, separator = corpus.strings, delimiter or None
    return [Contender("Python", lambda: [s.split(separator) for s in strings], canonical.from_lists)]


def arrow_strings(corpus: Corpus) -> Any:
    """The corpus as a pyarrow array, which has the same layout, padded as pyarrow's own buffers are.

    utf8_split_whitespace reads behind the last byte, and without padding its last piece depends on what lies
    there.
    """
    pa = load("pyarrow")
    data = pa.py_buffer(np.concatenate([corpus.data, np.zeros(64, np.uint8)])).slice(0, len(corpus.data))
    return pa.Array.from_buffers(pa.string(), len(corpus), [None, pa.py_buffer(corpus.offsets), data])


@needs("pyarrow")
def pyarrow_split(corpus: Corpus, delimiter: str, kind: str = "") -> Contenders:
    """`kind` of white space: ascii or utf8."""
    pc, array = load("pyarrow.compute"), arrow_strings(corpus)
    if delimiter:
        return [
            Contender(
                f"pyarrow split_pattern({delimiter!r})",
                lambda: pc.split_pattern(array, delimiter),
                canonical.from_arrow,
                group="pyarrow",
            )
        ]
    reason = "it cuts at ASCII white space only"
    ascii_excuse = excuse(corpus, SEPARATOR_CONTROLS + UNICODE_SPACES, reason) if kind == "ascii" else None
    split = {"ascii": pc.ascii_split_whitespace, "utf8": pc.utf8_split_whitespace}[kind]
    return [
        Contender(
            f"pyarrow {kind}_split_whitespace",
            lambda: split(array),
            lambda out: canonical.from_arrow(out).without_empty(),
            excuse=ascii_excuse,
            group=f"pyarrow {kind}",
            note="gives an empty piece where a row begins or ends with white space; these are not compared",
        )
    ]


def excuse(corpus: Corpus, characters: str, reason: str) -> Excuse:
    return Excuse(corpus.rows_with(characters), reason)


@needs("polars")
def polars_split(corpus: Corpus, delimiter: str) -> Contenders:
    pl = load("polars")
    series = pl.Series(corpus.strings)

    def pieces(out: Any) -> canonical.Ragged:
        return canonical.from_arrow(out.to_arrow())

    if delimiter:
        name = f"polars str.split({delimiter!r})"
        return [Contender(name, lambda: series.str.split(delimiter), pieces, group="polars")]
    blank = excuse(corpus, ASCII_CONTROLS + SEPARATOR_CONTROLS + UNICODE_SPACES, "it cuts at blanks only")
    space = excuse(corpus, SEPARATOR_CONTROLS, "its \\S takes U+001C-001F for text")
    kept = pl.element().filter(pl.element() != "")
    return [
        Contender(
            'polars str.split(" ")', lambda: series.str.split(" "), pieces, excuse=blank, group="polars"
        ),
        Contender(
            'polars str.split(" "), empty pieces filtered out',
            lambda: series.str.split(" ").list.eval(kept),
            pieces,
            excuse=blank,
            group="polars",
        ),
        Contender(
            'polars str.extract_all(r"\\S+")',
            lambda: series.str.extract_all(r"\S+"),
            pieces,
            excuse=space,
            group="polars",
        ),
    ]


@needs("onnxruntime", "onnx")
def onnxruntime_split(corpus: Corpus, delimiter: str) -> Contenders:
    """Strings cross its Python API as NumPy objects, at a price: so also from and to values of its own."""
    onnx = load("onnx")
    attributes = {"delimiter": delimiter} if delimiter else {}
    session = ort_session(
        [onnx.helper.make_node("StringSplit", ["x"], ["y", "z"], **attributes)],
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.STRING, ["n"])],
        [
            onnx.helper.make_tensor_value_info("y", onnx.TensorProto.STRING, ["n", "d"]),
            onnx.helper.make_tensor_value_info("z", onnx.TensorProto.INT64, ["n"]),
        ],
    )
    objects = np.array(corpus.strings, dtype=object)
    value = ort_strings(corpus.encoded)
    blank = None
    if not delimiter:
        blank = excuse(corpus, ASCII_CONTROLS + SEPARATOR_CONTROLS + UNICODE_SPACES, "it cuts at blanks only")
    return [
        Contender(
            "onnxruntime StringSplit, OrtValue in and out",
            lambda: session.run_with_ort_values(["y", "z"], {"x": value}),
            lambda out: canonical.from_padded_objects(*(v.numpy() for v in out)),
            excuse=blank,
            group="onnxruntime",
        ),
        Contender(
            "onnxruntime StringSplit, NumPy in and out",
            lambda: session.run(["y", "z"], {"x": objects}),
            lambda out: canonical.from_padded_objects(*out),
            excuse=blank,
            group="onnxruntime, NumPy",
        ),
    ]


def ort_label_encoder(words: list[str]) -> Any:
    onnx = load("onnx")
    node = onnx.helper.make_node(
        "LabelEncoder",
        ["x"],
        ["ids"],
        domain="ai.onnx.ml",
        keys_strings=words,
        values_int64s=list(range(len(words))),
        default_int64=-1,
    )
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.STRING, ["n"])
    ids = onnx.helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, ["n"])
    return ort_session([node], [x], [ids])


def ort_session(
    nodes: Any, inputs: Any, outputs: Any, constants: Any = (), domains: dict[str, int] | None = None
) -> Any:
    onnx, ort = load("onnx"), load("onnxruntime")
    graph = onnx.helper.make_graph(nodes, "row", inputs, outputs, constants)
    versions = {"": 20, "ai.onnx.ml": 4} | (domains or {})
    opsets = [onnx.helper.make_opsetid(*version) for version in versions.items()]
    model = onnx.helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 9  # opset 20's, which every onnxruntime that knows the operator reads
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = THREADS
    options.log_severity_level = 3
    if constants:  # or the only node would be folded away
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def ort_strings(strings: list[bytes]) -> Any:
    """An OrtValue of strings. The API makes none, but a session whose output is a constant returns one."""
    onnx = load("onnx")
    kind = onnx.TensorProto.STRING
    constant = onnx.helper.make_tensor("c", kind, [len(strings)], strings)
    output = onnx.helper.make_tensor_value_info("x", kind, ["n"])
    session = ort_session(
        [onnx.helper.make_node("Identity", ["c"], ["x"])], [], [output], constants=[constant]
    )
    (value,) = session.run_with_ort_values(["x"], {})
    return value


@needs("tensorflow")
def tensorflow_split(corpus: Corpus, delimiter: str, *, padded: bool) -> Contenders:
    """tf.strings.split, as it is called and as a traced function; padded with `to_tensor`."""
    tf = load("tensorflow")
    strings = tf.constant(np.array(corpus.encoded, dtype=object))
    separator = delimiter or None
    note = "" if delimiter else "it cuts at ASCII white space only"
    space = excuse(corpus, SEPARATOR_CONTROLS + UNICODE_SPACES, note) if note else None
    kind = "padded" if padded else "ragged"

    def split(strings: Any) -> Any:
        out = tf.strings.split(strings, separator)
        return out.to_tensor() if padded else out

    traced = tf.function(split)
    return [
        Contender(
            f"tensorflow strings.split, {kind}, {how}",
            functools.partial(call, strings),
            _from_tensorflow_padded if padded else _from_tensorflow_ragged,
            excuse=space,
            group=f"tensorflow {kind}",
        )
        for how, call in (("eager", split), ("traced", traced))
    ]


def _from_tensorflow_ragged(out: Any) -> canonical.Ragged:
    return canonical.from_flat(out.flat_values.numpy().tolist(), np.diff(out.row_splits.numpy()))


def _from_tensorflow_padded(out: Any) -> canonical.Ragged:
    """White space mode only: there an empty piece is padding."""
    pieces: NDArray[np.object_] = out.numpy()
    return canonical.from_padded_objects(pieces, (pieces != b"").sum(axis=1))
