"""RE2, by its Python package."""

from collections.abc import Callable
from typing import Any

import re2

from benchmarks.corpora import Corpus


def any_regex(corpus: Corpus, patterns: list[str]) -> Callable[[], list[bool]]:
    find, texts = re2.compile("|".join(patterns)).search, corpus.encoded
    return lambda: [find(text) is not None for text in texts]


MADE: dict[str, Any] = {"regex_contains_any": any_regex}
SLOW = ("regex_contains_any",)
