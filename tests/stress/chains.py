"""Chains of random methods: torch's methods and functions on strings give the same results as on ids.

    stress chains [--steps N] [--seed S]

Each string of a StringTensor corresponds to an id in an int64 tensor. Every step, a line of Python in which `t` is the
current tensor, runs on both: the results must have the same shape and the same elements, or both must raise exceptions
of one family. Arguments are around the limits of the valid ones. A difference is printed as the shortest chain that
still has it, with its seed, and ends the run with code 1.
"""

import math
import time
import warnings
from typing import Any

import numpy as np
import torch
from stress.chain_steps import ODD, STEPS, WRAPPING, Random, Writer
from support.programs import options
from support.strings import LAYOUTS
from support.surrogate import pair, word
from torch import Tensor

from torch_stringops import StringTensor
from torch_stringops._checks import MAX_OFFSETS

SHAPES = [(), (), (0,), (1,), (4,), (2, 3), (3, 0), (0, 3), (4, 1), (1, 1), (2, 1, 3), (2, 3, 4), (1, 0, 2)]
STEPS_OF_A_CHAIN = 20
MAX_ELEMENTS = 300  # of a result with which the chain continues


WORDS = [word(i) for i in range(100)]


def namespace(t: Any) -> dict[str, Any]:
    import copy

    strings = isinstance(t, StringTensor)

    def a(number: int) -> Any:
        """A single element, of rank 0."""
        return StringTensor.from_list(WORDS[number]) if strings else torch.tensor(number)

    return {"t": t, "a": a, "torch": torch, "np": np, "copy": copy}


def run(step: str, t: Any) -> Any:
    """The result of the step, or the exception that it raised."""
    try:
        return eval(step, namespace(t))
    except Exception as error:
        return error


def same_family(got: Exception, want: Exception, step: str) -> bool:
    """Whether two exceptions can be about the same mistake: torch often raises RuntimeError instead of ValueError or
    TypeError. If arguments have several mistakes, any of them may be named."""
    if any(value in step for value in WRAPPING + ODD):
        return True
    if "out of DATA bounds" in str(want):  # as torch says of strided tensors
        return isinstance(got, (IndexError, RuntimeError))
    for kind in (IndexError, TypeError):
        if isinstance(want, kind):
            return isinstance(got, kind)
    return isinstance(got, (RuntimeError, ValueError, TypeError))


def difference(got: Any, want: Any, step: str) -> str | None:
    """The difference between the results on strings and on ids, or None."""
    # torch itself makes sizes of -1, by steps of 2**63 - 1.
    if isinstance(want, Tensor) and any(size < 0 for size in want.shape):
        return None
    if isinstance(want, Exception) or isinstance(got, Exception):
        return None if is_decided(got, want, step) else f"{got!r} for {want!r}"
    if isinstance(want, (tuple, list)) and not isinstance(want, torch.Size):
        if type(got) is not type(want) or len(got) != len(want):
            return f"{got!r} for {want!r}"
        return next((d for pair in zip(got, want, strict=True) if (d := difference(*pair, step))), None)
    if not isinstance(want, Tensor) or want.dtype is torch.bool:
        same = torch.equal(got, want) if isinstance(want, Tensor) and isinstance(got, Tensor) else got == want
        return None if same else f"{got!r} for {want!r}"
    if not isinstance(got, StringTensor):
        return f"{got!r} for {want!r}"
    if got.shape != want.shape:
        return f"shape {list(got.shape)} for {list(want.shape)}"
    if want.numel() > 10**5:
        return None
    try:
        strings = got.validate().reshape(-1).tolist()
    except Exception as error:
        return f"{error!r} on reading {want!r}"
    return None if strings == [WORDS[i] for i in want.flatten().tolist()] else f"{got!r} for {want!r}"


# Parts of torch's errors about arguments or views that strings accept.
OF_TORCH_ONLY = [
    "not bool", "!bool", "type bool", "of [bool", "of (bool", "not Tensor", "not numpy.", "=bool", "!NoneType!",
    "positional argument", "view size is not compatible",
]  # fmt: skip


def is_decided(got: Any, want: Any, step: str) -> bool:
    """Whether two results, of which at least one is an exception, are equal, or differ as docs/concepts.md says."""
    # An int may be a bool, a tensor or one of NumPy, and strides do not matter to strings.
    if any(text in str(want) for text in OF_TORCH_ONLY):
        return True
    # Strides of 2**63 and more wrap around in torch, for ids or for offsets.
    if any("Negative strides" in str(error) or "as a SymInt" in str(error) for error in (got, want)):
        return True
    if not isinstance(got, Exception):
        return False
    if isinstance(want, Exception):
        return same_family(got, want, step)
    tensors = [t for t in (want if isinstance(want, (tuple, list)) else [want]) if isinstance(t, Tensor)]
    if any(math.prod(max(abs(size), 1) for size in t.shape) >= MAX_OFFSETS for t in tensors):
        return isinstance(got, (ValueError, RuntimeError))
    # torch does not check index tensors, or negative repeats, if the result is empty. Offsets are never empty, so they
    # are checked here.
    none = isinstance(want, Tensor) and want.numel() == 0
    return none and ("out of bounds" in str(got) or "of at least 0" in str(got))


def skipped(step: str, shape: tuple[int, ...]) -> bool:
    """Whether torch takes minutes for the step, crashes, ignores empty vectors in cat, or the step is a different
    operation on strings."""
    if "split(None" in step:  # cuts strings at whitespace
        return True
    wraps = any(value in step for value in WRAPPING)
    if any(name in step for name in ("tensor_split", "chunk", "repeat_interleave")):
        return wraps
    if "2**31" in step and ("repeat(" in step or "tile(" in step):  # torch would allocate it
        return True
    if "split('a'" in step or "split(t, 'a'" in step:  # cuts strings
        return True
    joins = any(name in step for name in ("cat(", "stack(", "concat("))
    return joins and (shape == (0,) or ("t[0]" in step and shape[1:] == (0,)))


class Chain:
    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.rng = Random(seed)
        self.shape = self.rng.choice(SHAPES)
        self.layout = self.rng.choice(list(LAYOUTS))
        self.steps: list[str] = []

    def advance(self, ids: Tensor, s: StringTensor, step: str, pick: int) -> tuple[Tensor, StringTensor, str | None]:
        want = run(step, ids)
        got = run(step, s)
        differs = difference(got, want, step)
        if isinstance(want, (tuple, list)) and want and isinstance(want[0], Tensor) and not differs:
            want, got = want[pick % len(want)], got[pick % len(got)]
        both = isinstance(got, StringTensor) and isinstance(want, Tensor)
        if differs or not both or want.dim() > 6:
            return ids, s, differs
        if math.prod(max(size, 1) for size in want.shape) > MAX_ELEMENTS:
            return ids, s, differs
        return want, got, None

    def run(self) -> str | None:
        """Draws and runs the steps; returns the first difference, or None."""
        ids, s = pair(self.shape, self.layout)
        for _ in range(STEPS_OF_A_CHAIN):
            writer = Writer(self.rng, tuple(ids.shape))
            step = self.rng.choices(list(STEPS), list(STEPS.values()))[0](writer)
            if skipped(step, tuple(ids.shape)):
                continue
            self.steps.append(step)
            ids, s, differs = self.advance(ids, s, step, len(step))
            if differs:
                return differs
        return None

    def differs(self, steps: list[str]) -> str | None:
        ids, s = pair(self.shape, self.layout)
        for step in steps:
            ids, s, differs = self.advance(ids, s, step, len(step))
            if differs:
                return differs
        return None

    def shortest(self) -> list[str]:
        """The steps that are needed for the difference."""
        steps = self.steps
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + 1 :]
            if self.differs(fewer):
                steps = fewer
            else:
                at += 1
        return steps

    def report(self, differs: str) -> str:
        steps = self.shortest()
        lines = [f"t = pair({self.shape}, {self.layout!r})", *(f"t = {step}" for step in steps)]
        return f"chain {self.seed!r}: {differs[:1000]}\n  " + "\n  ".join(lines)


def check(steps: int, seed: str, *, progress: bool = False, stop_after: int = 1) -> list[str]:
    """Runs chains of `steps` steps in total; returns reports of those in which strings and ids differ."""
    found: list[str] = []
    made, number, began, printed = 0, 0, time.monotonic(), 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of uint8 masks, .T of other ranks than 2
        while made < steps and len(found) < stop_after:
            chain = Chain(f"{seed} {number}")
            number += 1
            differs = chain.run()
            made += len(chain.steps)
            if differs:
                found.append(chain.report(differs))
                if progress:
                    print(found[-1], flush=True)
            if progress and time.monotonic() - printed > 10:
                printed = time.monotonic()
                print(
                    f"{made:,} steps, {printed - began:.0f} s, seed {chain.seed!r}, {len(found)} differences",
                    flush=True,
                )
    return found


def main() -> int:
    args = options(__doc__, steps=1_000_000, seed="0", stop_after=1)
    found = check(args.steps, args.seed, progress=True, stop_after=args.stop_after)
    if not found:
        print(f"{args.steps:,} steps, no difference, seed {args.seed!r}")
    return 1 if found else 0
