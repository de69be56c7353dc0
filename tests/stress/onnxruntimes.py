"""The operators in releases of onnxruntime, in a process without torch: every sample of every suite.

    stress onnxruntimes [--torch] [VERSION ...]     such as 1.18.1 1.24.1

Each release is installed into an environment of its own; without versions, the installed one is used. The results must
be those of torch, bit by bit. With --torch, the process imports torch_stringops afterwards, and runs both.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import numpy as np
from support.onnx_library import built, sample_calls
from support.registry import REGISTERED

import torch_stringops
from torch_stringops.onnx import library_path

CHILD = """
import sys
import numpy as np
import onnxruntime

folder, library, *later = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
options.register_custom_ops_library(library)
session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
inputs = dict(np.load(f"{folder}/inputs.npz"))
wanted = dict(np.load(f"{folder}/outputs.npz"))


def compare():
    found = session.run(list(wanted), inputs)
    for (name, want), got in zip(wanted.items(), found):
        assert (got.dtype, got.shape, got.tobytes()) == (want.dtype, want.shape, want.tobytes()), name


compare()
with open("/proc/self/maps") as maps:
    assert "libtorch" not in maps.read()
if later:
    import torch_stringops

    strings = torch_stringops.StringTensor.from_list(["ab", "Straße"])
    assert strings.upper().tolist() == ["AB", "STRASSE"]
    compare()
print(f"onnxruntime {onnxruntime.__version__}: {len(wanted)} results are equal")
"""


def write_model(folder: Path) -> None:
    calls = [call for name in REGISTERED for call in sample_calls(name, f"{name}_")]
    model, inputs = built(calls)
    folder.joinpath("model.onnx").write_bytes(model)
    outputs = {}
    for call, results in calls:
        for name, result in zip(call.node(len(results)).output, results, strict=True):
            if str(result.dtype) != "torch.bfloat16":
                outputs[name] = result.detach().contiguous().numpy()
    np.savez(folder / "inputs.npz", **inputs)
    np.savez(folder / "outputs.npz", **outputs)


def python_with(version: str, folder: Path) -> str:
    """The Python of a new environment with this release."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    numpy = "numpy<2" if tuple(map(int, version.split(".")[:2])) < (1, 19) else "numpy"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, f"onnxruntime=={version}", numpy], check=True)
    return python


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("versions", nargs="*")
    parser.add_argument("--torch", action="store_true")
    options = parser.parse_args()
    later = ["torch"] if options.torch else []
    environment = {**os.environ, "PYTHONPATH": str(Path(torch_stringops.__file__).parents[1])}
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder)
        for version in options.versions or [""]:
            python = python_with(version, folder / version) if version else sys.executable
            command = [python, "-c", CHILD, str(folder), library_path(), *later]
            failed += subprocess.run(command, env=environment).returncode != 0
    return failed
