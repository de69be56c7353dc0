"""The library in programs: on many threads, without Python, and with damaged or unaligned data."""

import os
import random
import shlex
import signal
import subprocess
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnx
import onnxruntime
from onnx import helper
from support import subword_small
from support.errors import BAD_ARGUMENT
from support.onnx_library import DOMAIN, Call, built, info, listed, model_of, session
from support.strings import compact

from torch_stringops.onnx import library_path

HERE = Path(__file__).parent
CSRC = HERE.parents[1] / "csrc"
OPS = torch.ops.stringops


def upper_model() -> bytes:
    strings, upper = (helper.make_tensor_value_info(name, 8, [None]) for name in ("strings", "upper"))
    nodes = [
        helper.make_node("pack", ["strings"], ["data", "offsets"], domain=DOMAIN),
        helper.make_node("string_upper", ["data", "offsets"], ["data1", "offsets1"], domain=DOMAIN),
        helper.make_node("unpack", ["data1", "offsets1"], ["upper"], domain=DOMAIN),
    ]
    return model_of(nodes, [strings], [upper])


def test_a_program_without_python_runs_a_model(tmp_path: Path):
    runtimes = sorted(Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so.*"))
    if not runtimes or not CSRC.exists():
        pytest.skip("needs onnxruntime's library, and the sources")
    host, model = tmp_path / "host", tmp_path / "model.onnx"
    model.write_bytes(upper_model())
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    command = [*compiler, "-std=c++17", f"-I{CSRC}", str(HERE / "host.cpp"), "-o", str(host), "-ldl"]
    subprocess.run(command, check=True)
    arguments = [str(runtimes[0]), library_path(), str(model), "abc", "Straße", ""]
    done = subprocess.run([host, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "ABC\nSTRASSE\n\n"


def test_threads_share_a_session():
    tokenizer = subword_small.tokenizer()
    batches = [compact([line.encode() for line in subword_small.LINES] * (i + 1)) for i in range(8)]
    call = Call(OPS.subword_encode.default, [*batches[0], tokenizer._table], {})
    want = [listed(OPS.subword_encode(*batch, tokenizer._table)) for batch in batches]
    model, given = built([(call, want[0])])
    shared = session(model)

    def encode(i: int) -> bool:
        data, offsets = batches[i % 8]
        found = shared.run(None, given | {"x0": data.numpy(), "x1": offsets.numpy()})
        return all(np.array_equal(f, w.numpy()) for f, w in zip(found, want[i % 8], strict=True))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(encode, range(200)))


def test_a_session_runs_in_forked_processes_and_after_one_is_killed():
    made, texts = session(upper_model()), np.array(["abc", "Straße", ""] * 100, object)
    want = made.run(None, {"strings": texts})[0].tolist()
    children = []
    for runs in (1, 10**9):  # the last is killed meanwhile
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, as there are threads
            child = os.fork()
        if child == 0:
            equal = all(made.run(None, {"strings": texts})[0].tolist() == want for _ in range(runs))
            os._exit(0 if equal else 1)
        children.append(child)
    assert os.waitpid(children[0], 0)[1] == 0
    os.kill(children[1], signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(children[1], 0)[1]) == signal.SIGKILL
    assert made.run(None, {"strings": texts})[0].tolist() == want


def outcome(call: Any) -> Any:
    """The results, as bytes, or the error."""
    try:
        return [np.asarray(r).tobytes() for r in call()]
    except BAD_ARGUMENT as error:
        return str(error)
    except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument as error:
        return str(error).partition("Status Message: ")[2]


@pytest.mark.parametrize("kind", ["subword", "vocabulary"])
def test_damaged_tables_have_the_same_outcome_as_in_torch(kind: str):
    strings = compact([line.encode() for line in subword_small.LINES])
    if kind == "subword":
        operator, table = OPS.subword_encode.default, subword_small.tokenizer()._table
    else:
        operator, table = OPS.vocab_encode.default, OPS.vocab_build(*compact([b"ab", b"c", b"the"]))
    model, feeds = built([(Call(operator, [*strings, table], {}), listed(operator(*strings, table)))])
    ran, rng = session(model), random.Random(1)
    errors = 0
    for _ in range(300):
        damaged = table.clone()
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        damaged = damaged[: rng.choice([len(damaged), len(damaged), rng.randrange(len(damaged))])]
        want = outcome(lambda damaged=damaged: listed(operator(*strings, damaged)))
        got = outcome(lambda damaged=damaged: ran.run(None, {**feeds, "x2": damaged.numpy()}))
        assert got == want
        errors += isinstance(got, str)
    assert errors > 30


def test_numbers_may_be_at_any_address_of_a_file(tmp_path: Path):
    values = torch.arange(1000)
    row_splits = torch.tensor([0, 400, 1000])
    raw = b"x" + row_splits.numpy().tobytes()
    tmp_path.joinpath("numbers").write_bytes(raw)
    external = onnx.TensorProto(name="x1", data_type=onnx.TensorProto.INT64, dims=[3])
    external.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": "numbers", "offset": "1", "length": str(len(raw) - 1)}.items():
        external.external_data.add(key=key, value=value)
    node = helper.make_node("ragged_to_dense", ["x0", "x1"], ["y"], domain=DOMAIN)
    model = model_of([node], [info("x0", torch.int64, 1)], [info("y", torch.int64)], [external])
    tmp_path.joinpath("model.onnx").write_bytes(model)
    (found,) = session(str(tmp_path / "model.onnx")).run(None, {"x0": values.numpy()})
    assert np.array_equal(found, OPS.ragged_to_dense(values, row_splits).numpy())
