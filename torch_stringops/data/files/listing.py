"""Files of this machine and remote ones: lists of paths and URLs, and globs of both."""

from __future__ import annotations

import glob
import hashlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch_stringops.data.files.local import Paths, expand
from torch_stringops.data.files.remote import Client, Never, RemoteFile, marks_of
from torch_stringops.data.files.urls import is_http, is_url, public_name

File = Path | RemoteFile

# Files whose sizes are asked for at the same time.
_ASKED = 16


@dataclass(frozen=True)
class _Unlisted:
    """A URL whose size is not known."""

    url: str
    info: Mapping[str, Any] | None = None


def list_files(client: Client, paths: Paths) -> list[File]:
    """The files of paths, URLs, globs, or of a list of these, in order; matches of a glob are sorted.

    Raises:
        OSError: a file does not exist, or cannot be read.
        ValueError: a size is not known.
    """
    lister, op = _Lister(client), client.op
    items: Iterable[Any] = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if isinstance(items, bytes) or not isinstance(items, Iterable):
        raise TypeError(f"{op}: expected paths of files, got {type(items).__name__}")
    found = [file for item in items for file in lister.files(item)]
    if not found:
        raise ValueError(f"{op}: expected at least one path")
    return lister.with_sizes(found)


class _Lister:
    def __init__(self, client: Client) -> None:
        self._client, self._op = client, client.op

    def files(self, item: Any) -> Iterator[Path | _Unlisted]:
        text = os.fspath(item) if isinstance(item, (str, os.PathLike)) else ""
        if not isinstance(text, str) or not is_url(text):
            yield from expand(self._op, [item])
        elif text.startswith("file://"):
            yield from expand(self._op, text.removeprefix("file://"))
        else:
            yield from self._of_url(text)

    def with_sizes(self, found: Sequence[Path | _Unlisted]) -> list[File]:
        remote = [file for file in found if isinstance(file, _Unlisted)]
        if not remote:
            return [file for file in found if isinstance(file, Path)]
        with ThreadPoolExecutor(min(_ASKED, len(remote)), thread_name_prefix="stringops-data") as pool:
            stopped = threading.Event()
            asked = {id(file): pool.submit(self._with_size, file, stopped) for file in remote}
            try:
                return [file if isinstance(file, Path) else asked[id(file)].result() for file in found]
            finally:
                stopped.set()
                for future in asked.values():
                    future.cancel()

    def _of_url(self, url: str) -> Iterator[_Unlisted]:
        # The question mark of HTTP begins a query.
        pattern = url.split("?")[0] if is_http(url) else url
        if not glob.has_magic(pattern):
            yield _Unlisted(url)
            return
        infos: dict[str, Mapping[str, Any]] = {}
        fs, path = self._client.file_system(url)

        def action() -> None:
            infos.update({path: {}} if fs.exists(path) else fs.glob(path, detail=True))

        self._client.retried(url, action)
        matches = [(path, info) for path, info in sorted(infos.items()) if info.get("type") != "directory"]
        if not matches:
            raise FileNotFoundError(f"{self._op}: no file matches {public_name(url)}")
        _, chained, rest = url.partition("::")
        for path, info in matches:
            found = f"{fs.unstrip_protocol(path)}{chained}{rest}"
            if ":///" not in url:
                found = found.replace(":///", "://")  # as MemoryFileSystem
            yield _Unlisted(found, info=info)

    def _with_size(self, file: _Unlisted, stopped: threading.Event = Never) -> RemoteFile:
        name, info = public_name(file.url), file.info or {}
        if info.get("size") is None:
            info = self._client.info(file.url, stopped)
        if info.get("type") == "directory":
            raise IsADirectoryError(f"{self._op}: {name}: expected a file, got a folder (use a glob)")
        if info.get("size") is None:
            text = "the server does not tell the size, which downloads are compared with"
            raise ValueError(f"{self._op}: {name}: {text}")
        return RemoteFile(file.url, name, int(info["size"]), marks_of(info), self._client)


def sorted_files(files: list[File]) -> list[File]:
    """The files in an order that does not depend on the order in which they were given."""
    local = [file for file in files if isinstance(file, Path)]
    remote = [file for file in files if isinstance(file, RemoteFile)]
    return [*sorted(local), *sorted(remote, key=lambda file: (file.name, file.url))]


def state_names(files: Sequence[File]) -> list[str]:
    """The names of files in states: URLs, and paths relative to the folder that all files of this machine share."""
    local = [file.absolute() for file in files if isinstance(file, Path)]
    folder = os.path.commonpath([path.parent for path in local]) if local else ""
    names = [os.path.relpath(file.absolute(), folder) if isinstance(file, Path) else file.name for file in files]
    # URLs that differ only in parts that are not shown need another distinction.
    urls: dict[str, set[str]] = {}
    for file in files:
        if isinstance(file, RemoteFile):
            urls.setdefault(file.name, set()).add(file.url)
    return [
        f"{name}#{hashlib.sha256(file.url.encode()).hexdigest()[:8]}"
        if isinstance(file, RemoteFile) and len(urls[name]) > 1
        else name
        for name, file in zip(names, files, strict=True)
    ]
