"""`make release-check`: what it checks without building holds now, and each check finds a fault."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import torch_stringops

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def check() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        import release_check

        yield release_check


def test_what_always_holds(check: ModuleType):
    assert check.links() == []
    assert check.licences() == []
    assert check.saved_files() == []
    if (ROOT / ".git").exists():
        assert check.version_in_one_place() == []
    assert torch_stringops.__version__ == check.VERSION


def test_links_of_the_page_of_an_index_are_absolute(check: ModuleType):
    page = "[a](docs/a.md#b) ![c](c.svg) [d](#d) [e](https://e.example/e.md)"
    assert check.index_page.relative_links(page) == ["docs/a.md#b", "c.svg"]
    assert check.index_page.index_page(page, "1.2.3", "https://host.example/p") == (
        "[a](https://host.example/p/blob/v1.2.3/docs/a.md#b) ![c](https://host.example/p/raw/v1.2.3/c.svg) "
        "[d](#d) [e](https://e.example/e.md)"
    )
    assert check.index_page.index_page(page, "1.2.3", "") == page
    assert check.index_page.project_urls("") == {}
    assert check.index_page.project_urls("https://host.example/p")["Issues"] == "https://host.example/p/issues"


@pytest.mark.parametrize(("text", "wrong"), [
    ("# Changelog\n\n## VERSION - 2027-01-31\n\n### Added\n\n- a\n", ""),
    ("# Changelog\n\n## Unreleased\n\n- a\n", "has no section"),
    ("# Changelog\n\n## VERSION - soon\n\n- a\n", "has no section"),
    ("# Changelog\n\n## VERSION - 2027-01-31\n\n## 0.0.1 - 2026-01-01\n\n- a\n", "is empty"),
])  # fmt: skip
def test_the_changelog_needs_a_section(check: ModuleType, monkeypatch: pytest.MonkeyPatch, text: str, wrong: str):
    monkeypatch.setattr(check, "read", lambda name: text.replace("VERSION", check.VERSION))
    found = check.changelog()
    assert wrong in found[0] if wrong else found == []


def test_missing_licences_and_links_are_found(check: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(check, "read", lambda name: "[a](no_such_file.md)\n")
    assert check.links() == ["no_such_file.md does not exist"]
    assert check.licences() == ["THIRD_PARTY.md has no licence of Unicode Character Database"]
    monkeypatch.setattr(check, "VERSION", "9.9.9")
    assert "tests/golden/saved/9.9.9 is missing" in check.saved_files()[0]


def test_the_sbom_lists_what_is_compiled_in(tmp_path: Path):
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:
        subprocess.run([sys.executable, str(ROOT / "tools" / "write_sbom.py"), str(file)], check=True)
    assert files[0].read_bytes() == files[1].read_bytes()
    sbom = json.loads(files[0].read_text(encoding="utf-8"))
    assert (sbom["bomFormat"], sbom["specVersion"], sbom["version"]) == ("CycloneDX", "1.6", 1)
    assert sbom["metadata"]["component"]["version"] == torch_stringops.__version__
    (unicode,) = sbom["components"]
    assert (unicode["name"], unicode["version"]) == ("Unicode Character Database", torch_stringops.unicode_version())
    assert unicode["licenses"] == [{"license": {"id": "Unicode-3.0"}}]
    assert sbom["dependencies"][0]["dependsOn"] == [unicode["bom-ref"]]


def test_files_that_differ_between_two_builds_are_named(check: ModuleType, tmp_path: Path):
    def archive(name: str, text: str, time: tuple[int, ...] = (2026, 1, 1, 0, 0, 0)) -> Path:
        with zipfile.ZipFile(tmp_path / name, "w") as file:
            file.writestr(zipfile.ZipInfo("same", (2026, 1, 1, 0, 0, 0)), "text")
            file.writestr(zipfile.ZipInfo("other", time), text)
        return tmp_path / name

    first = archive("a.whl", "1")
    assert check.different_members(first, archive("b.whl", "2")) == ["other"]
    assert check.different_members(first, archive("c.whl", "1", (2026, 1, 2, 0, 0, 0))) == ["other"]
    assert check.different_members(first, archive("d.whl", "1")) == ["the order of files"]
