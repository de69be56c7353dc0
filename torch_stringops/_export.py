"""torch.export of models that take strings, for batches of every size."""

from typing import Any

import torch
from torch.export import Dim, ExportedProgram, ShapesCollection
from torch.fx.experimental import _config as tracing
from torch.utils._pytree import tree_leaves

from torch_stringops._small_sizes import accept_small_sizes, general_example


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
        args, kwargs = general_example(args, kwargs or {})
        sizes = ShapesCollection()
        for leaf in tree_leaves((args, kwargs)):
            if isinstance(leaf, torch.Tensor):
                sizes[leaf] = dict.fromkeys(range(leaf.dim()), Dim.AUTO)
        dynamic_shapes = sizes
    with tracing.patch(backed_size_oblivious=True):  # type: ignore[attr-defined]
        program = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes, **options)
    accept_small_sizes(program, model)
    return program
