"""What the build chooses by the machine (tools/platforms.py), and what the build and the import refuse."""

import importlib
import platform
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

from torch_stringops._platform import check_platform

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"


@pytest.fixture(scope="module")
def platforms():
    if not TOOLS.exists():
        pytest.skip("needs the sources")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        yield importlib.import_module("platforms")


def test_the_machine_that_runs_the_tests_is_supported(platforms: ModuleType):
    platforms.check_machine(platform.system(), platform.machine())
    check_platform(sys.byteorder)


@pytest.mark.parametrize(
    ("machine", "error"),
    [
        (("Windows", "AMD64"), "the system 'Windows' is not supported (expected Linux, or Darwin, which is macOS)"),
        (("Linux", "riscv64"), "the processor 'riscv64' is not supported (expected one of x86_64, aarch64, arm64)"),
        (("Linux", "i686"), "the processor 'i686' is not supported (expected one of x86_64, aarch64, arm64)"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else None,
)
def test_the_build_refuses_a_machine_by_name(platforms: ModuleType, machine: tuple, error: str):
    with pytest.raises(SystemExit) as refused:
        platforms.check_machine(*machine)
    assert str(refused.value) == f"building torch_stringops: {error}"


def program(folder: Path, prints: str) -> str:
    """A command that prints this, whatever it reads."""
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\ncat > /dev/null\necho {shlex.quote(prints)}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("prints", "found"),
    [
        ("clang __clang_major__ gnu 12", ("g++", 12)),
        ("clang 14 gnu 4", ("clang++", 14)),
        ("clang __clang_major__ gnu __GNUC__", ("", 0)),
        ("usage: compiler FILE", ("", 0)),
        ("", ("", 0)),
    ],
    ids=["gcc", "clang", "another compiler", "another program", "silence"],
)
def test_a_compiler_is_known_by_its_macros(platforms: ModuleType, tmp_path: Path, prints: str, found: tuple):
    assert platforms.compiler_version(program(tmp_path, prints)) == found


@pytest.mark.parametrize(("kind", "version", "error"), [
    ("", 0, "the compiler 'c++' is not supported (expected g++ >= 9 or clang++ >= 14; CXX names another)"),
    ("g++", 8, "the compiler 'c++', g++ 8, is too old (expected g++ >= 9 or clang++ >= 14; CXX names another)"),
    (
        "clang++",
        13,
        "the compiler 'c++', clang++ 13, is too old (expected g++ >= 9 or clang++ >= 14; CXX names another)",
    ),
])  # fmt: skip
def test_the_build_refuses_a_compiler_by_name(platforms: ModuleType, kind: str, version: int, error: str):
    with pytest.raises(SystemExit) as refused:
        platforms.check_compiler("c++", kind, version)
    assert str(refused.value) == f"building torch_stringops: {error}"


def test_the_oldest_compilers_are_accepted(platforms: ModuleType):
    for kind, oldest in platforms.OLDEST_COMPILERS.items():
        platforms.check_compiler("c++", kind, oldest)


def test_flags_of_the_linker_are_those_of_the_system(platforms: ModuleType):
    linux, macos = (platforms.link_flags(True, system) for system in platforms.SYSTEMS)
    # A linker of the other system does not have them.
    assert not {*linux} & {*macos}
    assert any(flag.startswith("-Wl,--version-script=") for flag in linux)
    assert "-Wl,-exported_symbol,_stringops_*" in macos
    assert platforms.libraries("Darwin") == ["torch_cpu"]
    assert platforms.link_flags(False, "Darwin", is_ort=True) == ["-Wl,-exported_symbol,_RegisterCustomOps"]


def test_the_import_refuses_big_endian_machines():
    with pytest.raises(ImportError, match=r"^torch_stringops: this machine is big-endian, which is not supported \("):
        check_platform("big")


def test_workflows_run_targets_of_the_makefile():
    workflows = [*(ROOT / ".github" / "workflows").glob("*.yml")]
    if not workflows:
        pytest.skip("needs the sources")
    named = {name for file in workflows for name in re.findall(r"run: make ([\w-]+)", file.read_text("utf-8"))}
    targets = {*re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)}
    assert {"build", "test", "lint"} <= named <= targets
