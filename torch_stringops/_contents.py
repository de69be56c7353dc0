"""The table of contents of the package: its functions by family, for `help(torch_stringops)`."""

import sys
import textwrap
from collections.abc import Mapping
from types import FunctionType


def by_family(names: Mapping[str, object]) -> str:
    """Returns the functions of functions/, a paragraph for each file, whose docstring is its heading.

    `dir(torch_stringops)` cannot do this, since Python sorts its names.
    """
    families: dict[str, list[str]] = {}
    for name, value in names.items():
        if isinstance(value, FunctionType) and ".functions." in value.__module__:
            families.setdefault(value.__module__, []).append(name)
    paragraphs = []
    for module, members in families.items():
        heading = (sys.modules[module].__doc__ or module).split("\n")[0].removesuffix(".")
        listed = textwrap.fill(", ".join(sorted(members)), 100, initial_indent="    ", subsequent_indent="    ")
        paragraphs.append(f"{heading}:\n{listed}\n")
    return "\n".join(paragraphs)
