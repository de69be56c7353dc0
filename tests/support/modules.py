"""Checks that hold for every module of torch_stringops.nn: other ways to run it, and to save it, give its results."""

import io
import pickle
from typing import Any

import torch
from torch import Tensor, nn

import torch_stringops
from torch_stringops._module_state import ModuleState


def plain(result: Any) -> Any:
    """A result as lists, which compare with `==`."""
    if isinstance(result, tuple):
        return tuple(map(plain, result))
    return result.tolist() if isinstance(result, Tensor) else (result.tolist(), list(result.shape))


def check_ways_to_run(module: nn.Module, example: Any, *others: Any) -> None:
    """Compares eager mode with torch.compile(fullgraph=True) and torch.export, also after save and load."""
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    program = torch_stringops.export(module, (example,))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file).module()
    for input in (example, *others):
        expected = plain(module(input))
        for way in (compiled, program.module(), loaded):
            assert plain(way(input)) == expected


def check_pickle(module: nn.Module, input: Any) -> None:
    assert plain(pickle.loads(pickle.dumps(module))(input)) == plain(module(input))


def check_state(module: nn.Module, fresh: nn.Module, input: Any) -> None:
    """Loads the state of a module into another one, by way of a file."""
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    fresh.load_state_dict(torch.load(file, weights_only=True))
    assert plain(fresh(input)) == plain(module(input))


def earlier_state(module: nn.Module) -> dict[str, Any]:
    """The state_dict that versions before 0.2 saved, which has each tensor of a vocabulary by its name."""
    state = dict(module.state_dict())
    for path, part in module.named_modules():
        if isinstance(part, ModuleState):
            prefix = f"{path}." if path else ""
            del state[f"{prefix}_extra_state"]
            state |= {prefix + name: t for name, t in part._state().items()}
    return state
