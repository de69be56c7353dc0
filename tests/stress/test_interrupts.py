"""Signals in long calls: handlers run, their exceptions leave the call, and without one the call goes on."""

import pytest
from stress.interrupts import Outcome, marks
from stress.processes import run_python
from support.programs import run_stress

# A call of about four seconds, and a signal in the middle of it.
LONG_CALL = """
import os, signal, threading, time
import torch
import torch_stringops as so

data = torch.arange(4_000_000, dtype=torch.int64).mul_(2654435761).bitwise_and_(127).to(torch.uint8)
one = torch.tensor([0, len(data)], dtype=torch.int32)
OPS = torch.ops.stringops

def hashes(count):
    return OPS.string_minhash(data, one, count, 5)

began = time.monotonic()
hashes(256)
COUNT = min(65536, int(256 * 4 / (time.monotonic() - began)) + 256)

def send_soon():
    def send():
        global sent
        time.sleep(0.5)
        sent = time.monotonic(), time.process_time()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=send).start()

def latency():  # or of the CPU, as other processes may use the machine
    return min(time.monotonic() - sent[0], time.process_time() - sent[1])
"""


def run(code: str) -> None:
    done = run_python(LONG_CALL + code)
    assert done.returncode == 0, done.stdout + done.stderr


OPERATORS = [
    "string_minhash", "string_sort", "string_unique", "regex_find_all_spans_ragged", "string_normalize",
    "string_to_number",
]  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_leaves_a_long_call(threads: int):
    done = run_stress("interrupts", "--seconds", "1", "--megabytes", "8", "--threads", str(threads), *OPERATORS)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("outcome", "want"), [
    (Outcome(2.5, 0.1, 0.1, True), []),
    (Outcome(2.5, 0.9, 0.1, True), []),  # other processes use the machine
    (Outcome(2.5, 0.9, 0.9, True), ["LATE"]),
    (Outcome(2.5, 0.1, 0.1, False), ["NEVER INTERRUPTED"]),
    (Outcome(0.1, 0.1, 0.1, True), ["short"]),
    (Outcome(0.1, 0.1, 0.1, False), ["never interrupted", "short"]),
])  # fmt: skip
def test_a_long_call_that_no_signal_reached_is_a_failure(outcome: Outcome, want: list[str]):
    assert marks(outcome, 2.0) == want


def test_the_exception_is_that_of_the_handler():
    run("""
try:
    send_soon()
    hashes(COUNT)
except KeyboardInterrupt:
    assert latency() < 0.5
else:
    raise AssertionError("the call was not interrupted")

class Expired(Exception):
    pass

def expire(number, frame):
    raise Expired("after", number)

signal.signal(signal.SIGALRM, expire)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    hashes(COUNT)
except Expired as error:
    assert error.args == ("after", signal.SIGALRM) and error.__traceback__ is not None
else:
    raise AssertionError("the call was not interrupted")
assert torch.equal(hashes(1), OPS.string_minhash(data.clone(), one, 1, 5))
""")


def test_a_handler_that_raises_nothing_does_not_change_the_result():
    run("""
want = hashes(8)
handled = []
signal.signal(signal.SIGINT, lambda number, frame: handled.append((time.monotonic(), latency())))
send_soon()
got = hashes(COUNT)
ended = time.monotonic()
assert len(handled) == 1 and handled[0][0] < ended and handled[0][1] < 0.5, (handled, sent, ended)
assert torch.equal(got[..., :8], want)
""")


def test_a_call_of_another_thread_runs_on():
    run("""
results, done = [], threading.Event()

def work():
    results.append(hashes(COUNT))
    done.set()

threading.Thread(target=work).start()
send_soon()
try:
    done.wait()
except KeyboardInterrupt:
    assert not results
else:
    raise AssertionError("the main thread was not interrupted")
done.wait()
assert torch.equal(results[0][..., :8], hashes(8))
""")


def test_a_compiled_call_is_left_too():
    run("""
@torch.compile
def compiled(data, one):
    return OPS.string_minhash(data, one, COUNT, 5) + 1

compiled(data[:100], torch.tensor([0, 100], dtype=torch.int32))
try:
    send_soon()
    compiled(data, one)
except KeyboardInterrupt:
    assert latency() < 0.5
else:
    raise AssertionError("the call was not interrupted")
""")


def test_ctrl_c_leaves_the_edit_distance_of_two_long_strings():
    run(
        """
left = data[:1_000_000]
right = left.flip(0).contiguous()
ends = torch.tensor([0, len(left)], dtype=torch.int32)
send_soon()
try:
    OPS.string_edit_distance(left, ends, right, ends)
    raise SystemExit("the call was not interrupted")
except KeyboardInterrupt:
    assert latency() < 0.5, latency()
"""
    )
