"""Mutation testing: faults put into core, simd and kernels one at a time, and whether the fuzz targets notice.

    mutate_native [--faults N] [--seed S] [--jobs J] [--list] [FILE ...]     FILE: a part of a path under csrc
    mutate_native --again REPORT     those that survived in the report of another run
    mutate_native --again REPORT --keep --mutations 20000     looks longer, from what fuzzing has reached on too, and stores
                                                          the inputs that kill in mutants/TARGET.pack

A mutant is one change of one line: a comparison, an operator or a constant another, a condition negated, a statement
gone. It is compiled under ASan and UBSan, linked with what `make asan` built, and runs every target's stored inputs and
300 mutations of them; the target that its file is named after comes first, then those that have killed most. A report, an
abort or the time limit kills it. Not counted: what does not compile. build/mutate/report.txt has every verdict; what
survived is a missing test, or changes nothing that a test could see: survivors_native.md has those that were looked at, with the
reason of each, and they are told apart.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from fuzz import run

ROOT = run.HERE.parent.parent
CSRC = ROOT / "csrc"
BUILD = ROOT / "build" / "mutate"
EQUIVALENT = Path(__file__).parent / "mutation" / "survivors_native.md"
OBJECTS = run.BUILD / "asan"
SECONDS = (
    60  # a target, and as many more a thousand mutations; the slowest takes one or two, on an idle machine
)

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

    def key(self) -> tuple[str, str]:
        """By which it is known again where lines have moved."""
        return str(self.path.relative_to(CSRC)), self.text.strip()


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
        found.append(("statement removed", f";  // {code.strip()}"))
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


def survivors(report: Path, every: list[Mutant]) -> list[Mutant]:
    found = re.findall(r" survived: csrc/(\S+?):(\d+): ([^:]+): (.*)", report.read_text())
    again = []
    for path, line, what, text in found:
        same = [m for m in every if m.key() == (path, text) and m.what == what]
        if same:
            again.append(min(same, key=lambda m: abs(m.line - int(line))))
        else:
            print(f"mutate: its line is gone: {path}: {text}")
    return again


def equivalent() -> set[tuple[str, str]]:
    """Keys of the mutants that survivors_native.md lists."""
    return set(re.findall(r"^- `([^`]+)`: `([^`]+)`", EQUIVALENT.read_text(), re.M))


def includes(source: Path) -> set[Path]:
    """What a file includes of ours, and what that includes."""
    found: set[Path] = set()
    to_read = [source]
    while to_read:
        for name in re.findall(r'^#include "(.+)"', to_read.pop().read_text(), re.M):
            # fuzz.h is in every target, and has with it what few of them use; calls.h names every kernel.
            header = next((f / name for f in (CSRC, run.HERE) if (f / name).exists()), None)
            if header and header not in found and name not in ("fuzz.h", "calls.h"):
                found.add(header)
                to_read.append(header)
    return found


def dependents(path: Path) -> list[Path]:
    """The sources that are compiled anew: the file itself, or those that include it."""
    if path.suffix == ".cpp":
        return [path]
    layers = [p for layer in ("core", "simd", "kernels") for p in sorted((CSRC / layer).glob("*.cpp"))]
    targets = [p for p in sorted(run.HERE.glob("*.cpp")) if p.stem != "threads"]
    return [p for p in [*layers, *targets] if path in includes(p)]


def object_of(source: Path) -> Path:
    folder = Path("fuzz") if source.parent == run.HERE else source.parent.relative_to(CSRC)
    return OBJECTS / folder / f"{source.stem}.o"


def compiler() -> list[str]:
    """As the Makefile has it, but fast to compile."""
    flags = subprocess.check_output(["make", "-s", "-C", str(run.HERE), "asan-flags"], text=True)
    return [*(f for f in flags.split() if not re.match("-O|-g", f)), "-O0", "-g0"]


def build(mutant: Mutant, folder: Path, compile_: list[str]) -> Path | None:
    """The program of all targets, on the mutant; nothing where it does not compile."""
    # Each has a folder of its own, which comes before csrc where headers are looked for.
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
    # The mutants first: of an inline function that several objects have, the linker takes the first.
    link = [*compile_, "-o", str(program), *map(str, [*new, *rest]), "-lre2"]
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


def store(program: Path, target: str) -> None:
    """Keeps the input that killed, if it does so alone."""
    crash = program.parent / "crash"
    pack = run.HERE / "mutants" / f"{target}.pack"
    stored = run.read_pack(pack) if pack.exists() else []
    if crash.exists() and fails(program, target, 0, [crash]) == "yes":
        run.write_pack(pack, [*stored, crash.read_bytes()])


def judge(mutant: Mutant, compile_: list[str], chosen: argparse.Namespace, kills: Counter[str]) -> str:
    """ "killed by ...", "survived" or "does not compile". Counts in `kills` what each target killed."""
    folder = BUILD / f"{abs(hash(mutant)) % 10**12:012}"
    try:
        program = build(mutant, folder, compile_)
        if not program:
            return "does not compile"
        for target in sorted(
            run.targets(), key=lambda name: (name not in mutant.path.stem, -kills[name], name)
        ):
            files = run.stored(target)
            if chosen.keep:
                files += sorted((run.BUILD / "corpus" / target).glob("*"))
            verdict = fails(program, target, chosen.mutations, files)
            if verdict == "no":
                continue
            kills[target] += 1
            if chosen.keep and verdict == "yes":
                store(program, target)
            return f"killed by {target}" + (" (time)" if verdict == "time" else "")
        return "survived"
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", help="files whose path contains this; all of the three layers")
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=0, help="begin none after this time")
    parser.add_argument(
        "--again", type=Path, metavar="REPORT", help="judge the survivors of a report instead"
    )
    parser.add_argument("--mutations", type=int, default=300, help="of the stored inputs, a target")
    parser.add_argument("--keep", action="store_true", help="store the inputs that kill")
    parser.add_argument("--list", action="store_true", help="show the chosen mutants and stop")
    chosen = parser.parse_intermixed_args()
    every = mutants(chosen.files)
    if chosen.again:
        picked = survivors(chosen.again, every)
    else:
        picked = random.Random(chosen.seed).sample(every, min(chosen.faults, len(every)))
    if chosen.list:
        print(*picked, sep="\n")
        return 0
    run.build("asan")
    BUILD.mkdir(parents=True, exist_ok=True)
    compile_, start = compiler(), time.monotonic()
    kills: Counter[str] = Counter()
    known = equivalent()
    for path, text in known - {mutant.key() for mutant in mutants([])}:
        print(f"mutate: no mutant any more, though survivors_native.md has it: {path}: {text}")

    def timed(mutant: Mutant) -> str:
        late = chosen.seconds and time.monotonic() - start > chosen.seconds
        return "not run" if late else judge(mutant, compile_, chosen, kills)

    verdicts: dict[Mutant, str] = {}
    with ThreadPoolExecutor(chosen.jobs) as pool, open(BUILD / "report.txt", "w") as report:
        for mutant, verdict in zip(picked, pool.map(timed, picked), strict=True):
            if verdict == "survived" and mutant.key() in known:
                verdict = "equivalent"
            verdicts[mutant] = verdict
            print(f"[{len(verdicts)}/{len(picked)}] {verdict}: {mutant}", file=report, flush=True)
            if verdict == "survived":
                print(f"mutate: survived: {mutant}", flush=True)
    count = Counter(v.split()[0] for v in verdicts.values())
    killed, survived, same = count["killed"], count["survived"], count["equivalent"]
    judged = killed + survived + same
    print(
        f"mutate: {killed} of {judged} killed ({100 * killed / max(1, judged):.0f} %), {same} equivalent by survivors_native.md "
        f"({100 * killed / max(1, killed + survived):.0f} % without them), {survived} survived; of {len(every)} possible, "
        f"{f'from {chosen.again}' if chosen.again else f'seed {chosen.seed}'}; {len(picked) - judged} not counted; "
        f"{time.monotonic() - start:.0f} s"
    )
    return 0
