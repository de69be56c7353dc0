"""The peers: alternatives from other libraries, with input in their own format, limited to `THREADS` threads.

There is a module for each library. Functions return contenders, or the reason why a peer is skipped. Contenders that
only one row needs are in the module of that row.
"""

from benchmarks.peers.arrow import arrow_strings, polars_split, pyarrow_split, pyarrow_split_slices
from benchmarks.peers.base import THREADS, Contenders, excuse, load, needs
from benchmarks.peers.hf import pre_tokenized, tokenizers_split
from benchmarks.peers.ort import (
    onnxruntime_split,
    ort_label_encoder,
    ort_label_encoder_node,
    ort_session,
    ort_strings,
)
from benchmarks.peers.ov import (
    openvino_pieces,
    openvino_regex,
    openvino_request,
    openvino_split,
    openvino_vocabulary,
)
from benchmarks.peers.python import (
    HAS_STRING_DTYPE,
    numpy_split,
    numpy_strings,
    pandas_dtypes,
    pandas_split,
    pandas_strings,
    python_split,
)
from benchmarks.peers.tf import tensorflow_split, tensorflow_strings, tensorflow_table

__all__ = [
    "HAS_STRING_DTYPE",
    "THREADS",
    "Contenders",
    "arrow_strings",
    "excuse",
    "load",
    "needs",
    "numpy_split",
    "numpy_strings",
    "onnxruntime_split",
    "openvino_pieces",
    "openvino_regex",
    "openvino_request",
    "openvino_split",
    "openvino_vocabulary",
    "ort_label_encoder",
    "ort_label_encoder_node",
    "ort_session",
    "ort_strings",
    "pandas_dtypes",
    "pandas_split",
    "pandas_strings",
    "polars_split",
    "pre_tokenized",
    "pyarrow_split",
    "pyarrow_split_slices",
    "python_split",
    "tensorflow_split",
    "tensorflow_strings",
    "tensorflow_table",
    "tokenizers_split",
]
