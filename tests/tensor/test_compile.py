"""torch.compile(fullgraph=True): training from raw strings, in batches of any shape."""

from collections.abc import Iterator

import pytest
import torch
from support.models import (
    DIM,
    ODD_LINES,
    Bag,
    Classifier,
    Nested,
    Padded,
    PaddedEmbeddings,
    PaddedToLongest,
    Raw,
    corpus,
    seeded,
    strings,
)
from support.versions import needs_torch
from torch import nn
from torch._dynamo.testing import CompileCounterWithBackend

import torch_stringops
from torch_stringops import StringTensor, dense_to_ragged, ragged_lengths, ragged_mask, ragged_to_dense, string_split


@pytest.fixture(autouse=True, scope="module")
def _fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


class Trained:
    """Two copies of a model with the same seed, eager and compiled, trained on the same batches."""

    def __init__(self, kind: type[Classifier], backend: str) -> None:
        self.counter = CompileCounterWithBackend(backend)
        self.eager, self.inner = seeded(kind), seeded(kind)
        self.compiled = torch.compile(self.inner, fullgraph=True, backend=self.counter)
        self.optimizers = [torch.optim.Adam(m.parameters(), 0.05) for m in (self.eager, self.inner)]

    def step(self, lines: list[str], labels: torch.Tensor) -> float:
        """Trains both on a batch, checks that their losses are equal, and returns the loss."""
        losses = []
        for model, optimizer in zip((self.eager, self.compiled), self.optimizers, strict=True):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(strings(lines)), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        torch.testing.assert_close(losses[0], losses[1], rtol=1e-4, atol=1e-5)
        return float(losses[0])

    def train(self, steps: int) -> list[float]:
        lines, labels = corpus(steps * 40, seed=1)
        ends = torch.tensor([(step % 7) * 4 + 13 for step in range(steps)]).cumsum(0).tolist()
        starts = [0, *ends[:-1]]
        return [self.step(lines[a:b], labels[a:b]) for a, b in zip(starts, ends, strict=True)]


@pytest.fixture(scope="module")
def trained() -> Trained:
    return Trained(Padded, "inductor")


def test_training_learns_and_equals_eager(trained: Trained):
    losses = trained.train(30)
    assert losses[-1] < losses[0] / 3
    for name, parameter in trained.eager.named_parameters():
        torch.testing.assert_close(trained.inner.get_parameter(name), parameter, rtol=1e-3, atol=1e-4)


def test_sixty_batch_shapes_are_compiled_twice(trained: Trained):
    trained.train(2)
    compiled = trained.counter.frame_count
    assert compiled <= 2
    with torch.compiler.set_stance("fail_on_recompile"):
        for n in range(2, 62):
            lines, labels = corpus(n, seed=n)
            trained.step(lines + ODD_LINES[: n % 6], torch.cat([labels, labels[:1].expand(n % 6)]))
    assert trained.counter.frame_count == compiled


@pytest.mark.parametrize("lines", [[], [""], ["stone river"], ODD_LINES], ids=["none", "empty", "one", "odd"])
def test_odd_batches(trained: Trained, lines: list[str]):
    with torch.no_grad():
        want = trained.eager(strings(lines))
    trained.inner.load_state_dict(trained.eager.state_dict())
    torch.testing.assert_close(trained.compiled(strings(lines)), want, rtol=1e-4, atol=1e-5)


def test_data_and_offsets_as_inputs(trained: Trained):
    lines = strings(ODD_LINES * 2)
    compiled = torch.compile(Raw(trained.eager), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(lines.data, lines.offsets), trained.eager(lines))


def test_strings_as_results():
    compiled = torch.compile(lambda s: string_split(s, ","), fullgraph=True, backend="aot_eager")
    for n in (2, 3, 4):
        pieces, counts = compiled(StringTensor.from_list(["a,b,,c", "é"] * n))
        assert pieces.tolist() == [["a", "b", "", "c"], ["é", "", "", ""]] * n
        assert counts.tolist() == [4, 1] * n


def test_a_width_that_is_a_dynamic_size_stays_dynamic():
    counter = CompileCounterWithBackend("aot_eager")

    @torch.compile(fullgraph=True, backend=counter)
    def pad_like(values: torch.Tensor, row_splits: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        return ragged_to_dense(values, row_splits, like.shape[1], -1)

    for width in range(2, 12):
        values = torch.arange(3 * width)
        row_splits = torch.arange(0, 3 * width + 1, 3)
        got = pad_like(values, row_splits, torch.empty(1, width))
        assert torch.equal(got, ragged_to_dense(values, row_splits, width, -1))
    assert counter.frame_count == 2


def test_ragged_to_dense_and_back_with_gradients():
    counter = CompileCounterWithBackend("aot_eager")

    @torch.compile(fullgraph=True, backend=counter)
    def there_and_back(values: torch.Tensor, row_splits: torch.Tensor) -> torch.Tensor:
        dense = ragged_to_dense(values, row_splits, side="left").exp()
        return dense_to_ragged(dense, ragged_lengths(row_splits), side="left")[0]

    for n in range(2, 9):
        values = torch.rand(3 * n, 2, requires_grad=True)
        got = there_and_back(values, torch.arange(0, 3 * n + 1, 3))
        torch.testing.assert_close(got, values.exp())
        (gradient,) = torch.autograd.grad(got.square().sum(), values)
        torch.testing.assert_close(gradient, 2 * values.exp().square())
    assert counter.frame_count == 2


@pytest.mark.parametrize(("kind", "backend"), [
    pytest.param(Bag, "inductor", marks=pytest.mark.check),
    pytest.param(PaddedEmbeddings, "inductor", marks=pytest.mark.check),
    (PaddedToLongest, "aot_eager"),
    pytest.param(
        Nested,
        "aot_eager",
        marks=needs_torch((2, 13), "torch 2.10 guards on data-dependent sizes of nested tensors"),
    ),
])  # fmt: skip
def test_other_pooling_methods(kind: type[Classifier], backend: str):
    torch._dynamo.reset()  # all kinds share one forward, and would exceed its limit of recompiles
    trained = Trained(kind, backend)
    losses = trained.train(12)
    assert losses[-1] < losses[0] * 0.7
    assert trained.counter.frame_count == 2


class Convolved(Padded):
    """A convolution and a Transformer over rows padded to the longest one, at least two wide."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(DIM, DIM, 2)
        self.encoder = nn.TransformerEncoderLayer(DIM, 2, DIM, batch_first=True)

    def pool(self, ids: torch.Tensor, row_splits: torch.Tensor) -> torch.Tensor:
        dense = ragged_to_dense(ids, row_splits, min_width=2)
        x = self.encoder(self.embedding(dense), src_key_padding_mask=~ragged_mask(row_splits, dense.shape[1]))
        return self.convolution(x.transpose(1, 2)).amax(2)


@pytest.mark.check
@needs_torch((2, 13), "torch 2.10 guards on the size of a convolution")
def test_convolution_and_attention_over_a_data_dependent_width():
    torch._dynamo.reset()
    model = seeded(Convolved).eval()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    exported = torch_stringops.export(model, (strings(["river", "stone of river"]),)).module()
    for lines in (["river of", "stone"], ["a", "cloud in the cloud"], ["one", "word"], ["a b c d e f"] * 5):
        want = model(strings(lines))
        torch.testing.assert_close(compiled(strings(lines)), want)
        torch.testing.assert_close(exported(strings(lines)), want)
