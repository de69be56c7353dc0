"""torch.export of models that take strings, for batches of every size."""

from typing import Any

import torch
from torch.export import Dim, ExportedProgram, ShapesCollection
from torch.fx.experimental import _config as tracing
from torch.utils._pytree import tree_leaves


def export(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    **options: Any,
) -> ExportedProgram:
    """`torch.export.export` of a model that takes strings, good for every batch size, 0 and 1 included.

    Differs from `torch.export.export` in two things. Without `dynamic_shapes`, every size of every tensor argument is
    `Dim.AUTO`: dynamic, unless the model fixes it. And sizes are traced without the assumption that they are neither 0
    nor 1 (`backed_size_oblivious`): n strings have n + 1 offsets, so torch would not merely assume n > 1, as it does
    of the batch of an ordinary model, but make the exported program refuse a batch of one.

    Args:
        model: takes StringTensors, tensors and whatever else torch.export takes.
        args: an example call; its sizes do not matter.
        kwargs: the same, by name.
        dynamic_shapes: as torch.export's; a StringTensor is the list of its `data` and `offsets`:
            `([{0: Dim.AUTO}, {0: Dim.AUTO}],)`.
        options: what else torch.export takes, such as `strict`.

    Returns:
        What `torch.export.save` and `torch._inductor.aoti_compile_and_package` take. Strings are two of its inputs,
        `data` and `offsets`; its `module()` takes StringTensors as the model does.

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
        sizes = ShapesCollection()
        for leaf in tree_leaves((args, kwargs or {})):
            if isinstance(leaf, torch.Tensor):
                sizes[leaf] = dict.fromkeys(range(leaf.dim()), Dim.AUTO)
        dynamic_shapes = sizes
    with tracing.patch(backed_size_oblivious=True):  # type: ignore[attr-defined]
        return torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes, **options)
