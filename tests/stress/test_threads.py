"""Operators in children of fork(), on several Python threads, and on tensors that another thread writes."""

import multiprocessing
import os
import random
import subprocess
import sys
import time
from typing import Any

import pytest
import torch
from stress.malformed_arguments import Case, wrong_results
from stress.processes import ROWS, split_count
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.registry import OVERLOADS, suite_of
from support.strings import compact
from support.threads import in_parallel, meanwhile
from torch.utils._pytree import tree_leaves, tree_map_only

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

    def run(_: int) -> None:
        for _ in range(20):
            assert all(map(torch.equal, torch.ops.stringops.string_split_ragged(data, offsets), want))

    in_parallel(run, range(16))


def drawn_call(name: str) -> tuple[list[Any], dict[str, Any]]:
    """A call of an operator, on some hundred strings if it draws calls."""
    suite = suite_of(name)
    call = suite.drawn(random.Random(name), 300) if suite.can_draw() else suite.samples[0]
    args, kwargs = suite.tensors(call)
    layout = torch.contiguous_format
    return tree_map_only(torch.Tensor, lambda t: t.detach().clone(memory_format=layout), args), kwargs


def integers_of(args: list[Any]) -> list[torch.Tensor]:
    """The offsets, ids, tables and others that another thread can write."""
    tensors = [t for t in tree_leaves(args) if isinstance(t, torch.Tensor)]
    return [t for t in tensors if t.numel() and not t.is_floating_point() and not t.is_complex()]


@each("name", OVERLOADS)
def test_concurrent_writes_give_an_error_or_a_valid_result(name: str):
    suite = suite_of(name)
    args, kwargs = drawn_call(name)
    written = integers_of(args)
    good = [t.clone() for t in written]
    other = [torch.randint(0, 127, t.shape).to(t.dtype) for t in written]
    generator = torch.Generator().manual_seed(0)

    def write() -> None:
        for t, right, wrong in zip(written, good, other, strict=True):
            if t.dtype == torch.uint8:
                t.copy_(wrong)
            elif t.dtype != torch.bool:
                at = torch.randint(0, t.numel(), (9,), generator=generator)
                low, high = torch.iinfo(t.dtype).min, torch.iinfo(t.dtype).max
                values = torch.randint(max(low, -(2**62)), min(high, 2**62), (9,), generator=generator)
                t.view(-1)[at] = values.to(t.dtype)
            t.copy_(right)

    with meanwhile(write):
        for _ in range(15):
            try:
                results = suite.overload(*args, **kwargs)
            except (*BAD_ARGUMENT, IndexError, RuntimeError, MemoryError):
                continue
            results = [results] if isinstance(results, torch.Tensor) else list(results)
            assert wrong_results(Case(suite, name, args, kwargs), results) == ""
    # Without concurrent writes the call gives its result again.
    args, kwargs = drawn_call(name)
    assert all(torch.equal(t, right) for t, right in zip(integers_of(args), good, strict=True))
    suite.overload(*args, **kwargs)


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
    with pytest.raises(ValueError, match="^set_simd_tier: expected `tier` to be one of .*'scalar'.*, got 'neon9'$"):
        so.set_simd_tier("neon9")
    assert so.simd_tier() == before


def test_the_tier_can_be_changed_while_operators_run():
    tiers = so.simd_tiers()
    before = so.simd_tier()
    try:
        with meanwhile(lambda: [so.set_simd_tier(tier) for tier in tiers]):
            assert {split_count() for _ in range(50)} == {50_000}
    finally:
        so.set_simd_tier(before)
