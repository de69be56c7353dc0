"""Loaded ONNX models exported, compiled and packaged: the samples with loops, and models that tf2onnx writes.

    stress onnx_traced [--tensorflow PYTHON] [--packages]

PYTHON is an interpreter with tensorflow and tf2onnx, which writes 28 models of strings and of Keras layers. In eager mode,
each gives the outputs of onnxruntime, or those of TensorFlow if onnxruntime cannot run it. The exported and the compiled
program give those of eager mode for batches of other sizes; with --packages, AOTInductor packages of two models with LSTM and GRU
do, too. Ends with code 1 if outputs differ, or if a model that can be loaded cannot be exported or compiled.
"""

import argparse
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from support import onnx_models
from support.onnx_samples import SAMPLES
from support.onnx_sessions import session

import torch_stringops
from torch_stringops.onnx import load

WRITER = Path(__file__).parents[1] / "support" / "tensorflow_models.py"
PACKAGED = ("layers", "lstm")  # Inductor lowers no while_loop that reads a constant of rank 0, as Loop does
TOLERANCE = 1e-4, 1e-5


class Case:
    """A model, an example of its inputs, further inputs, and outputs of TensorFlow for the example."""

    def __init__(self, name: str, proto: onnx.ModelProto, calls: list[tuple[Any, ...]], want: Any = None) -> None:
        self.name, self.proto, self.calls, self.want = name, proto, calls, want


def samples() -> Iterator[Case]:
    texts = [["a be or", "b"], ["a b a be c", "a a be"], ["a", "b", "be"]]
    yield Case("layers", SAMPLES["layers"](), [(np.array(text, object),) for text in texts])
    rows = [np.ones([4, 3]), np.ones([1, 3]), np.full([7, 3], 9.0)]
    yield Case("loops", SAMPLES["loops"](), [(row.astype(np.float32),) for row in rows])


def written(python: str) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, str(WRITER), folder], check=True, stderr=subprocess.DEVNULL)
        for path in sorted(Path(folder).glob("*.onnx")):
            stored = np.load(path.with_suffix(".npz"))
            given = stored["given"]
            given = given.astype(object) if given.dtype.kind == "U" else given
            more = np.concatenate([given, given[:2]])
            more = np.concatenate([more, more], 1)[:, :-2] if given.ndim == 2 else more
            calls = [(given,), (more,)]
            proto = onnx.load(path)
            for node in proto.graph.node:  # onnxruntime wants a locale that is installed
                for attribute in node.attribute:
                    if attribute.name == "locale":
                        attribute.s = b"C.UTF-8"
            yield Case(path.stem, proto, calls, [stored["want"]])


def outputs(function: Callable[..., Any], call: tuple[Any, ...]) -> list[Any]:
    found: list[Any] = onnx_models.run(function, list(call))
    return [value.detach() if isinstance(value, torch.Tensor) else value for value in found]


def peer(case: Case) -> Callable[[tuple[Any, ...]], Any] | None:
    """The outputs of onnxruntime; None if it cannot run the model."""
    try:
        made = session(case.proto)
        names = [value.name for value in made.get_inputs()]
        made.run(None, dict(zip(names, case.calls[0], strict=True)))
    except Exception:
        return None
    return lambda call: made.run(None, dict(zip(names, call, strict=True)))


def as_lists(values: list[Any]) -> list[Any]:
    return [v.numpy() if isinstance(v, torch.Tensor) else np.array(v.tolist(), object) for v in values]


def close(got: list[Any], want: Any) -> bool:
    return len(got) == len(want) and all(onnx_models.is_close(g, w, *TOLERANCE) for g, w in zip(got, want, strict=True))


def forms(case: Case, module: torch.nn.Module, packages: bool) -> Iterator[tuple[str, Callable[..., Any]]]:
    example = tuple(map(onnx_models.from_stored, case.calls[0]))
    program = torch_stringops.export(module, example)
    yield "exported", program.module()
    torch._dynamo.reset()
    yield "compiled", torch.compile(module, fullgraph=True, backend="eager", dynamic=True)
    if packages and case.name in PACKAGED:
        with tempfile.TemporaryDirectory() as folder:
            path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/model.pt2")
            yield "packaged", torch._inductor.aoti_load_package(path)


def check(case: Case, packages: bool) -> str:
    """What was equal; the text begins with `FAILED` if something was not."""
    try:
        module = load(case.proto)
    except ValueError as error:
        return f"not loaded: {error}"
    reference = peer(case)
    try:
        wanted = [outputs(module, call) for call in case.calls]
    except (ValueError, IndexError) as error:
        return f"not run: {error}"
    if reference is None:
        done = ["TensorFlow" if close(wanted[0], case.want) else "FAILED"]
    else:
        equal = all(close(got, reference(call)) for got, call in zip(wanted, case.calls, strict=True))
        done = ["onnxruntime" if equal else "FAILED"]
    try:
        for name, form in forms(case, module, packages):
            equal = all(
                close(outputs(form, call), as_lists(want)) for call, want in zip(case.calls, wanted, strict=True)
            )
            done.append(name if equal else f"FAILED {name}")
    except Exception as error:
        done.append(f"FAILED: {type(error).__name__}: {str(error)[:2000]}")
    return ", ".join(done)


def main() -> int:
    arguments = argparse.ArgumentParser(prog="stress onnx_traced", description=__doc__)
    arguments.add_argument("--tensorflow", metavar="PYTHON")
    arguments.add_argument("--packages", action="store_true")
    options = arguments.parse_args()
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(4)
    found: list[str] = []
    cases = [*samples(), *(written(options.tensorflow) if options.tensorflow else ())]
    for case in cases:
        found.append(check(case, options.packages))
        print(f"{case.name}: {found[-1]}", flush=True)
    failed = sum("FAILED" in text for text in found)
    read = sum(not text.startswith("not ") for text in found)
    print(f"{len(found)} models: {read} are read, {failed} of them failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
