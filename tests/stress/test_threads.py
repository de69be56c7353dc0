"""Operators in children of fork(), on several Python threads, and on tensors that another thread writes."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time

import pytest
import torch
from stress.processes import ROWS, split_count
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.strings import compact

import torch_stringops as so


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    split_count()  # so that torch's pool of threads exists before any fork
    yield
    torch.set_num_threads(before)


def test_a_forked_child_can_split_after_its_parent(two_threads):
    for _ in range(5):
        child = os.fork()
        if child == 0:
            os._exit(0 if split_count() == 50_000 else 1)
        deadline = time.monotonic() + 5
        while (done := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(child, 9)
                os.waitpid(child, 0)
                pytest.fail("the child hangs, as it waits for threads that do not survive fork()")
            time.sleep(0.005)
        assert done[1] == 0


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(method: str, two_threads):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(split_count, range(4)).get(timeout=60) == [50_000] * 4


def tolist_of(chunks: list[so.StringTensor]) -> list[list[str]]:
    return [chunk.tolist() for chunk in chunks]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_slices_of_one_column_can_be_sent_to_a_new_process(method: str):
    """Sending makes copies, which must live until the process has received them."""
    column = so.as_strings([f"row {i}" for i in range(100)])
    context = torch.multiprocessing.get_context(method)
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=send_lists, args=(send, column.chunk(7)))
    child.start()
    assert receive.poll(60), "the process sends nothing"
    assert receive.recv() == tolist_of(column.chunk(7))
    child.join(60)
    assert child.exitcode == 0


def send_lists(send, chunks: list[so.StringTensor]) -> None:
    send.send(tolist_of(chunks))


SLICES_OF_A_LARGE_COLUMN = """
import os
import torch
torch.set_num_threads(1)
from support.registry import all_suites

own = torch.frombuffer(bytearray(b"ab cd"), dtype=torch.uint8)
large = torch.frombuffer(bytearray(b"ab cd" + b" " * (64 << 20)), dtype=torch.uint8)
ends = torch.tensor([0, 4, 5], dtype=torch.int32)
calls = {name: (s.overload, *s.tensors(s.small_call())) for name, s in all_suites().items() if s.string_pairs()}


def threads():
    return len(os.listdir("/proc/self/task"))


def widened(value, offsets):
    if not isinstance(value, torch.Tensor):
        return value
    if torch.equal(value, own):
        return large
    return offsets if torch.equal(value, ends) else value


# torch starts its threads when they are first used, and keeps them.
torch.set_num_threads(4)
before = threads()
vectors = ("vocab_build", "string_normalizer", "string_join_ragged", "string_ngrams_ragged", "subword_encode_pairs", "_string_masked_select", "_string_where", "_strings_to_dense", "regex_contains_any", "string_contains_any", "string_extract_many", "string_replace_many")
for name, (overload, positional, named) in calls.items():
    for offsets in [ends] if name in vectors else [ends, ends.expand(2, 3)]:
        overload(*(widened(value, offsets) for value in positional), **named)
        assert threads() == before, name
torch.ops.stringops.string_split(large, torch.tensor([0, len(large)], dtype=torch.int32))
assert threads() > before, "this test cannot see threads"
"""


def test_a_few_strings_of_a_large_column_use_one_thread():
    path = os.pathsep.join(filter(None, sys.path))
    code = [sys.executable, "-c", SLICES_OF_A_LARGE_COLUMN]
    subprocess.run(code, env=os.environ | {"PYTHONPATH": path}, check=True)


def test_many_python_threads_get_equal_results():
    data, offsets = compact(ROWS)
    want = torch.ops.stringops.string_split_ragged(data, offsets)
    differ = []

    def run() -> None:
        for _ in range(20):
            got = torch.ops.stringops.string_split_ragged(data, offsets)
            if not all(torch.equal(a, b) for a, b in zip(got, want, strict=True)):
                differ.append(got)

    threads = [threading.Thread(target=run) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not differ


OPS = torch.ops.stringops


def unpack(data: torch.Tensor, offsets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    begins, ends, symbols = OPS.string_tensor_unpack(data, offsets)
    return symbols, torch.cat([begins, ends])


def pack(data: torch.Tensor, offsets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return OPS.string_tensor_pack(offsets[:-1], offsets[1:], data)


def tokens(data: torch.Tensor, offsets: torch.Tensor, how: dict) -> tuple[torch.Tensor, torch.Tensor]:
    return OPS.tokenizer_ragged(data, offsets, mark=True, **how)


SPLITS = [
    (op, (delimiter, maxsplit))
    for op in (OPS.string_split, OPS.string_split_ragged)
    for delimiter, maxsplit in [("", -1), (",", -1), ("::", -1), ("", 3), (",", 2)]
]
# Results are bytes, then offsets into them.
WRITTEN = [
    *SPLITS,
    (unpack, ()),
    (pack, ()),
    (tokens, ({"separators": [" "]},)),
    (tokens, ({"tokenexp": "[a-z]+|,"},)),
    (OPS.split.strings, ([700, 500],)),
    (OPS.split_to_sequence.strings, ([1200],)),
]


@each(("op", "args"), WRITTEN)
def test_concurrent_writes_give_an_error_or_a_valid_result(op, args: tuple):
    rows = [b"a, b::c d", b"", b"xx::,, yyyy  zz"] * 400
    data, offsets = compact(rows)
    good_data, good_offsets = data.clone(), offsets.clone()
    generator = torch.Generator().manual_seed(0)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            data.copy_(torch.randint(0, 127, data.shape, dtype=torch.uint8, generator=generator))
            at = torch.randint(0, len(offsets), (64,), generator=generator)
            offsets[at] = torch.randint(-(2**31), 2**31 - 1, (64,), dtype=torch.int32, generator=generator)
            data.copy_(good_data)
            offsets.copy_(good_offsets)

    writer = threading.Thread(target=write)
    writer.start()
    outcomes = {"result": 0, "error": 0}
    try:
        for _ in range(150):
            try:
                pieces, ends = op(data, offsets, *args)[:2]
            except BAD_ARGUMENT:
                outcomes["error"] += 1
            else:
                outcomes["result"] += 1
                assert ends.min() >= 0
                assert ends.max() <= len(pieces)
    finally:
        stop.set()
        writer.join()
    assert sum(outcomes.values()) == 150
    # Without concurrent writes the call works again.
    assert op(data, offsets, *args)[1].min() == 0


@pytest.mark.parametrize("wanted", ["scalar", "unknown"])
def test_the_environment_variable_selects_the_tier(wanted: str):
    code = "import torch_stringops as so; print(so.simd_tier())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"STRINGOPS_SIMD": wanted, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    best = so.simd_tiers()[0]
    assert done.stdout.strip() == (wanted if wanted in so.simd_tiers() else best), done.stderr


def test_an_unknown_tier_is_rejected():
    before = so.simd_tier()
    with pytest.raises(
        ValueError, match="^set_simd_tier: expected `tier` to be one of .*'scalar'.*, got 'neon9'$"
    ):
        so.set_simd_tier("neon9")
    assert so.simd_tier() == before


def test_the_tier_can_be_changed_while_operators_run():
    tiers = so.simd_tiers()
    before = so.simd_tier()
    stop = threading.Event()

    def choose() -> None:
        while not stop.is_set():
            for tier in tiers:
                so.set_simd_tier(tier)

    chooser = threading.Thread(target=choose)
    chooser.start()
    try:
        assert {split_count() for _ in range(50)} == {50_000}
    finally:
        stop.set()
        chooser.join()
        so.set_simd_tier(before)
