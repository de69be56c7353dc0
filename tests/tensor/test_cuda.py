"""Strings on a GPU: copies, pinned memory, errors of operators, and models whose weights are on the GPU.

Operators on strings run on the CPU (docs/concepts.md, "Threads and devices"). Skipped without a GPU.
"""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from support.cases import each
from support.registry import OPERATORS, suites
from support.streams import open_stream
from torch import Tensor, nn
from torch.utils.data import DataLoader

import torch_stringops as ts
import torch_stringops.distributed
from torch_stringops import StringTensor, Vocabulary
from torch_stringops.data import ColumnDataset, collate_strings

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ["to be or not", "", "that is the question", "é 漢字 \0 😀"]


def many(count: int = 4096) -> StringTensor:
    return StringTensor.from_list([f"line {i} of {'text ' * (i % 7)}" for i in range(count)])


def test_copies_keep_the_strings():
    for s in (StringTensor.from_list(TEXTS), StringTensor.from_list([TEXTS, TEXTS[::-1]]), many()[3:900:7]):
        there = s.cuda()
        assert there.is_cuda
        assert there.device == torch.device("cuda", torch.cuda.current_device())
        assert there.shape == s.shape
        assert there.cpu().tolist() == s.tolist()
        assert s.to(there).is_cuda
        assert s.to(there.data).is_cuda


def test_asynchronous_copies_from_pinned_memory():
    expected = many()
    for _ in range(20):
        there = expected.pin_memory().to("cuda", non_blocking=True)
        back = there.to("cpu", non_blocking=True)
        torch.cuda.synchronize()
        assert (back == expected).all()


def test_views_and_copies_on_the_gpu():
    s = StringTensor.from_list(TEXTS)
    there = s.cuda()
    assert there[1:3].cpu().tolist() == TEXTS[1:3]
    assert there.clone().cpu().tolist() == TEXTS
    assert there.reshape(2, 2).cpu().tolist() == s.reshape(2, 2).tolist()


def test_a_saved_file_is_loaded_onto_the_gpu():
    file = io.BytesIO()
    torch.save(StringTensor.from_list(TEXTS).cuda(), file)
    file.seek(0)
    assert torch.load(file).is_cuda
    file.seek(0)
    there = torch.load(file, map_location="cpu")
    assert there.is_cpu
    assert there.tolist() == TEXTS


def moved(argument: Any) -> Any:
    if isinstance(argument, list):
        return [moved(item) for item in argument]
    return argument.cuda() if isinstance(argument, Tensor) else argument


def takes_tensors(arguments: list[Any]) -> bool:
    return any(isinstance(a, Tensor) or (isinstance(a, list) and a and isinstance(a[0], Tensor)) for a in arguments)


@each("op", OPERATORS)
def test_every_operator_refuses_tensors_on_the_gpu(op: str):
    """The kernels never get an address of the GPU."""
    for tests in suites(op):
        args, kwargs = tests.suite.tensors(tests.suite.samples[0])
        assert takes_tensors([*args, *kwargs.values()])
        with pytest.raises((RuntimeError, ValueError), match=re.escape(op)):
            tests.suite.overload(*moved(args), **{k: moved(v) for k, v in kwargs.items()})
    torch.cuda.synchronize()


@pytest.mark.parametrize("call", [
    lambda s: s.lower(),
    lambda s: s == "a",
    lambda s: s.split(),
    lambda s: s.length(),
    lambda s: ts.cat([s, s]),
    lambda s: ts.cat([s, s.cpu()]),
    lambda s: Vocabulary(["a"]).encode(s),
])  # fmt: skip
def test_errors_of_methods_say_where_operators_run(call: Callable[[StringTensor], Any]):
    with pytest.raises((RuntimeError, ValueError), match=r"(?i)cpu") as caught:
        call(StringTensor.from_list(TEXTS).cuda())
    assert len(str(caught.value)) < 1000


def test_strings_and_numbers_of_a_batch_are_pinned():
    dataset = ColumnDataset(text=many(64), label=torch.arange(64))
    loader = DataLoader(dataset, batch_size=16, collate_fn=collate_strings, pin_memory=True, num_workers=1)
    texts = []
    for batch in loader:
        assert batch["text"].is_pinned()
        assert batch["label"].is_pinned()
        texts += batch["text"].to("cuda", non_blocking=True).cpu().tolist()
    assert texts == many(64).tolist()


def test_a_stream_copies_its_batches_in_threads(tmp_path: Path):
    """Each id is compared, since a copy of pinned memory that is reused too early would change it."""
    (tmp_path / "lines.txt").write_text("".join(f"word{i}\n" for i in range(20_000)))
    vocabulary = Vocabulary([f"word{i}" for i in range(20_000)])
    dataset = open_stream(
        str(tmp_path / "lines.txt"), batch_size=50, transform=vocabulary.encode, threads=2, device="cuda"
    )
    first, weight = vocabulary.encode(["word0"]), torch.randn(512, 512, device="cuda")
    for at, ids in enumerate(dataset):
        weight = weight @ weight / weight.norm()  # so that copies wait in the stream
        assert ids.is_cuda
        assert torch.equal(ids.cpu(), torch.arange(at * 50, at * 50 + 50) + first)
    assert at == 399


class Classifier(nn.Module):
    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = nn.EmbeddingBag(vocabulary.num_ids, 16, include_last_offset=True)
        self.linear = nn.Linear(16, 2)

    def forward(self, text: StringTensor) -> Tensor:
        ids, row_splits = self.vocabulary.split_encode(text)
        device = self.linear.weight.device
        return self.linear(self.embedding(ids.to(device), row_splits.to(device)))


@pytest.fixture
def classifier() -> Classifier:
    torch.manual_seed(0)
    return Classifier(Vocabulary.from_text(StringTensor.from_list(TEXTS)))


@pytest.mark.parametrize("compiled", [False, True])
def test_a_model_with_its_vocabulary(classifier: Classifier, compiled: bool):
    text = StringTensor.from_list(TEXTS)
    expected = classifier(text).detach()
    there = classifier.cuda()
    model = torch.compile(there, fullgraph=True, dynamic=True) if compiled else there
    for rows in (4, 2, 3):
        logits = model(text[:rows])
        assert logits.is_cuda
        torch.testing.assert_close(logits.cpu(), expected[:rows], rtol=1e-3, atol=1e-4)
    logits.sum().backward()
    assert there.embedding.weight.grad is not None
    assert there.embedding.weight.grad.is_cuda
    state = there.state_dict()
    there.load_state_dict(state)
    assert there.vocabulary.encode(["be"]).is_cpu


def test_an_exported_model(classifier: Classifier):
    text = StringTensor.from_list(TEXTS)
    there = classifier.cuda()
    program = ts.export(there, (text,))
    for rows in (4, 1, 0):
        torch.testing.assert_close(program.module()(text[:rows]), there(text[:rows]))


def test_modules_stay_on_the_cpu_and_their_ids_move():
    module = ts.nn.TextVectorization(output_sequence_length=4)
    module.adapt(StringTensor.from_list(TEXTS[:3]))
    there = module.cuda()
    ids = there(StringTensor.from_list(TEXTS[:3]))
    assert torch.equal(ids.cuda().cpu(), module(StringTensor.from_list(TEXTS[:3])))


@pytest.fixture
def nccl(tmp_path: Path) -> Iterator[None]:
    dist.init_process_group("nccl", init_method=f"file://{tmp_path}/group", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("nccl")
def test_collectives_of_nccl():
    s = StringTensor.from_list(TEXTS)
    assert [got.tolist() for got in ts.distributed.all_gather(s)] == [TEXTS]
    assert ts.distributed.broadcast(s, src=0).tolist() == TEXTS
    assert ts.distributed.all_to_all([s])[0].tolist() == TEXTS
    assert ts.distributed.broadcast(s, src=0).is_cpu


def test_the_page_on_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The blocks of docs/how_to/gpu.md, with device = "cuda"."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/how_to/gpu.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(block, "gpu.md", "exec"), names)
    assert names["device"] == "cuda"
    assert names["model"](["to be", "not"]).is_cuda
