"""Manifests: files that name the files of a dataset."""

from __future__ import annotations

import json
import os
import posixpath
from dataclasses import dataclass
from pathlib import Path

from torch_stringops._names import named_class
from torch_stringops.data.files.urls import is_http, is_url, public_name

_KEYS = {"path", "size"}


@named_class
@dataclass(frozen=True)
class Manifest:
    """A file that lists the files of a dataset. It can be passed wherever paths are accepted.

    A manifest is UTF-8 text with one path or URL per line; empty lines and lines that begin with `#` are
    skipped. Or it is a JSON list of paths and of objects such as `{"path": "part-0.txt", "size": 1048576}`,
    whose sizes in bytes are compared with those of the files. Relative entries are relative to the folder of
    the manifest, and stay on its host or in its bucket. Entries are not globs, and an entry that a manifest
    lists twice is an error.

    Args:
        path: a path or a URL, which is read with the `storage_options` of the function that gets the manifest.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from torch_stringops.data import read_lines
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name, text in [("b.txt", "to\\n"), ("a.txt", "be\\n"), ("list", "# of words\\nb.txt\\na.txt\\n")]:
        ...         _ = (Path(folder) / name).write_text(text)
        ...     read_lines(Manifest(folder + "/list"))[:].tolist()
        ['to', 'be']
    """

    path: str | os.PathLike[str]

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, os.PathLike)) or not isinstance(os.fspath(self.path), str):
            raise TypeError(f"Manifest: expected a path or a URL, got {type(self.path).__name__}")

    def __str__(self) -> str:
        return public_name(os.fspath(self.path))

    __repr__ = __str__


def entries(op: str, manifest: Manifest, raw: bytes) -> list[tuple[str, int | None]]:
    """The paths or URLs that the content of a manifest names, and their sizes, if it has them.

    Raises:
        ValueError: the content is not as above.
    """
    where = f"{op}: {manifest}"
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{where}: expected a manifest in UTF-8") from None
    found = _of_json(where, text) if text.lstrip().startswith("[") else _of_lines(where, text)
    base = os.fspath(manifest.path)
    resolved = [(place, _resolved(base, path), size) for place, path, size in found]
    first: dict[str, str] = {}
    for place, path, _ in resolved:
        if path in first:
            raise ValueError(f"{where}: expected each file once, got {place} as {first[path]}")
        first[path] = place
    if not resolved:
        raise ValueError(f"{where}: expected at least one path, got none")
    return [(path, size) for _, path, size in resolved]


def _of_lines(where: str, text: str) -> list[tuple[str, str, int | None]]:
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return [(f"line {number}", line, None) for number, line in lines if line and not line.startswith("#")]


def _of_json(where: str, text: str) -> list[tuple[str, str, int | None]]:
    try:
        items = json.loads(text)
    except ValueError as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"{where}{place}: expected a manifest in JSON") from None
    found = []
    for number, item in enumerate(items, 1):
        place = f"entry {number}"
        if isinstance(item, str):
            item = {"path": item}
        if not isinstance(item, dict) or not isinstance(item.get("path"), str) or not item.keys() <= _KEYS:
            raise ValueError(f"{where}: {place}: expected a path, or an object of `path` and `size`")
        size = item.get("size")
        if size is not None and (type(size) is not int or size < 0):
            raise ValueError(f"{where}: {place}: expected `size` to be a number of bytes")
        found.append((place, item["path"], size))
    return found


def _resolved(base: str, path: str) -> str:
    """A path relative to the folder of a manifest."""
    if is_url(path) or os.path.isabs(path):
        if is_url(base) and not is_url(path):
            protocol, _, rest = base.partition("://")
            return f"{protocol}://{rest.split('/')[0]}{path}"
        return path
    if not is_url(base):
        return str(Path(base).parent / path)
    chain, joined, rest = base.partition("::")
    if is_http(chain):
        chain = chain.split("?")[0].split("#")[0]
    protocol, _, location = chain.partition("://")
    # From the root of the host or bucket, which memory:// does not have, so that `..` does not lead to another one.
    host, slash, file = ("", "", location) if protocol == "memory" else location.partition("/")
    found = posixpath.normpath(posixpath.join("/", posixpath.dirname(file), path))
    return f"{protocol}://{host + found if slash else found[1:]}{joined}{rest}"
