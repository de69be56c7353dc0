"""Compiles csrc for systems that this machine does not run (`make macos-check`, `make windows-check`).

    cross_check.py macos [--torch WHEEL]   compiles csrc for macOS on arm64, and links both libraries
    cross_check.py windows                 compiles csrc for Windows on x86-64; lists what fails

The compiler and the headers of the systems are those of the package `ziglang`, which this Python has. macOS's libraries
of torch are those of its wheel, which pip downloads into build/cross, unless --torch names a file. Nothing that this
builds can run here. STRINGOPS_WERROR=1 makes warnings errors.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from build_flags import flags
from platforms import link_flags
from torch.utils.cpp_extension import include_paths

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {"macos": "aarch64-macos.14.0", "windows": "x86_64-windows-gnu"}
TORCH = ("torch==2.13.0", "macosx_14_0_arm64", "3.11")
CONVERT = ("csrc/convert/module.cpp", "csrc/core/fail.cpp", "csrc/core/offsets.cpp")  # as in setup.py


def compiler(target: str) -> list[str]:
    return [sys.executable, "-m", "ziglang", "c++", "-target", TARGETS[target]]


def run(command: list[str]) -> tuple[int, str]:
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def compile_all(target: str, sources: list[Path], folder: Path) -> dict[Path, str]:
    """Compiles each source to an object in `folder`. Returns the messages of the compiler for those with any."""
    options = [*flags("Darwin")[0], "-fno-sanitize=undefined", f"-I{ROOT / 'csrc'}"]
    foreign = [*include_paths(), sysconfig.get_path("include")]
    options += [f"-isystem{path}" for path in foreign]
    options += ["-DTORCH_TARGET_VERSION=0x020a000000000000", "-DPy_LIMITED_API=0x030A0000"]
    options += ["-O1"]
    newest_header = max(path.stat().st_mtime for path in (ROOT / "csrc").rglob("*.h"))

    def compile_one(source: Path) -> str:
        name = folder / f"{'_'.join(source.relative_to(ROOT / 'csrc').with_suffix('').parts)}.o"
        if name.exists() and name.stat().st_mtime > max(newest_header, source.stat().st_mtime):
            return ""
        status, text = run([*compiler(target), *options, "-c", str(source), "-o", str(name)])
        if status:
            name.unlink(missing_ok=True)  # after an error, zig leaves an object without contents
        return text

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = pool.map(compile_one, sources)
        return {source: text for source, text in zip(sources, texts, strict=True) if text}


def torch_libraries(folder: Path, wheel: Path | None) -> Path:
    """The folder of torch's libraries for macOS."""
    if wheel is None:
        requirement, platform, python = TORCH
        options = ["--no-deps", "--only-binary=:all:", "--platform", platform, "--python-version", python]
        status, text = run([sys.executable, "-m", "pip", "download", "-q", *options, "-d", str(folder), requirement])
        if status:
            sys.exit(f"cross-check: pip could not download {requirement} for {platform}:\n{text}")
        (wheel,) = folder.glob("torch-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith("torch/lib/") and name.endswith(".dylib"):
                archive.extract(name, folder)
    return folder / "torch" / "lib"


def link(objects: Path, library: str, parts: list[str], extra: list[str]) -> str:
    """Links a library for macOS. Returns the messages of the linker."""
    # zig's linker has no list of exported symbols.
    settings = [flag for flag in link_flags(True, "Darwin") if "exported_symbol" not in flag]
    arguments = ["-shared", *settings, "-o", str(objects / library)]
    return run([*compiler("macos"), *arguments, *(str(objects / part) for part in parts), *extra])[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--torch", type=Path, metavar="WHEEL")
    options = parser.parse_args()
    folder = ROOT / "build" / "cross" / options.target
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted((ROOT / "csrc").rglob("*.cpp"))
    texts = compile_all(options.target, sources, folder)
    for source, text in texts.items():
        print(f"== {source.relative_to(ROOT)}\n{text}", end="")
    errors = Counter(line.split("error: ")[1] for t in texts.values() for line in t.splitlines() if "error: " in line)
    for error, count in errors.most_common():
        print(f"{count:5} x {error}")
    built = {path.name for path in folder.glob("*.o")}
    print(f"cross-check: {TARGETS[options.target]}: {len(built)} of {len(sources)} files compile", flush=True)
    if options.target == "windows" or len(built) < len(sources):
        sys.exit(options.target != "windows")
    convert = {f"{'_'.join(Path(name).relative_to('csrc').with_suffix('').parts)}.o" for name in CONVERT}
    operators = sorted(name for name in built if not name.startswith(("convert_", "ort_")))
    libraries = torch_libraries(folder, options.torch)
    text = link(folder, "_ops.so", operators, [f"-L{libraries}", "-ltorch_cpu"])
    text += link(folder, "_convert.abi3.so", sorted(convert), ["-undefined", "dynamic_lookup"])
    print(text, end="")
    linked = all((folder / name).exists() for name in ("_ops.so", "_convert.abi3.so"))
    print(f"cross-check: the libraries are {'linked' if linked else 'not linked'}; nothing of it can run here")
    sys.exit(not linked)


if __name__ == "__main__":
    main()
