"""torch.export for models that take strings, for all batch sizes, including 0 and 1.

The shape functions of convolution, recurrent and attention layers test whether a tensor is empty or has one row, and
torch adds guards for the result of these tests on the example inputs. The operators themselves support any size.
Therefore the program is run without guards at each small size that a guard rejects, and the guard is relaxed if the
outputs equal those of the model. They differ if the model's own code depends on the size.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram, ShapesCollection
from torch.export.graph_signature import InputKind
from torch.fx.experimental import _config as tracing
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from torch_stringops._export_inputs import (
    Call,
    check_has_parameters,
    checked_strings,
    distinct_tensors,
    is_strings,
    with_strings,
)
from torch_stringops.string_tensor import StringTensor

_DATA_DEPENDENT = (
    "export: the model asks whether a size has a value that depends on the data. For the width of padded rows, pass "
    "`min_width=2` or a fixed width to ragged_to_dense or to the tokenizer; docs/concepts.md lists what layers need."
)

# Sizes that torch specializes, 0 and 1, for strings and for their offsets, of which there is one more.
_SMALL = (0, 1, 2)


def _general_example(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The example call, with two rows if its strings have none or one, since torch specializes these sizes.

    Tensors with the same number of rows as the strings are part of the batch, and get two rows as well.
    """
    leaves, spec = tree_flatten((args, kwargs), is_strings)
    rows = next((s.shape[0] for s in leaves if is_strings(s) and s.dim() > 0), 2)
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
    """Relaxes the guards of `program` for the small sizes at which its outputs equal those of `model`."""
    import sympy  # type: ignore[import-untyped]  # slow to import; torch.export has done so

    # Private in torch: the code of the guards, which save() stores and module() runs.
    from torch.export.exported_program import _convert_guards_to_code
    from torch.utils._sympy.value_ranges import ValueRanges

    example = _Example(program)
    guards = example.shape_env.guards if example.sizes else []
    unguarded = None
    rejected: list[dict[Any, Any]] = []
    for small in _small_sizes([*example.sizes]) if guards else []:
        at = {**example.sizes, **small}
        if any(other.items() <= small.items() for other in rejected):
            continue
        failing = [i for i, guard in enumerate(guards) if not example.holds(guard.expr, at)]
        if not failing or not example.can_narrow_to(at):
            continue
        if unguarded is None:
            unguarded = program.module(check_guards=False)
            unguarded.validate_inputs = False  # type: ignore[assignment]  # it rejects the solution n = 0 of `n + 1 = 1`
        call = example.narrowed(at)
        want = _outcome(model, call, model)
        if isinstance(want, Exception):  # the model rejects these sizes, too
            continue
        # GraphModule.__call__ would print the traceback of an error.
        if not _equal(want, _outcome(unguarded.forward, call, model)):
            rejected.append(small)
            shape = next((list(s.shape) for s in tree_leaves(call, is_strings) if is_strings(s)), str(small))
            warnings.warn(
                f"export: the program rejects strings of shape {shape}, for which the code of the model differs from "
                "that for the example",
                stacklevel=3,
            )
            continue
        # Unevaluated, since sizes are declared positive.
        has_sizes = sympy.And(*(sympy.Eq(symbol, size, evaluate=False) for symbol, size in small.items()))
        for i in failing:
            guards[i] = guards[i]._replace(expr=sympy.Or(guards[i].expr, has_sizes))
        # Guards such as n >= 2 are also the least size that the program declares, and that compilers rely on.
        for ranges in (program.range_constraints, example.shape_env.var_to_range):
            for symbol, size in small.items():
                if symbol in ranges and ranges[symbol].lower > size:
                    ranges[symbol] = ValueRanges(size, ranges[symbol].upper)
    if unguarded is not None:
        program._guards_code = _convert_guards_to_code(program.graph_module)


def _small_sizes(symbols: list[Any]) -> Iterator[dict[Any, Any]]:
    """One small size, then two, since a guard may be for a product, such as n * m = 2."""
    import sympy

    for count in (1, 2):
        for some in combinations(symbols, count):
            for sizes in product(map(sympy.Integer, _SMALL), repeat=count):
                yield dict(zip(some, sizes, strict=True))


class _Example:
    """The example call of a program, which can be narrowed to smaller sizes.

    Attributes:
        sizes: the sizes of the example by the symbols of the program.
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
        """Whether `condition` is not known to be false. Its symbols may be replaced by expressions of others."""
        values = {s: self.shape_env.replace(s).xreplace(sizes) for s in condition.free_symbols}
        try:
            return bool(condition.xreplace(values) != False)  # noqa: E712 - sympy's or Python's
        except ZeroDivisionError:  # the guard raises it, too
            return False
        except AssertionError:  # torch's Mod of a negative number, such as the number of strings without offsets
            return True

    def can_narrow_to(self, sizes: dict[Any, Any]) -> bool:
        """Whether the example is large enough to be narrowed to `sizes`."""
        return all(
            not isinstance(n, torch.SymInt) or 0 <= int(n.node.expr.xreplace(sizes)) <= leaf.shape[dim]
            for leaf, shape in zip(self._leaves, self._shapes, strict=True)
            for dim, n in enumerate(shape)
        )

    def narrowed(self, sizes: dict[Any, Any]) -> Call:
        """The call with its tensors narrowed to `sizes`."""
        leaves = list(self._leaves)
        for i, shape in enumerate(self._shapes):
            for dim, n in enumerate(shape):
                if isinstance(n, torch.SymInt):
                    leaves[i] = leaves[i].narrow(dim, 0, int(n.node.expr.xreplace(sizes)))
        call: Call = tree_unflatten(leaves, self._spec)
        return call


def _outcome(fn: Callable[..., Any], call: Call, model: torch.nn.Module) -> Any:
    """The result of `fn`, or the exception that it raises. Restores buffers and torch's random state."""
    args, kwargs = call
    buffers = [(b, b._version, b.clone()) for b in model.buffers()]
    fast_attention = torch.backends.mha.get_fastpath_enabled()  # computes other values at padded positions
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
    (wants, spec), (gots, got_spec) = tree_flatten(want, is_strings), tree_flatten(got, is_strings)
    if spec != got_spec or [*map(is_strings, wants)] != [*map(is_strings, gots)]:
        return False
    try:
        for a, b in zip(wants, gots, strict=True):
            if not is_strings(a):
                torch.testing.assert_close(b, a, equal_nan=True)
            elif not torch.equal(a, b):  # the same strings may have other offsets
                return False
    except (AssertionError, TypeError):
        return False
    return True


def export(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    **options: Any,
) -> ExportedProgram:
    """Exports a model that takes strings with `torch.export.export`, for all batch sizes, including 0 and 1.

    It differs from `torch.export.export` as follows:

    - Without `dynamic_shapes`, every size of every tensor argument is `Dim.AUTO`: dynamic, unless the model fixes it.
      Example strings with a batch size of 0 or 1 are traced with 2, and so are tensors with the same number of rows.
    - Sizes are traced without the assumption that they are neither 0 nor 1 (`backed_size_oblivious`). n strings have
      n + 1 offsets, for which the assumption would make the program reject a batch size of 1.
    - Layers such as Conv1d, GRU, LSTM, MultiheadAttention and BatchNorm1d add guards against batch sizes of 0 or 1
      nevertheless. `export` runs the model and the program at such a size, on a slice of the example, restores buffers
      and the random state, and removes the guard if the outputs are equal. `program.run_decompositions()` adds these
      guards again, unless it runs within `torch.fx.experimental._config.patch(backed_size_oblivious=True)`.
    - Lists and columns of strings, also in containers, are StringTensors for the model, not constants of the program.
      `program.module()` takes strings in these forms, too, also after torch.export.save and load.
    - Inputs that share memory, such as slices of one batch, are distinct inputs of the program.
    - The program begins with a check of the ranks, dtypes and static sizes of its strings, since an AOTInductor package
      checks no inputs itself. Packages also need contiguous `offsets`.

    The program thus accepts the sizes that the model accepts. In torch, nn.MultiheadAttention and nn.TransformerEncoder
    with a padding mask do not support a batch size of 0, nor BatchNorm1d in training mode a batch size of 1. If the
    model's own code depends on whether the batch size is 0 or 1, the program rejects that size, and `export` warns.

    Args:
        model: a module that takes StringTensors, tensors and any other inputs that torch.export supports.
        args: a tuple of example inputs, with any number of strings. If the model takes `data` and `offsets` as
            tensors, the example must have at least two strings.
        kwargs: example keyword inputs, which `forward` must take by name: torch.export gives inputs of `**kwargs` no
            dynamic sizes.
        dynamic_shapes: as in `torch.export.export`. The entry for a StringTensor is a list for `data` and `offsets`:
            `([{0: Dim.AUTO}, {0: Dim.AUTO}],)`.
        options: other options of `torch.export.export`, such as `strict`.

    Warns:
        UserWarning: the program rejects a batch size of 0 or 1, for which the code of the model differs.

    Raises:
        TypeError: `args` is not a tuple; an input is a single `str` or `bytes`.
        RuntimeError: the model asks whether a data-dependent size is 1, as nn.TransformerEncoder does for the width of
            padded rows: pass `min_width=2` to `ragged_to_dense` or the tokenizer.
        ValueError: `forward` takes an input of `kwargs` by `**kwargs` only.

    Returns:
        An ExportedProgram, for `torch.export.save` and `torch._inductor.aoti_compile_and_package`. Strings are two of
        its inputs, `data` and `offsets`; its `module()` takes StringTensors, as the model does. An AOTInductor package
        reads the values of a dict in the order of the example, regardless of their keys, and must not be given an empty
        batch if the model has an nn.LSTM: see docs/cpp.md.

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
    kwargs = kwargs or {}
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"export: expected `model` to be an nn.Module, got {type(model).__name__}")
    check_has_parameters(model, kwargs)
    args, kwargs = with_strings(model, args, kwargs)
    if isinstance(dynamic_shapes, ShapesCollection):  # by the identity of tensors
        dynamic_shapes = dynamic_shapes.dynamic_shapes(model, args, kwargs)
    if dynamic_shapes is None:
        args, kwargs = _general_example(args, kwargs)
    args, kwargs = distinct_tensors(args, kwargs)
    if dynamic_shapes is None:
        sizes = ShapesCollection()
        for leaf in tree_leaves((args, kwargs)):
            if isinstance(leaf, torch.Tensor):
                sizes[leaf] = dict.fromkeys(range(leaf.dim()), Dim.AUTO)
        dynamic_shapes = sizes
    with (
        checked_strings(model, args, kwargs),
        tracing.patch(backed_size_oblivious=True),  # type: ignore[attr-defined]
    ):
        try:
            program = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes, **options)
        except Exception as error:
            if "data-dependent" in str(error) and error.args:
                error.args = (f"{error.args[0]}\n\n{_DATA_DEPENDENT}", *error.args[1:])
            raise
    _accept_small_sizes(program, model)
    return program
