"""Records what TensorFlow and Keras return on the bank of docs/coming_from.md, in tests/golden/coming_from.json.

    make .venv-tensorflow/ready
    PYTHONPATH=tests .venv-tensorflow/bin/python -m support.coming_from.record

The results of torchtext, which has no new versions, stay as they were recorded from the Python modules of its last one.
"""

import json
import os
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import tensorflow

from support.coming_from.peers import RECORDED, Evaluate
from support.coming_from.peers import tensorflow as evaluate_tensorflow
from support.coming_from.rows import rows


def record(library: str, evaluate: Evaluate) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in rows():
        if row.library == library:
            found[row.left] = [evaluate(row, column) for column in row.columns]
    return found


def main() -> None:
    recorded = json.loads(RECORDED.read_text())
    origin = f"tensorflow {tensorflow.__version__}, keras {keras.__version__}"
    recorded["TensorFlow"] = {"origin": origin, "rows": record("TensorFlow", evaluate_tensorflow)}
    lines = [
        f'"{library}": {{"origin": {json.dumps(entry["origin"])}, "rows": {{\n'
        + ",\n".join(f"{json.dumps(left)}: {json.dumps(results)}" for left, results in entry["rows"].items())
        + "}}"
        for library, entry in recorded.items()
    ]
    RECORDED.write_text("{" + ",\n".join(lines) + "}\n", encoding="ascii")


if __name__ == "__main__":
    main()
