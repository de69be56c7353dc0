"""torch.export of models that take strings, for batches of every size, 0 and 1 included.

The shape functions of convolutions, recurrent and attention layers ask whether a tensor is empty or has one row, and
torch guards the program by the answers for the example. The operators themselves run at any size. So the program is
run without its guards, next to the model, at each small size that a guard refuses. The size stays refused if the
two differ, as they do if the model's own code asks for a size and then does something else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram, ShapesCollection
from torch.export.graph_signature import InputKind
from torch.fx.experimental import _config as tracing
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from torch_stringops.string_tensor import StringTensor

# Sizes of strings that torch treats unlike larger ones, and of their offsets, one larger.
_SMALL = (0, 1, 2)

Call = tuple[tuple[Any, ...], dict[str, Any]]


def _is_strings(value: Any) -> bool:
    return isinstance(value, StringTensor)


def _general_example(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The example call, with two rows where its strings have none or one: torch takes such a size for a constant.

    Tensors with as many rows as there are strings belong to the batch, and get two rows as well.
    """
    leaves, spec = tree_flatten((args, kwargs), _is_strings)
    rows = next((s.shape[0] for s in leaves if _is_strings(s) and s.dim() > 0), 2)
    if rows > 1:
        return args, kwargs

    def two_rows(t: Any) -> Any:
        if not isinstance(t, Tensor | StringTensor) or t.dim() == 0 or t.shape[0] != rows:
            return t
        if rows == 1:
            return torch.cat([t, t])  # type: ignore[list-item]
        shape = [2, *t.shape[1:]]
        if isinstance(t, StringTensor):
            return StringTensor.from_list("text").expand(shape)
        return t.new_zeros(shape)

    call: Call = tree_unflatten([two_rows(leaf) for leaf in leaves], spec)
    return call


def _accept_small_sizes(program: ExportedProgram, model: torch.nn.Module) -> None:
    """Lets `program` accept the small sizes at which it does what `model` does."""
    import sympy  # type: ignore[import-untyped]  # slow to import; torch.export has done so

    # Private in torch: the text of the guards, which save() writes and module() checks.
    from torch.export.exported_program import _convert_guards_to_code

    example = _Example(program)
    guards = example.shape_env.guards if example.sizes else []
    refused = {}
    for symbol in example.sizes:
        for size in map(sympy.Integer, _SMALL):
            at = {**example.sizes, symbol: size}
            refusing = [i for i, guard in enumerate(guards) if not example.holds(guard.expr, at)]
            if refusing and example.reaches(at):
                refused[symbol, size] = refusing
    if not refused:
        return
    unguarded = program.module(check_guards=False)
    unguarded.validate_inputs = False  # type: ignore[assignment]  # it takes 0 for no solution of `n + 1 = 1`
    for (symbol, size), refusing in refused.items():
        call = example.at(symbol, size)
        want = _outcome(model, call, model)
        if isinstance(want, Exception):  # what the model refuses, the program may
            continue
        if not _equal(want, _outcome(unguarded, call, model)):
            shape = next(
                (list(s.shape) for s in tree_leaves(call, _is_strings) if _is_strings(s)),
                f"{symbol} = {size}",
            )
            warnings.warn(
                f"export: the program refuses strings of shape {shape}, for which the model does something else than "
                "for the example",
                stacklevel=3,
            )
            continue
        here = sympy.Eq(symbol, size, evaluate=False)  # sympy has it that no size is 0
        for i in refusing:
            guards[i] = guards[i]._replace(expr=sympy.Or(guards[i].expr, here))
    program._guards_code = _convert_guards_to_code(program.graph_module)


class _Example:
    """The example call of a program, in any size.

    Attributes:
        sizes: the example's, by the symbols that the program has for them.
    """

    def __init__(self, program: ExportedProgram) -> None:
        import sympy

        self.sizes: dict[Any, Any] = {}
        self.shape_env: Any = None
        self._leaves, self._spec = tree_flatten(program.example_inputs)
        inputs = [i.arg.name for i in program.graph_signature.input_specs if i.kind is InputKind.USER_INPUT]
        values = {node.name: node.meta.get("val") for node in program.graph.find_nodes(op="placeholder")}
        self._shapes = [v.shape if isinstance(v := values[name], Tensor) else () for name in inputs]
        for leaf, shape in zip(self._leaves, self._shapes, strict=True):
            for dim, size in enumerate(shape):
                if isinstance(size, torch.SymInt) and size.node.expr.is_symbol:
                    self.sizes[size.node.expr] = sympy.Integer(leaf.shape[dim])
                    self.shape_env = size.node.shape_env

    def holds(self, condition: Any, sizes: dict[Any, Any]) -> bool:
        """Whether `condition` is not known to be false; it may name sizes that were found to depend on others."""
        values = {s: self.shape_env.replace(s).xreplace(sizes) for s in condition.free_symbols}
        return bool(condition.xreplace(values) != False)  # noqa: E712 - sympy's or Python's

    def reaches(self, sizes: dict[Any, Any]) -> bool:
        """Whether the example can be cut to `sizes`."""
        return all(
            not isinstance(n, torch.SymInt) or 0 <= int(n.node.expr.xreplace(sizes)) <= leaf.shape[dim]
            for leaf, shape in zip(self._leaves, self._shapes, strict=True)
            for dim, n in enumerate(shape)
        )

    def at(self, symbol: Any, size: Any) -> Call:
        """The call cut to where `symbol` is `size`."""
        sizes = {**self.sizes, symbol: size}
        leaves = list(self._leaves)
        for i, shape in enumerate(self._shapes):
            for dim, n in enumerate(shape):
                if isinstance(n, torch.SymInt):
                    leaves[i] = leaves[i].narrow(dim, 0, int(n.node.expr.xreplace(sizes)))
        call: Call = tree_unflatten(leaves, self._spec)
        return call


def _outcome(fn: Callable[..., Any], call: Call, model: torch.nn.Module) -> Any:
    """What `fn` returns, or the exception that it raises; the buffers and torch's generators stay as they were."""
    args, kwargs = call
    buffers = [(b, b._version, b.clone()) for b in model.buffers()]
    fast_attention = torch.backends.mha.get_fastpath_enabled()  # gives other values to what is padded
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.random.fork_rng(), torch.no_grad():
            torch.manual_seed(0)
            return fn(*args, **kwargs)
    except Exception as error:
        return error
    finally:
        torch.backends.mha.set_fastpath_enabled(fast_attention)
        for buffer, version, before in buffers:
            if buffer._version != version:
                buffer.data.copy_(before)


def _equal(want: Any, got: Any) -> bool:
    (wants, spec), (gots, got_spec) = tree_flatten(want), tree_flatten(got)
    try:
        torch.testing.assert_close(gots, wants, equal_nan=True)
    except (AssertionError, TypeError):
        return False
    return bool(spec == got_spec)


def export(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    **options: Any,
) -> ExportedProgram:
    """`torch.export.export` of a model that takes strings, good for every batch size, 0 and 1 included.

    Differs from `torch.export.export` in three things:

    - Without `dynamic_shapes`, every size of every tensor argument is `Dim.AUTO`: dynamic, unless the model fixes it.
      An example of no strings or of one is traced with two, as are the tensors that have as many rows.
    - Sizes are traced without the assumption that they are neither 0 nor 1 (`backed_size_oblivious`): n strings have
      n + 1 offsets, so torch would not merely assume n > 1, but make the program refuse a batch of one.
    - Layers such as Conv1d, GRU, LSTM, MultiheadAttention and BatchNorm1d make torch guard a program against batches
      of 0 or 1 all the same. `export` runs the model and the program at such a size, on a part of the example and with
      buffers and random numbers put back, and removes the guard where both give the same.

    So the program takes what the model takes, and refuses what the model refuses: in torch itself
    nn.MultiheadAttention and nn.TransformerEncoder with a padding mask refuse a batch of 0, and BatchNorm1d in training
    a batch of 1. Where the model's own code does something else for a batch of 0 or 1, the program refuses that size,
    and `export` warns.

    Args:
        model: takes StringTensors, tensors and whatever else torch.export takes.
        args: an example call; the number of strings does not matter. Where a model takes `data` and `offsets` as
            tensors, an example of at least two strings.
        kwargs: the same, by name.
        dynamic_shapes: as torch.export's; a StringTensor is the list of its `data` and `offsets`:
            `([{0: Dim.AUTO}, {0: Dim.AUTO}],)`.
        options: what else torch.export takes, such as `strict`.

    Warns:
        UserWarning: the program refuses a batch of 0 or 1, for which the model does something else.

    Returns:
        What `torch.export.save` and `torch._inductor.aoti_compile_and_package` take. Strings are two of its inputs,
        `data` and `offsets`; its `module()` takes StringTensors as the model does. A package of AOTInductor reads the
        values of a dict in the order that they have there, whatever the keys, and one with nn.LSTM must not get an
        empty batch: see docs/cpp.md.

    Example:
        >>> import torch_stringops
        >>> from torch_stringops import StringTensor
        >>> class LongestWord(torch.nn.Module):
        ...     def forward(self, strings):
        ...         words, row_splits = torch_stringops.string_split_ragged(strings)
        ...         num_bytes = words.offsets[1:] - words.offsets[:-1]
        ...         return torch_stringops.ragged_to_dense(num_bytes, row_splits, 8).amax(1)
        >>> program = export(LongestWord(), (StringTensor.from_list(["to be", "or", "not to be"]),))
        >>> program.module()(StringTensor.from_list(["that is the question"])).tolist()
        [8]
    """
    if dynamic_shapes is None:
        args, kwargs = _general_example(args, kwargs or {})
        sizes = ShapesCollection()
        for leaf in tree_leaves((args, kwargs)):
            if isinstance(leaf, torch.Tensor):
                sizes[leaf] = dict.fromkeys(range(leaf.dim()), Dim.AUTO)
        dynamic_shapes = sizes
    with tracing.patch(backed_size_oblivious=True):  # type: ignore[attr-defined]
        program = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes, **options)
    _accept_small_sizes(program, model)
    return program
