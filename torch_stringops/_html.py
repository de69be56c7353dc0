"""HTML for notebooks: escaped text, and tables whose size the caller bounds.

A notebook shows what `_repr_html_` returns as part of its page, so strings of strangers must neither form tags nor
change the page by control characters, such as those that reverse the direction of text.
"""

from collections.abc import Callable, Iterable
from html import escape

# Maximum number of rows of a table.
MAX_ROWS = 20

_LEFT = ' style="text-align:left"'


def printable(text: str) -> str:
    r"""Replaces characters that are not printable, such as control and bidirectional ones, by escapes like `\u202e`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def escaped(text: str) -> str:
    """Text as HTML. An element isolates it, so that letters written from right to left do not move what follows."""
    return f"<bdi>{escape(printable(text))}</bdi>"


def table(title: str, facts: Iterable[tuple[str, object]], heads: list[str], rows: list[list[object]]) -> str:
    """Returns a title, a line of facts and a table. Cells of type str are aligned at the left, others at the right."""
    line = "; ".join(f"{name} {escape(printable(str(value)))}" for name, value in facts)
    parts = [f"<div><p><b>{escape(title)}</b> {line}</p>"]
    if rows:
        head = "".join(f"<th>{escape(name)}</th>" for name in heads)
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>")
        for row in rows:
            cells = [f"<td{_LEFT}>{escaped(c)}</td>" if isinstance(c, str) else f"<td>{c}</td>" for c in row]
            parts.append(f"<tr>{''.join(cells)}</tr>")
        parts.append("</tbody></table>")
    return "".join(parts) + "</div>"


def or_text(make: Callable[[], str], text: Callable[[], str]) -> str:
    """Returns the HTML that `make` returns, or the text if it raises an error: tensors may have no values to read."""
    try:
        return make()
    except Exception:
        lines = [escape(printable(line)) for line in text().split("\n")]
        return f"<pre>{'<br>'.join(lines)}</pre>"
