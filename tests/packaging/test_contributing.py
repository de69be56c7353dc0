"""CONTRIBUTING.md shows an operator being added: string_reverse. The text has its files and its lines as they are."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## Add an operator\n")[2].partition("\n## ")[0]
DIFF = re.search(r"```diff\n(.*?)```", SECTION, re.S)[1]


def shown() -> dict[str, list[str]]:
    """File -> the lines that the diff adds to it."""
    files: dict[str, list[str]] = {}
    for line in DIFF.splitlines():
        if line.startswith("+++ "):
            added = files.setdefault(line.removeprefix("+++ "), [])
        else:
            added.append(line.removeprefix("+"))
    return files


def test_lines_are_those_of_the_files():
    for file, lines in shown().items():
        missing = set(lines) - {*(ROOT / file).read_text(encoding="utf-8").splitlines()}
        assert not missing, f"{file} has not the line {missing.pop()!r}"


def test_files_are_all_that_the_operator_touches():
    named = {
        path.relative_to(ROOT).as_posix()
        for folder in ("csrc", "torch_stringops", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".h", ".cpp") and "string_reverse" in path.read_text(encoding="utf-8")
    }
    named.discard(Path(__file__).relative_to(ROOT).as_posix())
    # The kernel has a name of its own.
    assert named | {"csrc/kernels/edit.h"} == shown().keys()


def test_numbers_of_files_and_lines_are_what_the_text_says():
    assert "An operator touches eight files." in SECTION
    assert len(shown()) == 8
    assert int(re.search(r"\((\d+) lines\)", SECTION)[1]) == sum(map(len, shown().values()))


def test_four_files_change_by_one_line():
    files = re.findall(r"`([^`]+)`", re.search(r"four of them change by one line: (.*?)\. No", SECTION, re.S)[1])
    assert len(files) == 4
    for file in files:
        assert sum("string_reverse" in line for line in shown()[file]) == 1, file


def test_the_stat_has_the_lines_of_the_files():
    stat = re.search(r"```text\n( CHANGELOG.*?)```", SECTION, re.S)[1]
    counts = {file: int(lines) for file, lines in re.findall(r"^ (\S+) +\| +(\d+) \+", stat, re.M)}
    assert shown().keys() <= counts.keys()
    for file in shown().keys() - {"torch_stringops/__init__.py"}:
        assert counts[file] == len((ROOT / file).read_text(encoding="utf-8").splitlines()), file
