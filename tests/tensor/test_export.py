"""torch.export: models from raw strings to logits, for every batch size, also after save and load."""

import io
import re

import numpy
import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.models import (
    ODD_LINES,
    Bag,
    Classifier,
    Encoder,
    Layers,
    Padded,
    PaddedToLongest,
    Raw,
    corpus,
    seeded,
    strings,
)
from support.traced import Called
from torch import nn
from torch.export import Dim
from torch.fx.experimental import _config as tracing

import torch_stringops
from torch_stringops import StringTensor, string_split

BATCHES = [[], [""], ["river"], ODD_LINES, corpus(50, seed=5)[0], ODD_LINES * 11]


def saved_and_loaded(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file)


@pytest.mark.parametrize("kind", [Padded, PaddedToLongest, Bag])
@pytest.mark.parametrize("example", [ODD_LINES, ["river"], []], ids=["batch", "one", "none"])
def test_logits_for_every_batch_size(kind: type[Classifier], example: list[str]):
    model = seeded(kind)
    program = torch_stringops.export(model, (strings(example),))
    for exported in (program.module(), saved_and_loaded(program).module()):
        for lines in BATCHES:
            torch.testing.assert_close(exported(strings(lines)), model(strings(lines)))


@pytest.mark.parametrize(
    ("kind", "example"), [(Layers, []), (Layers, ["river"]), (Encoder, ODD_LINES)], ids=["none", "one", "batch"]
)
def test_layers_that_depend_on_the_batch_size(kind: type[Classifier], example: list[str]):
    model = seeded(kind).eval()
    program = torch_stringops.export(model, (strings(example),))
    for exported in (program.module(), saved_and_loaded(program).module()):
        for lines in BATCHES[2:]:
            torch.testing.assert_close(exported(strings(lines)), model(strings(lines)))
        if kind is Encoder:
            for rejects in (model, exported):
                with pytest.raises((RuntimeError, AssertionError), match="cannot reshape|Guard failed"):
                    rejects(strings([]))
        else:
            assert exported(strings([])).shape == model(strings([])).shape


class Columns(nn.Module):
    def forward(self, batch: dict[str, StringTensor]) -> torch.Tensor:
        return torch.stack([batch["a"] == "x", batch["b"] == "x"])


def test_a_dict_of_columns_may_have_another_order():
    a, b = strings(["x", "y"]), strings(["y", "x"])
    exported = torch_stringops.export(Columns(), ({"a": a, "b": b},)).module()
    assert exported({"b": b, "a": a}).tolist() == [[True, False], [False, True]]


class Shared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, pair, columns, x, *, y, text):
        return torch_stringops.string_concat(*pair, columns["a"], columns["b"], text), x - 2 * y + self.weight


@pytest.mark.parametrize("strict", [False, True])
def test_inputs_that_share_memory_and_lists_of_strings(strict: bool):
    s = strings(["x", "yy", "1", "22"])
    model = Shared()
    for pair, columns, x in (
        ([s[:2], s[2:]], {"a": s[:2], "b": s[:2]}, torch.zeros(2)),
        ([s[1:3], ["p", "q"]], {"a": ("u", "v"), "b": numpy.array(["", "w"])}, model.weight),
    ):
        program = torch_stringops.export(model, (pair, columns, x), {"y": x, "text": s[:2]}, strict=strict)
        for exported in (program.module(), saved_and_loaded(program).module()):
            for rows in (strings, list):
                pair = [rows(["a"]), rows(["b"])]
                call = (pair, {"b": rows(["d"]), "a": rows(["c"])}, torch.full([2], 5.0))
                joined, difference = exported(*call, text=rows(["e"]), y=torch.ones(2))
                assert joined.tolist() == ["abcde"]
                assert difference.tolist() == [4.0, 4.0]


def test_inputs_that_are_no_strings_are_rejected():
    s = strings(["x", "y"])
    program = torch_stringops.export(Columns(), ({"a": s, "b": s},))
    single = "expected `batch['b']` to be strings of rank >= 1, as in the example, got shape []"
    for value, message in {"x": single, s[0]: single, None: "expected `batch['b']` to be a StringTensor"}.items():
        with pytest.raises((TypeError, ValueError), match=re.escape(f"export: {message}")):
            program.module()({"a": s, "b": value})
    for value, message in (
        ("x", "expected `batch['b']` to be strings in a list or a StringTensor, got str, which would be a constant"),
        ([], "expected `batch['b']` to be strings in a list or a StringTensor, got an empty list, which would be a"),
        (["x", None], "`batch['b']`: expected no missing strings, got one at [1]"),
        (["x", 1], "`batch['b']`: expected str or bytes at [1], got int"),
        ([["x"], ["y", "z"]], "`batch['b']`: expected 1 element at [1], as at [0], got 2"),
    ):
        with pytest.raises((TypeError, ValueError), match=re.escape(f"export: {message}")):
            torch_stringops.export(Columns(), ({"a": s, "b": value},))
    with pytest.raises(TypeError, match="export: expected `args` to be a tuple, got StringTensor"):
        torch_stringops.export(Columns(), s)


class Weighted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(1, 1, 1)
        self.dropout = nn.Dropout(0.5)

    def forward(self, lines: StringTensor, weights: torch.Tensor) -> torch.Tensor:
        equal = (lines == "a").float()
        return self.dropout(self.convolution(equal.reshape(-1, 1, lines.shape[-1]))) * weights[:, None, None]


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_tensors_of_the_batch_and_strings_of_rank_2_in_training(rows: int):
    table = strings(["a", "b"]).expand(3, 2)
    program = torch_stringops.export(Weighted(), (table[:rows], torch.ones(rows)))
    for n in (0, 1, 2, 3):
        assert program.module()(table[:n], torch.ones(n)).shape == (n, 1, 2)


def test_batch_sizes_with_other_behaviour_are_rejected_with_a_warning():
    weights = torch.rand(3, 2)
    model = Called(lambda lines, sums: -sums.sum(1) if lines.shape[0] == 1 else sums.sum(1))
    with pytest.warns(UserWarning, match=r"rejects strings of shape \[1\], for which the code of the model differs"):
        program = torch_stringops.export(model, (strings(["a", "b", "c"]), weights))
    for n in (0, 2, 3):
        assert program.module()(strings(["a"] * n), weights[:n]).tolist() == weights[:n].sum(1).tolist()
    with pytest.raises(AssertionError, match="Guard failed"):
        program.module()(strings(["a"]), weights[:1])


class Reshaped(nn.Module):
    """Functions whose guards are ranges, divisions or products of sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 6)
        self.cells = nn.ModuleList([nn.GRUCell(6, 6), nn.LSTMCell(6, 6)])

    def forward(self, lines: StringTensor) -> list[object]:
        gru, lstm = self.cells
        x = self.embedding(torch_stringops.string_hash_bucket(lines[:, 0], 16))
        circular = nn.functional.pad(x.reshape(-1, 2, 3), (1, 1), mode="circular")
        return [gru(x), *lstm(x), circular, x.unflatten(1, (-1, 2)), lines.reshape(-1), lines.t().flatten()]


@pytest.mark.filterwarnings("error:export")
def test_functions_that_reshape(capfd: pytest.CaptureFixture[str]):
    table = strings(["a", "b", "c", "d"]).reshape(4, 1).expand(4, 2)
    model = Reshaped()
    program = torch_stringops.export(model, (table,))
    with tracing.patch(backed_size_oblivious=True):
        decomposed = program.run_decompositions()
    for exported in (program.module(), saved_and_loaded(program).module(), decomposed.module()):
        for rows in range(4):
            for got, want in zip(exported(table[:rows]), model(table[:rows]), strict=True):
                if isinstance(want, StringTensor):
                    assert got.tolist() == want.tolist()
                else:
                    torch.testing.assert_close(got, want)
    lengths = torch_stringops.export(Called(lambda s: s.length().view(s.shape[0], -1, 1)), (table,)).module()
    assert lengths(table[:1]).tolist() == [[[1], [1]]]
    with pytest.raises((RuntimeError, AssertionError)):
        lengths(table[:0])
    assert "Traceback" not in capfd.readouterr().err


def test_batch_norm_in_training_rejects_one_row_and_keeps_its_statistics():
    class Normed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def forward(self, lines: StringTensor, x: torch.Tensor) -> torch.Tensor:
            return self.norm(x * lines.shape[0])

    model = Normed()
    x = torch.rand(3, 2)
    before = torch.get_rng_state()
    program = torch_stringops.export(model, (strings(["a", "b", "c"]), x))
    assert torch.equal(torch.get_rng_state(), before)
    assert model.norm.num_batches_tracked == 0
    assert model.norm.running_mean.tolist() == [0, 0]
    with pytest.raises(ValueError, match="Expected more than 1 value per channel"):
        model(strings(["a"]), x[:1])
    with pytest.raises(AssertionError, match="Guard failed"):
        program.module()(strings(["a"]), x[:1])


@pytest.mark.parametrize("strict", [False, True])
def test_data_and_offsets_as_inputs(strict: bool):
    model = Raw(seeded(Padded))
    example = strings(ODD_LINES)
    exported = torch_stringops.export(model, (example.data, example.offsets), strict=strict).module()
    for lines in map(strings, BATCHES):
        torch.testing.assert_close(exported(lines.data, lines.offsets), model(lines.data, lines.offsets))


@pytest.mark.parametrize("dim", [Dim.AUTO, Dim.DYNAMIC])
def test_torch_export_supports_batches_of_two_or_more(dim: object):
    model = seeded(Padded)
    program = torch.export.export(model, (strings(ODD_LINES),), dynamic_shapes=([{0: dim}, {0: dim}],))
    exported = saved_and_loaded(program).module()
    for lines in BATCHES[3:]:
        torch.testing.assert_close(exported(strings(lines)), model(strings(lines)))


def test_static_dimensions_stay_static():
    example, longer = strings(["to be"] * 3), strings(["to be"] * 4)
    for dynamic_shapes in (None, ([{0: Dim.AUTO}, {0: Dim.AUTO}],)):
        program = torch_stringops.export(seeded(Padded), (example,), dynamic_shapes=dynamic_shapes)
        assert program.module()(longer).shape[0] == 4
    fixed = torch_stringops.export(seeded(Padded), (example,), dynamic_shapes=([{}, {}],))
    assert fixed.module()(example).shape[0] == 3
    with pytest.raises((AssertionError, RuntimeError), match="Guard failed|to be equal to"):
        fixed.module()(longer)


class Fields(nn.Module):
    def forward(self, lines: StringTensor, scale: torch.Tensor) -> dict[str, object]:
        pieces, counts = string_split(lines, ",")
        return {"pieces": pieces, "counts": counts * scale}


def test_strings_as_results_with_other_arguments():
    program = torch_stringops.export(Fields(), (strings(["a,b", "c", ""]),), {"scale": torch.ones(3)})
    exported = saved_and_loaded(program).module()
    result = exported(strings(["é,,b"]), scale=torch.full([1], 2.0))
    assert isinstance(result["pieces"], StringTensor)
    assert result["pieces"].tolist() == [["é", "", "b"]]
    assert result["counts"].tolist() == [6.0]


def test_padding_for_every_batch_size():
    exported = torch_stringops.export(Called(lambda s: s.pad((1, 2), "-")), (strings(["a", "b", "c"]),)).module()
    for lines in BATCHES[:4]:
        assert exported(strings(lines)).tolist() == ["-", *lines, "-", "-"]


@pytest.mark.parametrize("args", [(), (torch.ones(2),)])
def test_inputs_that_forward_does_not_declare_are_rejected(args: tuple[torch.Tensor, ...]):
    class Lengths(nn.Module):
        def forward(self, *rest, text=None, **others):
            return (rest[0] if text is None else text).length()

    lines = strings(["to", "be", "", "or"])
    for kwargs in ({"lines": lines}, {"text": lines, "others": lines}):
        with pytest.raises(ValueError, match="export: expected `kwargs` of names") as caught:
            torch_stringops.export(Lengths(), args, kwargs)
        assert str(caught.value).endswith(
            f"got '{list(kwargs)[-1]}', which it takes by `**others` (torch.export supports no dynamic sizes there: "
            "declare a parameter)"
        )
    program = torch_stringops.export(Lengths(), args, {"text": lines})
    assert program.module()(*args, text=strings(["that"])).tolist() == [4]


def test_errors_of_operators_are_raised():
    example = strings(ODD_LINES)
    exported = torch_stringops.export(Raw(seeded(Padded)), (example.data, example.offsets))
    with pytest.raises(BAD_ARGUMENT, match="string_split_ragged: expected `offsets` non-decreasing"):
        exported.module()(torch.zeros(3, dtype=torch.uint8), torch.tensor([0, 4, 2], dtype=torch.int32))
