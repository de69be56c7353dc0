"""AOTInductor: the compiled package of a model gives its logits, in Python and in C++ without Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support.models import CLASSES, DIM, ODD_LINES, Classifier, Layers, Padded, corpus, seeded, strings
from torch import nn

import torch_stringops

HOST = Path(__file__).parents[2] / "examples" / "cpp_host"
BATCHES = [[], [""], ["river"], ODD_LINES, corpus(50, seed=5)[0]]


@pytest.fixture(scope="module")
def model() -> Classifier:
    return seeded(Padded)


@pytest.fixture(scope="module")
def package(model: Classifier, tmp_path_factory: pytest.TempPathFactory) -> str:
    program = torch_stringops.export(model, (strings(ODD_LINES),))
    path = tmp_path_factory.mktemp("aoti") / "model.pt2"
    return torch._inductor.aoti_compile_and_package(program, package_path=str(path))


def test_package_gives_the_logits_for_every_batch_size(model: Classifier, package: str):
    loaded = torch._inductor.aoti_load_package(package)
    for lines in BATCHES:
        torch.testing.assert_close(loaded(strings(lines)), model(strings(lines)), rtol=1e-4, atol=1e-5)


@pytest.mark.check
def test_layers_that_depend_on_the_batch_size(tmp_path: Path):
    model = seeded(Layers).eval()
    # Inductor lowers an LSTM to oneDNN, which divides by the batch size: an empty batch ends the process.
    model.lstm = nn.GRU(DIM, DIM, batch_first=True)
    program = torch_stringops.export(model, (strings(["river"]),))
    path = str(tmp_path / "layers.pt2")
    loaded = torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(program, package_path=path))
    for lines in BATCHES:
        torch.testing.assert_close(loaded(strings(lines)), model(strings(lines)), rtol=1e-4, atol=1e-5)


@pytest.mark.check
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_cpp_process_without_python_gives_the_logits(model: Classifier, package: str, tmp_path: Path):
    host = tmp_path / "classify"
    subprocess.run(["make", "-s", "-C", HOST, f"PYTHON={sys.executable}", f"OUT={host}"], check=True)
    # The dynamic linker reports every library that the process opens, including those opened by dlopen.
    trace = tmp_path / "libraries"
    environment = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(trace), "PATH": os.defpath}
    command = [host, torch_stringops.library_path(), package]
    for lines in (corpus(50, seed=5)[0], []):
        text = "".join(line + "\n" for line in lines)
        done = subprocess.run(command, input=text.encode(), env=environment, capture_output=True, check=True)
        rows = [[float(x) for x in row.split()] for row in done.stdout.decode().splitlines()]
        got = torch.tensor(rows).reshape(len(lines), CLASSES)
        torch.testing.assert_close(got, model(strings(lines)), rtol=1e-4, atol=1e-5)
    libraries = "".join(file.read_text() for file in tmp_path.glob("libraries.*"))
    assert "_ops.so" in libraries
    assert "libpython" not in libraries
    failed = subprocess.run([host, torch_stringops.library_path(), tmp_path / "none.pt2"], capture_output=True)
    assert failed.returncode == 1
    assert failed.stderr
    # Strings that a model returns, with two runners.
    lines = torch_stringops.export(UpperStrings(), (strings(["a", "b"]),))
    to_strings = torch._inductor.aoti_compile_and_package(lines, package_path=str(tmp_path / "lines.pt2"))
    command = [host, torch_stringops.library_path(), to_strings, "2"]
    done = subprocess.run(command, input="é x\n\nb\n".encode(), env=environment, capture_output=True, check=True)
    assert done.stdout.decode() == "É X\n\nB\n"
    # The program passes strings of rank 1.
    rows = torch_stringops.export(Upper(), (strings(["a", "b"]).reshape(2, 1),))
    of_rank_2 = torch._inductor.aoti_compile_and_package(rows, package_path=str(tmp_path / "rows.pt2"))
    command = [host, torch_stringops.library_path(), of_rank_2]
    failed = subprocess.run(command, input=b"a\nb\n", env={"PATH": os.defpath}, capture_output=True)
    assert failed.returncode == 1
    assert b"export: expected `lines.offsets` of rank 2, as in the example, got shape [3]" in failed.stderr


class UpperStrings(nn.Module):
    def forward(self, lines: torch_stringops.StringTensor) -> torch_stringops.StringTensor:
        return lines.upper()


class Upper(nn.Module):
    def forward(self, lines: torch_stringops.StringTensor) -> torch.Tensor:
        return lines.upper().offsets
