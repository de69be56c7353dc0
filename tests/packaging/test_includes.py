"""The folders of csrc include only folders below them, no header includes itself by way of others, and sources include
what they use."""

import os
import shlex
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from graphlib import TopologicalSorter

import pytest
from support.cases import each
from support.csrc_includes import CSRC, GRAPH
from torch.utils.cpp_extension import include_paths

# Each folder, and the folders that its files may include besides its own.
BELOW = {
    "tables": {"core", "regex", "subword"}, "core": set(), "simd": {"core"}, "regex": {"core", "simd"},
    "split": {"core", "simd"}, "match": {"core", "simd", "regex", "split"}, "driver": {"core", "simd", "split"},
    "subword": {"core", "simd", "regex", "split", "match"},
    "kernels": {"core", "simd", "regex", "split", "match", "subword", "driver"},
    "ops": {"core", "simd", "regex", "split", "match", "subword", "driver", "kernels"},
    "convert": {"core"}, "host": {"core", "ops"}, "ort": {"core", "driver", "ops", "host"},
}  # fmt: skip


def test_included_files_exist():
    assert len(GRAPH) > 100
    missing = [(file, name) for file, names in GRAPH.items() for name in names if name not in GRAPH]
    assert not missing, missing


@each("folder", BELOW)
def test_folder_includes_only_folders_below_it(folder: str):
    files = [file for file in GRAPH if file.startswith(f"{folder}/")]
    assert files
    allowed = {folder, *BELOW[folder]}
    upward = [(file, name) for file in files for name in GRAPH[file] if name.partition("/")[0] not in allowed]
    assert not upward, upward


def test_every_folder_has_a_place():
    assert {file.partition("/")[0] for file in GRAPH} == set(BELOW)


def test_no_header_includes_itself():
    TopologicalSorter(GRAPH).prepare()  # raises CycleError, which names the cycle


def dependents(header: str) -> set[str]:
    """The sources that are compiled again if a header changes."""
    found = {header}
    while new := {file for file, names in GRAPH.items() if file not in found and found & set(names)}:
        found |= new
    return {file for file in found if file.endswith(".cpp")}


@pytest.mark.parametrize("family", ["length", "classes", "strip", "edit", "ngram", "case", "hash", "sort"])
def test_a_header_of_a_family_is_compiled_into_few_files(family: str):
    assert len(dependents(f"kernels/{family}.h")) <= 12, sorted(dependents(f"kernels/{family}.h"))


@pytest.mark.check
def test_each_source_compiles_alone():
    """The build joins the sources of a folder (tools/unity.py), which hides what one of them does not include."""
    compiler = [*shlex.split(os.environ.get("CXX", "c++")), "-std=c++17", "-fsyntax-only", "-w", f"-I{CSRC}"]
    compiler += [f"-isystem{folder}" for folder in (*include_paths(), sysconfig.get_path("include"))]
    compiler += ["-DTORCH_TARGET_VERSION=0x020a000000000000", "-DPy_LIMITED_API=0x030A0000"]
    sources = [file for file in GRAPH if file.endswith(".cpp") and not file.startswith(("simd/", "tables/"))]

    def fault(source: str) -> str:
        done = subprocess.run([*compiler, CSRC / source], stderr=subprocess.PIPE, text=True)
        return f"{source}: {done.stderr[:300]}" if done.returncode else ""

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(filter(None, pool.map(fault, sources)))
    assert not faults, "\n".join(faults)
