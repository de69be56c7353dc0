"""Text that nobody here wrote, from installed packages: the same bytes on every machine with the same packages.

    messages    translations of Django's catalogs into about 100 languages
    metadata    lines of the METADATA files of installed packages: fields, and text in Markdown or reStructuredText
    records     lines of their RECORD files: path, hash and size, as CSV
    JSON        one document for each structure of botocore's descriptions of services, with HTML in strings
    pages       the HTML documentation of each service
    log         the lines of pip's log of the installation of .venv-bench

A name with `words of` in front has the words as strings of their own. Nothing of the text is stored in the repository.
"""

import gettext
import gzip
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path
from typing import Any

PAGE_BYTES = 200_000  # of the longest page
SERVICES = 120  # the first ones, by name


def package(name: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"{name}, whose text is the input")
    return Path(found.submodule_search_locations[0])


def messages() -> Iterator[str]:
    for path in sorted(package("django").rglob("LC_MESSAGES/django.mo")):
        with path.open("rb") as file:
            catalog: dict[Any, str] = gettext.GNUTranslations(file)._catalog
        yield from (text for source, text in catalog.items() if source and text)


def of_distributions(file: str) -> Iterator[str]:
    texts = {found.metadata["Name"]: found.read_text(file) or "" for found in distributions()}
    return chain.from_iterable(texts[name].splitlines() for name in sorted(texts))


@lru_cache(maxsize=1)
def services() -> dict[str, Any]:
    """The newest description of each service."""
    newest = {path.parts[-3]: path for path in sorted(package("botocore").glob("data/*/*/service-2.json.gz"))}
    paths = sorted(newest.items())[:SERVICES]
    return {name: json.loads(gzip.decompress(path.read_bytes())) for name, path in paths}


def documents() -> Iterator[str]:
    for name, service in services().items():
        for shape, described in service["shapes"].items():
            members = list(described.get("members", ()))
            if "documentation" in described or members:
                text = described.get("documentation", "")
                yield json.dumps(
                    {
                        "service": name,
                        "shape": {"name": shape, "fields": len(members)},
                        "text": text,
                        "members": members,
                    }
                )


def pages() -> Iterator[str]:
    for service in services().values():
        described = [service, *service["operations"].values(), *service["shapes"].values()]
        yield "\n".join(part["documentation"] for part in described if "documentation" in part)[:PAGE_BYTES]


def log() -> Iterator[str]:
    path = Path(sys.prefix) / "pip.log"
    if not path.exists():
        raise ImportError(f"{path}, which `make .venv-bench/ready` writes")
    return iter(path.read_text(encoding="utf-8", errors="replace").splitlines())


# Name -> its strings, and what they are.
TEXTS: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
    "messages": (messages, "messages in about 100 languages"),
    "metadata": (lambda: of_distributions("METADATA"), "lines of METADATA of packages"),
    "records": (lambda: of_distributions("RECORD"), "lines of CSV, files of packages"),
    "JSON": (documents, "JSON documents with HTML in strings"),
    "pages": (pages, "pages of HTML"),
    "log": (log, "lines of pip's log"),
}
MOST = 100_000  # strings of one text


@lru_cache
def distinct(name: str) -> list[bytes]:
    return list(dict.fromkeys(text.encode(errors="replace") for text in TEXTS[name][0]()))


def strings(name: str, scale: float) -> list[bytes]:
    """The distinct strings of a text in their order, or every nth of them."""
    found = distinct(name)
    step = max(1, -(-len(found) // MOST), round(1 / scale))
    return found[::step]
