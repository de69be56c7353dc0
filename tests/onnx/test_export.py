"""torch_stringops.onnx.export: the library form of models, run by nodes that call the same operators."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from support import models
from support.onnx_library_form import as_array, run
from torch import Tensor, nn
from torch.export import Dim
from torch.utils._pytree import tree_leaves

import torch_stringops
from torch_stringops import StringTensor, SubwordTokenizer
from torch_stringops.nn import TextVectorization
from torch_stringops.onnx import _files, export, translations
from torch_stringops.onnx._operators import DOMAIN, operators

TEXTS = StringTensor.from_list(["to be, or not", "a.b(c  to", "x y z to river", ""])
OTHERS = StringTensor.from_list(["café au  lait, granit"])


def flat(values: Any) -> list[Any]:
    return tree_leaves(values, is_leaf=lambda value: isinstance(value, StringTensor))


def compare(model: nn.Module, *calls: tuple[Any, ...], **options: Any) -> onnx.ModelProto:
    """Exports a model with the first call, and compares outputs for all. Returns the file."""
    proto = export(model.eval(), calls[0], **options)
    onnx.checker.check_model(proto, full_check=True)
    names = [value.name for value in proto.graph.input]
    for call in calls:
        given = [as_array(v) for v in flat(call) if isinstance(v, Tensor | StringTensor)]
        with torch.no_grad():
            expected = [as_array(v) for v in flat(model(*call)) if isinstance(v, Tensor | StringTensor)]
        got = run(proto, dict(zip(names, given, strict=True)))
        for want, value in zip(expected, got, strict=True):
            assert (want.dtype, want.shape) == (value.dtype, value.shape)
            if want.dtype == object:
                assert want.tolist() == value.tolist()
            else:
                torch.testing.assert_close(torch.tensor(value), torch.tensor(want), rtol=1e-4, atol=1e-5)
    return proto


class Outputs(nn.Module):
    """Results of all kinds: strings of several ranks, ragged rows, inputs themselves, numbers, and constants."""

    def forward(self, text: StringTensor, n: Tensor, skipped: Any = None, count: int = 2) -> dict[str, Any]:
        words, row_splits = torch_stringops.string_split_ragged(text)
        return {
            "upper": text.upper(),
            "rows": (torch_stringops.ragged_to_dense(words, row_splits, padding_value="\0"), row_splits),
            "first": text[0],
            "text": text,
            "sum": n + count,
            "n": n,
            "again": n,
            "number": text.to_number(torch.float64, errors="fill", fill=0.1),
            "slice": text.slice(1, n.shape[0]),
            "similar": torch_stringops.string_jaro_winkler(text, text.flip(0), prefix_weight=0.1234567891234),
            "tokens": torch_stringops.tokenizer(text, separators=[" ", ","]),
            "pieces": torch_stringops.split(torch.cat([text, text]), [1, text.shape[0] * 2 - 1]),
            "constant": count,
        }


def test_results_of_all_kinds() -> None:
    proto = compare(Outputs(), (TEXTS, torch.arange(4)), (TEXTS[:2], torch.arange(2)), (OTHERS, torch.arange(1)))
    assert [value.name for value in proto.graph.input] == ["text", "n"]
    assert [value.name for value in proto.graph.output] == [
        "upper", "rows_0", "rows_1", "first", "text_1", "sum", "n_1", "again", "number", "slice", "similar",
        "tokens", "pieces_0", "pieces_1",
    ]  # fmt: skip
    types = {value.name: value.type.tensor_type for value in proto.graph.output}
    assert types["upper"].elem_type == onnx.TensorProto.STRING
    assert len(types["first"].shape.dim) == 0


def test_slices_and_lists_as_examples() -> None:
    class Joined(nn.Module):
        def forward(self, a: StringTensor, b: StringTensor) -> StringTensor:
            return a + b

    a, b = {"a": np.array(["p", "q", ""], object)}, {"b": np.array(["1", "", "3"], object)}
    for example in ((TEXTS[:2], TEXTS[2:]), (TEXTS, TEXTS), (["x", "y"], TEXTS[:2])):
        assert run(export(Joined(), example), a | b)[0].tolist() == ["p1", "q", "3"]
    with pytest.raises(ValueError, match="^export: expected example inputs that are strings or tensors, got none"):
        export(Joined(), (1, 2))


class Several(nn.Module):
    """Logits of models that pool in different ways, and counts of n-grams."""

    def __init__(self) -> None:
        super().__init__()
        self.models = nn.ModuleList([models.Bag(), models.Padded(), models.PaddedToLongest()])
        self.counts = TextVectorization(output_mode="tf_idf", ngrams=2, stop_words=["or"])
        self.counts.adapt(["To be, or not to be!", "let it be"])

    def forward(self, text: StringTensor) -> list[Tensor]:
        return [*(model(text) for model in self.models), self.counts(text)]


def test_models() -> None:
    compare(Several(), (TEXTS,), (OTHERS,), (TEXTS[:0],))


def test_embedding_bag() -> None:
    class Bags(nn.Module):
        def forward(self, weight: Tensor, ids: Tensor, begins: Tensor) -> list[Tensor]:
            bag = torch.nn.functional.embedding_bag
            return [
                bag(ids, weight, begins, mode=mode, include_last_offset=last, padding_idx=padding)
                for mode in ("sum", "mean", "max")
                for last in (False, True)
                for padding in (None, 1)
            ] + [bag(ids, weight, begins, mode="sum", per_sample_weights=ids * 0.5 + 1)]

    weight = torch.randn(4, 3)
    ids, begins = torch.tensor([3, 1, 1, 0, 2, 2]), torch.tensor([0, 1, 1, 3, 6, 6])
    compare(Bags(), (weight, ids, begins), (weight, ids[:0], begins * 0))


def test_every_operator_has_a_translation() -> None:
    table = translations()
    registered = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("stringops::")]
    assert len(registered) > 100
    assert {key.name() for key in table if key.namespace == "stringops"} == set(registered)
    assert len(operators()) == len(registered)  # no two overloads have a name in common
    for operator in operators().values():  # a default of None is a missing input or attribute
        assert sum(p.kind == "tensors" for p in operator.parameters) <= 1


def test_torch_onnx_export() -> None:
    class Pair(nn.Module):
        def forward(self, data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
            s = StringTensor(data, offsets)
            return s.upper().data, s.length()

    program = torch.onnx.export(
        Pair().eval(),
        (TEXTS.data, TEXTS.offsets),
        custom_translation_table=translations(),
        dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}),
        verbose=False,
    )
    data, lengths = run(program.model_proto, {"data": OTHERS.data.numpy(), "offsets": OTHERS.offsets.numpy()})
    assert bytes(data).decode() == OTHERS.item().upper()
    assert lengths.tolist() == [len(OTHERS.item())]


def test_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.onnx"
    model = nn.Sequential(models.Bag()).eval()
    proto = export(model, (TEXTS,), path, input_names=["a"], output_names=["lines"])
    assert onnx.load(path) == proto
    monkeypatch.setattr(_files, "_MAX_BYTES", 100)
    export(model, (TEXTS,), path, input_names=["a"], output_names=["lines"])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]
    assert path.stat().st_size < len(proto.SerializeToString()) - 1000
    assert run(onnx.load(path), {"a": as_array(TEXTS)})[0].tolist() == run(proto, {"a": as_array(TEXTS)})[0].tolist()
    assert {node.domain for node in proto.graph.node} == {"", DOMAIN}


def test_subword_tokenizer(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    merges = [("t", "o"), ("b", "e")]
    vocab = {token: i for i, token in enumerate([*pre_tokenizers.ByteLevel.alphabet(), "to", "be", "<pad>"])}
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.save(str(tmp_path / "tokenizer.json"))

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokenizer = SubwordTokenizer.from_file(tmp_path / "tokenizer.json", pad_token="<pad>")

        def forward(self, text: StringTensor) -> tuple[Any, Any]:
            batch = self.tokenizer(text, padding="longest")
            return batch["input_ids"], batch["attention_mask"]

    compare(Encoder(), (TEXTS,), (OTHERS,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"input_names": ["a", "b"]}, "expected 1 `input_names`, for text, got"),
        ({"output_names": "out"}, "expected 2 `output_names`, for output_0, output_1, got 'out'"),
        ({"output_names": ["text", "b"]}, "expected distinct names of inputs and outputs, got 'text' twice"),
        ({"opset_version": 17}, "expected `opset_version` >= 20, got 17"),
    ],
)
def test_errors(options: dict[str, Any], message: str) -> None:
    class Two(nn.Module):
        def forward(self, text: StringTensor) -> tuple[StringTensor, Tensor]:
            return text.upper(), text.length()

    with pytest.raises(ValueError, match=f"^export: {message}"):
        export(Two(), (TEXTS,), **options)


def test_model_is_checked() -> None:
    with pytest.raises(TypeError, match="expected `model` to be an nn.Module, got function"):
        export(lambda text: text, (TEXTS,))  # type: ignore[arg-type]
