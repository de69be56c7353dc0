"""Templates of string_format, as `str.format` reads them: texts, and fields that name columns."""

from collections.abc import Collection, Iterator
from typing import Any

from torch_stringops._checks import quoted


def template_parts(op: str, template: Any, columns: Collection[int | str]) -> Iterator[tuple[str, int | str | None]]:
    """The texts of a template, each with the position or the name of the column after it, if there is one."""
    if not isinstance(template, str):
        raise TypeError(f"{op}: expected `template` to be str, got {type(template).__name__}")
    num_automatic, num_numbered = 0, 0
    for text, field in _split(op, template):
        if field is None:
            yield text, None
            continue
        if ":" in field or "!" in field:
            raise ValueError(
                f"{op}: expected fields without a format specification or conversion, got {quoted(field)} "
                "(format the column before, for example by string_zfill)"
            )
        is_number = field.isascii() and field.isdigit()
        if field and not is_number and not field.isidentifier():
            raise ValueError(f"{op}: expected fields with a position or a name, got {quoted(field)}")
        num_automatic += not field
        num_numbered += is_number
        if num_automatic and num_numbered:
            raise ValueError(f"{op}: expected all fields with a position or none, got both in `template`")
        key = num_automatic - 1 if not field else int(field[:20]) if is_number else field
        if key not in columns:
            got = f"column {key}" if isinstance(key, int) else f"the column {quoted(field)}"
            raise ValueError(f"{op}: expected columns for all fields of `template`, which has {got}")
        yield text, key


def _split(op: str, template: str) -> Iterator[tuple[str, str | None]]:
    """The texts of a template, each with the field after it. Tracing cannot call Python's own parser."""
    text, at = "", 0
    while at < len(template):
        # The text up to the next brace.
        braces = [found for found in (template.find("{", at), template.find("}", at)) if found >= 0]
        brace = min(braces, default=len(template))
        text, at = text + template[at:brace], brace
        two = template[at : at + 2]
        if two in ("{{", "}}"):
            text, at = text + two[0], at + 2
        elif two:
            end = template.find("}", at) if two[0] == "{" else -1
            if end < 0:
                raise ValueError(f"{op}: expected braces of `template` in pairs, got a single {quoted(two[0])}")
            yield text, template[at + 1 : end]
            text, at = "", end + 1
    yield text, None
