"""Copies on disk of the remote files that a reader reads one after the other, and then does not need any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from torch_stringops.data._cache import DEFAULT_BYTES, Cache, Lease
from torch_stringops.data._download import Patience
from torch_stringops.data._fetch_ahead import FetchAhead
from torch_stringops.data._listing import AnyPaths, File, list_files
from torch_stringops.data._urls import RemoteFile

_AHEAD = 8


class LocalCopies:
    """The paths of files, in order. The copy of a remote one is there until the next one is asked for.

    Attributes:
        listed: the files, remote ones by their URLs.
    """

    def __init__(self, op: str, files: list[File]) -> None:
        self.listed = files
        self._names: dict[str, str] = {}
        self._lease: Lease | None = None
        self._ahead: FetchAhead | None = None
        remote = [file for file in files if isinstance(file, RemoteFile)]
        if remote:
            largest = max(file.size for file in remote)
            self._cache = Cache(op, None, max(DEFAULT_BYTES, largest), remote, Patience())
            needs = [[file] if isinstance(file, RemoteFile) else [] for file in files]
            self._ahead = FetchAhead(self._cache, needs, 0, _AHEAD, largest)
            self._ahead.start()

    def __len__(self) -> int:
        return len(self.listed)

    def __iter__(self) -> Iterator[Path]:
        for step, file in enumerate(self.listed):
            self._release()
            if isinstance(file, Path):
                yield file
                continue
            assert self._ahead is not None
            self._ahead.reached(step)
            self._lease = self._cache.lease(file, self._ahead.stopped)
            self._names[str(self._lease.path)] = file.name
            yield self._lease.path

    def is_copy(self, path: Path) -> bool:
        return str(path) in self._names

    def rename(self, error: Exception) -> None:
        """Names remote files in an error instead of their copies."""
        texts = []
        for text in error.args:
            for path, name in self._names.items():
                text = text.replace(path, name) if isinstance(text, str) and path in text else text
            texts.append(text)
        error.args = tuple(texts)

    def close(self) -> None:
        self._release()
        if self._ahead is not None:
            self._ahead.close()
            self._cache.close()

    def _release(self) -> None:
        if self._lease is not None:
            self._lease.close()
        self._lease = None


@contextmanager
def local_copies(op: str, paths: AnyPaths, options: Mapping[str, object] | None) -> Iterator[LocalCopies]:
    """The files of paths, URLs, globs and manifests, of which remote ones are fetched ahead."""
    copies = LocalCopies(op, list_files(op, paths, options))
    try:
        yield copies
    except Exception as error:
        copies.rename(error)
        raise
    finally:
        copies.close()
