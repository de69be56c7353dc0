"""Strings of another rank, dtype or size than those of the export: what packages and other programs do with them.

test_aoti.py calls a package from a process without Python.
"""

import re
from typing import Any

import pytest
import torch
from support.cases import each
from support.vocabularies import strings
from torch import Tensor, nn

import torch_stringops
from torch_stringops import StringTensor

ROWS = (["a", "bc", ""], ["def", "", "g"])


class Inputs(nn.Module):
    """Reads the offsets of each input by code that the compiler generates."""

    def forward(
        self, text: StringTensor, columns: dict[str, StringTensor], data: Tensor, offsets: Tensor, *, kept: StringTensor
    ) -> list[Tensor]:
        raw = StringTensor(data, offsets)
        table, other = columns["table"], columns["other"]
        lengths = [s.offsets[..., 1:] - s.offsets[..., :-1] for s in (text, table, other, raw, kept)]
        return [*lengths, (text == other).int() + lengths[1].sum(1), text.upper().offsets, kept.data * 2]


class Upper(nn.Module):
    def forward(self, text: StringTensor) -> Tensor:
        return text.upper().offsets


def inputs(**replaced: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    given = {"text": strings(["x", "yz"]), "table": strings([*ROWS]), "other": strings(["x", ""])} | replaced
    raw = given.get("raw", strings(["one", "two", "three"]))
    data, offsets = given.get("data", raw.data), given.get("offsets", raw.offsets)
    columns = {"table": given["table"], "other": given["other"]}
    return (given["text"], columns, data, offsets), {"kept": given.get("kept", strings(["k", "ept"]))}


def parts(s: StringTensor, data: Tensor | None = None, offsets: Tensor | None = None) -> StringTensor:
    """Strings of tensors that the constructor would reject."""
    return StringTensor._new(s.data if data is None else data, s.offsets if offsets is None else offsets)


TEXT = strings(["x", "yz"])
WIDE = strings([["p", *row] for row in ROWS])
RANK = "of rank {}, as in the example, got shape {} (export with an example of this rank)"

# Replaced inputs, and the error after "export: expected ".
REJECTED: dict[str, tuple[dict[str, Any], str]] = {
    "rank 2": ({"text": strings([["x", "yz"]])}, "`text.offsets` " + RANK.format(1, "[1, 3]")),
    "rank 1": ({"table": strings(["x", "y"])}, "`columns['table'].offsets` " + RANK.format(2, "[3]")),
    "rank 3": ({"table": strings([[["x"]]])}, "`columns['table'].offsets` " + RANK.format(2, "[1, 1, 2]")),
    "rank 0": ({"text": parts(TEXT, offsets=TEXT.offsets[0])}, "`text.offsets` of shape [..., n + 1] with n >= 0"),
    "data of rank 2": ({"text": parts(TEXT, data=TEXT.data.reshape(1, 3))}, "`text.data` of rank 1, got shape [1, 3]"),
    "int32 data": ({"text": parts(TEXT, data=TEXT.data.int())}, "`text.data` to be uint8, got int32 (convert with"),
    "int64 offsets": (
        {"text": parts(TEXT, offsets=TEXT.offsets.long())},
        "`text.offsets` to be int32, got int64 (convert with .to(torch.int32))",
    ),
    "another batch size": ({"other": strings(["x"] * 3)}, "`columns['other'].offsets` of shape [3], got shape [4]"),
    "a static size": ({"kept": strings(["k"])}, "`kept.offsets` of shape [3], got shape [2]"),
    "a static number of bytes": ({"kept": strings(["k", "e"])}, "`kept.data` of shape [4], got shape [2]"),
    "tensors: rank": ({"offsets": torch.zeros(1, 4, dtype=torch.int32)}, "`offsets` " + RANK.format(1, "[1, 4]")),
    "tensors: dtype": ({"data": torch.zeros(11)}, "`data` to be uint8, got float32 (convert with"),
    "columns of a table": ({"table": WIDE[:, 1:]}, "`columns['table'].offsets` to be contiguous in a package"),
}
OF_THE_PACKAGE = ["columns of a table"]


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    args, kwargs = inputs(table=strings(["-"]).expand(2, 3))  # whose offsets are not contiguous
    auto, static = torch.export.Dim.AUTO, torch.export.Dim.STATIC
    column = [{0: auto}, {0: auto}]
    shapes = {
        "text": column,
        "columns": {"table": [{0: auto}, {0: auto, 1: auto}], "other": column},
        "data": {0: auto},
        "offsets": {0: auto},
        "kept": [{0: static}, {0: static}],
    }
    return torch_stringops.export(Inputs(), args, kwargs, dynamic_shapes=shapes)


@pytest.fixture(scope="module")
def package(program: torch.export.ExportedProgram, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("package") / "inputs.pt2"
    return torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(program, package_path=str(path)))


ACCEPTED = [
    inputs(),
    inputs(text=strings(["q"]), table=strings([["a", "bc"]]), other=strings(["q"])),
    inputs(table=WIDE[:, 1:].contiguous()),
]


@pytest.mark.parametrize("call", ACCEPTED)
def test_other_sizes_are_accepted(call: Any, program: torch.export.ExportedProgram, package: Any):
    args, kwargs = call
    want = Inputs()(*args, **kwargs)
    torch.testing.assert_close(package(*args, **kwargs), want)
    torch.testing.assert_close(program.module()(*args, **kwargs), want)


@each("case", REJECTED)
def test_a_package_rejects(case: str, package: Any):
    replaced, text = REJECTED[case]
    args, kwargs = inputs(**replaced)
    with pytest.raises(RuntimeError) as error:
        package(*args, **kwargs)
    assert str(error.value).startswith(f"export: expected {text}")


@each("case", [case for case in REJECTED if case not in OF_THE_PACKAGE])
def test_an_exported_program_rejects(case: str, program: torch.export.ExportedProgram):
    args, kwargs = inputs(**REJECTED[case][0])
    with pytest.raises((ValueError, RuntimeError, AssertionError, IndexError)):
        program.module()(*args, **kwargs)


def test_an_exported_program_of_one_input_rejects():
    program = torch_stringops.export(Upper(), (TEXT,)).module()
    for case in ("rank 2", "data of rank 2", "int32 data", "int64 offsets"):
        replaced, text = REJECTED[case]
        with pytest.raises(ValueError, match=re.escape(f"export: expected {text}")):
            program(replaced["text"])


def test_an_exported_program_takes_strings_with_gaps(program: torch.export.ExportedProgram):
    args, kwargs = inputs(table=WIDE[:, 1:])
    torch.testing.assert_close(program.module()(*args, **kwargs), Inputs()(*args, **kwargs))


def test_a_compiled_module_does_as_eager():
    torch._dynamo.reset()
    compiled = torch.compile(Upper(), fullgraph=True, backend="aot_eager")
    for text in (TEXT, strings([["x", "yz"]]), strings([[["x"]]]), WIDE[:, 1:]):
        assert torch.equal(compiled(text), Upper()(text))
    for case in ("rank 0", "data of rank 2", "int32 data", "int64 offsets"):
        wrong = REJECTED[case][0]["text"]
        with pytest.raises(ValueError, match="StringTensor.upper: expected `") as eager:
            Upper()(wrong)
        with pytest.raises(RuntimeError, match=re.escape(str(eager.value).partition(": ")[2].partition(", got")[0])):
            compiled(wrong)


class Variadic(nn.Module):
    def forward(self, first: StringTensor, *rest: StringTensor, last: StringTensor) -> list[Tensor]:
        return [s.upper().offsets for s in (first, *rest, last)]


@pytest.mark.parametrize("strict", [False, True])
def test_names_of_arguments(strict: bool):
    program = torch_stringops.export(Variadic(), (TEXT, TEXT, TEXT), {"last": TEXT}, strict=strict)
    checks = [node.args for node in program.graph.nodes if "_check_strings" in str(node.target)]
    assert [names for *_, names, _ in checks] == ["first.data", "rest[0].data", "rest[1].data", "last.data"]


def test_the_model_has_no_hook_after_the_export():
    model = Upper()
    torch_stringops.export(model, (TEXT,))
    assert not model._forward_pre_hooks
