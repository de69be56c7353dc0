"""The arguments and results of an exported program, each of which is one or two values of its graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument
from torch.utils._pytree import GetAttrKey, MappingKey, SequenceKey, tree_flatten_with_path, tree_unflatten

from torch_stringops.string_tensor import StringTensor


@dataclass(frozen=True)
class Leaf:
    """A tensor or a StringTensor of the arguments or the results."""

    path: tuple[Any, ...]
    is_strings: bool
    is_scalar: bool = False  # strings of rank 0


def inputs_of(program: ExportedProgram) -> list[Leaf]:
    """The arguments that are inputs of the graph, in its order; not those that are constants."""
    return _leaves(program.call_spec.in_spec, program.graph_signature.input_specs, "USER_INPUT")


def outputs_of(program: ExportedProgram) -> list[Leaf]:
    """The results that are outputs of the graph, in eager's order; not those that are constants."""
    return _leaves(program.call_spec.out_spec, program.graph_signature.output_specs, "USER_OUTPUT")


def _leaves(tree: Any, specs: list[Any], kind: str) -> list[Leaf]:
    constant = [isinstance(s.arg, ConstantArgument) for s in specs if s.kind.name == kind]
    # The values of strings are their `data` and `offsets`, so each StringTensor of this tree holds two positions.
    positions = tree_unflatten(list(range(tree.num_leaves)), tree)
    found = []
    for path, leaf in tree_flatten_with_path(positions, is_leaf=lambda v: isinstance(v, StringTensor))[0]:
        if isinstance(leaf, StringTensor):
            found.append(Leaf(path, True, leaf._scalar))
        elif not constant[leaf]:
            found.append(Leaf(path, False))
    return found


def names_of(leaves: list[Leaf], roots: list[str], default: str) -> list[str]:
    """A name for each leaf: that of its root, with the keys and positions that lead to it.

    Args:
        roots: the names of the positional arguments, if the first key of a path tells args from kwargs.
        default: the name of a result without keys.
    """
    names: list[str] = []
    for leaf in leaves:
        parts = list(_parts(leaf.path))
        if roots and parts[0] == "0":
            at = int(parts[1])
            parts = [roots[at] if at < len(roots) else f"args_{at}", *parts[2:]]
        elif roots:
            parts = parts[1:]
        elif not parts or parts[0].isdigit():
            parts = [default, *parts]
        names.append("_".join(parts))
    return names


def _parts(path: tuple[Any, ...]) -> Iterator[str]:
    for key in path:
        if isinstance(key, SequenceKey):
            yield str(key.idx)
        elif isinstance(key, MappingKey):
            yield str(key.key)
        elif isinstance(key, GetAttrKey):
            yield key.name
        else:
            yield str(key).strip("[]'.")
