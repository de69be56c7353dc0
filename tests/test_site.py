"""The site: it builds without a warning, its links lead somewhere, and every public name has an entry."""

import importlib
import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest
import torch

import torch_stringops

ROOT = Path(__file__).resolve().parent.parent
MODULES = [
    "torch_stringops",
    *(f"torch_stringops.{name}" for name in ("data", "distributed", "nn", "pretrain", "ray", "transformers")),
]


def public(module: ModuleType) -> set[str]:
    """The public names of a module that the package defines."""
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    return {name for name in names if not inspect.ismodule(getattr(module, name))}


def public_names() -> set[str]:
    names = set()
    for module in map(importlib.import_module, MODULES):
        for name in public(module):
            value = getattr(module, name)
            names.add(f"{module.__name__}.{name}")
            if inspect.isclass(value):
                names |= {f"{module.__name__}.{name}.{member}" for member in public_members(value)}
    return names


def public_members(owner: type) -> set[str]:
    """Members that the package defines and documents; others are those of torch's classes, or internal."""
    return {
        name
        for base in owner.__mro__
        if base.__module__.startswith("torch_stringops")
        for name, value in vars(base).items()
        if not name.startswith("_")
        and (inspect.getdoc(value) if inspect.ismemberdescriptor(value) else getattr(value, "__doc__", None))
    }


@pytest.fixture(scope="module")
def write_docs() -> ModuleType:
    path = ROOT / "tools" / "write_docs.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_has_an_entry(write_docs: ModuleType):
    entries: list[str] = []
    for text in write_docs.reference().values():
        module = re.search(r"{py:currentmodule} (\S+)", text)
        owner = ""
        for kind, name in re.findall(r"^:{4,}{py:(\w+)} ([\w.]+)", text, re.MULTILINE):
            owner = name if kind == "class" else owner
            member = kind in ("method", "property") and "." not in name
            entries.append(".".join([module[1], *([owner] if member else []), name]))
    repeated = {name for name in entries if entries.count(name) > 1}
    assert not repeated
    assert not public_names() - set(entries)
    assert len(entries) > 400


def test_every_registered_operator_has_an_entry(write_docs: ModuleType):
    registered = {
        name.removeprefix("stringops::").split(".")[0]
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("stringops::")
    }
    public = {name for name in registered if not name.startswith("_")}
    assert public, "no operator is registered"
    found = {name for family in write_docs.families().values() for name in family["functions"]}
    assert public <= found | set(" ".join(write_docs.SPECIFICATIONS.values()).split())


def test_every_page_is_in_a_table_of_contents():
    pages = {page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    pages = {page for page in pages if not page.startswith(("_build/", "reference/"))}
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {line for block in re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL) for line in block.split("\n")}
    assert pages - listed == {"index"}


class Page(HTMLParser):
    """The anchors and the targets of a page, and what a browser loads for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.targets.append(found["href"])
        elif tag in ("link", "script", "img") and (address := found.get("href") or found.get("src")):
            self.loaded.append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("furo")
    pytest.importorskip("myst_parser")  # the extra `check` has them
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", folder / "trees", ROOT / "docs",
        folder / "html",
    ]  # fmt: skip
    # Not in the repository, whose sources hide an installed package.
    path = os.pathsep.join([str(Path(torch_stringops.__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path}
    built = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert built.returncode == 0, built.stderr[-4000:]
    return folder / "html"


@pytest.mark.check
def test_links_of_the_site_exist(site: Path):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 60
    for path, page in pages.items():
        for target in page.targets + page.loaded:
            parts = urlsplit(target)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            linked = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert linked.is_file(), f"{path.relative_to(site)}: {target}"
            if parts.fragment and linked in pages:
                assert unquote(parts.fragment) in pages[linked].anchors, f"{path.relative_to(site)}: {target}"


@pytest.mark.check
def test_the_site_needs_no_network(site: Path):
    for path in site.rglob("*.html"):
        for address in Page(path).loaded:
            assert not urlsplit(address).netloc, f"{path.relative_to(site)} loads {address}"


@pytest.mark.check
def test_names_link_to_their_entries(site: Path):
    page = Page(site / "coming_from.html")
    assert "reference/functions/case.html#torch_stringops.string_lower" in page.targets
    # `s.split` and `search` of the text are no names of the library.
    assert not any(target.endswith("#torch_stringops.split") for target in page.targets)


@pytest.mark.check
def test_the_search_finds_names(site: Path):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert "string_edit_distance" in index
    assert "levenshtein" in index
