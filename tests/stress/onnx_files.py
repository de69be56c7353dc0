"""Damaged ONNX files: load raises ValueError or TypeError, in little time and memory.

    stress onnx_files [--files N] [--seed S]

Bytes of small models are changed, removed, repeated and copied from others, or nodes and sizes of their graphs. A file that can still be read is run if it
has no loops, whose iterations a file decides. Ends with code 1 at the first other exception; the file is kept.
"""

import random
import resource
import tempfile
import time
import warnings
from pathlib import Path

import onnx
import torch
from support import programs
from support.onnx_samples import SAMPLES

from torch_stringops import StringTensor
from torch_stringops.onnx import load
from torch_stringops.onnx._registry import OPERATORS

MAX_SECONDS = 10
INPUTS = {
    "classifier": (StringTensor.from_list(["to be", "a"]),),
    "shapes": (torch.ones(2, 4),),
    "sequences": (StringTensor.from_list(["a", "b"]),),
    "function": (StringTensor.from_list(["a,b", "c.d"]),),
    "trees": (torch.ones(2, 1),),
    "layers": (StringTensor.from_list(["a be", "b"]),),
}
# What a damaged model may raise when it runs, as torch's functions do.
AT_RUN_TIME = (ValueError, TypeError, RuntimeError, IndexError, KeyError, NotImplementedError, AttributeError)


def damaged(rng: random.Random, data: bytes, other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(changed) + 1)
        length = rng.choice([1, 1, 2, 4, 16])
        kind = rng.randrange(6)
        if kind == 0:
            changed[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            changed[at : at + 1] = bytes([rng.choice([0, 1, 0x7F, 0x80, 0xFF])] * rng.choice([1, 1, 9]))
        elif kind == 2:
            del changed[at : at + length]
        elif kind == 3:
            changed[at:at] = changed[at : at + length]
        elif kind == 4:
            begin = rng.randrange(len(other))
            changed[at : at + length] = other[begin : begin + length]
        elif at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
    return bytes(changed[: rng.randrange(len(changed) + 1)] if rng.random() < 0.05 else changed)


def mangled(rng: random.Random, model: onnx.ModelProto) -> bytes:
    """A well-formed file of a wrong graph: nodes, names, sizes and numbers are changed."""
    graph = model.graph
    names = [name for n in graph.node for name in (*n.input, *n.output)] + ["", "none"]
    for _ in range(rng.choice([1, 1, 2, 4])):
        n = rng.choice(graph.node) if graph.node else graph.node.add()
        kind = rng.randrange(7)
        if kind == 0 and n.input:
            n.input[rng.randrange(len(n.input))] = rng.choice(names)
        elif kind == 1 and n.output:
            n.output[rng.randrange(len(n.output))] = rng.choice(names)
        elif kind == 2:
            n.op_type = rng.choice([name for domain, name in OPERATORS if domain == n.domain] or [""])
        elif kind == 3:
            (n.input if rng.random() < 0.5 else n.output).append(rng.choice(names))
        elif kind == 4 and graph.initializer:
            tensor = rng.choice(graph.initializer)
            tensor.dims[:] = [rng.choice([-1, 0, 1, 3, 2**31, 2**62]) for _ in range(rng.randrange(4))]
        elif kind == 5 and n.attribute:
            a = rng.choice(n.attribute)
            a.i, a.f = rng.choice([-(2**63), -1, 0, 2, 2**63 - 1]), rng.choice([float("nan"), -1.0, 1e38])
            if a.ints:
                a.ints[rng.randrange(len(a.ints))] = a.i
        else:
            graph.node.append(rng.choice(graph.node))
    return model.SerializeToString()


def check(path: Path, name: str) -> str:
    """What became of a file: rejected, loaded or run."""
    try:
        module = load(path)
    except (ValueError, TypeError):
        return "rejected"
    if name not in INPUTS or "run_loop" in module.code:
        return "loaded"
    try:
        with torch.no_grad():
            module(*INPUTS[name])
    except AT_RUN_TIME:
        return "loaded"
    return "run"


def main() -> int:
    options = programs.options(__doc__, files=100_000, seed=1)
    warnings.simplefilter("ignore")
    rng = random.Random(options.seed)
    models = {name: make().SerializeToString() for name, make in SAMPLES.items()}
    counts = {"rejected": 0, "loaded": 0, "run": 0}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        for _ in range(options.files):
            name = rng.choice(list(models))
            if rng.random() < 0.5:
                data = damaged(rng, models[name], models[rng.choice(list(models))])
            else:
                data = mangled(rng, onnx.ModelProto.FromString(models[name]))
            path.write_bytes(data)
            begin = time.monotonic()
            try:
                counts[check(path, name)] += 1
            except BaseException as error:
                kept = Path(tempfile.gettempdir()) / "damaged.onnx"
                kept.write_bytes(data)
                print(f"{name}: {type(error).__name__}: {error}\nkept as {kept}")
                return 1
            if time.monotonic() - begin > MAX_SECONDS:
                print(f"{name}: took more than {MAX_SECONDS} s")
                return 1
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{options.files} files of onnx {onnx.__version__}: {counts}; at most {megabytes} MB of memory")
    return 0
