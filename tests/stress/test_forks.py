"""Locks and fork(): what csrc may hold at a fork, and the short form of `make stress CHECK=forks`."""

import re
from pathlib import Path

from support.programs import run_stress

CSRC = Path(__file__).resolve().parents[2] / "csrc"

LOCK = re.compile(
    r"std::\w*mutex|std::\w*_lock\b|lock_guard|once_flag|call_once|condition_variable|semaphore|std::latch|std::barrier"
    r"|pthread_(?!atfork)\w+|atomic_flag|thread_local|futex|std::async|std::j?thread"
)
# File -> why a child of fork() does not wait for another thread of its parent.
ALLOWED = {
    "core/fork_safe_lock.cpp": "the lock that pthread_atfork holds during a fork",
    "core/platform.cpp": "a wait of 20 ms at most, of a thread of ops/parallel.cpp",
    "core/poll.cpp": "a variable of each thread: the child has that of the thread that forked",
    "driver/runner.h": "a flag of one call, which only the threads of that call set",
    "ops/tfidf.cpp": "a variable of each thread: the child has that of the thread that forked",
    "ops/tokenizer.cpp": "a variable of each thread: the child has that of the thread that forked",
    "host/threads.cpp": "a variable of each thread: the child has that of the thread that forked",
}


def test_every_lock_of_the_source_has_a_reason():
    found = set()
    for path in sorted(CSRC.rglob("*.[hc]*")):
        code = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        if LOCK.search(code):
            found.add(str(path.relative_to(CSRC)))
    assert found == set(ALLOWED), "a lock needs a reason here why a child of fork() cannot wait for it for ever"


def test_children_do_not_wait_for_threads_of_their_parent():
    done = run_stress("forks", "--forks", "20")
    assert done.returncode == 0, done.stdout
