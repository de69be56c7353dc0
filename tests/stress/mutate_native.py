"""Mutation testing of csrc: faults are put into core, simd and kernels, one at a time; do fuzz targets notice?

    stress mutate_native [--faults N] [--seed S] [--jobs J] [--list] [FILE ...]     FILE: a part of a path under csrc
    stress mutate_native --again REPORT     tests the survivors in the report of another run
    stress mutate_native --again REPORT --keep --mutations 20000     also with the corpora of fuzzing; stores the inputs
                                                                     that notice in mutants/TARGET.pack

A fault is a change of one line: another comparison, operator or constant, a negated condition, a removed statement.
It is compiled under ASan and UBSan, linked with the fuzz targets' other objects, and runs every target's stored
inputs and 300 mutations of them: first the target of operators, on those of its file's family, then the target that
the file is named after, then those that have noticed most faults. A report, an abort or the time limit notices it. A
fault that does not compile does not count.
build/mutate/report.txt has every result. A survivor needs a test, or changes nothing that a test could see:
mutation/survivors_native.md lists such survivors with the reasons, and they are counted separately.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from fuzz import run
from stress.mutation import report

ROOT = run.HERE.parent.parent
CSRC = ROOT / "csrc"
BUILD = ROOT / "build" / "mutate"
EQUIVALENT = Path(__file__).parent / "mutation" / "survivors_native.md"
OBJECTS = run.BUILD / "asan"
SECONDS = 60  # per target, and again per thousand mutations; the slowest takes one or two on an idle machine

# The spaces, which clang-format sets, distinguish operators from template brackets, pointers and references.
SWAPS = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " + ": " - ",
    " - ": " + ", " += ": " -= ", " -= ": " += ", " && ": " || ", " || ": " && ", " & ": " | ", " | ": " & ",
    " |= ": " &= ", " &= ": " |= ", " << ": " >> ", " >> ": " << ",
}  # fmt: skip
STATEMENT = re.compile(
    r"^\s+(?!return|break|continue|using|const|auto|case|default|public|private)[\w:>.*()\[\]-]+( \S*= |\(|\+\+|--).*;$"
)


class Mutant(NamedTuple):
    path: Path
    line: int  # from 1
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.what}: {self.text.strip()}"

    def key(self) -> tuple[str, str]:
        return str(self.path.relative_to(CSRC)), self.text.strip()


def changes(line: str) -> list[tuple[str, str]]:
    """Every change of a line of code, with its kind."""
    code = line.split("//")[0].rstrip()
    # Lines of generated tables are left out, too: they are more than all others.
    if (
        not code.strip()
        or re.fullmatch(r"[-\s\d,]+", code)
        or re.search(r'^#|static_assert|STRINGOPS_|template|#include|"|\'|\bassert\(', code)
    ):
        return []
    found = []
    for old, new in SWAPS.items():
        for match in re.finditer(re.escape(old), code):
            changed = code[: match.start()] + new + code[match.end() :]
            found.append((f"{old.strip()} to {new.strip()}", changed))
    for match in re.finditer(r"(?<![\w.])\d+(?![\w.])", code):
        for step in (1, -1):
            changed = f"{code[: match.start()]}{int(match[0]) + step}{code[match.end() :]}"
            found.append(("constant", changed))
    if match := re.match(r"(.*\b(?:if|while) )\((.*)\)( (?:\{|return\b.*|continue;|break;)| [\w:]+\(.*;)?$", code):
        found.append(("condition negated", f"{match[1]}(!({match[2]})){match[3] or ''}"))
    if STATEMENT.match(code):
        found.append(("statement removed", f";  // {code.strip()}"))
    return found


def mutants(names: list[str]) -> list[Mutant]:
    paths = [
        p
        for layer in ("core", "simd", "regex", "subword", "split", "match", "driver", "kernels")
        for p in sorted((CSRC / layer).rglob("*.*"))
    ]
    return [
        Mutant(path, number, what, text)
        for path in paths
        if path.suffix in (".cpp", ".h") and (not names or any(name in str(path) for name in names))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for what, text in changes(line)
    ]


def includes(source: Path) -> set[Path]:
    """The files of this project that a file includes, directly or indirectly."""
    found: set[Path] = set()
    to_read = [source]
    while to_read:
        for name in re.findall(r'^#include "(.+)"', to_read.pop().read_text(), re.M):
            # fuzz.h is in every target, and includes what few of them use.
            header = next((f / name for f in (CSRC, run.HERE) if (f / name).exists()), None)
            if header and header not in found and name != "fuzz.h":
                found.add(header)
                to_read.append(header)
    return found


def dependents(path: Path) -> list[Path]:
    """The sources that must be compiled again: the file itself, or those that include it."""
    if path.suffix == ".cpp":
        return [path]
    layers = [
        p
        for layer in run.LAYERS
        for p in sorted((CSRC / layer).rglob("*.cpp"))
        if str(p.relative_to(ROOT)) not in run.NOT_ON_HOST
    ]
    targets = [p for p in sorted(run.HERE.glob("*.cpp")) if p.stem != "threads"]
    return [p for p in [*layers, *targets] if path in includes(p)]


def object_of(source: Path) -> Path:
    folder = Path("fuzz") if source.parent == run.HERE else source.parent.relative_to(CSRC)
    return OBJECTS / folder / f"{source.stem}.o"


def compiler() -> list[str]:
    """The compiler and flags of the Makefile, but with faster compilation."""
    flags = subprocess.check_output(["make", "-s", "-C", str(run.HERE), "asan-flags"], text=True)
    return [*(f for f in flags.split() if not re.match("-O|-g", f)), "-O0", "-g0"]


def build(mutant: Mutant, folder: Path, compile_: list[str]) -> Path | None:
    """The program of all targets with the mutant, or None if it does not compile."""
    # Each mutant has a folder of its own, which precedes csrc in the include path.
    changed = folder / mutant.path.relative_to(CSRC)
    changed.parent.mkdir(parents=True, exist_ok=True)
    lines = mutant.path.read_text().splitlines()
    lines[mutant.line - 1] = mutant.text
    changed.write_text("\n".join(lines) + "\n")
    new, old = [], []
    for source in dependents(mutant.path):
        built = folder / f"{source.parent.name}_{source.stem}.o"
        text = changed if source == mutant.path else source
        command = [*compile_, f"-I{folder}", f"-I{CSRC}", f"-I{run.HERE}"]
        if subprocess.run([*command, "-c", "-o", str(built), str(text)], capture_output=True).returncode:
            return None
        new.append(built)
        old.append(object_of(source))
    rest = [o for o in OBJECTS.rglob("*.o") if o not in old and o.name != "threads.o"]
    program = folder / "replay"
    # The mutants first, as the linker takes the first definition of an inline function.
    link = [*compile_, "-o", str(program), *map(str, [*new, *rest])]
    return None if subprocess.run(link, capture_output=True).returncode else program


def fails(program: Path, target: str, mutations: int, files: list[Path]) -> str:
    """ "no", "yes" or "time"."""
    settings = {"STRINGOPS_FUZZ_CRASH": str(program.parent / "crash"), "ASAN_OPTIONS": "detect_leaks=0"}
    try:
        done = subprocess.run(
            [str(program), target, str(mutations), *map(str, files)],
            capture_output=True,
            env=os.environ | settings,
            timeout=SECONDS * (1 + mutations // 1000),
        )
    except subprocess.TimeoutExpired:
        return "time"
    return "yes" if done.returncode else "no"


def operators_of_family(path: Path) -> list[str]:
    """The target of the operators in the files of csrc/ops that have the first word of a kernel's file, if there are any."""
    family = path.stem.split("_")[0]
    names = {
        name
        for file in (CSRC / "ops").glob(f"{family}*.cpp")
        for found in re.findall(r'^STRINGOPS_[A-Z]+\("?(\w+)', file.read_text(), re.M)
        for name in (found, f"string_{found}")  # the target ignores names of no operator
    }
    return [f"operators:{','.join(sorted(names))}"] if names else []


def store(program: Path, target: str) -> None:
    """Stores the input that noticed the fault, if it does so without the others."""
    crash = program.parent / "crash"
    pack = run.HERE / "mutants" / f"{target}.pack"
    stored = run.read_pack(pack) if pack.exists() else []
    if crash.exists() and fails(program, target, 0, [crash]) == "yes":
        run.write_pack(pack, [*stored, crash.read_bytes()])


def judge(mutant: Mutant, compile_: list[str], chosen: argparse.Namespace, kills: Counter[str]) -> str:
    """Returns "noticed by ...", "survived" or "does not compile". Counts kills by target."""
    folder = BUILD / f"{abs(hash(mutant)) % 10**12:012}"
    try:
        program = build(mutant, folder, compile_)
        if not program:
            return "does not compile"
        rest = sorted(run.targets(), key=lambda name: (name not in mutant.path.stem, -kills[name], name))
        for target in [*operators_of_family(mutant.path), *rest]:
            files = run.stored(target)
            if chosen.keep:
                files += sorted((run.BUILD / "corpus" / target).glob("*"))
            verdict = fails(program, target, chosen.mutations, files)
            if verdict == "no":
                continue
            kills[target] += 1
            if chosen.keep and verdict == "yes":
                store(program, target)
            return f"noticed by {target}" + (" (time)" if verdict == "time" else "")
        return "survived"
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=False)


def main() -> int:
    parser = report.parser(__doc__, 200)
    parser.add_argument("--seconds", type=float, default=0, help="begin no fault after this time")
    parser.add_argument("--mutations", type=int, default=300, help="of the stored inputs, per target")
    parser.add_argument("--keep", action="store_true", help="store the inputs that notice a fault")
    options = parser.parse_intermixed_args()
    every = mutants(options.files)
    picked = report.pick(every, options)
    if options.list:
        print(*picked, sep="\n")
        return 0
    run.build("asan")
    BUILD.mkdir(parents=True, exist_ok=True)
    compile_, start = compiler(), time.monotonic()
    noticed: Counter[str] = Counter()
    report.unknown(EQUIVALENT, mutants([]))

    def timed(mutant: Mutant) -> str:
        late = options.seconds and time.monotonic() - start > options.seconds
        return "not run" if late else judge(mutant, compile_, options, noticed)

    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = zip(picked, pool.map(timed, picked), strict=True)
        report.write(BUILD / "report.txt", EQUIVALENT, verdicts, len(picked), len(every), options)
    return 0
