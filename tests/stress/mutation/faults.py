"""The faults that can be put into a Python file: each one edit of its text, found in its syntax tree.

No faults are put into code that tests need not check: docstrings, annotations, TYPE_CHECKING blocks, `__all__`, error
texts (but error types and raise statements), and `strict=True` of zip, which is only an assertion.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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


class _Finder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_bytes()
        self.starts = [0, *(i + 1 for i, byte in enumerate(self.text) if byte == ord("\n"))]
        self.found: list[Fault] = []
        # The lines of the code being visited; for code that runs at import, the whole file.
        self.reach, self.at_import = range(1, len(self.starts) + 1), True

    def span(self, node: ast.AST) -> tuple[int, int]:
        begin = self.starts[node.lineno - 1] + node.col_offset
        return begin, self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.AST) -> str:
        begin, end = self.span(node)
        return self.text[begin:end].decode()

    def edit(self, what: str, begin: int, end: int, new: str) -> None:
        """Adds an edit, unless the result is not valid Python."""
        removed = self.text[begin:end].count(b"\n") - new.count("\n")
        # Later lines keep their numbers if the syntax allows it.
        for padded in (new + "\n" * removed, new):
            changed = self.text[:begin] + padded.encode() + self.text[end:]
            try:
                ast.parse(changed)
                break
            except SyntaxError:
                continue
        else:
            return
        first = self.text.rfind(b"\n", 0, begin) + 1
        last = self.text.find(b"\n", end)
        before = self.text[first:last]
        after = self.text[first:begin] + new.encode() + self.text[end:last]
        shown = [" ".join(text.decode().split()) for text in (before, after)]
        where = self.path, self.text.count(b"\n", 0, begin) + 1
        self.found.append(Fault(*where, what, begin, end, padded, *shown, self.reach, self.at_import))

    def replace(self, what: str, node: ast.AST, new: str) -> None:
        self.edit(what, *self.span(node), new)

    def remove(self, what: str, begin: int, end: int, instead: str) -> None:
        removed = " ".join(self.text[begin:end].decode().split())
        self.edit(what, begin, end, f"{instead}# {removed}")

    def between(self, left: ast.AST, right: ast.AST) -> None:
        """Another operator."""
        begin, end = self.span(left)[1], self.span(right)[0]
        match = SYMBOL.search(self.text[begin:end].decode())
        if match and (old := " ".join(match[0].split())) in OPERATORS:
            new = OPERATORS[old]
            self.edit(f"{old} to {new}", begin + match.start(), begin + match.end(), new)

    def never(self, what: str, node: ast.AST, value: str) -> None:
        """Replaces the value of an expression, whose source stays readable."""
        self.replace(what, node, f"({value} {'or' if value == 'True' else 'and'} ({self.of(node)}))")

    def condition(self, test: ast.expr, loop: bool = False) -> None:
        if not isinstance(test, ast.Constant):
            self.never("condition False", test, "False")
            if not loop:
                self.never("condition True", test, "True")

    # Statements

    def block(self, body: list[ast.stmt], function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> None:
        before = self.reach, self.at_import
        self.at_import &= function is None
        assigned = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} if function else set()
        self._block(body, function is not None, assigned)
        self.reach, self.at_import = before

    def _block(self, body: list[ast.stmt], inside: bool, assigned: set[str]) -> None:
        for statement in body:
            if inside:
                self.reach = self.header(statement)
            self.statement(statement, inside, assigned)

    @staticmethod
    def header(node: ast.stmt | ast.ExceptHandler) -> range:
        """The lines of a statement without those of its block."""
        body = getattr(node, "body", None)
        last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
        return range(node.lineno, (last or node.lineno) + 1)

    def statement(self, node: ast.stmt, inside: bool, assigned: set[str]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.definition(node)
            return
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in self.of(node.test):
            return
        if isinstance(node, ast.Raise):
            self.remove("raise removed", *self.span(node), "pass  ")
            self.error_type(node)
            return
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):  # a docstring
                return
            self.remove("statement removed", *self.span(node), "pass  ")
        elif isinstance(node, (ast.Continue, ast.Break, ast.Delete)):
            self.remove("statement removed", *self.span(node), "pass  ")
        elif isinstance(node, ast.Return):
            if node.value is None:
                self.remove("return removed", *self.span(node), "pass  ")
            elif not (isinstance(node.value, ast.Constant) and node.value.value is None):
                self.remove("None returned", *self.span(node), "return None  ")
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            self.assignment(node, inside, assigned)
            return
        elif isinstance(node, (ast.If, ast.While)):
            self.condition(node.test, loop=isinstance(node, ast.While))
        elif isinstance(node, ast.For):
            self.never("loop skipped", node.iter, "()")
        self.expressions(node)
        for name in ("body", "orelse", "finalbody"):
            self._block(getattr(node, name, []), inside, assigned)
        for handler in getattr(node, "handlers", []):
            if inside:
                self.reach = self.header(handler)
            self.handler(handler)
            self._block(handler.body, inside, assigned)

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        before = self.reach
        self.reach = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for decorator in node.decorator_list:
            if self.of(decorator) not in NOT_REMOVED:
                begin, end = self.span(decorator)
                begin = self.text.rfind(b"@", 0, begin)
                self.remove("decorator removed", begin, end, "")
                self.visit(decorator)
        if isinstance(node, ast.ClassDef):
            self.reach = before
            self.block(node.body, None)
        else:
            for default in filter(None, [*node.args.defaults, *node.args.kw_defaults]):
                self.string(default)
                self.visit(default)
            self.block(node.body, node)
        self.reach = before

    def assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign, inside: bool, seen: set[str]) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if "__all__" in names or node.value is None:
            return
        # Removing the first assignment of a variable always raises an error.
        if inside and (isinstance(node, ast.AugAssign) or not isinstance(targets[0], ast.Name) or names <= seen):
            self.remove("assignment removed", *self.span(node), "pass  ")
        seen |= names
        for target in targets:
            self.visit(target)
        self.visit(node.value)

    def handler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self.never("handler of nothing", node.type, "()")
            if isinstance(node.type, ast.Tuple):
                self.each_dropped("exception dropped", node.type.elts)

    def error_type(self, node: ast.Raise) -> None:
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(error, ast.Name) and error.id in ERRORS:
            self.replace(f"{error.id} to {ERRORS[error.id]}", error, ERRORS[error.id])

    # Expressions

    def expressions(self, node: ast.stmt) -> None:
        """The expressions of a statement, without those of its blocks."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.visit(child)
            elif isinstance(child, ast.withitem):
                self.visit(child.context_expr)

    def visit(self, node: ast.AST) -> None:
        # Inside f-strings, Python before 3.12 gives wrong positions.
        if isinstance(node, ast.JoinedStr) and not self.positions_are_right(node):
            return
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method:
            method(node)
        for child in ast.iter_child_nodes(node):
            strict = isinstance(child, ast.keyword) and child.arg == "strict"
            if isinstance(child, (ast.expr, ast.keyword, ast.comprehension, ast.arguments)) and not strict:
                self.visit(child)

    def positions_are_right(self, node: ast.JoinedStr) -> bool:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                try:
                    there = ast.parse(self.of(part.value), mode="eval").body
                except (SyntaxError, UnicodeDecodeError, IndexError):
                    return False
                if ast.dump(there) != ast.dump(part.value):
                    return False
        return True

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self.between(left, right)
            self.string(left)
            self.string(right)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right)
        for value in node.values:
            self.never("operand dropped", value, str(isinstance(node.op, ast.And)))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = [n for n in (node.left, node.right) if isinstance(n, (ast.JoinedStr, ast.Constant))]
        if not any(isinstance(n, ast.JoinedStr) or isinstance(n.value, str) for n in texts):
            self.between(node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.Not, ast.USub)):
            self.replace(
                "not dropped" if isinstance(node.op, ast.Not) else "minus dropped",
                node,
                self.of(node.operand),
            )

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.condition(node.test)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.condition(test)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.replace("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self.replace("constant", node, str(node.value + 1))
            self.replace("constant", node, str(node.value - 1))

    def visit_Dict(self, node: ast.Dict) -> None:
        for part in [*node.keys, *node.values]:
            self.string(part)

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set) -> None:
        for element in node.elts:
            self.string(element)

    visit_Tuple = visit_Set = visit_List

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.string(node.slice)

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound:
                self.replace("bound dropped", bound, "")
                if not isinstance(bound, ast.Constant):
                    self.replace("bound + 1", bound, f"{self.of(bound)} + 1")

    def visit_Call(self, node: ast.Call) -> None:
        name = self.of(node.func)
        if name == "TypeVar":
            return
        if name not in NOT_SWAPPED:
            for left, right in zip(node.args, node.args[1:], strict=False):
                self.swapped(left, right)
        self.each_dropped("argument dropped", [*node.args, *node.keywords])
        if isinstance(node.func, ast.Attribute) or name in STRINGS_DECIDE:
            for argument in node.args:
                self.string(argument)

    def swapped(self, left: ast.expr, right: ast.expr) -> None:
        # Swapping a string with a non-string always raises an error.
        texts = any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in (left, right))
        if texts or isinstance(left, ast.Starred) or isinstance(right, ast.Starred) or self.of(left) == self.of(right):
            return
        (begin, end), (then, last) = self.span(left), self.span(right)
        middle = self.text[end:then].decode()
        self.edit("arguments swapped", begin, last, self.of(right) + middle + self.of(left))

    def each_dropped(self, what: str, parts: list[ast.expr] | list[ast.keyword | ast.expr]) -> None:
        """Drops each part in turn; of arguments, only those with a name."""
        for i, part in enumerate(parts):
            if isinstance(part, ast.keyword):
                if part.arg in (None, "strict"):
                    continue
            elif what == "argument dropped":
                continue
            begin, end = self.span(part)
            if i:
                begin = self.span(parts[i - 1])[1]
            elif len(parts) > 1:
                end = self.span(parts[1])[0]
            self.edit(what, begin, end, "")

    def string(self, node: ast.AST | None) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
            more = b"?" if isinstance(node.value, bytes) else "?"
            self.replace("string", node, repr(node.value + more))


def faults_of(path: Path) -> list[Fault]:
    finder = _Finder(path)
    finder.block(ast.parse(finder.text).body, None)
    found = {(f.begin, f.end, f.new): f for f in finder.found}
    return sorted(found.values(), key=lambda fault: (fault.begin, fault.end, fault.new))


def faults(names: list[str]) -> Iterator[Fault]:
    """The faults of all files of the package whose path contains one of the names, or of all files without names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if not names or any(name in str(path.relative_to(ROOT)) for name in names):
            yield from faults_of(path)
