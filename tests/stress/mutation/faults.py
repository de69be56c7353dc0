"""The faults that can be put into a Python file: each one edit of its text, found in its syntax tree.

No faults are put into code that tests need not check: docstrings, annotations, TYPE_CHECKING blocks, `__all__`, error
texts (but error types and raise statements), and `strict=True` of zip, which is only an assertion.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "torch_stringops"

OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is",
    "in": "not in", "not in": "in", "and": "or", "or": "and", "+": "-", "-": "+", "*": "//", "//": "*", "%": "*",
    "&": "|", "|": "&", "<<": ">>", ">>": "<<",
}  # fmt: skip
SYMBOL = re.compile(r"is\s+not\b|not\s+in\b|\b(?:is|in|and|or)\b|<<|>>|[<>=!]=|//|[<>+*%&|-]")
ERRORS = {"ValueError": "TypeError", "TypeError": "ValueError", "IndexError": "ValueError"}
ERRORS |= {"RuntimeError": "TypeError", "KeyError": "ValueError", "NotImplementedError": "TypeError"}
# Swapping the arguments of these always raises an error.
NOT_SWAPPED = {"isinstance", "issubclass", "getattr", "hasattr", "setattr", "cast"}
NOT_REMOVED = {"staticmethod", "classmethod", "overload"}
STRINGS_DECIDE = {"getattr", "hasattr", "setattr", "operator", "register_fake"}


class Fault(NamedTuple):
    """One change: the bytes [begin, end) of a file become `new`."""

    path: Path
    line: int  # from 1
    what: str
    begin: int
    end: int
    new: str
    before: str  # the lines that change, before and after, each joined to one line
    after: str
    reach: range  # lines; the tests that execute one of them can see the fault
    at_import: bool  # the tests that inspect imported objects can see it too

    def __str__(self) -> str:
        return f"{self.name()}:{self.line}: {self.what}: {self.before}  =>  {self.after}"

    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    def key(self) -> tuple[str, str]:
        """Identifies the fault even if lines have moved."""
        return self.name(), self.after

    def source(self) -> bytes:
        text = self.path.read_bytes()
        return text[: self.begin] + self.new.encode() + text[self.end :]


Edit = tuple[str, int, int, str]  # what it is, and the bytes that become others: begin, end, new


class _Source:
    """The text of a file, and where its nodes are in it."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_bytes()
        self.starts = [0, *(i + 1 for i, byte in enumerate(self.text) if byte == ord("\n"))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        begin = self.starts[node.lineno - 1] + node.col_offset
        return begin, self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.AST) -> str:
        begin, end = self.span(node)
        return self.text[begin:end].decode()

    def fault(self, edit: Edit, reach: range, at_import: bool) -> Fault | None:
        """The edit, unless the result is not valid Python."""
        what, begin, end, new = edit
        removed = self.text[begin:end].count(b"\n") - new.count("\n")
        # Later lines keep their numbers if the syntax allows it.
        for padded in (new + "\n" * removed, new):
            try:
                ast.parse(self.text[:begin] + padded.encode() + self.text[end:])
                break
            except SyntaxError:
                continue
        else:
            return None
        first, last = self.text.rfind(b"\n", 0, begin) + 1, self.text.find(b"\n", end)
        after = self.text[first:begin] + new.encode() + self.text[end:last]
        shown = [" ".join(text.decode().split()) for text in (self.text[first:last], after)]
        line = self.text.count(b"\n", 0, begin) + 1
        return Fault(self.path, line, what, begin, end, padded, *shown, reach, at_import)

    # Edits

    def replace(self, what: str, node: ast.AST, new: str) -> Edit:
        return what, *self.span(node), new

    def remove(self, what: str, node: ast.AST, instead: str = "pass  ", more: int = 0) -> Edit:
        """Makes a comment of a node, and of `more` bytes before it."""
        begin, end = self.span(node)
        begin -= more
        return what, begin, end, f"{instead}# {' '.join(self.text[begin:end].decode().split())}"

    def never(self, what: str, node: ast.AST, value: str) -> Edit:
        """Replaces the value of an expression, whose source stays readable."""
        return self.replace(what, node, f"({value} {'or' if value == 'True' else 'and'} ({self.of(node)}))")

    def condition(self, test: ast.expr, loop: bool = False) -> Iterator[Edit]:
        if not isinstance(test, ast.Constant):
            yield from (self.never(f"condition {v}", test, v) for v in (("False",) if loop else ("False", "True")))

    def between(self, nodes: list[ast.expr]) -> Iterator[Edit]:
        """Another operator between two neighbours."""
        for left, right in pairwise(nodes):
            begin, end = self.span(left)[1], self.span(right)[0]
            match = SYMBOL.search(self.text[begin:end].decode())
            if match and (old := " ".join(match[0].split())) in OPERATORS:
                yield f"{old} to {OPERATORS[old]}", begin + match.start(), begin + match.end(), OPERATORS[old]

    def strings(self, *nodes: ast.AST | None) -> Iterator[Edit]:
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
                more = b"?" if isinstance(node.value, bytes) else "?"
                yield self.replace("string", node, repr(node.value + more))

    def dropped(self, what: str, parts: Sequence[ast.AST], chosen: Callable[[Any], bool]) -> Iterator[Edit]:
        """Drops each chosen part in turn."""
        for i, part in enumerate(parts):
            begin, end = self.span(part)
            if i:
                begin = self.span(parts[i - 1])[1]
            elif len(parts) > 1:
                end = self.span(parts[1])[0]
            if chosen(part):
                yield what, begin, end, ""

    def swapped(self, arguments: list[ast.expr]) -> Iterator[Edit]:
        for left, right in pairwise(arguments):
            # Swapping a string with a non-string always raises an error.
            texts = any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in (left, right))
            if (
                texts
                or isinstance(left, ast.Starred)
                or isinstance(right, ast.Starred)
                or self.of(left) == self.of(right)
            ):
                continue
            (begin, end), (then, last) = self.span(left), self.span(right)
            middle = self.text[end:then].decode()
            yield "arguments swapped", begin, last, self.of(right) + middle + self.of(left)

    def positions_are_right(self, node: ast.JoinedStr) -> bool:
        """Inside f-strings, Python before 3.12 gives wrong positions."""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                try:
                    there = ast.parse(self.of(part.value), mode="eval").body
                except (SyntaxError, UnicodeDecodeError, IndexError):
                    return False
                if ast.dump(there) != ast.dump(part.value):
                    return False
        return True

    # Expressions

    def in_expression(self, node: ast.AST) -> Iterator[Edit]:
        """Edits of an expression and of those inside."""
        if isinstance(node, ast.JoinedStr) and not self.positions_are_right(node):
            return
        yield from self.of_expression(node)
        for child in ast.iter_child_nodes(node):
            strict = isinstance(child, ast.keyword) and child.arg == "strict"
            if isinstance(child, (ast.expr, ast.keyword, ast.comprehension, ast.arguments)) and not strict:
                yield from self.in_expression(child)

    def of_expression(self, node: ast.AST) -> Iterator[Edit]:
        match node:
            case ast.Compare():
                compared = [node.left, *node.comparators]
                yield from self.between(compared)
                yield from self.strings(*compared)
            case ast.BoolOp():
                yield from self.between(node.values)
                value = str(isinstance(node.op, ast.And))
                yield from (self.never("operand dropped", operand, value) for operand in node.values)
            case ast.BinOp():
                texts = [n for n in (node.left, node.right) if isinstance(n, (ast.JoinedStr, ast.Constant))]
                if not any(isinstance(n, ast.JoinedStr) or isinstance(n.value, str) for n in texts):
                    yield from self.between([node.left, node.right])
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                what = "not dropped" if isinstance(node.op, ast.Not) else "minus dropped"
                yield self.replace(what, node, self.of(node.operand))
            case ast.IfExp():
                yield from self.condition(node.test)
            case ast.comprehension():
                for test in node.ifs:
                    yield from self.condition(test)
            case ast.Constant(value=bool()):
                yield self.replace("constant", node, str(not node.value))
            case ast.Constant(value=int()):
                yield from (self.replace("constant", node, str(node.value + step)) for step in (1, -1))
            case ast.Dict():
                yield from self.strings(*node.keys, *node.values)
            case ast.List() | ast.Tuple() | ast.Set():
                yield from self.strings(*node.elts)
            case ast.Subscript():
                yield from self.strings(node.slice)
            case ast.Slice():
                for bound in filter(None, (node.lower, node.upper)):
                    yield self.replace("bound dropped", bound, "")
                    if not isinstance(bound, ast.Constant):
                        yield self.replace("bound + 1", bound, f"{self.of(bound)} + 1")
            case ast.Call() if (name := self.of(node.func)) != "TypeVar":
                if name not in NOT_SWAPPED:
                    yield from self.swapped(node.args)
                named = lambda part: isinstance(part, ast.keyword) and part.arg not in (None, "strict")  # noqa: E731
                yield from self.dropped("argument dropped", [*node.args, *node.keywords], named)
                if isinstance(node.func, ast.Attribute) or name in STRINGS_DECIDE:
                    yield from self.strings(*node.args)

    # Statements

    def of_statement(self, node: ast.stmt, inside: bool, assigned: set[str]) -> Iterator[Edit]:
        """Edits of a statement without those of its blocks. `assigned` has the names that the function has assigned."""
        parts: list[ast.AST] = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        match node:
            case ast.Raise():
                yield self.remove("raise removed", node)
                error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                if isinstance(error, ast.Name) and error.id in ERRORS:
                    yield self.replace(f"{error.id} to {ERRORS[error.id]}", error, ERRORS[error.id])
                return
            case ast.Expr(value=ast.Constant()):  # a docstring
                return
            case ast.Expr() | ast.Continue() | ast.Break() | ast.Delete():
                yield self.remove("statement removed", node)
            case ast.Return(value=None):
                yield self.remove("return removed", node)
            case ast.Return(value=ast.Constant(value=None)):
                pass
            case ast.Return():
                yield self.remove("None returned", node, "return None  ")
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                if "__all__" in names or node.value is None:
                    return
                # Removing the first assignment of a variable always raises an error.
                again = isinstance(node, ast.AugAssign) or not isinstance(targets[0], ast.Name) or names <= assigned
                if inside and again:
                    yield self.remove("assignment removed", node)
                assigned |= names
                parts = [*targets, node.value]
            case ast.If() | ast.While():
                yield from self.condition(node.test, loop=isinstance(node, ast.While))
            case ast.For():
                yield self.never("loop skipped", node.iter, "()")
            case ast.With():
                parts = [item.context_expr for item in node.items]
        for part in parts:
            yield from self.in_expression(part)

    def of_handler(self, node: ast.ExceptHandler) -> Iterator[Edit]:
        if node.type is not None:
            yield self.never("handler of nothing", node.type, "()")
            if isinstance(node.type, ast.Tuple):
                yield from self.dropped("exception dropped", node.type.elts, lambda part: True)

    def of_decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[Edit]:
        for decorator in node.decorator_list:
            if self.of(decorator) not in NOT_REMOVED:
                begin = self.span(decorator)[0]
                yield self.remove("decorator removed", decorator, "", begin - self.text.rfind(b"@", 0, begin))
                yield from self.in_expression(decorator)


def _header(node: ast.stmt | ast.ExceptHandler) -> range:
    """The lines of a statement without those of its block."""
    body = getattr(node, "body", None)
    last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
    return range(node.lineno, (last or node.lineno) + 1)


def faults_of(path: Path) -> list[Fault]:
    source = _Source(path)
    found: dict[tuple[int, int, str], Fault] = {}

    def add(edits: Iterable[Edit], reach: range, at_import: bool) -> None:
        for edit in edits:
            if fault := source.fault(edit, reach, at_import):
                found[fault.begin, fault.end, fault.new] = fault

    def block(body: list[ast.stmt], reach: range, at_import: bool, inside: bool, assigned: set[str]) -> None:
        """`reach` has the lines of code that runs when it is imported; those in a function have their own."""
        for node in body:
            here = _header(node) if inside else reach
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                own = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                add(source.of_decorators(node), own, at_import)
                if isinstance(node, ast.ClassDef):
                    block(node.body, here, at_import, False, set())
                    continue
                defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d]
                add(source.strings(*defaults), own, at_import)
                for default in defaults:
                    add(source.in_expression(default), own, at_import)
                arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
                block(node.body, own, False, True, arguments)
                continue
            imports = isinstance(node, (ast.Import, ast.ImportFrom))
            if imports or (isinstance(node, ast.If) and "TYPE_CHECKING" in source.of(node.test)):
                continue
            add(source.of_statement(node, inside, assigned), here, at_import)
            for name in ("body", "orelse", "finalbody"):
                block(getattr(node, name, []), reach, at_import, inside, assigned)
            for handler in getattr(node, "handlers", []):
                add(source.of_handler(handler), _header(handler) if inside else reach, at_import)
                block(handler.body, reach, at_import, inside, assigned)

    # Code that runs at import is reached by the lines of the whole file.
    block(ast.parse(source.text).body, range(1, len(source.starts) + 1), True, False, set())
    return sorted(found.values(), key=lambda fault: (fault.begin, fault.end, fault.new))


def faults(names: list[str]) -> Iterator[Fault]:
    """The faults of all files of the package whose path contains one of the names, or of all files without names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if not names or any(name in str(path.relative_to(ROOT)) for name in names):
            yield from faults_of(path)
