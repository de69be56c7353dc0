"""Runs the fuzz targets of this folder. Needs only Python, make, a compiler and the headers of torch.

    run.py replay [--mutations N] [TARGET ...]      stored inputs, then N mutations of them, under ASan and UBSan;
                                                    --quick: without optimisation and some checks, for short runs
                                                    --arm: cross-built for aarch64, and run by QEMU
                                                    --guard: each block of memory ends at an unreadable page
                                                    --fail-allocations: each allocation of an operator fails once
    run.py fuzz --runs N [--seconds S] [TARGET ...] libFuzzer, starting with the stored inputs (needs clang)
    run.py threads [--calls N]                      16 threads, N calls each, under ThreadSanitizer
    run.py damage [--seconds S]                     arguments that another thread writes during the call, under ASan
    run.py pack [TARGET ...]                        stores a minimal set of inputs with the coverage of fuzzing

The target `operators` takes the names of operators: `operators:string_lower,string_upper`.

Stored inputs are corpus/TARGET.pack (many inputs in one file, each as its size, a uint16, and its bytes),
mutants/TARGET.pack (inputs that notice a fault, from tests/stress/mutate_native.py), and crashes/TARGET/* (former
findings). Output goes to build/fuzz.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shlex
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
CSRC = HERE.parent.parent / "csrc"
BUILD = HERE.parent.parent / "build" / "fuzz"
MAX_STORED = 100  # inputs per target
MAX_BYTES = 1024  # per stored input
ARM_CXX = os.environ.get("ARM_CXX", "aarch64-linux-gnu-g++")
QUICK_CHECKS = "UNCHECKED=-fno-sanitize=null,alignment,object-size"
# Builds under ASan and TSan, by folder: the usual one, with blocks of the package's size, one for short runs, and one
# for aarch64.
VARIANTS = {
    "": [],
    "full_blocks": ["BLOCKS="],
    "quick": ["OPTIMIZE=-O0", QUICK_CHECKS, "PRECOMPILED=1"],
    "arm": [f"CXX={ARM_CXX}"],
}
LAYERS = ("tables", "core", "simd", "regex", "subword", "split", "match", "driver", "kernels", "ops", "host")
# What only Python and torch need.
NOT_ON_HOST = tuple(f"csrc/ops/{name}.cpp" for name in ("interrupt", "python_lock", "subword_single"))
MAX_LEN = 256  # bytes per fuzzed input, from which targets make larger arguments


def build(goal: str, *settings: str) -> None:
    sys.path.append(str(HERE.parent.parent / "tools"))
    from system_packages import clang

    if torch := importlib.util.find_spec("torch"):
        settings = (*settings, f"TORCH={Path(str(torch.origin)).parent / 'include'}")
    command = ["make", "--no-print-directory", "-C", str(HERE), f"-j{os.cpu_count() or 1}"]
    done = subprocess.run([*command, f"CLANG={clang() or 'clang++'}", *settings, goal])
    if done.returncode:
        sys.exit(f"fuzz: cannot build {goal}")


def targets_of(file: Path) -> list[str]:
    return re.findall(r"^FUZZ_\w+\((\w+)", file.read_text(encoding="utf-8"), re.M)


def targets() -> list[str]:
    """All targets that the files of this folder define."""
    return [name for file in sorted(HERE.glob("*.cpp")) for name in targets_of(file)]


def stored(target: str) -> list[Path]:
    target = target.partition(":")[0]
    return [
        *HERE.glob(f"corpus/{target}.pack"),
        *HERE.glob(f"mutants/{target}.pack"),
        *sorted(HERE.glob(f"crashes/{target}/*")),
    ]


def read_pack(path: Path) -> list[bytes]:
    raw, inputs, at = path.read_bytes(), [], 0
    while at < len(raw):
        (size,) = struct.unpack_from("<H", raw, at)
        inputs.append(raw[at + 2 : at + 2 + size])
        at += 2 + size
    return inputs


def write_pack(path: Path, inputs: list[bytes]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(struct.pack("<H", len(i)) + i for i in inputs))


def build_variant(goal: str, variant: str) -> Path:
    """Builds the programs of `asan` or `tsan`. Returns their folder."""
    joined = [f"LAYERS={' '.join(joined_layers())}"] if variant == "quick" and goal == "asan" else []
    build(goal, f"OUT={BUILD / variant}", *VARIANTS[variant], *joined)
    return BUILD / variant / goal


def joined_layers() -> list[str]:
    """The sources of the layers, those of a folder in one file, which is compiled faster than each alone."""
    sys.path.append(str(HERE.parent.parent / "tools"))
    from unity import join

    sources = [str(file.relative_to(CSRC.parent)) for layer in LAYERS for file in (CSRC / layer).rglob("*.cpp")]
    return [f"../../{source}" for source in join(sources, NOT_ON_HOST) if source not in NOT_ON_HOST]


def build_for_arm(names: list[str]) -> Path:
    """Builds what replays these targets on aarch64: if they are those of primitives, only the layers of these."""
    folder, settings = BUILD / "arm", VARIANTS["arm"]
    if all(name.startswith("primitives") for name in names):
        folder = BUILD / "arm_primitives"
        layers = [str(file) for layer in ("tables", "core", "simd") for file in sorted((CSRC / layer).glob("*.cpp"))]
        files = [file.name for file in sorted(HERE.glob("primitives*.cpp"))]
        relative = " ".join(layers).replace(str(CSRC), "../../csrc")
        settings = [*settings, f"LAYERS={relative}", f"TARGETS={' '.join(files)}"]
    build(f"{folder}/asan/replay", f"OUT={folder}", *settings)
    return folder / "asan"


def arm_emulator() -> list[str]:
    """The command that runs a program of aarch64, with the libraries of the cross compiler."""
    command = [*shlex.split(ARM_CXX), "-print-file-name=libc.so.6"]
    library = Path(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
    return ["qemu-aarch64", "-L", str(library.resolve().parent.parent)]


def replay(names: list[str], mutations: int, programs: Path, emulator: list[str]) -> int:
    environment = dict(os.environ)
    if emulator:  # LeakSanitizer stops threads by ptrace, which QEMU does not emulate
        environment["ASAN_OPTIONS"] = "detect_leaks=0"

    # A name of a file, as operators have names that files cannot have.
    def crash_of(name: str) -> Path:
        return BUILD / f"crash-{re.sub('[^a-z_]+', '-', name)[:60]}.bin"

    def run(name: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*emulator, programs / "replay", name, str(mutations), *stored(name)],
            env=environment | {"STRINGOPS_FUZZ_CRASH": str(crash_of(name))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    failures = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, done in zip(names, pool.map(run, names), strict=True):
            print(done.stdout.decode(errors="replace"), end="")
            if done.returncode:
                failures += 1
                print(f"fuzz: {name} failed; keep its input as {HERE}/crashes/{name}/<what is wrong>")
            sys.stdout.flush()
    return failures


def folder(name: str) -> Path:
    """The working corpus of a target, which includes its stored inputs."""
    path = BUILD / "corpus" / name
    path.mkdir(parents=True, exist_ok=True)
    inputs = [
        data for pack in stored(name) for data in (read_pack(pack) if pack.suffix == ".pack" else [pack.read_bytes()])
    ]
    for data in inputs:
        (path / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return path


def libfuzzer(name: str, *options: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [BUILD / "libfuzzer" / "fuzzer", *options],
        env=os.environ | {"STRINGOPS_FUZZ_OP": name},
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )


def fuzz(names: list[str], runs: int, seconds: int, seed: int) -> int:
    build("libfuzzer")
    failures = 0
    for name in names:
        crash = BUILD / f"crash-{name}-"
        options = [f"-runs={runs}", f"-seed={seed}", f"-max_len={MAX_LEN}", "-print_final_stats=1"]
        options += [f"-artifact_prefix={crash}", "-timeout=20", "-rss_limit_mb=4096"]
        options += [f"-max_total_time={seconds}"] if seconds else []
        start = time.monotonic()
        process = libfuzzer(name, folder(name), *options)
        log, state = [], ""
        assert process.stderr
        for line in process.stderr:
            if found := re.match(r"#(\d+)\s.*?cov: (\d+) ft: (\d+) corp: (\S+)", line):
                executed, cov, ft, corpus = found.groups()
                passed = time.monotonic() - start
                state = (
                    f"{name}: {int(executed):,} executions in {passed:.0f} s, cov {cov}, ft {ft}, "
                    f"corpus {corpus}, seed {seed}"
                )
                if sys.stdout.isatty():
                    print(f"\r{state}", end="", flush=True)
            elif not line.startswith("#"):
                log.append(line)
        done = re.findall(r"stat::number_of_executed_units:\s+(\d+)", "".join(log))
        if done:
            state = re.sub(r"[\d,]+ executions", f"{int(done[0]):,} executions", state)
        start_of_line = "\r" if sys.stdout.isatty() else ""
        if process.wait():
            failures += 1
            print("".join(log))
            print(f"fuzz: {name} failed; keep its input as {HERE}/crashes/{name}/<what is wrong>")
        print(f"{start_of_line}{state}, {'FAILED' if process.returncode else '0 findings'}", flush=True)
    return failures


def pack(names: list[str]) -> int:
    build("libfuzzer")
    for name in names:
        source, merged = folder(name), BUILD / "merged" / name
        merged.mkdir(parents=True, exist_ok=True)
        for old in merged.iterdir():
            old.unlink()
        libfuzzer(name, "-merge=1", f"-max_len={MAX_BYTES}", merged, source).communicate()
        inputs = sorted((p.read_bytes() for p in merged.iterdir()), key=lambda data: (len(data), data))
        # If there are too many, an even selection of short and long ones.
        count = min(len(inputs), MAX_STORED)
        chosen = [inputs[i * len(inputs) // count] for i in range(count)]
        write_pack(HERE / "corpus" / f"{name}.pack", chosen)
        print(f"{name}: {len(inputs)} inputs have the coverage reached, {count} stored, {sum(map(len, chosen))} bytes")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("action", choices=["replay", "fuzz", "threads", "damage", "pack"])
    parser.add_argument("targets", nargs="*", help="default: all")
    parser.add_argument("--runs", type=int, default=100_000, help="executions per target")
    parser.add_argument("--seconds", type=int, default=0, help="time limit per target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=100_000, help="calls per thread")
    parser.add_argument("--mutations", type=int, default=2000, help="mutations per target")
    variant = {"dest": "variant", "action": "store_const", "default": ""}
    parser.add_argument("--full-blocks", const="full_blocks", help="blocks of the package's size", **variant)
    parser.add_argument("--quick", const="quick", help="compiled for a short run", **variant)
    parser.add_argument("--arm", const="arm", help="for aarch64, run by QEMU (replay)", **variant)
    parser.add_argument("--guard", action="store_true", help="blocks of memory end at unreadable pages (replay)")
    parser.add_argument("--fail-allocations", action="store_true", help="of the target `operators` (replay)")
    chosen = parser.parse_intermixed_args()
    for is_chosen, name in ((chosen.guard, "GUARD"), (chosen.fail_allocations, "FAIL")):
        if is_chosen:
            os.environ[f"STRINGOPS_FUZZ_{name}"] = "1"
    names = chosen.targets or targets()
    if unknown := {name.partition(":")[0] for name in names} - set(targets()):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(targets())}")
    if chosen.action == "replay" and chosen.variant == "arm":
        return replay(names, chosen.mutations, build_for_arm(names), arm_emulator())
    if chosen.action == "replay":
        return replay(names, chosen.mutations, build_variant("asan", chosen.variant), [])
    if chosen.action == "fuzz":
        return fuzz(names, chosen.runs, chosen.seconds, chosen.seed)
    if chosen.action == "threads":
        programs = build_variant("tsan", chosen.variant)
        return subprocess.run([programs / "threads", "race", "16", str(chosen.calls)]).returncode
    if chosen.action == "damage":
        programs = build_variant("asan", chosen.variant)
        return subprocess.run([programs / "threads", "damage", str(chosen.seconds or 10)]).returncode
    return pack(names)


if __name__ == "__main__":
    sys.exit(main())
