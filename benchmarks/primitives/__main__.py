"""Counts the instructions that primitives of csrc/simd execute, on AVX2 and on NEON: docs/platforms.md.

make arm-instructions                    prints a table
make arm-instructions ARGS=--record      writes it to docs/instructions.md
make arm-instructions ARGS="'find_*'"    only cases with matching names

Programs for x86-64 and for aarch64 run under QEMU, whose plugin (count.c) counts. The difference between two numbers of
repetitions has neither the start of the program nor its inputs.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from build_flags import flags  # noqa: E402

BUILD = ROOT / "build" / "primitives"
# Compiler, emulator, tier.
MACHINES = {
    "avx2": (os.environ.get("CXX", "c++"), "qemu-x86_64", ["-cpu", "max"]),
    "neon": (os.environ.get("ARM_CXX", "aarch64-linux-gnu-g++"), "qemu-aarch64", []),
}
REPEATS = (2, 12)


def run(command: list[str]) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}")
    return done.stdout


def build(tier: str) -> Path:
    """The program of a tier's machine, linked statically, as QEMU then needs no libraries of that machine."""
    compiler = MACHINES[tier][0].split()
    sources = sorted(file for layer in ("tables", "core", "simd") for file in (ROOT / "csrc" / layer).glob("*.cpp"))
    folder = BUILD / tier
    folder.mkdir(parents=True, exist_ok=True)
    options = [*flags()[0], "-fwrapv", f"-I{ROOT / 'csrc'}"]
    objects = []
    for source in [*sources, HERE / "primitives.cpp"]:
        objects.append(folder / f"{source.parent.name}_{source.stem}.o")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = (
            [*compiler, *options, "-c", str(source), "-o", str(object_)]
            for source, object_ in zip([*sources, HERE / "primitives.cpp"], objects, strict=True)
        )
        list(pool.map(run, commands))
    run([*compiler, "-static", *map(str, objects), "-o", str(folder / "primitives")])
    return folder / "primitives"


def build_plugin() -> Path:
    plugin = BUILD / "count.so"
    plugin.parent.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CC", "cc").split()
    run(
        [
            *compiler,
            "-O2",
            "-fPIC",
            "-shared",
            "-fvisibility=hidden",
            "-o",
            str(plugin),
            str(HERE / "count.c"),
        ]
    )
    return plugin


def count(plugin: Path, program: Path, tier: str, name: str) -> float:
    """Instructions of one call."""
    _, emulator, options = MACHINES[tier]
    command = [emulator, *options, "-plugin", str(plugin), str(program), name, tier]
    few, many = (int(run([*command, str(repeats)]).rsplit(":", 1)[1]) for repeats in REPEATS)
    return (many - few) / (REPEATS[1] - REPEATS[0])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="make arm-instructions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", default=["*"], help="cases to count, * and ? allowed")
    parser.add_argument("--record", action="store_true", help="write docs/instructions.md")
    arguments = parser.parse_args()
    plugin, programs = build_plugin(), {tier: build(tier) for tier in MACHINES}
    cases = [line.split("\t") for line in run([str(programs["avx2"])]).splitlines()]
    rows = []
    for name, units, unit in cases:
        if not any(fnmatch(name, pattern) for pattern in arguments.names):
            continue
        avx2, neon = (count(plugin, program, tier, name) / int(units) for tier, program in programs.items())
        rows.append(f"| {name} | {unit} | {avx2:.2f} | {neon:.2f} | {neon / avx2:.2f} |")
        print(rows[-1], flush=True)
    if arguments.record:
        path = ROOT / "docs" / "instructions.md"
        head = path.read_text(encoding="utf-8").split("|---")[0]
        path.write_text(head + "|---|---|---|---|---|\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
