"""The operators as a library for onnxruntime."""

from pathlib import Path

_LIBRARY = Path(__file__).resolve().parents[1] / "libstringops_ort.so"


def library_path() -> str:
    """Returns the path of the library that adds the operators of this package to onnxruntime 1.18 or later.

    The library needs neither torch nor Python, so programs in other languages can load a copy of it. Its operators are
    `ai.torch_stringops::<name>`, version 1, with a `.` of the name replaced by `_`; docs/onnx.md describes their nodes.

    Raises:
        FileNotFoundError: this installation was built without the library.

    Example:
        >>> options = onnxruntime.SessionOptions()  # doctest: +SKIP
        >>> options.register_custom_ops_library(library_path())  # doctest: +SKIP
        >>> library_path().endswith("libstringops_ort.so")
        True
    """
    if not _LIBRARY.exists():
        raise FileNotFoundError(f"library_path: expected {_LIBRARY}, which this installation does not have")
    return str(_LIBRARY)
