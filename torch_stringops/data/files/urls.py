"""URLs of remote files, and their text in messages, which shows nothing that may be secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SHORTEST_SECRET = 3


def is_url(text: str) -> bool:
    """Whether a text is a URL, which may be chained, such as simplecache::s3://bucket/name."""
    return re.match(r"[A-Za-z][\w+.-]*(::[A-Za-z][\w+.-]*)*://", text) is not None


def is_http(url: str) -> bool:
    return url.partition("://")[0].lower() in ("http", "https")


def public_name(url: str) -> str:
    """The URL without a user, a password, a query or a fragment, as messages and states name it."""
    parts = []
    for part in url.split("::"):
        query = r"[?#].*" if is_http(part) else r"\?[\w%.+-]+=.*"
        parts.append(re.sub(r"://[^/@]*@", "://", re.sub(query, "", part, flags=re.DOTALL)))
    return "::".join(parts)


def without_secrets(error: BaseException, url: str, options: Mapping[str, object]) -> str:
    """The type and the text of an error, without parts of URLs or options that may be secret."""
    text = str(error).split("\n")[0]
    for secret in sorted(_texts(options), key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    text = text.replace(url, public_name(url))
    text = re.sub(r"://[^/@\s]*@", "://", text)
    text = re.sub(r"(?<=/)([^\s?'\"]*)\?[^\s'\")\]>]*", r"\1", text)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts(item)]
    if isinstance(value, bytes):
        return [value.decode(errors="replace")]
    # Also the user and the password of objects such as those of aiohttp, which are named tuples.
    return [value] if isinstance(value, str) else []
