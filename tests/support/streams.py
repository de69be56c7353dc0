"""Datasets of files with the settings of StreamingDataset and of its options, in one call."""

from dataclasses import fields
from typing import Any

from torch_stringops.data import StreamingDataset, StreamOptions

_NAMES = {field.name for field in fields(StreamOptions)}


def open_stream(paths: Any, **settings: Any) -> StreamingDataset[Any]:
    options = {name: settings.pop(name) for name in _NAMES & settings.keys()}
    return StreamingDataset(paths, **{"options": StreamOptions(**options), **settings})
