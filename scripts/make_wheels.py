#!/usr/bin/env python3
"""Makes the wheels `opyard` and `opyard-learned` of a finished build: `./dev wheel`.

    make_wheels.py BUILD OUT

BUILD is the folder of a CMake build with PyTorch whose target opyard_python is built; nothing is
compiled here. Its component `python` is installed into BUILD/wheel, stripped of symbols, and
divided: what needs LibTorch goes into the package opyard_learned. auditwheel then copies the
libraries that a bare Linux lacks into each wheel and names the manylinux tag that holds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEARNED = ("_agents.*.so", "libopyard_learned.so")  # go into the second wheel
# Comes with the wheels that the second one depends on.
ELSEWHERE = ("libopyard.so", "libtorch*", "libc10*", "libgomp*")
# Comes with every Linux (PEP 600).
EVERYWHERE = (
    "libc.",
    "libm.",
    "libdl.",
    "librt.",
    "libpthread.",
    "libgcc_s.",
    "libstdc++.",
    "libz.",
)
LEARNED_PATH = "$ORIGIN:$ORIGIN/../opyard:$ORIGIN/../torch/lib"


def main() -> int:
    """Makes both wheels and prints their sizes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("out", type=Path, metavar="OUT")
    args = parser.parse_args()
    stage = args.build / "wheel"
    install(args.build, stage)
    add_licences(stage / "opyard")
    learned = divide(stage)
    args.out.mkdir(parents=True, exist_ok=True)
    for old in args.out.glob("opyard*.whl"):
        old.unlink()
    for source, package, kept_out in (
        (ROOT, stage / "opyard", ()),
        (ROOT / "wheels" / "learned", learned, ELSEWHERE),
    ):
        wheel = repaired(packed(source, package, args.build / "unrepaired"), kept_out, args.out)
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


def install(build: Path, stage: Path) -> None:
    """Installs modules, libraries and data, and beside them the Python files."""
    shutil.rmtree(stage, ignore_errors=True)
    run("cmake", "--install", build, "--component", "python", "--strip", "--prefix", stage)
    shutil.copytree(
        ROOT / "python" / "opyard",
        stage / "opyard",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )


def add_licences(package: Path) -> None:
    """Adds the licences of the libraries that the wheel will hold, as Debian ships them."""
    folder = package / "licenses"
    folder.mkdir()
    for library in foreign_libraries(package / "libopyard.so"):
        found = output("dpkg-query", "--search", f"*/{library.resolve().name}").split(":")[0]
        shutil.copy(f"/usr/share/doc/{found}/copyright", folder / f"{found}.txt")


def foreign_libraries(library: Path) -> list[Path]:
    """The libraries below /usr/lib and /lib that it needs, but for those of every Linux."""
    lines = output("ldd", library).splitlines()
    found = [Path(line.split("=> ")[1].split(" (")[0]) for line in lines if "=> /" in line]
    return [path for path in found if not path.name.startswith(EVERYWHERE)]


def divide(stage: Path) -> Path:
    """Moves what needs LibTorch into a package of its own, whose folder it returns."""
    learned = stage / "opyard_learned"
    shutil.copytree(ROOT / "wheels" / "learned" / "opyard_learned", learned)
    moved = [path for pattern in LEARNED for path in (stage / "opyard").glob(pattern)]
    if len(moved) != len(LEARNED):
        raise SystemExit(f"make_wheels.py: {stage}: found {moved}, expected one each of {LEARNED}: "
                         "was this built with PyTorch?")  # fmt: skip
    for path in moved:
        shutil.move(path, learned)
        run("patchelf", "--set-rpath", LEARNED_PATH, learned / path.name)
    return learned


def packed(source: Path, package: Path, out: Path) -> Path:
    """The wheel of a package that is complete already, with the metadata of `source`."""
    shutil.rmtree(out, ignore_errors=True)
    settings = {
        "wheel.cmake": "false",
        "wheel.platlib": "true",
        "wheel.packages": str(package.resolve()),
        "sdist.inclusion-mode": "manual",  # the staged package lies where git ignores files
        "build-dir": str((out / "build").resolve()),
    }
    words = [f"-C{name}={value}" for name, value in settings.items()]
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
        "--disable-pip-version-check", "--wheel-dir", out, *words, source)  # fmt: skip
    (wheel,) = out.glob("*.whl")
    return wheel


def repaired(wheel: Path, kept_out: tuple[str, ...], out: Path) -> Path:
    """The wheel with all libraries that it needs, but for those `kept_out`."""
    before = set(out.glob("*.whl"))
    words = [word for name in kept_out for word in ("--exclude", name)]
    run("auditwheel", "repair", "--wheel-dir", out, *words, wheel)
    (made,) = set(out.glob("*.whl")) - before
    return made


def environment() -> dict[str, str]:
    """The variables of this process, with the programs beside this Python in front."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def run(*words: str | Path) -> None:
    """Runs a command, which has to succeed; what it prints is shown only if it fails."""
    output(*words)


def output(*words: str | Path) -> str:
    """The standard output of a command, which has to succeed."""
    result = subprocess.run(
        list(map(str, words)), env=environment(), capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}\n{result.stdout}{result.stderr}")
    return result.stdout


if __name__ == "__main__":
    sys.exit(main())
