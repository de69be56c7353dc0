"""Ensembles of decision trees of ai.onnx.ml.

All rows go down all trees at once: in each step, every row moves from its node of each tree to a child. A leaf is its
own child, and the number of steps is the depth of the deepest tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops.onnx._registry import ML, operator
from torch_stringops.onnx._scores import TRANSFORMS, Labels, check_transform, transformed
from torch_stringops.string_tensor import StringTensor

_MODES = (
    "BRANCH_LEQ",
    "BRANCH_LT",
    "BRANCH_GTE",
    "BRANCH_GT",
    "BRANCH_EQ",
    "BRANCH_NEQ",
    "BRANCH_MEMBER",
    "LEAF",
)
_MEMBER, _LEAF = _MODES.index("BRANCH_MEMBER"), _MODES.index("LEAF")
_COMPARE = (torch.le, torch.lt, torch.ge, torch.gt, torch.eq, torch.ne)
_MAX_TABLE = 2**27  # elements of the table of weights


def _list(values: Any) -> list[Any]:
    if values is None:
        return []
    return values.tolist() if isinstance(values, (Tensor, StringTensor)) else list(values)


class Forest(nn.Module):
    """The sum, or another aggregate, of the weights of the leaves that rows reach.

    `nodes` are the node attributes of the operators without their prefix, `leaves` the tree, node, target and weight of
    each weight, `sets` the values of each node of the mode BRANCH_MEMBER, and `roots` the positions of the roots.
    """

    roots: Tensor
    modes: Tensor
    when_true: Tensor
    when_false: Tensor
    features: Tensor
    missing: Tensor
    values: Tensor
    weights: Tensor
    given: Tensor
    members: Tensor

    def __init__(
        self,
        op: str,
        nodes: dict[str, Any],
        leaves: tuple[Any, Any, Any, Any],
        targets: int,
        aggregate: str,
        sets: Sequence[Tensor] = (),
        roots: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        lists = {name: _list(values) for name, values in nodes.items()}
        count = len(lists["nodeids"])
        for name, values in lists.items():
            if len(values) != count and not (name == "missing_value_tracks_true" and not values):
                raise ValueError(f"{op}: expected `nodes_{name}` of {count} nodes, got {len(values)}")
        place = {key: i for i, key in enumerate(zip(lists["treeids"], lists["nodeids"], strict=True))}
        if count == 0 or len(place) != count:
            raise ValueError(f"{op}: expected distinct nodes, got {count} nodes of which {len(place)} differ")
        for mode in set(lists["modes"]) - set(_MODES):
            raise ValueError(f"{op}: expected modes of {', '.join(_MODES)}, got {mode!r}")
        modes = [_MODES.index(mode) for mode in lists["modes"]]
        children = [
            [i if modes[i] == _LEAF else place.get((lists["treeids"][i], lists[name][i]), -1) for i in range(count)]
            for name in ("truenodeids", "falsenodeids")
        ]
        if any(child < 0 or (child == i and modes[i] != _LEAF) for side in children for i, child in enumerate(side)):
            raise ValueError(f"{op}: expected children that are other nodes of the same tree")
        if roots is None:  # the first node of each tree
            roots = list({tree: i for i, tree in reversed(list(enumerate(lists["treeids"])))}.values())[::-1]
        self.depth = _depth(op, roots, children)
        if any(not 0 <= f < 2**31 for f in lists["featureids"]):
            raise ValueError(f"{op}: expected `nodes_featureids` of 0 or more")
        missing = lists["missing_value_tracks_true"] or [0] * count
        values = nodes["values"]
        dtype = values.dtype if isinstance(values, Tensor) else torch.float32
        self.aggregate, self.targets, self.trees = aggregate, targets, len(roots)
        for name, data in {
            "roots": roots,
            "modes": modes,
            "when_true": children[0],
            "when_false": children[1],
            "features": lists["featureids"],
            "missing": missing,
        }.items():
            self.register_buffer(name, torch.tensor(data, dtype=torch.int64))
        self.register_buffer("values", torch.tensor(lists["values"], dtype=dtype))
        self.width = 1 + max(lists["featureids"], default=0)
        self.kinds = sorted(set(modes) - {_LEAF, _MEMBER})
        if count * targets > _MAX_TABLE:
            raise ValueError(f"{op}: expected at most {_MAX_TABLE} weights, got {count} nodes of {targets} targets")
        table = torch.zeros(count, targets, dtype=dtype)
        given = torch.zeros(count, targets, dtype=torch.bool)
        for tree, node, target, weight in zip(*map(_list, leaves), strict=True):
            if (tree, node) not in place or not 0 <= target < targets:
                raise ValueError(f"{op}: expected weights of nodes and of {targets} targets")
            table[place[tree, node], target] += weight
            given[place[tree, node], target] = True
        self.register_buffer("weights", table)
        self.register_buffer("given", given)
        # A NaN equals no value, so it fills up the rows.
        member_nodes = [i for i, mode in enumerate(modes) if mode == _MEMBER]
        self.widest = max((len(values) for values in sets), default=0)
        if len(member_nodes) != len(sets) or count * self.widest > _MAX_TABLE:
            raise ValueError(f"{op}: expected values of {len(member_nodes)} nodes, got {len(sets)} of them")
        members = torch.full([count, self.widest], torch.nan, dtype=dtype)
        for i, held in zip(member_nodes, sets, strict=True):
            members[i, : len(held)] = held
        self.register_buffer("members", members)

    def forward(self, x: Tensor) -> Tensor:
        rows = (x.unsqueeze(0) if x.dim() == 1 else x).to(self.values.dtype)
        if rows.shape[1] < self.width:
            raise ValueError(f"expected at least {self.width} features, got {rows.shape[1]}")
        at = self.roots.expand(rows.shape[0], -1)
        for _ in range(self.depth):
            at = self._step(rows, at)
        weights = self.weights[at]
        if self.aggregate == "SUM":
            return weights.sum(1)
        if self.aggregate == "AVERAGE":
            return weights.sum(1) / self.trees
        given = self.given[at]
        bound = torch.inf if self.aggregate == "MIN" else -torch.inf
        extreme = torch.amin if self.aggregate == "MIN" else torch.amax
        found = extreme(torch.where(given, weights, bound), 1)
        return torch.where(given.any(1), found, 0.0)

    def _step(self, rows: Tensor, at: Tensor) -> Tensor:
        value, split, mode = rows.gather(1, self.features[at]), self.values[at], self.modes[at]
        goes = torch.zeros_like(at, dtype=torch.bool)
        for kind in self.kinds:
            goes = torch.where(mode == kind, _COMPARE[kind](value, split), goes)
        if self.widest:  # rows of other nodes are NaN
            goes = goes | (value.unsqueeze(-1) == self.members[at]).any(-1)
        goes = goes | (value.isnan() & (self.missing[at] != 0))
        return torch.where(goes, self.when_true[at], self.when_false[at])


def _depth(op: str, roots: Sequence[int], children: list[list[int]]) -> int:
    """The number of steps to the deepest leaf. Raises ValueError if nodes form a cycle."""
    depth, level, seen = 0, list(roots), set(roots)
    if len(seen) != len(level):
        raise ValueError(f"{op}: expected trees with roots of their own")
    while True:
        below = [child for i in level for side in children if (child := side[i]) != i]
        if not below:
            return depth
        if len(seen.union(below)) != len(seen) + len(below):
            raise ValueError(f"{op}: expected trees, in which every node has one parent")
        seen.update(below)
        level, depth = below, depth + 1


def _nodes(attributes: dict[str, Any]) -> dict[str, Any]:
    """Takes the node attributes out of `attributes`, without their prefix."""
    names = ("nodeids", "treeids", "featureids", "modes", "truenodeids", "falsenodeids")
    nodes = {name: attributes.get(f"nodes_{name}") for name in (*names, "missing_value_tracks_true")}
    tensor = attributes.get("nodes_values_as_tensor")
    nodes["values"] = attributes.get("nodes_values") if tensor is None else tensor
    return nodes


def _either(attributes: dict[str, Any], name: str) -> Any:
    tensor = attributes.get(f"{name}_as_tensor")
    return attributes.get(name) if tensor is None else tensor


def _base(op: str, attributes: dict[str, Any], targets: int) -> Tensor:
    base = torch.as_tensor(_list(_either(attributes, "base_values")) or [0.0])
    if base.numel() not in (1, targets):
        raise ValueError(f"{op}: expected {targets} base values, got {base.numel()}")
    return base


@operator("TreeEnsembleRegressor", domain=ML)
class TreeEnsembleRegressor(nn.Module):
    base: Tensor

    def __init__(
        self,
        *,
        n_targets: int = 1,
        aggregate_function: str = "SUM",
        post_transform: str = "NONE",
        **nodes: Any,
    ) -> None:
        super().__init__()
        op = "TreeEnsembleRegressor"
        if not 1 <= n_targets <= _MAX_TABLE or aggregate_function not in ("SUM", "AVERAGE", "MIN", "MAX"):
            raise ValueError(f"{op}: expected a target, and SUM, AVERAGE, MIN or MAX, got {aggregate_function!r}")
        leaves = tuple(nodes.get(f"target_{name}") for name in ("treeids", "nodeids", "ids"))
        weights = (*leaves, _either(nodes, "target_weights"))
        self.forest = Forest(op, _nodes(nodes), weights, n_targets, aggregate_function)
        self.post_transform = check_transform(op, post_transform)
        self.register_buffer("base", _base(op, nodes, n_targets))

    def forward(self, X: Tensor) -> Tensor:
        scores = self.forest(X) + self.base.to(self.forest.values.dtype)
        return transformed(scores.float(), self.post_transform)


@operator("TreeEnsembleClassifier", domain=ML)
class TreeEnsembleClassifier(nn.Module):
    """With weights of one class out of two, the score is that of the second class."""

    base: Tensor

    def __init__(
        self,
        *,
        classlabels_int64s: Any = None,
        classlabels_strings: Any = None,
        post_transform: str = "NONE",
        **nodes: Any,
    ) -> None:
        super().__init__()
        op = "TreeEnsembleClassifier"
        self.labels = Labels(op, classlabels_strings, classlabels_int64s)
        self.post_transform = check_transform(op, post_transform)
        ids = _list(nodes.get("class_ids"))
        self.binary = self.labels.count == 2 and len(set(ids)) == 1
        weights = _either(nodes, "class_weights")
        self.positive = all(weight >= 0 for weight in _list(weights))
        targets = 1 if self.binary else self.labels.count
        leaves = (
            nodes.get("class_treeids"),
            nodes.get("class_nodeids"),
            [0] * len(ids) if self.binary else ids,
            weights,
        )
        self.forest = Forest(op, _nodes(nodes), leaves, targets, "SUM")
        self.register_buffer("base", _base(op, nodes, targets))

    def forward(self, X: Tensor) -> tuple[Tensor | StringTensor, Tensor]:
        scores = (self.forest(X) + self.base.to(self.forest.values.dtype)).float()
        if not self.binary:
            return self.labels(scores.argmax(1)), transformed(scores, self.post_transform)
        labels = self.labels((scores[:, 0] > (0.5 if self.positive else 0.0)).long())
        if self.post_transform == "LOGISTIC":
            return labels, torch.cat([torch.sigmoid(-scores), torch.sigmoid(scores)], 1)
        return labels, torch.cat([1 - scores if self.positive else -scores, scores], 1)


@operator("TreeEnsemble", domain=ML)
class TreeEnsemble(nn.Module):
    """Inner nodes and leaves are numbered separately, and the modes are numbers."""

    def __init__(
        self,
        *,
        tree_roots: list[int],
        leaf_targetids: list[int],
        leaf_weights: Tensor,
        nodes_featureids: list[int],
        nodes_modes: Tensor,
        nodes_splits: Tensor,
        nodes_truenodeids: list[int],
        nodes_trueleafs: list[int],
        nodes_falsenodeids: list[int],
        nodes_falseleafs: list[int],
        nodes_missing_value_tracks_true: list[int] | None = None,
        nodes_hitrates: Tensor | None = None,
        membership_values: Tensor | None = None,
        n_targets: int = 1,
        aggregate_function: int = 1,
        post_transform: int = 0,
    ) -> None:
        super().__init__()
        op = "TreeEnsemble"
        given = (nodes_modes, nodes_splits, leaf_weights, membership_values)
        if any(isinstance(values, StringTensor) for values in given):
            raise TypeError(f"{op}: expected tensors of numbers, got strings")
        modes, count = nodes_modes.tolist(), len(nodes_modes)
        sides = ((nodes_truenodeids, nodes_trueleafs), (nodes_falsenodeids, nodes_falseleafs))
        if any(len(values) != count for side in sides for values in side):
            raise ValueError(f"{op}: expected children of {count} nodes")
        if any(not 0 <= mode < _LEAF for mode in modes):
            raise ValueError(f"{op}: expected modes within [0, {_LEAF}), got {modes}")
        if not (1 <= n_targets <= _MAX_TABLE and 0 <= aggregate_function < 4 and 0 <= post_transform < len(TRANSFORMS)):
            raise ValueError(f"{op}: expected a target, an aggregate and a transform of the specification")
        # Several nodes may share a leaf, and the trees of Forest do not: each edge to a leaf has a node of its own.
        leaves: list[int] = []
        children: list[list[int]] = []
        for ids, are_leaves in sides:
            children.append([])
            for child, is_leaf in zip(ids, are_leaves, strict=True):
                if not 0 <= child < (len(leaf_targetids) if is_leaf else count):
                    raise ValueError(f"{op}: expected children that are nodes or leaves, got {child}")
                children[-1].append(count + len(leaves) if is_leaf else child)
                leaves += [child] * bool(is_leaf)
        if len(leaf_weights) != len(leaf_targetids) or any(not 0 <= root < count for root in tree_roots):
            raise ValueError(f"{op}: expected a weight for each leaf, and roots that are nodes")
        filler = [0] * len(leaves)
        numbers = list(range(count + len(leaves)))
        nodes = {
            "nodeids": numbers,
            "treeids": [0] * len(numbers),
            "featureids": [*nodes_featureids, *filler],
            "modes": [*(_MODES[mode] for mode in modes), *("LEAF" for _ in leaves)],
            "truenodeids": [*children[0], *filler],
            "falsenodeids": [*children[1], *filler],
            "values": torch.cat([nodes_splits, nodes_splits.new_zeros(len(leaves))]),
        }
        missing = nodes_missing_value_tracks_true
        nodes["missing_value_tracks_true"] = [*missing, *filler] if missing else []
        weights = (
            [0] * len(leaves),
            numbers[count:],
            [leaf_targetids[leaf] for leaf in leaves],
            leaf_weights[torch.tensor(leaves)],
        )
        aggregate = ("AVERAGE", "SUM", "MIN", "MAX")[aggregate_function]
        self.forest = Forest(op, nodes, weights, n_targets, aggregate, _sets(membership_values), tree_roots)
        self.post_transform = TRANSFORMS[post_transform]

    def forward(self, X: Tensor) -> Tensor:
        return transformed(self.forest(X), self.post_transform)


def _sets(values: Tensor | None) -> list[Tensor]:
    """Splits the values of sets, each of which ends with a NaN."""
    if values is None:
        return []
    ends = [0, *(values.isnan().nonzero()[:, 0] + 1).tolist()]
    return [values[begin : end - 1] for begin, end in pairwise(ends)]
