"""Builds the cases with the flags of the libraries, and counts their instructions with callgrind."""

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
NO_SUCH_TIER = 3  # exit status of cases.cpp


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


def package_objects(layers: tuple[str, ...]) -> list[Path]:
    """The objects of these folders from the package's build, or [] if that is older than any file of csrc."""
    library = ROOT / "torch_stringops" / "_ops.so"
    newest = max(file.stat().st_mtime for file in (ROOT / "csrc").rglob("*.*"))
    if library.exists() and library.stat().st_mtime >= newest:
        for folder in (ROOT / "build").glob("temp.*/_ops"):
            built = re.findall(
                r"^build (.*\.o):", (folder / "build.ninja").read_text(encoding="utf-8"), re.MULTILINE
            )
            return [
                Path(name) for name in built if re.search(rf"/(unity|csrc)/({'|'.join(layers)})[_/]", name)
            ]
    return []


def build(folder: Path) -> Path:
    """Links the cases with the package's objects, or compiles these too. Not stripped, as callgrind needs symbols."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    layers = ("core", "simd", "regex", "subword", "split", "driver", "kernels")
    kernels = sorted(file for layer in layers for file in (ROOT / "csrc" / layer).rglob("*.cpp"))
    built = package_objects(layers)
    sources = [*sorted(HERE.glob("*.cpp")), *([] if built else kernels)]
    objects = [folder / f"{source.parent.name}_{source.stem}.o" for source in sources]
    # -fwrapv as in the package's build, which has it from Python's own flags.
    options = [*flags()[0], "-fPIC", "-fwrapv", f"-I{ROOT / 'csrc'}"]
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = (
            [*compiler, *options, "-c", str(source), "-o", str(object_)]
            for source, object_ in zip(sources, objects, strict=True)
        )
        list(pool.map(run, commands))
    program = (folder / "cases").resolve()
    run([*compiler, *map(str, [*objects, *built]), "-static-libgcc", "-o", str(program)])
    return program


def describe(program: Path) -> tuple[str, list[str]]:
    """The compiler and headers, on which counts depend in addition to the code, and the names of the cases."""
    made_by, *cases = run([str(program)]).splitlines()
    return made_by, cases


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


def count(program: Path, tier: str, cases: list[str]) -> dict[str, int]:
    """Instructions of cases on a tier: none if this machine does not support it."""
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", "--toggle-collect=stringops_counted", "--quiet"]
        output = [f"--callgrind-out-file={folder}/%p", "--compress-strings=no", "--compress-pos=no"]
        done = subprocess.run(
            [*valgrind, *output, str(program), tier, *cases],
            capture_output=True,
            text=True,
        )
        if done.returncode == NO_SUCH_TIER:
            return {}
        if done.returncode:
            raise Failed(f"cases on {tier} under valgrind exited with {done.returncode}:\n{done.stderr}")
        profiles = [Path(folder) / process for process in done.stdout.split()]
        return {
            case: own_instructions(profile.read_text(), program)
            for case, profile in zip(cases, profiles, strict=True)
        }


def count_all(program: Path, cases: list[str]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yields each case with its instructions by tier."""
    parts = os.cpu_count() or 1
    jobs = [(tier, cases[part::parts]) for tier in TIERS for part in range(parts)]
    counts: dict[str, dict[str, int]] = {tier: {} for tier in TIERS}
    with ThreadPoolExecutor(parts) as pool:
        for (tier, _), counted in zip(jobs, pool.map(lambda job: count(program, *job), jobs), strict=True):
            counts[tier] |= counted
    for case in cases:
        yield case, {tier: counts[tier][case] for tier in TIERS if case in counts[tier]}
