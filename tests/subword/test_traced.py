"""A model with a SubwordTokenizer inside, from text to logits: compiled, exported, and as an AOTInductor package."""

import io
from pathlib import Path
from typing import Any

import pytest
import torch
from support.modules import check_ways_to_run
from support.subword_small import LINES, Classifier, classifier, tokenizer
from support.traced import Called
from support.vocabularies import strings
from torch import Tensor, nn

import torch_stringops
from torch_stringops import StringTensor

OPTIONS: list[dict[str, Any]] = [
    {"padding": "max_length", "max_length": 8},
    {"max_length": 5, "padding_side": "left", "pad_to_multiple_of": 4},
]

LONGER = [*LINES, "to be " * 30, "\u3000日\n", "<s>"]


@pytest.mark.parametrize("options", OPTIONS)
def test_ways_to_run(options: dict[str, Any]):
    check_ways_to_run(classifier(**options).eval(), strings(LINES), strings(LONGER), strings(["to"]), strings([]))


class Encoder(nn.Module):
    """Attention layers ask whether the width is 0 or 1."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.tokenizer, self.options = tokenizer(), options
        self.embedding = nn.Embedding(self.tokenizer.vocab_size, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def forward(self, texts: StringTensor) -> Tensor:
        batch = self.tokenizer(texts, **self.options)
        padded = batch["attention_mask"] == 0
        states = self.encoder(self.embedding(batch["input_ids"]), src_key_padding_mask=padded)
        return states.round(decimals=3)


def test_attention_with_a_width_that_depends_on_the_data():
    bare = {"add_special_tokens": False}
    for options in ({}, bare | {"min_width": 2}, bare | {"pad_to_multiple_of": 4}):
        model = Encoder(**options).eval()
        with torch.no_grad():
            check_ways_to_run(model, strings(["to be", "or"]), strings(["a"]), strings(["be or", "é日"]))
    assert tokenizer()(["", ""], pad_to_multiple_of=4, **bare)["input_ids"].shape == (2, 4)
    with pytest.raises(RuntimeError, match=r"(?s)data-dependent.*\nexport: the model asks .* pass `min_width=2`"):
        torch_stringops.export(Encoder(add_special_tokens=False).eval(), (strings(["to be", "or"]),))
    shapes = {(0, False): [1, 2], (5, False): [1, 5], (0, True): [1, 4], (7, True): [1, 7]}
    for (least, special), shape in shapes.items():
        batch = tokenizer()(["abc"], min_width=least, add_special_tokens=special)
        assert list(batch["input_ids"].shape) == list(batch["attention_mask"].shape) == shape, (least, special)
    with pytest.raises(ValueError, match="SubwordTokenizer: expected `min_width`"):
        tokenizer()(["a"], min_width=-1)


class Ragged(nn.Module):
    """Ids without padding, and their spans."""

    def __init__(self) -> None:
        super().__init__()
        self.tokenizer = tokenizer("steps", max_length=9)

    def forward(self, texts: StringTensor) -> tuple[Tensor, ...]:
        batch = self.tokenizer(texts, padding=False)
        return batch["input_ids"], batch["row_splits"], *self.tokenizer.encode_spans(texts, max_length=7)


def test_results_without_a_model():
    whole, left = tokenizer(), tokenizer(truncates_left=1, max_length=4)
    back = Called(lambda texts: whole.decode(*whole.encode(texts, add_special_tokens=True)))
    for model in (Ragged(), back, Called(lambda texts: left(texts)["input_ids"])):
        check_ways_to_run(model, strings(LINES), strings(LONGER), strings(["to"]))


def test_training_through_a_compiled_model():
    model = classifier()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    labels = torch.tensor([0, 1, 2, 0, 1])
    losses = []
    for _ in range(20):
        loss = nn.functional.cross_entropy(compiled(strings(LINES)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


@pytest.mark.check
def test_a_package_of_aot_inductor(tmp_path: Path):
    model: Classifier = classifier(max_length=16).eval()
    program = torch_stringops.export(model, (strings(LINES),))
    path = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "model.pt2"))
    package = torch._inductor.aoti_load_package(path)
    for lines in (LINES, LONGER, ["to"]):
        s = strings(lines)
        torch.testing.assert_close(package(s), model(s))


def test_the_state_of_an_exported_program_has_the_table():
    program = torch_stringops.export(classifier(), (strings(LINES),))
    file = io.BytesIO()
    torch.export.save(program, file)
    table = tokenizer()._table
    assert any(isinstance(c, Tensor) and torch.equal(c, table) for c in program.constants.values())
    assert len(file.getvalue()) > table.numel()
