"""Remote files: URLs, their names in messages, and the file systems of fsspec that read them."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

_HTTP = ("http", "https")
# Properties of a file that change with its content, as file systems name them, the best ones first.
_MARKS = (
    *("ETag", "etag", "VersionId", "Content-MD5", "Digest", "md5Hash", "crc32c", "content_md5", "blob_id"),
    *("uid", "LastModified", "last_modified", "Last-Modified", "updated", "mtime", "created"),
)
_SHORTEST_SECRET = 3

# File systems of this process, and in a forked child those of its parents. They are kept there: if the collector of
# garbage removed one, its connections would be closed by the event loop of the parent, which is waited for.
_alive: list[weakref.ref[Any]] = []
_kept: list[Any] = []


def _keep() -> None:
    _kept.extend(fs for fs in (found() for found in _alive) if fs is not None)


def _forget() -> None:
    del _kept[:]


os.register_at_fork(before=_keep, after_in_parent=_forget)


def is_url(text: str) -> bool:
    """Whether a text is a URL, which may be chained, such as simplecache::s3://bucket/name."""
    return re.match(r"[A-Za-z][\w+.-]*(::[A-Za-z][\w+.-]*)*://", text) is not None


def is_http(url: str) -> bool:
    return url.partition("://")[0].lower() in _HTTP


def public_name(url: str) -> str:
    """The URL without a user, a password, a query or a fragment, as messages and states name it."""
    parts = []
    for part in url.split("::"):
        query = r"[?#].*" if is_http(part) else r"\?[\w%.+-]+=.*"
        parts.append(re.sub(r"://[^/@]*@", "://", re.sub(query, "", part, flags=re.DOTALL)))
    return "::".join(parts)


class FileSystems:
    """The file systems of fsspec for URLs, with the options of the user.

    Each process creates its own, since those with an event loop do not survive a fork.
    """

    def __init__(self, options: Mapping[str, object] | None) -> None:
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"expected `storage_options` to be a dict, got {type(options).__name__}")
        self._options = dict(options or {})
        self._made: dict[int, dict[str, Any]] = {}

    def open(self, op: str, url: str) -> tuple[Any, str]:
        """The file system of a URL, and the path in it."""
        made = self._made.setdefault(os.getpid(), {})
        protocol, _, rest = url.partition("://")
        # Chained URLs and most protocols have a file system for each host; one is made for each of these.
        key = url if "::" in url else f"{protocol}://{rest.split('/')[0]}"
        if key not in made:
            made.setdefault(key, self._create(op, url))
        return made[key], made[key]._strip_protocol(url) if "::" not in url else self._path(url)

    def _create(self, op: str, url: str) -> Any:
        try:
            core: Any = importlib.import_module("fsspec.core")
        except ImportError:
            raise ImportError(
                f"{op}: remote files need fsspec (pip install 'torch-stringops[remote]')"
            ) from None
        fault: Exception
        try:
            made = core.url_to_fs(url, skip_instance_cache=True, **self._options)[0]
            _alive[:] = [found for found in _alive if found() is not None]
            _alive.append(weakref.ref(made))
            return made
        except ImportError as error:
            # The message of fsspec names the package to install.
            text = self.without_secrets(error, url).removeprefix("ImportError: ")
            advice = " (pip install 'torch-stringops[remote]')" if is_http(url) else ""
            fault = ImportError(f"{op}: {public_name(url)}: {text}{advice}")
        except Exception as error:
            fault = ValueError(
                f"{op}: {public_name(url)}: expected a URL that fsspec opens with `storage_options`: "
                f"{self.without_secrets(error, url)}"
            )
        raise fault  # not in the handler, so that tracebacks do not show the error of the library

    def _path(self, url: str) -> str:
        path: str = importlib.import_module("fsspec.core").url_to_fs(url, **self._options)[1]
        return path

    def without_secrets(self, error: BaseException, url: str = "") -> str:
        """The type and the text of an error, without parts of URLs or options that may be secret."""
        text = str(error).split("\n")[0]
        for secret in sorted(_texts(self._options), key=len, reverse=True):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "***")
        if url:
            text = text.replace(url, public_name(url))
        text = re.sub(r"://[^/@\s]*@", "://", text)
        text = re.sub(r"(?<=/)([^\s?'\"]*)\?[^\s'\")\]>]*", r"\1", text)
        return f"{type(error).__name__}: {text}" if text else type(error).__name__

    def __getstate__(self) -> dict[str, Any]:
        return {"_options": self._options, "_made": {}}


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts(item)]
    if isinstance(value, bytes):
        return [value.decode(errors="replace")]
    # Also the user and the password of objects such as those of aiohttp, which are named tuples.
    return [value] if isinstance(value, str) else []


@dataclass(frozen=True)
class RemoteFile:
    """A file of a URL, as it was when it was listed.

    Attributes:
        url: with all that may be secret.
        name: without it.
        size: bytes.
        marks: what tells a change of equal size, such as an ETag, as far as the file system knows it.
    """

    url: str = field(repr=False)
    name: str
    size: int
    marks: dict[str, str] = field(repr=False)
    systems: FileSystems = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.name

    @property
    def file_name(self) -> str:
        """The last part of the path, whose suffix tells the kind of the file."""
        return self._location.name

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders, in which HTTP has encoded some characters."""
        parts = self._location.parts[:-1]
        return tuple(map(unquote, parts)) if is_http(self.url) else parts

    @property
    def _location(self) -> PurePosixPath:
        return PurePosixPath(next(part for part in self.name.split("::") if "://" in part))

    def open(self, op: str) -> tuple[Any, str]:
        return self.systems.open(op, self.url)

    def digest(self) -> str:
        """Equal for equal URLs of equal content, as far as the file system tells."""
        parts = [self.url, str(self.size), *(f"{name}={mark}" for name, mark in sorted(self.marks.items()))]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def url_digest(self) -> str:
        """Tells URLs of equal names apart."""
        return hashlib.sha256(self.url.encode()).hexdigest()[:8]

    def difference(self, info: Mapping[str, Any]) -> str | None:
        """The properties that differ in a new listing; None if there are none."""
        size = info.get("size")
        if size is not None and int(size) != self.size:
            return f"expected {self.size} bytes, got {int(size)}"
        found = marks_of(info)
        other = [name for name, mark in self.marks.items() if found.get(name, mark) != mark]
        return f"another {other[0]}" if other else None


def marks_of(info: Mapping[str, Any]) -> dict[str, str]:
    """The best mark that a listing has. Another listing of the same file may have a better one in addition."""
    name = next((name for name in _MARKS if info.get(name)), None)
    if name is None:
        return {}
    # Some file systems list a time as a number, and tell it of a file as an object.
    value = info[name]
    return {name: str(value.timestamp() if hasattr(value, "timestamp") else value)}
