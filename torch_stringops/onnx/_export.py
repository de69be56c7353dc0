"""Export of models with strings to ONNX files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from onnx_ir.passes import common
from torch.export import ExportedProgram

import torch_stringops._export as torch_export
from torch_stringops._export_inputs import _positional_names
from torch_stringops.onnx import _borders, _leaves
from torch_stringops.onnx._files import save
from torch_stringops.onnx._portable import make_portable
from torch_stringops.onnx._translations import translations

if TYPE_CHECKING:
    import onnx

# The first version with StringSplit, StringConcat and RegexFullMatch.
_OPSET = 20


def export(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    path: str | os.PathLike[str] | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    dynamic_shapes: Any = None,
    opset_version: int = _OPSET,
    portable: bool = False,
) -> onnx.ModelProto:
    """Exports a model that takes or returns strings to ONNX, for all batch sizes.

    Each argument or result that is a StringTensor is one tensor of strings in the file. Operators on strings are nodes
    of the domain `ai.torch_stringops`, for which onnxruntime loads the library of `library_path`. They run the code of
    the operators of torch, so results are equal; the numeric part is what `torch.onnx.export` makes of it.

    Args:
        model: a module, as for `torch_stringops.export`.
        args: example inputs, at least one of which is a StringTensor, a list of strings or a tensor.
        path: the file to write, atomically. If the tensors have 2 GB or more, they are in a second file, `path` with
            `.data` appended. Default: None, the model is only returned.
        kwargs: example keyword inputs.
        input_names: names of the inputs, in the order of `args` and `kwargs`. Default: the names of the parameters of
            `forward`, with keys and positions for those in containers, such as `batch_text`.
        output_names: names of the outputs. Default: the keys of a dict, `output`, or `output_0`, `output_1`, ...
        dynamic_shapes: as in `torch_stringops.export`. Default: None, every size is dynamic unless the model fixes it.
        opset_version: the version of the operators of ai.onnx, at least 20.
        portable: use operators of ai.onnx, ai.onnx.ml and com.microsoft only, so that onnxruntime needs no library.

    Returns:
        The model, with the results of containers flattened in the order in which the model returns them.

    Raises:
        TypeError: `model` is not a module.
        ValueError: no input is strings or a tensor; the number of names is not that of the inputs or outputs, or two
            are equal; with `portable`, operators have no exact form: the message names each, with its line of the
            model.

    Example:
        >>> import onnxruntime
        >>> from torch_stringops import StringTensor
        >>> class Shout(torch.nn.Module):
        ...     def forward(self, text):
        ...         return text.upper() + "!"
        >>> model = export(Shout(), (StringTensor.from_list(["to", "be"]),))
        >>> [node.op_type for node in model.graph.node]
        ['pack', 'string_upper', 'string_concat', 'unpack']
    """
    if opset_version < _OPSET:
        raise ValueError(f"export: expected `opset_version` >= {_OPSET}, got {opset_version}")
    with torch.no_grad(), warnings.catch_warnings():
        # torch warns about its own classes when it copies the program.
        warnings.filterwarnings("ignore", category=FutureWarning, message=".*LeafSpec.*")
        program = torch_export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
        inputs = _leaves.inputs_of(program)
        if not inputs:  # a file that always returns the results of the example
            raise ValueError(
                "export: expected example inputs that are strings or tensors, got none in `args` and `kwargs`"
            )
        _drop_constant_results(program)
        exported = torch.onnx.export(
            program,
            (),
            dynamo=True,
            custom_translation_table=translations(),
            opset_version=opset_version,
            verbose=False,
        )
    assert exported is not None
    converted = exported.model
    outputs = _leaves.outputs_of(program)
    roots = _positional_names(model, len(args))
    graph = converted.graph
    in_names = _names("input", input_names, _leaves.names_of(inputs, roots, "input"), [])
    out_names = _names("output", output_names, _leaves.names_of(outputs, [], "output"), in_names)
    _borders.convert_inputs(graph, inputs, in_names)
    _borders.convert_outputs(graph, outputs, out_names)
    if portable:
        make_portable(converted, model)
    common.RemoveUnusedNodesPass()(converted)
    _borders.rename_others(graph)
    common.ClearMetadataAndDocStringPass()(converted)
    return save(converted, path)


def _drop_constant_results(program: ExportedProgram) -> None:
    """Replaces results that are ints or other constants by None, which torch's exporter leaves out."""
    output = program.graph.output_node()
    output.args = (tuple(v if isinstance(v, torch.fx.Node) else None for v in output.args[0]),)


def _names(kind: str, given: Sequence[str] | None, default: list[str], taken: list[str]) -> list[str]:
    """The names that are given, or those of the model, which are made distinct."""
    if given is None:
        names: list[str] = []
        for name in default:
            others = [*taken, *names, *(n for n in default if n != name)]
            numbered = (f"{name}_{i}" for i in range(1, len(others) + 2))
            names.append(name if name not in taken + names else next(n for n in numbered if n not in others))
        return names
    names = list(given)
    if isinstance(given, str) or len(names) != len(default):
        raise ValueError(f"export: expected {len(default)} `{kind}_names`, for {', '.join(default)}, got {given!r}")
    repeated = next((name for i, name in enumerate(names) if name in taken + names[:i]), None)
    if repeated is not None:
        raise ValueError(f"export: expected distinct names of inputs and outputs, got {repeated!r} twice")
    return names
