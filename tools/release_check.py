"""Checks that a release is complete, and builds it; `make release-check` runs it.

    python tools/release_check.py [--draft] [--no-build]

--draft accepts what only the day of a release brings: the section of the changelog, the tag and the address of the
repository. --no-build leaves out the wheel and the source archive, which are built twice, in two clones, and must be
equal byte by byte.
What is built is in dist/: the wheel, the source archive and the SBOM.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from email.parser import HeaderParser
from pathlib import Path

import index_page
import write_sbom

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
VERSION = write_sbom.version()
# A check returns what is wrong.
Check = Callable[[], list[str]]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def git(*arguments: str) -> str:
    return subprocess.check_output(["git", *arguments], cwd=ROOT, text=True).strip()


def version_in_one_place() -> list[str]:
    """torch_stringops/_version.py has the version; no other file repeats it, as one of them would be forgotten."""
    wrong = [] if re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", VERSION) else [f"{VERSION} is not a version MAJOR.MINOR.PATCH"]
    listed = subprocess.run(
        [
            "git",
            "grep",
            "-lE",
            r"^\s*_*version_*\s*[:=]\s*[\"']?[0-9]",
            "--",
            "*.py",
            "*.toml",
            "*.cfg",
            "*.cff",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stdout.split()
    return wrong + [f"{name} states a version, too" for name in listed if name != "torch_stringops/_version.py"]


def changelog() -> list[str]:
    text = read("CHANGELOG.md")
    found = re.search(
        rf"^## {re.escape(VERSION)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    if not found:
        return [f"CHANGELOG.md has no section `## {VERSION} - YYYY-MM-DD`: rename `## Unreleased`"]
    return [] if "\n- " in found[1] else [f"the section of {VERSION} in CHANGELOG.md is empty"]


def tag() -> list[str]:
    tags = git("tag", "--points-at", "HEAD").split()
    if f"v{VERSION}" in tags:
        return []
    return [f"the commit has the tags {tags}, not v{VERSION}: git tag v{VERSION}"]


def repository() -> list[str]:
    if index_page.REPOSITORY:
        return []
    return ["tools/index_page.py has no address of the repository, so links of the package's page are relative"]


def committed() -> list[str]:
    changed = git("status", "--porcelain")
    return [f"files differ from the commit:\n{changed}"] if changed else []


def links() -> list[str]:
    """With an address, every link of README.md is absolute, and its file exists."""
    text = read("README.md")
    left = index_page.relative_links(index_page.index_page(text, VERSION, "https://host.example/project"))
    missing = [path for path in index_page.relative_links(text) if not (ROOT / path.partition("#")[0]).exists()]
    return [f"{target} stays relative" for target in left] + [f"{path} does not exist" for path in missing]


def licences() -> list[str]:
    """THIRD_PARTY.md contains the licence of everything that is compiled in, and the SBOM has its version."""
    headings = re.findall(r"^## (.*)$", read("THIRD_PARTY.md"), re.MULTILINE)
    names = [name for name, _, _ in write_sbom.bundled()]
    wrong = [f"THIRD_PARTY.md has no licence of {name}" for name in names if name not in headings]
    if set(names) != set(write_sbom.VERSIONS):
        wrong.append(f"tools/write_sbom.py knows {sorted(write_sbom.VERSIONS)}, THIRD_PARTY.md lists {sorted(names)}")
    return wrong


def schemas() -> list[str]:
    """Every operator stands in tests/golden/schemas.txt, so that later changes are noticed."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "record_release.py"), "missing"], capture_output=True, text=True
    )
    if done.returncode:
        return [done.stderr.strip()]
    return [f"{name} is not recorded: tools/record_release.py schemas" for name in done.stdout.split()]


def saved_files() -> list[str]:
    folder = ROOT / "tests" / "golden" / "saved" / VERSION
    return [] if folder.is_dir() else [f"{folder.relative_to(ROOT)} is missing: tools/record_release.py files"]


def different_members(one: Path, two: Path) -> list[str]:
    """The files of two archives whose contents, times or modes differ."""
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(two) as second:
        entries = [
            {info.filename: (info.CRC, info.date_time, info.external_attr) for info in file.infolist()}
            for file in (first, second)
        ]
    names = sorted({*entries[0], *entries[1]})
    return [name for name in names if entries[0].get(name) != entries[1].get(name)] or ["the order of files"]


def build() -> list[str]:
    """Builds the wheel and the source archive of clones in two folders."""
    commit = git("rev-parse", "HEAD")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct", commit)}
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("torch_stringops-*"):
        old.unlink()
    built: list[list[Path]] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("one", "two"):
            clone = Path(folder, name)
            subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(clone)], check=True)
            subprocess.run(["git", "checkout", "-q", commit], cwd=clone, check=True)  # HEAD may move meanwhile
            command = [sys.executable, str(clone / "tools" / "build_wheel.py"), str(clone / "dist")]
            done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True)
            if done.returncode:
                return [done.stderr]
            built.append(sorted((clone / "dist").glob("torch_stringops-*")))
        for one, two in zip(*built, strict=True):
            if one.read_bytes() != two.read_bytes():
                members = different_members(one, two) if one.suffix == ".whl" else [one.name]
                wrong.append(f"two builds differ in {', '.join(members)}")
            shutil.copy(one, DIST)
    subprocess.run(
        [
            sys.executable,
            str(ROOT / "tools" / "write_sbom.py"),
            str(DIST / f"torch_stringops-{VERSION}.cdx.json"),
        ],
        env=environment,
        check=True,
    )
    return wrong


def metadata() -> list[str]:
    """The metadata of the wheel in dist/."""
    (wheel,) = DIST.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        found = HeaderParser().parsestr(file.read(name).decode())
    wrong = [f"the metadata has no {key}" for key in ("Summary", "Keywords", "Requires-Python") if not found[key]]
    if found["Version"] != VERSION:
        wrong.append(f"the wheel has version {found['Version']}")
    if set(found.get_all("License-File", [])) != {"LICENSE", "THIRD_PARTY.md"}:
        wrong.append("the wheel does not contain LICENSE and THIRD_PARTY.md")
    if index_page.REPOSITORY and not found.get_all("Project-URL"):
        wrong.append("the metadata has no Project-URL")
    from trove_classifiers import classifiers

    return wrong + [f"{one} is not a classifier" for one in found.get_all("Classifier", []) if one not in classifiers]


def twine() -> list[str]:
    files = [str(path) for pattern in ("*.whl", "*.tar.gz") for path in DIST.glob(pattern)]
    done = subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True)
    return [] if done.returncode == 0 else [done.stdout + done.stderr]


ON_THE_DAY: list[Check] = [changelog, tag, repository, committed]
ALWAYS: list[Check] = [version_in_one_place, links, licences, schemas, saved_files]
BUILT: list[Check] = [build, metadata, twine]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--draft", action="store_true", help="accept what only the day of a release brings")
    parser.add_argument("--no-build", action="store_true", help="do not build the wheels")
    options = parser.parse_args()
    failed = False
    for check in [*ALWAYS, *ON_THE_DAY, *([] if options.no_build else BUILT)]:
        wrong = check()
        accepted = options.draft and check in ON_THE_DAY
        state = "ok" if not wrong else "not yet" if accepted else "FAILED"
        print(f"{check.__name__.replace('_', ' '):<22} {state}", flush=True)
        for line in wrong:
            print(f"    {line}")
        failed |= state == "FAILED"
        if failed and check is build:
            break
    sys.exit(failed)


if __name__ == "__main__":
    main()
