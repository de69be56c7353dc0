"""Children of fork() while other threads run every operator: none hangs, whatever the threads hold at that moment.

    stress forks [--forks N] [--seed S]

Threads call every operator by its suite, and compile patterns that no call has had before. Meanwhile the main thread
forks. Each child calls every operator and compiles patterns of its own, and must end within 20 s.
"""

import os
import random
import signal
import threading
import time
import warnings
from collections.abc import Callable

import torch
from support.programs import options
from support.registry import all_suites
from support.strings import compact

OPS = torch.ops.stringops
THREADS = 4
SECONDS = 20.0
CATEGORIES = ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi"]


def calls() -> list[Callable[[], object]]:
    """A call of every operator."""
    found: list[Callable[[], object]] = []
    for suite in all_suites().values():
        args, kwargs = suite.tensors(suite.small_call())
        found.append(lambda suite=suite, args=args, kwargs=kwargs: suite.overload(*args, **kwargs))
    return found


def search(word: str, rng: random.Random) -> None:
    """Calls that compile patterns which are new if `word` is: their classes, case variants and automata are too."""
    data, offsets = compact([b"foo bar", b"x"])
    letter = chr(rng.randrange(0x100, 0x2000))
    category = rng.choice(CATEGORIES)
    OPS.regex_contains(data, offsets, f"(?i){word}[é{letter}]\\p{{{category}}}")
    OPS.tokenizer_ragged(data, offsets, tokenexp=f"(?i)[{letter}]{word}|[a-z]+")


def in_child(all_calls: list[Callable[[], object]], word: str, rng: random.Random) -> None:
    for call in all_calls:
        call()
    search(word, rng)


def forks(count: int, seed: int) -> list[int]:
    """Forks `count` times; returns the exit statuses of the children, -SIGKILL of those that hang."""
    torch.set_num_threads(2)
    all_calls = calls()
    stop = threading.Event()

    def work(number: int) -> None:
        rng = random.Random(f"{seed} {number}")
        step = 0
        while not stop.is_set():
            step += 1
            search(f"a{number}b{step}", rng)
            rng.choice(all_calls)()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    statuses: list[int] = []
    try:
        for number in range(count):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, as there are threads
                child = os.fork()
            if child == 0:
                try:
                    in_child(all_calls, f"child{number}", random.Random(number))
                    os._exit(0)
                finally:
                    os._exit(1)
            statuses.append(wait_for(child))
            if statuses.count(-signal.SIGKILL) >= 3:
                break
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    return statuses


def wait_for(child: int) -> int:
    deadline = time.monotonic() + SECONDS
    while (done := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            done = os.waitpid(child, 0)
            break
        time.sleep(0.001)
    return os.waitstatus_to_exitcode(done[1])


def main() -> int:
    chosen = options(__doc__, forks=200, seed=1)
    statuses = forks(chosen.forks, chosen.seed)
    failed = [status for status in statuses if status != 0]
    hanging = failed.count(-signal.SIGKILL)
    print(f"forks: {len(statuses)} children of {THREADS} busy threads, {hanging} hang, {len(failed) - hanging} fail")
    return 1 if failed else 0
