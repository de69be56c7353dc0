"""The code blocks of README.md and docs/ run: blocks with `>>>` as doctests, others as scripts, in one namespace per
page. Not docs/reference, whose examples run as those of the docstrings."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[tuple[int, str]]:
    """Line number and text of each Python block."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)), match[1]) for match in BLOCK.finditer(text)]


PAGES = [
    page
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if not {"reference", "_build"} & {*page.relative_to(ROOT).parts} and blocks(page)
]


def test_the_readme_has_code():
    assert ROOT / "README.md" in PAGES


# A block that imports this is left out where it is not installed: the extra `check` has it.
OPTIONAL = re.compile(r"^from (transformers) import", re.MULTILINE)


def is_installed(source: str) -> bool:
    return all(importlib.util.find_spec(name) for name in OPTIONAL.findall(source))


IN_CHECK = [
    pytest.param(page, marks=pytest.mark.check, id=f"{page.name}, complete")
    for page in PAGES
    if any(OPTIONAL.search(source) for _, source in blocks(page))
]


@pytest.mark.parametrize("page", [*(pytest.param(page, id=page.name) for page in PAGES), *IN_CHECK])
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    for line, source in blocks(page):
        if not is_installed(source):
            continue
        if ">>>" not in source:
            # Padded, so that tracebacks have the line numbers of the page.
            exec(compile("\n" * line + source, str(page), "exec"), namespace)
            continue
        test = doctest.DocTestParser().get_doctest(source, namespace, page.name, str(page), line)
        failures: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        runner.run(test, out=failures.append, clear_globs=False)
        namespace.update(test.globs)
        assert not failures, "".join(failures)
