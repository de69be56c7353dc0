"""States of a StreamingDataset: a state is resumed only by a dataset of the same files and settings."""

from __future__ import annotations

from typing import Any

from torch_stringops._checks import check_int

_OP = "StreamingDataset"


def check_settings(state: dict[str, Any], mine: dict[str, Any]) -> None:
    """Raises ValueError or TypeError if `state` is not one of a dataset with the settings `mine`."""
    if not isinstance(state, dict):
        raise TypeError(f"{_OP}: expected `state` to be a dict of state_dict, got {type(state).__name__}")
    if state.get("version") != mine["version"]:
        raise ValueError(
            f"{_OP}: expected a state of version {mine['version']}, got {state.get('version')}: orders have changed"
        )
    for name in ("epoch", "first", "step", "step_rows"):
        check_int(_OP, f"state[{name!r}]", state.get(name), 0)
    theirs, files = state.get("files"), mine["files"]
    if not (isinstance(theirs, list) and all(isinstance(file, (list, tuple)) and len(file) == 3 for file in theirs)):
        raise TypeError(f"{_OP}: expected `state['files']` to be a list of names, sizes and numbers of rows")
    if len(theirs) != len(files):
        raise ValueError(f"{_OP}: expected a state of {len(files)} files, got {len(theirs)}")
    for was, now in zip(theirs, files, strict=True):
        for what, a, b in zip(("name", "size in bytes", "number of rows"), was, now, strict=True):
            if a != b:
                raise ValueError(f"{_OP}: {now[0]}: expected the {what} of the state, {a}, got {b}")
    for name, value in mine.items():
        if name != "files" and state.get(name, value) != value:
            raise ValueError(f"{_OP}: expected a state of `{name}` {value}, got {state[name]}")
