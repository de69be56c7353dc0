"""The operators in the installed onnxruntime, before torch is loaded: the short form of `make stress CHECK=onnxruntimes`."""

import re

import pytest
from support.programs import run_stress

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def test_results_are_equal_without_torch_and_after_it_is_loaded():
    done = run_stress("onnxruntimes", "--torch")
    assert done.returncode == 0, done.stdout
    found = re.search(r"^onnxruntime \S+: (\d+) results are equal$", done.stdout, re.MULTILINE)
    assert found, done.stdout
    assert int(found[1]) > 2000
