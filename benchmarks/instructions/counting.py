"""Builds the operators on csrc/host with the flags of the libraries, and counts instructions with callgrind."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from build_flags import flags, is_release  # noqa: E402

TIERS = ("scalar", "avx2")  # valgrind does not support AVX-512
NO_SUCH_TIER = 3  # exit status of count.cpp
FUZZ = ROOT / "tests" / "fuzz"
LAYERS = ("tables", "core", "simd", "regex", "subword", "split", "match", "driver", "kernels", "ops", "host")
# What only Python and torch need.
NOT_ON_HOST = ("interrupt", "python_lock", "subword_single")


def unavailable_reason() -> str:
    """The reason why instructions cannot be counted, or ""."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed (on Debian: apt-get install valgrind)"
    if not is_release():
        return "counts are those of the ordinary build (unset STRINGOPS_DEBUG and STRINGOPS_SANITIZE)"
    return ""


class Failed(Exception):
    """A compiler or a case failed; the message has its output."""


def run(command: list[str]) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Failed(f"{shlex.join(command)} exited with {done.returncode}:\n{done.stdout}")
    return done.stdout


def is_on_host(path: str) -> bool:
    return re.search(rf"/(unity|csrc)/({'|'.join(LAYERS)})[_/]", path) is not None and not any(
        f"/ops/{name}." in path for name in NOT_ON_HOST
    )


def torch_headers() -> Path:
    return Path(importlib.util.find_spec("torch").origin).parent / "include"  # type: ignore


def package_objects() -> list[Path]:
    """The objects of the package's build, or [] if that is older than any file of csrc."""
    library = ROOT / "torch_stringops" / "_ops.so"
    newest = max(file.stat().st_mtime for file in (ROOT / "csrc").rglob("*.*"))
    if library.exists() and library.stat().st_mtime >= newest:
        ninja = [
            *(ROOT / "build").glob("temp.*/_ops/build.ninja"),
            *(ROOT / "build").glob("temp.*/_ort/build.ninja"),
        ]
        text = "\n".join(file.read_text(encoding="utf-8") for file in ninja)
        return [Path(name) for name in re.findall(r"^build (.*\.o):", text, re.MULTILINE) if is_on_host(name)]
    return []


def build(folder: Path) -> Path:
    """Links the cases with the package's objects, or compiles these too. Not stripped, as callgrind needs symbols."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    built = package_objects()
    all_files = [] if built else sorted((ROOT / "csrc").rglob("*.cpp"))
    sources = [
        HERE / "count.cpp",
        HERE / "plain_libc.cpp",
        FUZZ / "operator_call.cpp",
        FUZZ / "operator_lines.cpp",
    ]
    sources += [file for file in all_files if is_on_host(str(file))]
    objects = [folder / f"{source.parent.name}_{source.stem}.o" for source in sources]
    includes = [f"-I{ROOT / 'csrc'}", f"-I{FUZZ}", "-isystem", str(torch_headers())]
    # -fwrapv as in the package's build, which has it from Python's own flags.
    options = [*flags()[0], "-fPIC", "-fwrapv", "-DTORCH_TARGET_VERSION=0x020a000000000000", *includes]
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = (
            [*compiler, *options, "-c", str(source), "-o", str(object_)]
            for source, object_ in zip(sources, objects, strict=True)
        )
        list(pool.map(run, commands))
    program = (folder / "count").resolve()
    run([*compiler, *map(str, [*objects, *built]), "-static-libgcc", "-o", str(program)])
    return program


def describe(program: Path) -> str:
    """The compiler, on which counts depend in addition to the code."""
    return run([str(program)]).strip()


def own_instructions(profile: str, program: Path) -> int:
    """The sum over the program's own code, without libraries, which differ between systems."""
    total, own, inclusive = 0, False, False
    for line in profile.splitlines():
        if line.startswith("ob="):
            own = line == f"ob={program}"
        elif line.startswith("calls="):
            inclusive = True  # the next line is the cost of a call, which the lines of the callee include
        elif line[:1].isdigit():
            total += int(line.split()[1]) if own and not inclusive else 0
            inclusive = False
    return total


def count(program: Path, tier: str, file: Path, lines: list[int]) -> dict[int, int]:
    """Instructions of the calls on lines of a file on a tier: none if this machine does not support it."""
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", "--toggle-collect=stringops_counted", "--quiet"]
        output = [f"--callgrind-out-file={folder}/%p", "--compress-strings=no", "--compress-pos=no"]
        done = subprocess.run(
            [*valgrind, *output, str(program), tier, str(file), *map(str, lines)],
            capture_output=True,
            text=True,
        )
        if done.returncode == NO_SUCH_TIER:
            return {}
        if done.returncode:
            raise Failed(f"calls on {tier} under valgrind exited with {done.returncode}:\n{done.stderr}")
        profiles = [Path(folder) / process for process in done.stdout.split()]
        return {
            line: own_instructions(profile.read_text(), program) for line, profile in zip(lines, profiles, strict=True)
        }


def count_all(program: Path, cases: list[str]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yields each case with its instructions by tier."""
    from benchmarks.instructions.cases import line_of_case

    parts = os.cpu_count() or 1
    file = program.with_name("calls.txt")
    file.write_text("".join(f"{line_of_case(case)}\n" for case in cases), encoding="ascii")
    jobs = [(tier, file, list(range(part, len(cases), parts))) for tier in TIERS for part in range(parts)]
    counts: dict[str, dict[int, int]] = {tier: {} for tier in TIERS}
    with ThreadPoolExecutor(parts) as pool:
        for (tier, *_), counted in zip(jobs, pool.map(lambda job: count(program, *job), jobs), strict=True):
            counts[tier] |= counted
    for line, case in enumerate(cases):
        yield case, {tier: counts[tier][line] for tier in TIERS if line in counts[tier]}
