"""Pretrain a small GPT on a folder of text, in two processes that are killed once, and go on where they were.

    python examples/pretrain.py --data FOLDER --output demo-output/pretrain

Files become documents; near duplicates are left out; `tokenizers` trains a byte-level BPE tokenizer on a part of the
text; `write_tokens` writes the ids; `Pack` makes blocks of whole documents. DDP over gloo trains twice: once without a
break, and once with a kill (SIGKILL) of all processes, after which they resume from the last checkpoint. The losses of
both are equal in every digit, which the program asserts. Without --data, the text is what lies on the machine: sources
of Python, C headers of torch, and documentation.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from gpt import GPT
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from torch_stringops import StringTensor, SubwordTokenizer
from torch_stringops.data import StringColumn, load, save
from torch_stringops.pretrain import Pack, TokenDataset, deduplicate, write_tokens

EOS = "<|endoftext|>"
SUFFIXES = {"", ".c", ".cpp", ".h", ".md", ".py", ".pyi", ".rst", ".txt"}
# Files of more bytes are hardly written by people.
MAX_FILE = 2**20
# Bytes of text that the tokenizer is trained on.
MAX_TRAINED = 2**24


def machine_folders() -> list[Path]:
    include = Path(torch.__file__).parent / "include"
    return [
        *(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")),
        include,
        Path("/usr/share/doc"),
    ]


def documents(folders: list[Path], limit: int) -> Iterator[bytes]:
    """The files of folders, without those that are empty or large, until they have `limit` bytes."""
    total = 0
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file() or not 0 < path.stat().st_size <= MAX_FILE:
                continue
            try:
                text = path.read_bytes()
            except OSError:  # of another user
                continue
            total += len(text)
            if total > limit:
                return
            yield text


def make_corpus(args: argparse.Namespace, output: Path) -> StringColumn:
    """The text without near duplicates, in an Arrow file."""
    folders = [args.data] if args.data else machine_folders()
    texts = StringTensor.from_list(list(documents(folders, int(args.megabytes * 1e6))))
    if texts.numel() == 0:
        raise SystemExit(f"--data: {folders[0]} has no text files")
    column = StringColumn([texts[texts.is_utf8()]])
    kept = deduplicate(column, threshold=0.8)
    save(kept, output / "corpus.arrow")
    size = texts.data.numel() / 1e6
    print(f"{len(column):,} documents, {size:,.1f} MB; {len(column) - len(kept):,} near duplicates are left out")
    return load(output / "corpus.arrow")


def make_tokenizer(column: StringColumn, vocab_size: int, path: Path) -> SubwordTokenizer:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=[EOS], initial_alphabet=alphabet, show_progress=False
    )
    # Every k-th document, so that all folders have their share.
    size = sum(int(chunk.length("byte").sum()) for chunk in column)
    sample = column[:: max(1, -(-size // MAX_TRAINED))]
    tokenizer.train_from_iterator(sample.tolist(), trainer)
    tokenizer.save(str(path))
    return SubwordTokenizer.from_file(path)


def train(args: argparse.Namespace) -> None:
    """A process of the training: appends the loss of each step to a file, and saves a checkpoint now and then."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    group = f"file://{args.output}/group"
    dist.init_process_group("gloo", group, rank=args.rank, world_size=args.processes)
    tokens = TokenDataset(args.tokens)
    pack = Pack(tokens, args.length, args.batch_size, "best_fit", mask_boundaries=True, shuffle=True, drop_last=True)
    model = GPT(args.vocab_size, args.length, args.width, args.depth, heads=max(1, args.width // 32))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, betas=(0.9, 0.95))
    checkpoint = args.output / "checkpoint.pt"
    first = 0
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        pack.load_state_dict(saved["pack"])
        first = saved["step"]
    if args.compile:
        model.compile()
    parallel = DistributedDataParallel(model)
    with (args.output / "losses.jsonl").open("a") as losses:
        for step, batch in zip(range(first + 1, args.steps + 1), batches(pack), strict=False):
            began = time.perf_counter()
            loss = parallel(batch["input_ids"][:, :-1], batch["position_ids"], batch["document_ids"], batch["labels"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if args.rank == 0:
                seconds = time.perf_counter() - began
                losses.write(
                    json.dumps({"step": step, "loss": mean.item() / args.processes, "seconds": seconds}) + "\n"
                )
                losses.flush()
            if args.rank == 0 and step % args.checkpoint_every == 0:
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
                torch.save(state | {"pack": pack.state_dict()}, checkpoint.with_suffix(".partial"))
                os.replace(checkpoint.with_suffix(".partial"), checkpoint)
            if step == args.kill_at:
                signal.pause()  # until it is killed
    dist.destroy_process_group()


def batches(pack: Pack) -> Iterator[dict[str, Tensor]]:
    while True:
        yield from pack


def run(args: argparse.Namespace, name: str, kill_at: int | None = None) -> dict[int, dict[str, float]]:
    """Trains until the end, or kills all processes after step `kill_at`; resumes what is in the folder."""
    folder = args.output / name
    folder.mkdir(exist_ok=True)
    settings = vars(args) | {"output": folder, "tokens": args.output / "tokens", "kill_at": kill_at}
    command = [sys.executable, __file__, f"--settings={json.dumps(settings, default=str)}"]
    (folder / "group").unlink(missing_ok=True)
    processes = [subprocess.Popen([*command, f"--rank={rank}"]) for rank in range(args.processes)]
    told = time.monotonic()
    try:
        while None in (codes := [process.poll() for process in processes]) and not any(codes):
            steps = steps_of(folder)
            if kill_at in steps:
                break
            if time.monotonic() > told + 8:
                told = time.monotonic()
                print(
                    f"  {name}: " + (f"step {max(steps)} of {args.steps}" if steps else "torch.compile works"),
                    flush=True,
                )
            time.sleep(0.1)
    finally:
        for process in processes:
            process.kill()  # SIGKILL
            process.wait()
    if any(codes) or (kill_at is None and codes != [0] * len(codes)):
        raise SystemExit(f"{name}: a process failed")
    return steps_of(folder)


def steps_of(folder: Path) -> dict[int, dict[str, float]]:
    """The last record of each step. The last line may be one that is being written."""
    path = folder / "losses.jsonl"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return {record["step"]: record for record in map(json.loads, lines)}


def plot(whole: dict[int, Any], resumed: dict[int, Any], killed_at: int, first: int, path: Path) -> bool:
    """Draws the losses of both runs. Returns False if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    axes = (figure := Figure(figsize=(7, 4), dpi=150, layout="constrained")).add_subplot()
    for steps, style, label in (
        (whole, {"lw": 4, "color": "#9ecae1"}, "not killed"),
        (resumed, {"lw": 1, "color": "black"}, "killed and resumed"),
    ):
        axes.plot(list(steps), [record["loss"] for record in steps.values()], label=label, **style)
    axes.axvline(killed_at, color="#d62728", ls=":", label=f"killed after step {killed_at}, resumed at {first + 1}")
    axes.set_xlabel("step")
    axes.set_ylabel("loss of a token")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder of text files; default: what lies on this machine")
    parser.add_argument("--megabytes", type=float, default=200, help="at most so much text")
    parser.add_argument("--output", type=Path, default=Path("demo-output/pretrain"), help="is written anew")
    parser.add_argument("--vocab-size", type=int, default=8192)
    parser.add_argument("--length", type=int, default=256, help="tokens of a block")
    parser.add_argument("--batch-size", type=int, default=4, help="blocks of a step, in each process")
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=160)
    parser.add_argument("--kill-at", type=int, default=70, help="the step after which the second training is killed")
    parser.add_argument("--checkpoint-every", type=int, default=40)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-compile", dest="compile", action="store_false")
    parser.add_argument("--settings", help=argparse.SUPPRESS)  # of a process that trains
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.settings:
        paths = {"output", "tokens"}
        settings = {key: Path(v) if key in paths else v for key, v in json.loads(args.settings).items()}
        train(argparse.Namespace(**{**settings, "rank": args.rank}))
        return
    args.output = args.output.resolve()
    shutil.rmtree(args.output, ignore_errors=True)
    args.output.mkdir(parents=True)
    start = time.perf_counter()

    def done(what: str) -> None:
        print(f"[{time.perf_counter() - start:5.0f} s] {what}", flush=True)

    column = make_corpus(args, args.output)
    done("the corpus is in corpus.arrow")
    tokenizer = make_tokenizer(column, args.vocab_size, args.output / "tokenizer.json")
    args.vocab_size = tokenizer.vocab_size
    done(f"tokenizer.json has {tokenizer.vocab_size:,} tokens")
    manifest = write_tokens(column, tokenizer, args.output / "tokens", shard_bytes=2**24, progress=False)
    pack = Pack(TokenDataset(args.output / "tokens"), args.length, args.batch_size, "best_fit", rank=0, world_size=1)
    done(
        f"{manifest['tokens']:,} tokens of {manifest['bytes'] / 1e6:,.1f} MB are in tokens/: "
        f"{pack.num_blocks:,} blocks of {args.length}, {pack.padding:.2%} of them padding"
    )
    whole = run(args, "whole")
    assert list(whole) == list(range(1, args.steps + 1))
    seconds = sorted(record["seconds"] for record in whole.values())[len(whole) // 2]
    rate = args.processes * args.batch_size * args.length / seconds
    losses = [record["loss"] for record in whole.values()]
    done(f"{args.steps} steps: loss {losses[0]:.3f} to {losses[-1]:.3f}, {rate:,.0f} tokens/s")
    killed = run(args, "killed", args.kill_at)
    first = torch.load(args.output / "killed" / "checkpoint.pt")["step"]
    done(f"a second training was killed after step {max(killed)}; its last checkpoint is of step {first}")
    resumed = run(args, "killed")
    unequal = [step for step, record in whole.items() if resumed.get(step, {}).get("loss") != record["loss"]]
    assert not unequal, f"losses differ at steps {unequal[:5]}"
    done(f"resumed from there: all {len(resumed)} losses are equal to those of the first training")
    if plot(whole, resumed, max(killed), first, args.output / "losses.png"):
        print(f"the curves are in {args.output / 'losses.png'}")


if __name__ == "__main__":
    main()
