"""The documentation matches the code: links and paths exist."""

import fnmatch
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from support.cases import each

import torch_stringops

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = (ROOT / "docs" / "reference", ROOT / "docs" / "_build")
PAGES = sorted(
    page
    for folder in ("", "docs/**", "csrc/**", "tests/**", "benchmarks/**", "examples/**")
    for page in ROOT.glob(f"{folder}/*.md" if folder else "*.md")
    if not any(page.is_relative_to(folder) for folder in WRITTEN)
)


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def write_docs() -> ModuleType:
    return tool("write_docs")


def anchors(text: str) -> set[str]:
    """Headings as GitHub's anchors."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.fixture(scope="module")
def reference(write_docs: ModuleType) -> dict[Path, str]:
    """The pages that `make docs` writes, which are not in the repository."""
    return {ROOT / "docs" / "reference" / name: text for name, text in write_docs.reference().items()}


def test_the_list_of_everything_is_that_of_the_docstrings(write_docs: ModuleType):
    found = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    assert found == write_docs.operators_page(), "run tools/write_docs.py"


@each("page", PAGES)
def test_links_exist(page: Path, reference: dict[Path, str]):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://")):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked in reference or linked.exists(), f"{target} does not exist"
        if anchor:
            text = reference.get(linked) or linked.read_text(encoding="utf-8")
            assert anchor in anchors(text), f"{target} has no such heading"


FOLDERS = ("csrc", "docs", "tests", "tools", "torch_stringops", "benchmarks", "examples")
# Files are named by the end of their path: `driver/map.h`. Paths of folders, and with wildcards, are complete.
NAMED_PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[^\s`]*|[\w./]+\.(?:py|h|cpp|md|map))`")


@pytest.fixture(scope="module")
def ends_of_paths() -> set[str]:
    """Every file of the repository, by all ends of its path."""
    # The package is not next to the tests if they test an installed one.
    roots = dict.fromkeys(FOLDERS, ROOT) | {"torch_stringops": Path(torch_stringops.__file__).parents[1]}
    files = [Path(folder) for folder in FOLDERS]
    files += [file.relative_to(root) for folder, root in roots.items() for file in (root / folder).rglob("*")]
    files += [file.relative_to(ROOT) for file in ROOT.glob("*") if file.is_file()]
    return {"/".join(file.parts[i:]) for file in files for i in range(len(file.parts))}


# Entries of the log name files as they were at the time of a change.
CURRENT_PAGES = [page for page in PAGES if page.parent != ROOT / "benchmarks" / "log"]


@each("page", CURRENT_PAGES)
def test_named_paths_exist(page: Path, ends_of_paths: set[str]):
    for path in NAMED_PATH.findall(page.read_text(encoding="utf-8")):
        pattern = path.replace("<family>", "edit").rstrip("/")
        found = fnmatch.filter(ends_of_paths, pattern) if "*" in pattern else pattern in ends_of_paths
        assert found, f"{path} does not exist"


def test_the_first_example_is_short():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"## Fifteen lines from text to a model\n\n```python\n(.*?)```", text, re.DOTALL)
    assert len([line for line in example[1].splitlines() if line.strip()]) <= 15
    assert len(text.splitlines()) <= 105, "the README is short; docs/ has room"


def test_the_speed_table_of_the_readme_has_the_figures_of_the_benchmarks():
    """In whole numbers: `dict 3 to 31` for `Python 3.03-31.05`, `**0.9 to 2**` for `**0.95-1.72**`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .*, `(\w+)` \| [\d,]+ \(.*\) \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) == 6
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    benchmarks = page.partition("## Where")[0].splitlines()  # the table of other libraries

    def whole(match: re.Match[str]) -> str:
        ends = [f"{value:.1f}" if value < 1 else f"{value:.0f}" for value in map(float, match[0].split("-"))]
        return " to ".join(dict.fromkeys(ends))

    for name, figures in rows:
        (row,) = (line for line in benchmarks if line.startswith(f"| `{name}` | "))
        row = re.sub(r"\d+\.\d\d(?:-\d+\.\d\d)?", whole, row).replace("Python", "dict")
        for figure in figures.split(", "):
            assert figure in row, f"{name}: {figure} is not in docs/benchmarks.md"
