"""What the two libraries take from others: of torch the stable ABI's C functions, of Python the limited API, no more;
and what they show to others: a few C functions.

That is what lets one binary run on every torch >= 2.10 and every Python >= 3.10. The yardstick is what the headers
declare to a program that asks for these versions, so nothing is listed here that could grow old.
"""

import os
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path

import pytest
import torch

import torch_stringops

OPS = Path(torch_stringops.library_path())
CONVERT = OPS.with_name("_convert.abi3.so")

STABLE_ABI = """
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/c/shim.h>
"""
OLDEST_TORCH = "-DTORCH_TARGET_VERSION=0x020a000000000000"  # as in setup.py
OLDEST_PYTHON = "-DPy_LIMITED_API=0x030A0000"
SYSTEM = ("GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_")
# Weak references to what a profiler, a sanitizer or transactional memory may bring.
OPTIONAL = ("_ITM_", "__gmon_start__", "__cxa_finalize")


def undefined(library: Path) -> dict[str, str]:
    """Symbols that a library takes from others -> their version, "" where they have none."""
    command = ["nm", "-D", "--undefined-only", "--format=posix", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parts = (line.split()[0].partition("@") for line in listed.splitlines())
    return {name: version.lstrip("@") for name, _, version in parts if not name.startswith(OPTIONAL)}


def not_of_the_system(library: Path) -> set[str]:
    return {name for name, version in undefined(library).items() if not version.startswith(SYSTEM)}


def declared(source: str, folder: str, macro: str) -> set[str]:
    """Functions and variables that the headers declare under this macro."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    command = [*compiler, "-std=c++17", f"-I{folder}", macro, "-x", "c++", "-E", "-P", "-"]
    try:
        found = subprocess.run(command, input=source, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("needs a compiler")
    assert found.returncode == 0, found.stderr
    return set(re.findall(r"\b[A-Za-z_]\w*\b", found.stdout))


def defined(library: Path) -> set[str]:
    """Symbols that others can take from a library, or replace by their own."""
    command = ["nm", "-D", "--defined-only", "--format=posix", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[0].partition("@")[0] for line in listed.splitlines()}


def needed(library: Path) -> list[str]:
    listed = subprocess.run(
        ["readelf", "-d", str(library)], capture_output=True, text=True, check=True
    ).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listed)


def test_operators_take_from_torch_what_is_stable_since_the_oldest_version():
    folder = str(Path(torch.__file__).parent / "include")
    stable = declared(STABLE_ABI, folder, OLDEST_TORCH)
    assert "torch_parallel_for" in stable
    # Of 2.11: the macro has its effect, so a newer function would be found.
    assert "torch_from_blob" not in stable
    taken = not_of_the_system(OPS)
    from_torch = {name for name in taken if re.match("(aoti_)?torch_", name)}
    assert len(from_torch) > 30
    assert from_torch <= stable, from_torch - stable
    # What is left is RE2's: neither torch's C++ (nor what it holds of the C++ library) nor Python's.
    other = {name for name in taken - from_torch if not re.match(r"_ZNK?3re2", name)}
    assert not other


def test_conversions_take_from_python_what_the_limited_api_of_the_oldest_has():
    folder = sysconfig.get_path("include")
    if not (Path(folder) / "Python.h").exists():
        pytest.skip("needs Python.h")
    limited = declared("#include <Python.h>", folder, OLDEST_PYTHON)
    assert "PyList_GetItem" in limited
    # Of 3.11 and of 3.13: the macro has its effect.
    assert not {"PyObject_GetBuffer", "PyUnicode_AsUTF8"} & limited
    taken = not_of_the_system(CONVERT)
    assert len(taken) > 30
    assert taken <= limited, taken - limited


def test_libraries_show_their_c_functions_and_nothing_of_the_cpp_library():
    # A template of the C++ library, were it among them, could be another library's that is in the process.
    operators = defined(OPS)
    assert "stringops_simd_tier" in operators
    assert {name for name in operators if not name.startswith("stringops_")} == set()
    assert defined(CONVERT) == {"PyInit__convert"}


@pytest.mark.parametrize("library", [OPS, CONVERT], ids=lambda path: path.name)
def test_libraries_do_not_say_where_they_were_built(library: Path):
    # Of its strings those of the program and of the dynamic linker, not what a debug build tells a debugger.
    command = ["readelf", "--string-dump=.rodata", "--string-dump=.dynstr", str(library)]
    strings = subprocess.run(command, capture_output=True, check=True).stdout
    assert b"GLIBC" in strings
    for folder in (Path(__file__).parents[2], Path(torch.__file__).parent):
        assert str(folder).encode() not in strings


@pytest.mark.parametrize(
    ("library", "own"),
    [(OPS, {"libtorch_cpu", "libre2"}), (CONVERT, set())],
    ids=lambda x: getattr(x, "name", ""),
)
def test_libraries_load_no_more_than_they_use(library: Path, own: set[str]):
    # In a wheel, auditwheel has put a hash into the names of those that it has copied.
    stems = {re.split(r"-[0-9a-f]{8}\.|\.so", name)[0] for name in needed(library)}
    assert own <= stems
    system = {"libstdc++", "libgcc_s", "libc", "libm", "libpthread", "libdl", "librt"}
    assert stems <= own | system | {"ld-linux-x86-64", "ld-linux-aarch64"}
