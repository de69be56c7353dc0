"""The portable form of a graph: nodes of ai.onnx, ai.onnx.ml and com.microsoft instead of the library's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx_ir as ir
import torch

from torch_stringops.onnx import _forms_ragged, _forms_split, _forms_strings, _views
from torch_stringops.onnx._call import VERSIONS, Call, NoForm, Scope, original
from torch_stringops.onnx._forms import FORMS, NEAREST, Form
from torch_stringops.onnx._operators import DOMAIN, PACK, UNPACK, operators
from torch_stringops.vocabulary import Vocabulary

# Importing these registers the forms.
_MODULES = (_forms_ragged, _forms_split, _forms_strings, _views)
_PACKAGE = Path(__file__).resolve().parent.parent
_STACK_TRACE = "pkg.torch.onnx.stack_trace"


def make_portable(model: ir.Model, module: torch.nn.Module) -> None:
    """Replaces the nodes of the library in place.

    Raises:
        ValueError: nodes have no exact portable form; the message names each, with its line of the model.
    """
    tokens = {bytes(m._table.numpy()): m.tokens for m in module.modules() if isinstance(m, Vocabulary)}
    graph = model.graph
    scope = Scope(graph, tokens, _views.strings_of)
    refused: list[tuple[str, str, str]] = []
    unknown: set[ir.Value] = set()
    for node in list(graph):
        after = any(value in unknown for value in node.inputs)  # what it would get is not known
        try:
            if not after:
                _replace(scope, node)
                continue
            unknown |= set(node.outputs)
            if node.domain == DOMAIN and node.op_type in operators():
                _form_of(node)
        except NoForm as reason:
            node = _written(node)
            name = operators()[node.op_type].name if node.op_type in operators() else node.op_type
            refused.append((name, _line(node), str(reason)))
            unknown |= set(node.outputs)
    if not refused:
        refused = list(_rest(graph))
    if refused:
        lines = "".join(f"\n  {name}{line}: {reason}" for name, line, reason in refused)
        raise ValueError(f"export: expected operators with a portable form (or portable=False), got{lines}")
    for domain, version in VERSIONS.items():
        if version is not None:
            model.opset_imports[domain] = version
    model.opset_imports.pop(DOMAIN, None)


def _replace(scope: Scope, node: ir.Node) -> None:
    if node.domain == DOMAIN:
        if node.op_type == PACK:
            _replace_pack(scope, node)
        elif node.op_type == UNPACK:
            data, offsets = node.inputs
            assert data is not None
            assert offsets is not None
            strings = scope.add(node, "Identity", _views.strings_of(scope, original(data), offsets, node))
            strings.type, strings.shape = node.outputs[0].type, node.outputs[0].shape
            ir.convenience.replace_all_uses_with(node.outputs[0], strings, replace_graph_outputs=True)
            strings.name = node.outputs[0].name
        else:
            found = _form_of(node)
            call = Call(scope, node, operators()[node.op_type])
            found.write(call)
            call.check_all_read()
    elif node.op_type == "Shape":
        _replace_shape(scope, node)


def _form_of(node: ir.Node) -> Form:
    name = operators()[node.op_type].name
    found = FORMS.get(name)
    if found is None:
        raise NoForm(NEAREST.get(name, "no operator of ONNX gives its result"))
    return found


def _replace_pack(scope: Scope, node: ir.Node) -> None:
    (strings,) = node.inputs
    assert strings is not None
    data, offsets = node.outputs
    if strings.shape is not None and strings.shape.rank() == 0:
        strings = scope.add(node, "Reshape", strings, [1])
    scope.strings[data, offsets] = strings


def _replace_shape(scope: Scope, node: ir.Node) -> None:
    """The shape of offsets is that of the strings, with one more along the last axis."""
    (value,) = node.inputs
    if value is None or value.shape is None:
        return
    offsets = original(value)
    strings = next((s for (_, known), s in scope.strings.items() if known is offsets), None)
    if strings is None:
        return
    rank = value.shape.rank()
    start, end = (node.attributes[k].as_int() if k in node.attributes else d for k, d in (("start", 0), ("end", rank)))
    more = np.zeros(rank, np.int64)
    more[-1] = 1
    sizes = scope.add(node, "Add", scope.add(node, "Shape", strings, start=start, end=end), more[start:end])
    sizes.type, sizes.shape = node.outputs[0].type, node.outputs[0].shape
    ir.convenience.replace_all_uses_with(node.outputs[0], sizes, replace_graph_outputs=True)


def _rest(graph: ir.Graph) -> Iterator[tuple[str, str, str]]:
    """The nodes that read bytes or offsets of strings, which the portable form does not have."""
    used: set[ir.Value] = {value for value in graph.outputs if value is not None}
    for node in reversed(graph):
        if any(value in used for value in node.outputs):
            if node.domain == DOMAIN:
                continue
            used |= {value for value in node.inputs if value is not None}
            for value in node.inputs:
                producer = None if value is None else value.producer()
                if producer is not None and producer.domain == DOMAIN:
                    yield node.op_type, _line(node), "it reads the bytes or offsets of strings"
        if any(isinstance(a.value, ir.Graph) and _has_library_nodes(a.value) for a in node.attributes.values()):
            yield node.op_type, _line(node), "it has operators on strings in a branch"


def _has_library_nodes(graph: ir.Graph) -> bool:
    return any(node.domain == DOMAIN for node in graph.all_nodes())


def _written(node: ir.Node) -> ir.Node:
    """The node, or the last before it that has a line of the model, as nodes that `export` adds have none."""
    found: ir.Node | None = node
    while found is not None and not _line(found):
        found = next((p for v in reversed(found.inputs) if v is not None and (p := v.producer())), None)
    return found or node


def _line(node: ir.Node) -> str:
    """The file, line and text of the call in the model's code, or `""` if torch recorded none."""
    frames = re.findall(r'File "([^"]+)", line (\d+), in .*\n\s*(.*)', node.metadata_props.get(_STACK_TRACE, ""))
    torch_folder = Path(torch.__file__).resolve().parent
    for file, line, text in reversed(frames):
        if not any(folder in Path(file).resolve().parents for folder in (_PACKAGE, torch_folder)):
            name = os.path.relpath(file) if Path(file).exists() else file
            return f" ({name}:{line}, `{text.removeprefix('code: ')}`)"
    return f" ({frames[-1][0]}:{frames[-1][1]})" if frames else ""
