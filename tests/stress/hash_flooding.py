"""Hash flooding: calls on words chosen to collide in a hash table with a known seed take linear time.

    stress hash_flooding [--words N]

hash_flooding.cpp makes the words. The seed of a vocabulary is a hash of its words, so words can be chosen to collide
under it. string_unique draws a random seed, which known_random.cpp, preloaded in a child process, makes known.
Ordinary words of the same sizes give the expected time; probing through 100,000 colliding words takes a thousand
times as long.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from support.programs import stress_command
from torch import Tensor

HERE = Path(__file__).resolve().parent
SEED = 0x0123456789ABCDEF
# Limits of the time that colliding words may take, relative to ordinary words: if the table is rebuilt with another
# seed; and if strings are sorted, as no seed helps. And additional seconds, as the machine may be in use.
SLOWER, SLOWER_IN_ORDER, MOMENT = 8, 60, 0.05

Words = tuple[Tensor, Tensor]


def compile(folder: Path) -> None:
    compiler = [*shlex.split(os.environ.get("CXX", "c++")), "-std=c++17", "-O1"]
    csrc = HERE.parents[1] / "csrc"
    for name, flags in (
        ("hash_flooding", [f"-I{csrc}", str(csrc / "core" / "xxh3.cpp")]),
        ("known_random", ["-shared", "-fPIC"]),
    ):
        subprocess.run([*compiler, *flags, str(HERE / f"{name}.cpp"), "-o", str(folder / name)], check=True)


def colliding(folder: Path, kind: str, count: int) -> Words:
    command = [str(folder / "hash_flooding"), kind, str(count), str(SEED)]
    raw = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    sizes = np.frombuffer(raw, np.uint32, np.frombuffer(raw, np.uint32, 1)[0], 4)
    offsets = np.concatenate([[0], sizes.cumsum()]).astype(np.int32)
    data = np.frombuffer(raw, np.uint8, offset=4 + sizes.nbytes).copy()
    return torch.from_numpy(data), torch.from_numpy(offsets)


def ordinary(words: Words) -> Words:
    """Other words of the same sizes; equal words stay equal."""
    sizes, halves = words[1].diff(), len(words[0]) // 2
    data = np.random.default_rng(1).integers(0, 256, len(words[0]), np.uint8)
    if torch.equal(sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]) and torch.equal(
        words[0][:halves], words[0][halves:]
    ):
        data[halves:] = data[:halves]
    return torch.from_numpy(data), words[1]


def seconds(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def compare(what: str, call: Callable[..., Any], colliding_words: Any, usual_words: Any, slower: float) -> None:
    usual, slow = seconds(lambda: call(*usual_words)), seconds(lambda: call(*colliding_words))
    print(f"  {what}: {slow * 1e3:.1f} ms, ordinary words {usual * 1e3:.1f} ms ({slow / usual:.1f}x)", flush=True)
    assert slow <= slower * usual + MOMENT, f"{what}: {slow:.3f} s, ordinary words take {usual:.3f} s"


def check_unique(folder: Path, count: int) -> None:
    """In a child process, whose first seed is the known one; the process keeps it."""
    know_random = ctypes.CDLL(str(folder / "known_random")).know_random
    for what, draws, slower in (("the", 2, SLOWER), ("every", 2**62, SLOWER_IN_ORDER)):
        know_random(ctypes.c_uint64(SEED), ctypes.c_uint64(draws))
        print(f"  {what} seed has leaked:", flush=True)
        compare_unique(folder, count, slower)


def compare_unique(folder: Path, count: int, slower: float) -> None:
    unique = torch.ops.stringops.string_unique
    for kind in ("short", "long", "longer"):
        words = colliding(folder, kind, count)
        # Each word twice: the second time, it is searched for among all words.
        twice = (torch.cat([words[0]] * 2), torch.cat([words[1], words[1][1:] + words[1][-1]]))
        data, offsets, inverse, counts = unique(*twice)
        assert torch.equal(data, words[0])
        assert torch.equal(offsets, words[1])
        assert torch.equal(inverse, torch.arange(count).repeat(2))
        assert bool((counts == 2).all())
        compare(f"string_unique, {kind} words", unique, twice, ordinary(twice), slower)


def check_vocabulary(folder: Path, count: int) -> None:
    build, encode = torch.ops.stringops.vocab_build, torch.ops.stringops.vocab_encode
    for kind in ("rejected", "slow", "short", "long", "longer"):
        words = colliding(folder, kind, count)
        table = build(*words)
        assert torch.equal(encode(*words, table), torch.arange(count))
        other = ordinary(words)
        compare(f"vocab_build, {kind}", build, words, other, SLOWER)
        compare(f"vocab_encode, {kind}", encode, (*words, table), (*other, build(*other)), SLOWER)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--child")  # the folder with the compiled programs
    options = parser.parse_args()
    import torch_stringops  # noqa: F401

    torch.set_num_threads(1)
    if options.child:
        check_unique(Path(options.child), options.words)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        compile(Path(folder))
        check_vocabulary(Path(folder), options.words)
        command = stress_command("hash_flooding", "--words", str(options.words), "--child", folder)
        environment = dict(os.environ, LD_PRELOAD=str(Path(folder) / "known_random"))
        subprocess.run(command, env=environment, check=True)
    return 0
