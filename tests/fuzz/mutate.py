"""Mutation testing: faults put into core, simd and kernels one at a time, and whether the fuzz targets notice.

    mutate.py [--mutants N] [--seed S] [--jobs J] [--list] [FILE ...]     FILE: a part of a path under csrc

A mutant is one change of one line: a comparison, an operator or a constant another, a condition negated, a statement
gone. It is compiled under ASan and UBSan, linked with what `make asan` built, and runs every target's stored inputs and
300 mutations of them; the target that its file is named after comes first. A report, an abort or the time limit kills it.
Not counted: what does not compile. build/mutate/report.txt has every verdict; what survived is a missing test, or changes
nothing but speed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import run

ROOT = run.HERE.parent.parent
CSRC = ROOT / "csrc"
BUILD = ROOT / "build" / "mutate"
OBJECTS = run.BUILD / "asan"
SECONDS = 60  # a target; the slowest takes one or two, on an idle machine
WHILE_FUZZING = 300  # mutations of the stored inputs, a target

# Spaces tell operators from template brackets, pointers and references: clang-format sets them so.
SWAPS = {
    " < ": " <= ",
    " <= ": " < ",
    " > ": " >= ",
    " >= ": " > ",
    " == ": " != ",
    " != ": " == ",
    " + ": " - ",
    " - ": " + ",
    " += ": " -= ",
    " -= ": " += ",
    " && ": " || ",
    " || ": " && ",
    " & ": " | ",
    " | ": " & ",
    " |= ": " &= ",
    " &= ": " |= ",
    " << ": " >> ",
    " >> ": " << ",
}
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


def changes(line: str) -> list[tuple[str, str]]:
    """Every change of a line of code, with its kind."""
    code = line.split("//")[0].rstrip()
    if not code.strip() or re.search(r'^#|static_assert|STRINGOPS_|template|#include|"|\'|\bassert\(', code):
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
    if match := re.match(
        r"(.*\b(?:if|while) )\((.*)\)( (?:\{|return\b.*|continue;|break;)| [\w:]+\(.*;)?$", code
    ):
        found.append(("condition negated", f"{match[1]}(!({match[2]})){match[3] or ''}"))
    if STATEMENT.match(code):
        found.append(("statement removed", re.sub(r"\S.*$", ";", code)))
    return found


def mutants(names: list[str]) -> list[Mutant]:
    paths = [p for layer in ("core", "simd", "kernels") for p in sorted((CSRC / layer).glob("*.*"))]
    return [
        Mutant(path, number, what, text)
        for path in paths
        if path.suffix in (".cpp", ".h") and (not names or any(name in str(path) for name in names))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for what, text in changes(line)
    ]


def dependents(path: Path) -> list[Path]:
    """The sources that are compiled anew: the file itself, or those of the layers that include it, with the targets that
    name it."""
    if path.suffix == ".cpp":
        return [path]
    name = str(path.relative_to(CSRC))
    layers = [
        CSRC / rule.relative_to(OBJECTS).with_suffix(".cpp")
        for layer in ("core", "simd", "kernels")
        for rule in sorted((OBJECTS / layer).glob("*.d"))
        if f"csrc/{name}" in rule.read_text()
    ]
    # calls.h names every kernel, and its own targets are about threads.
    helpers = [h.name for h in run.HERE.glob("*.h") if f'"{name}"' in h.read_text() and h.name != "calls.h"]
    named = [f'"{header}"' for header in (name, *helpers)]
    sources = [p for p in run.HERE.glob("*.cpp") if p.stem != "threads"]
    targets = [p for p in sources if any(header in p.read_text() for header in named)]
    return [*layers, *sorted(targets)]


def object_of(source: Path) -> Path:
    folder = Path("fuzz") if source.parent == run.HERE else source.parent.relative_to(CSRC)
    return OBJECTS / folder / f"{source.stem}.o"


def compiler() -> list[str]:
    """As the Makefile has it."""
    flags = subprocess.check_output(["make", "-s", "-C", str(run.HERE), "asan-flags"], text=True)
    return flags.split()


def judge(mutant: Mutant, compile_: list[str]) -> str:
    """ "killed by ...", "survived" or "does not compile"."""
    # Each has a folder of its own, which comes before csrc where headers are looked for.
    folder = BUILD / f"{abs(hash(mutant)) % 10**12:012}"
    changed = folder / mutant.path.relative_to(CSRC)
    changed.parent.mkdir(parents=True, exist_ok=True)
    lines = mutant.path.read_text().splitlines()
    lines[mutant.line - 1] = mutant.text
    changed.write_text("\n".join(lines) + "\n")
    try:
        new, old = [], []
        for source in dependents(mutant.path):
            built = folder / f"{source.parent.name}_{source.stem}.o"
            text = changed if source == mutant.path else source
            command = [*compile_, f"-I{folder}", f"-I{CSRC}", f"-I{run.HERE}"]
            done = subprocess.run([*command, "-c", "-o", str(built), str(text)], capture_output=True)
            if done.returncode:
                return "does not compile"
            new.append(built)
            old.append(object_of(source))
        rest = [o for o in OBJECTS.rglob("*.o") if o not in old and o.name != "threads.o"]
        program = folder / "replay"
        # The mutants first: of an inline function that several objects have, the linker takes the first.
        link = [*compile_, "-o", str(program), *map(str, [*new, *rest]), "-lre2"]
        if subprocess.run(link, capture_output=True).returncode:
            return "does not compile"
        for target in sorted(run.targets(), key=lambda name: (name not in mutant.path.stem, name)):
            command = [str(program), target, str(WHILE_FUZZING), *map(str, run.stored(target))]
            settings = os.environ | {
                "STRINGOPS_FUZZ_CRASH": str(folder / "crash"),
                "ASAN_OPTIONS": "detect_leaks=0",
            }
            try:
                done = subprocess.run(command, capture_output=True, env=settings, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return f"killed by {target} (time)"
            if done.returncode:
                return f"killed by {target}"
        return "survived"
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", help="files whose path contains this; all of the three layers")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=0, help="begin none after this time")
    parser.add_argument("--list", action="store_true", help="show the chosen mutants and stop")
    chosen = parser.parse_intermixed_args()
    every = mutants(chosen.files)
    picked = random.Random(chosen.seed).sample(every, min(chosen.mutants, len(every)))
    if chosen.list:
        print(*picked, sep="\n")
        return 0
    run.build("asan")
    BUILD.mkdir(parents=True, exist_ok=True)
    compile_, start = compiler(), time.monotonic()

    def timed(mutant: Mutant) -> str:
        late = chosen.seconds and time.monotonic() - start > chosen.seconds
        return "not run" if late else judge(mutant, compile_)

    verdicts: dict[Mutant, str] = {}
    with ThreadPoolExecutor(chosen.jobs) as pool, open(BUILD / "report.txt", "w") as report:
        for mutant, verdict in zip(picked, pool.map(timed, picked), strict=True):
            verdicts[mutant] = verdict
            print(f"[{len(verdicts)}/{len(picked)}] {verdict}: {mutant}", file=report, flush=True)
            if verdict == "survived":
                print(f"mutate: survived: {mutant}", flush=True)
    killed = sum(v.startswith("killed") for v in verdicts.values())
    survived = sum(v == "survived" for v in verdicts.values())
    print(
        f"mutate: {killed} of {killed + survived} killed ({100 * killed / max(1, killed + survived):.0f} %), of "
        f"{len(every)} possible, seed {chosen.seed}; {len(picked) - killed - survived} not counted; "
        f"{time.monotonic() - start:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
