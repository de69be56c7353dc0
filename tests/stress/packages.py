"""A model on many threads, eager, compiled, exported and packaged, and behind an HTTP server: no call may hang.

    stress packages [--threads 8] [--calls 1000] [--requests 10000] [--backend inductor] [--limit SECONDS]

torch's loader runs one call of an AOTInductor package at a time, and waits for the previous one without releasing
Python's lock (GIL). An operator that enters Python within a package may release the lock; another thread then takes it,
waits for the package, and both wait for ever. After `--limit` seconds, the stacks of all threads are printed, and the
exit status is 1.
"""

import faulthandler
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import torch
from stress import server
from support.models import corpus, strings, vocabulary
from support.programs import options
from support.subword_small import LINES, tokenizer
from support.threads import in_parallel
from torch import Tensor, nn

import torch_stringops as so

WIDTH = 8

Form = Callable[[so.StringTensor], Tensor]


class Model(nn.Module):
    """From text to one number per line, by every operator with derivatives, joined strings, and tokenizers."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary, self.subwords = vocabulary(), tokenizer()
        self.embedding = nn.Embedding(self.vocabulary.num_ids, 4)

    def forward(self, text: so.StringTensor) -> Tensor:
        words, row_splits = so.tokenizer_ragged(text.lower(), tokenexp=r"\w+|\W")
        embedded = self.embedding(self.vocabulary.encode(words))
        dense = so.ragged_to_dense(embedded, row_splits, WIDTH, padding_value=0.5, side="left")
        values, _ = so.dense_to_ragged(dense, so.ragged_lengths(row_splits).clamp(max=WIDTH), side="left")
        left, right = torch.ops.stringops.split(dense, [3, WIDTH - 3], 1)
        columns = torch.ops.stringops.split_to_sequence(dense, [1] * WIDTH, 1)
        sums = left.sum((1, 2)) - right.sum((1, 2)) + torch.stack(columns).amax((0, 2, 3)) + values.sum()
        both = torch.cat([text, text.upper()]).length()
        ids = self.subwords(text, padding="max_length", max_length=WIDTH)["input_ids"]
        return sums + both[: text.shape[0]] + both[text.shape[0] :] + ids.sum(1)


def forms(folder: Path, backend: str) -> dict[str, Form]:
    """The ways to run one model."""
    torch.manual_seed(0)
    model = Model().eval()
    example = strings(LINES)
    program = so.export(model, (example,))
    package = torch._inductor.aoti_compile_and_package(program, package_path=str(folder / "model.pt2"))
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend=backend)
    compiled(example)
    return {
        "eager": model,
        "compiled": compiled,
        "exported": program.module(),
        "package": torch._inductor.aoti_load_package(package),
    }


def batches(count: int) -> list[list[str]]:
    return [corpus(3 + i % 5, seed=i)[0] + ["", f"Ünïcode {i}\n"] for i in range(count)]


def same(got: Tensor, want: Tensor) -> bool:
    return torch.allclose(got, want, rtol=1e-4, atol=1e-4)


def call_on_threads(form: Form, count: int, calls: int) -> list[str]:
    """Calls `form` on `count` threads; returns what went wrong."""
    errors: list[str] = []
    texts = [strings(batch) for batch in batches(count)]
    with torch.no_grad():
        wanted = [form(text) for text in texts]
    begin = threading.Barrier(count)

    def work(text: so.StringTensor, want: Tensor) -> None:
        begin.wait()
        try:
            with torch.no_grad():
                for _ in range(calls):
                    if not same(form(text), want):
                        errors.append("another result than on one thread")
                        return
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}"[:300])

    in_parallel(lambda pair: work(*pair), zip(texts, wanted, strict=True))
    return errors


def main() -> int:
    args = options(__doc__, threads=8, calls=1000, requests=10_000, backend="inductor", limit=3600.0)
    faulthandler.dump_traceback_later(args.limit, exit=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        ways = forms(Path(folder), args.backend)
        runs = {name: lambda form=form: call_on_threads(form, args.threads, args.calls) for name, form in ways.items()}
        if args.requests:
            runs["server"] = lambda: server.check(ways, batches(8), args.requests)
        for name, run in runs.items():
            began = time.monotonic()
            errors = run()
            print(f"{name}: {errors[0] if errors else 'done'} ({time.monotonic() - began:.1f} s)", flush=True)
            failed = failed or bool(errors)
    return int(failed)
