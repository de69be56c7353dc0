"""Temporary copies of the remote files that a reader reads one after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path

from torch_stringops.data.files.cache import DEFAULT_BYTES, Cache, Prefetch, renamed
from torch_stringops.data.files.listing import File, list_files
from torch_stringops.data.files.local import Paths
from torch_stringops.data.files.remote import Client, RemoteFile

_AHEAD = 8


class LocalCopies:
    """The paths of files, in order. The copy of a remote one is there until the next one is asked for."""

    def __init__(self, listed: list[File], prefetch: Prefetch, names: ExitStack) -> None:
        self._listed, self._prefetch, self._names = listed, prefetch, names

    def __iter__(self) -> Iterator[Path]:
        for step, file in enumerate(self._listed):
            if isinstance(file, Path):
                yield file
                continue
            self._prefetch.reached(step)
            with closing(self._prefetch.cache.lease(file)) as lease:
                self._names.enter_context(renamed(lease.path, file.name))
                yield lease.path

    def is_copy(self, path: Path) -> bool:
        return path.parent == self._prefetch.cache.folder


@contextmanager
def local_copies(op: str, paths: Paths, options: Mapping[str, object] | None) -> Iterator[LocalCopies]:
    """The files of paths, URLs and globs, of which remote ones are downloaded to a temporary folder.

    Errors name remote files instead of their copies.
    """
    listed = list_files(Client(op, options), paths)
    needs = [(step, step, file) for step, file in enumerate(listed) if isinstance(file, RemoteFile)]
    limit = max([DEFAULT_BYTES, *(2 * file.size for _, _, file in needs)])
    with (
        tempfile.TemporaryDirectory(prefix="torch_stringops-") if needs else nullcontext() as folder,
        closing(Prefetch(Cache(op, folder, limit), needs, _AHEAD)) as prefetch,
        ExitStack() as names,
    ):
        yield LocalCopies(listed, prefetch, names)
