"""Sessions of onnxruntime for comparisons. They have several threads, as they have by default on most machines."""

from pathlib import Path

import onnx
import onnxruntime

# The number of cores is the default, which is 1 on small machines.
THREADS = 8


def session(
    model: onnx.ModelProto | bytes | str | Path, *, library: bool = False, threads: int = THREADS
) -> onnxruntime.InferenceSession:
    """A session of a model or a file. `library` registers the operators of this package."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads take no time of others
    if library:
        from torch_stringops.onnx import library_path

        options.register_custom_ops_library(library_path())
    given = model.SerializeToString() if isinstance(model, onnx.ModelProto) else model
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
