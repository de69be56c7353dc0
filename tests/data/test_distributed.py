"""torch_stringops.distributed: collectives of 2 and 4 processes over gloo, in one group of processes for all tests."""

import collections
import inspect
import re
import socket
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
import torch.multiprocessing as mp
from hypothesis import given
from hypothesis import strategies as st

from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary, VocabularyBuilder, as_strings
from torch_stringops import distributed as ours
from torch_stringops import nn as ts_nn
from torch_stringops._counting import sum_counts

RANKS = 4


def strings_of(rank: int) -> StringTensor:
    """Strings of another shape and size on each rank, in memory that is not compact."""
    made = [
        as_strings(["skipped", "a", "é日😀", ""])[1:],
        as_strings([["b" * 1000], [b"\xff"]]),
        as_strings([])[:0],
        as_strings(["x", "scalar"])[1],
    ]
    return made[rank % 4]


WORDS = [["to", "be", "to"], [], ["or", "to", "é"], ["be", b"\xff"]]


def check(rank: int, group, size: int) -> None:
    import torch.distributed as dist

    def same(got, want) -> None:
        assert isinstance(got, StringTensor)
        assert got.is_contiguous()
        assert got.shape == want.shape
        assert got.tolist(as_bytes=True) == want.tolist(as_bytes=True)

    everyone = [strings_of(r) for r in range(size)]
    mine = everyone[rank]
    for src in range(size):
        same(ours.broadcast(mine if rank == src else None, src, group), everyone[src])
    for got, want in zip(ours.all_gather(mine, group), everyone, strict=True):
        same(got, want)
    sent = [as_strings([f"from {rank} to {r}"] * (rank + r)) for r in range(size)]
    for r, got in enumerate(ours.all_to_all(sent, group)):
        same(got, as_strings([f"from {r} to {rank}"] * (rank + r)))
    words, counts = ours.unique(WORDS[rank], group)
    assert (words.hash_bucket(size) == rank).all()
    shares = ours.all_gather(words, group)
    numbers = [torch.empty(len(share), dtype=torch.int64) for share in shares]
    for r, number in enumerate(numbers):
        dist.broadcast(counts if r == rank else number, r, group=group)
    numbers[rank] = counts
    found = {
        word: n
        for share, number in zip(shares, numbers, strict=True)
        for word, n in zip(share.tolist(as_bytes=True), number.tolist(), strict=True)
    }
    encoded = [w if isinstance(w, bytes) else w.encode() for words in WORDS[:size] for w in words]
    assert found == collections.Counter(encoded)
    again, doubled = ours.unique(words, group, counts=2 * counts)
    assert again.tolist(as_bytes=True) == words.tolist(as_bytes=True)
    assert torch.equal(doubled, 2 * counts)
    most = 2**63 - 1
    share = torch.tensor([most // size + (rank < most % size)])  # of which the sum is that of all ranks
    found = ours.unique(["x"], group, counts=share)[1].tolist()
    assert found in ([], [most])
    large = torch.tensor([most if rank == 0 else 1])
    if WORD_OF[size] == rank:
        with pytest.raises(OverflowError, match=r"unique: expected counts whose sums are at most 2\*\*63 - 1, got"):
            ours.unique(["x"], group, counts=large)
    else:
        assert ours.unique(["x"], group, counts=large)[1].tolist() == []
    with pytest.raises(ValueError, match=f"all_to_all: expected a list of strings for each of {size} ranks, got 1"):
        ours.all_to_all([["a"]], group)
    with pytest.raises(TypeError, match="broadcast: expected `input` to be"):
        ours.broadcast(3, rank, group)
    with pytest.raises(ValueError, match="expected `counts` to be int64"):
        ours.unique(["a"], group, counts=torch.ones(2))


# The rank of "x" among 2 and 4.
WORD_OF = {size: int(as_strings(["x"]).hash_bucket(size)) for size in (2, 4)}


def check_compiled(rank: int, name: str) -> None:
    """One graph, whose collectives meet those of a rank that does not compile."""
    torch._dynamo.config.capture_scalar_outputs = True

    def everything(s: StringTensor):
        if name == "compiled":
            return [*ours.all_gather(s), *ours.all_to_all([s, s])]
        return [ours.broadcast(s if rank == 1 else None, 1), ours.unique(s)[0]]

    mine = as_strings(["a", "é", ""] if rank == 0 else ["xyz"])
    want = [s.tolist() for s in everything(mine)]
    function = torch.compile(everything, fullgraph=True, dynamic=True, backend="aot_eager")
    assert [s.tolist() for s in (function if rank == 0 else everything)(mine)] == want
    other = as_strings(["b"] * (rank + 2))
    want = [s.tolist() for s in everything(other)]
    assert [s.tolist() for s in (function if rank == 0 else everything)(other)] == want


class WithText(torch.nn.Module):
    def __init__(self, text: torch.nn.Module):
        super().__init__()
        self.text, self.scale = text, torch.nn.Parameter(torch.ones(1))

    def forward(self, strings):
        self.text(strings)
        return self.scale.sum()


def text_modules(words: list[str]) -> list[torch.nn.Module]:
    """Modules that have learned words; none, if there are none."""
    settings = {"output_mode": "tf_idf", "max_tokens": 9}
    ranks = {bytes([byte]): byte for byte in range(256)} | {w.encode(): 256 + i for i, w in enumerate(words)}
    vectorize = ts_nn.TextVectorization(**settings)
    if words:
        vectorize.adapt(words)
    tfidf = ts_nn.TfidfVectorizer()
    tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\S+|\s+", {"<pad>": 300}, pad_token="<pad>")
    return [Vocabulary(words), tokenizer, vectorize, tfidf.fit(words) if words else tfidf]


def check_modules(rank: int) -> None:
    """Each way in which torch makes the states of ranks equal makes them so, or is an error at the first call."""
    import torch.distributed as dist
    from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
    from torch.distributed.fsdp import FullyShardedDataParallel, _init_utils, fully_shard
    from torch.nn.parallel import DistributedDataParallel

    _init_utils._check_module_states_for_sync_module_states = lambda states: None  # which refuses CPUs
    shards = partial(FullyShardedDataParallel, sync_module_states=True, device_id=torch.device("cpu"))
    words, options = ["to be", "or not"], StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    for wrap in (DistributedDataParallel, shards):
        others = text_modules(words if rank == 0 else ["to be", "on not"])
        for same, other in zip(text_modules(words), others, strict=True):
            wrap(WithText(same))(words)
            dist.barrier()
            calls = [wrap(WithText(other))]
            if isinstance(other, Vocabulary) and wrap is DistributedDataParallel:
                calls.append(torch.compile(calls[0], backend="aot_eager"))
            for call in calls:
                if rank == 0:
                    call(as_strings(words))
                else:
                    with pytest.raises(Exception, match="expected the same .* on all ranks"):
                        call(as_strings(words))
                dist.barrier()
    for strict in (True, False):
        for want, other in zip(text_modules(words), text_modules(["on", "off"] if rank else []), strict=True):
            model = WithText(other)
            fully_shard(model)
            state = WithText(want).state_dict() if rank == 0 else {}
            set_model_state_dict(model, state, options=replace(options, strict=strict))
            for name, t in want.state_dict().items():
                assert torch.equal(other.state_dict()[name], t), name
            model(words)


def run(rank: int, port: int, folder: str, size: int, name: str) -> None:
    import torch.distributed as dist

    torch.set_num_threads(1)  # a forked child has no threads of its parent to wait for
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=size)
    if name == "modules":
        check_modules(rank)
    elif size == 2:
        check_compiled(rank, name)
    else:
        check(rank, None, RANKS)
        pair = dist.new_group([0, 1])
        if rank < 2:
            check(rank, pair, 2)
    Path(folder, str(rank)).touch()
    dist.barrier()
    dist.destroy_process_group()


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
@pytest.mark.parametrize(("size", "name"), [
    (RANKS, "four and two"), (2, "modules"), (2, "compiled"),
    pytest.param(2, "others compiled", marks=pytest.mark.check),
])  # fmt: skip
def test_collectives_of_processes(tmp_path, size, name):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = mp.start_processes(run, (port, str(tmp_path), size, name), size, join=False, start_method="fork")
    deadline = time.monotonic() + 200
    try:
        while not processes.join(timeout=5):
            assert time.monotonic() < deadline, "the processes wait for each other"
    finally:
        for process in processes.processes:
            process.kill()
    assert len(list(tmp_path.iterdir())) == size


def test_only_collectives_that_nccl_has_are_called():
    """By the table of backends in the documentation of torch.distributed, NCCL has them for tensors on GPUs."""
    source = inspect.getsource(ours)
    called = set(re.findall(r"\b(?:dist|functional)\.(\w+)\(", source))
    asked = {"get_rank", "get_world_size", "get_backend", "get_global_rank", "get_group_rank"}
    gathers = {"all_gather_into_tensor", "all_gather_single"}  # one collective, by its names in torch 2.10 and 2.13
    assert called - asked == {"broadcast", *gathers, "all_to_all_single"}
    # NCCL has types for these and for floating-point numbers, but none for int16 or strings.
    assert set(re.findall(r"dtype=torch\.(\w+)", source)) == {"uint8", "int32", "int64"}


COUNTS = st.sampled_from([0, 1, -1, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63)])


@given(st.lists(st.tuples(st.integers(0, 2), COUNTS), max_size=9))
def test_sums_of_counts_are_exact_or_an_error(pairs):
    want = [sum(count for number, count in pairs if number == i) for i in range(3)]
    ids = torch.tensor([number for number, _ in pairs], dtype=torch.int64)
    counts = torch.tensor([count for _, count in pairs], dtype=torch.int64)
    if all(-(2**63) <= total < 2**63 for total in want):
        assert sum_counts("op", ids, counts, 3).tolist() == want
    else:
        wrong = next(i for i, total in enumerate(want) if not -(2**63) <= total < 2**63)
        with pytest.raises(OverflowError, match=f"op: .*2\\*\\*63 - 1, got a larger sum for distinct string {wrong}"):
            sum_counts("op", ids, counts, 3)


def test_counts_of_a_builder_do_not_overflow():
    builder = VocabularyBuilder().add(["a", "b"])
    for _ in range(62):
        builder.merge(builder)
    assert builder.merge(VocabularyBuilder().add(["b"])).build().counts.tolist()[2:] == [2**62 + 1, 2**62]
    with pytest.raises(OverflowError, match=r"build: expected counts whose sums are at most 2\*\*63 - 1"):
        builder.merge(builder).build()
