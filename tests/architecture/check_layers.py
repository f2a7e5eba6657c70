#!/usr/bin/env python3
"""Checks the shape of the source tree: layers, package fences, circles, sizes, links, pages.

The rules are the tables of rules.py beside this file (docs/architecture.md shows them); the
functions here only apply them. Run from anywhere:

    python3 tests/architecture/check_layers.py [ROOT]

Prints one line per violation, `path:line: what; what is allowed`, and ends with status 1 if
there was any. Standard library only, so that it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from pages import find_page_problems
from rules import (
    FENCES,
    LAYERS,
    MAX_LINES,
    ORDERS,
    PAGED_SUFFIXES,
    SHOWN_BY,
    SIZED_NAMES,
    SIZED_SUFFIXES,
    SKIPPED_FOLDERS,
    SKIPPED_ROOT_FOLDERS,
)

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
_LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^\s{0,3}\[[^\]^][^\]]*\]:\s*<?(\S+?)>?(?:\s|$)")
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclasses.dataclass(frozen=True, order=True)
class Violation:
    """One broken rule, at a place a person can open."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclasses.dataclass(frozen=True)
class Include:
    """One `#include` line; `target` is the path as written, from the root."""

    source: str
    line: int
    target: str
    is_quoted: bool


@dataclasses.dataclass(frozen=True)
class Tree:
    """The C++ files below a root and what each of them includes."""

    root: Path
    includes: dict[str, tuple[Include, ...]]

    @property
    def edges(self) -> Iterator[Include]:
        """Every include line of every file, sorted by file and line."""
        for source in sorted(self.includes):
            yield from self.includes[source]


def is_inside(path: str, folders: Iterable[str]) -> bool:
    """Whether `path` is one of `folders` or lies below one of them."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def layer_of(path: str) -> str | None:
    """The layer that `path` belongs to; None for tests and everything else."""
    top = path.split("/", 1)[0]
    return top if top in LAYERS and "/" in path else None


def walk(root: Path) -> Iterator[str]:
    """Paths of all our files relative to `root`, sorted, with forward slashes."""
    for folder, subfolders, names in os.walk(root):
        is_root = Path(folder) == root
        subfolders[:] = sorted(d for d in subfolders if is_ours(d, is_root))
        for name in sorted(names):
            yield (Path(folder) / name).relative_to(root).as_posix()


def is_ours(folder: str, is_at_root: bool) -> bool:
    """Whether a folder of this name is searched."""
    if is_at_root and folder in SKIPPED_ROOT_FOLDERS:
        return False
    return folder == ".ci" or not (folder in SKIPPED_FOLDERS or folder.startswith("."))


def read_tree(root: Path) -> Tree:
    """Reads the include lines of every C++ file below `root`."""
    files = [p for p in walk(root) if p.endswith((".h", ".cc"))]
    return Tree(root, {path: tuple(read_includes(root, path)) for path in files})


def read_includes(root: Path, path: str) -> Iterator[Include]:
    """The include lines of one file."""
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _INCLUDE.match(line):
            yield Include(path, number, match.group(2), match.group(1) == '"')


def check_layers(tree: Tree) -> Iterator[Violation]:
    """Each layer includes only from the layers below it."""
    for edge in tree.edges:
        source, target = layer_of(edge.source), layer_of(edge.target)
        if source and target and not is_inside(edge.target, LAYERS[source]):
            allowed = ", ".join(LAYERS[source])
            message = f'"{edge.target}" is closed to {source}/; {source} may include {allowed}'
            yield Violation(edge.source, edge.line, message)


def folder_inside(path: str) -> tuple[str, str] | None:
    """The ordered layer and the folder inside it that hold `path`; None outside of any.

    The folder of a file right in the layer is ""; files that ORDERS names without their suffix are
    a folder of their own.
    """
    layer, _, rest = path.partition("/")
    stem = rest.rpartition(".")[0]
    folder = stem if stem in ORDERS.get(layer, {}) else rest.rpartition("/")[0]
    return (layer, folder) if layer in ORDERS and rest else None


def matches(folder: str, names: Iterable[str]) -> bool:
    """Whether `folder` is one of `names`, some of which end in `/*`."""
    return any(fnmatch.fnmatchcase(folder, name) for name in names)


def find_order(layer: str, folder: str) -> tuple[str, ...] | None:
    """The folders that `folder` of `layer` may include: by its own entry, else by a match."""
    order = ORDERS[layer]
    entry = folder if folder in order else next((e for e in order if matches(folder, [e])), None)
    return None if entry is None else order[entry]


def check_orders(tree: Tree) -> Iterator[Violation]:
    """Inside an ordered layer, each folder includes only from the folders below it."""
    for edge in tree.edges:
        source, target = folder_inside(edge.source), folder_inside(edge.target)
        if source is None or target is None or source == target or source[0] != target[0]:
            continue
        layer, folder = source
        if not folder:
            continue  # right in the layer, above all its folders
        order = find_order(layer, folder)
        if order is None:
            message = f"{layer}/{folder} is not in the order of {layer}; add it to ORDERS"
            yield Violation(edge.source, edge.line, message)
        elif not matches(target[1], order):
            allowed = ", ".join(order) or f"nothing else of {layer}"
            message = f'"{edge.target}" is not below {layer}/{folder}; it may include {allowed}'
            yield Violation(edge.source, edge.line, message)


def check_full_paths(tree: Tree) -> Iterator[Violation]:
    """Our headers are included by full path from the root, so that no rule is bypassed."""
    for edge in tree.edges:
        if not edge.is_quoted or edge.target in tree.includes:
            continue
        beside = PurePosixPath(edge.source).parent / edge.target
        full = os.path.normpath(beside).replace(os.sep, "/")
        if full in tree.includes:
            message = f'"{edge.target}" is written relative to the file; write "{full}"'
            yield Violation(edge.source, edge.line, message)


def fence_of(target: str) -> tuple[str, tuple[str, ...]] | None:
    """The fenced package that `target` belongs to and where it may be used."""
    for prefix, fence in FENCES.items():
        if target == prefix or (prefix[-2:] != ".h" and target.startswith(prefix)):
            return fence
    return None


def check_fences(tree: Tree) -> Iterator[Violation]:
    """Fenced packages are included only in their folders (tests may use any)."""
    for edge in tree.edges:
        fence = fence_of(edge.target)
        if fence is None or layer_of(edge.source) is None:
            continue
        package, folders = fence
        if not is_inside(edge.source, folders):
            message = f"<{edge.target}>: {package} belongs in {', '.join(folders)}"
            yield Violation(edge.source, edge.line, message)


def packages_seen_through(tree: Tree) -> dict[str, set[str]]:
    """Header -> fenced packages that whoever includes it also gets."""
    seen: dict[str, set[str]] = {path: set() for path in tree.includes}
    grew = True
    while grew:
        grew = False
        for edge in tree.edges:
            fence = fence_of(edge.target)
            gained = {fence[0]} if fence else seen.get(edge.target, set())
            if not gained <= seen[edge.source]:
                seen[edge.source] |= gained
                grew = True
    return seen


def check_leaks(tree: Tree) -> Iterator[Violation]:
    """A header that another layer includes shows no fenced package, however indirectly."""
    seen = packages_seen_through(tree)
    for edge in tree.edges:
        source, target = layer_of(edge.source), layer_of(edge.target)
        if source and target and source != target and seen.get(edge.target):
            packages = ", ".join(sorted(seen[edge.target]))
            message = f'"{edge.target}" brings {packages} into {source}/; hide it in a .cc'
            yield Violation(edge.source, edge.line, message)


def check_showing_headers(tree: Tree) -> Iterator[Violation]:
    """The headers that show a package of SHOWN_BY are those, and only .cc files include them."""
    seen = packages_seen_through(tree)
    folders_of = dict(FENCES.values())
    for edge in tree.edges:
        fence = fence_of(edge.target)
        for package in sorted({fence[0]} if fence else seen.get(edge.target, set())):
            if package not in SHOWN_BY or layer_of(edge.source) is None:
                continue
            is_header = edge.source.endswith(".h")
            if is_header and edge.source not in SHOWN_BY[package]:
                allowed = " and ".join(SHOWN_BY[package])
                message = f"{package} is shown by no headers but {allowed}; hide it in a .cc"
                yield Violation(edge.source, edge.line, message)
            elif not fence and not is_inside(edge.source, folders_of[package]):
                allowed = ", ".join(folders_of[package])
                message = f'"{edge.target}" brings {package}, which belongs in {allowed}'
                yield Violation(edge.source, edge.line, message)


def check_circles(tree: Tree) -> Iterator[Violation]:
    """No file includes itself through others; one violation per circle found."""
    done: set[str] = set()
    for start in sorted(tree.includes):
        yield from find_circles(tree, start, [], done)


def find_circles(tree: Tree, path: str, trail: list[str], done: set[str]) -> Iterator[Violation]:
    """Depth-first search from `path`; `trail` is the way to it, `done` needs no second visit."""
    if path in trail:
        circle = [*trail[trail.index(path) :], path]
        line = next(e.line for e in tree.includes[circle[0]] if e.target == circle[1])
        yield Violation(circle[0], line, "circle of includes: " + " -> ".join(circle))
        return
    if path in done:
        return
    for edge in tree.includes[path]:
        if edge.target in tree.includes:
            yield from find_circles(tree, edge.target, [*trail, path], done)
    done.add(path)


def check_sizes(root: Path) -> Iterator[Violation]:
    """No source file is longer than MAX_LINES."""
    for path in walk(root):
        if not path.endswith(SIZED_SUFFIXES) and path.split("/")[-1] not in SIZED_NAMES:
            continue
        lines = (root / path).read_bytes().count(b"\n")
        if lines > MAX_LINES:
            yield Violation(path, lines, f"{lines} lines; the ceiling is {MAX_LINES}: split it")


def markdown_links(text: str) -> Iterator[tuple[int, str]]:
    """(line, target) of every link in a Markdown text, code left out."""
    in_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code:
            plain = re.sub(r"`[^`]*`", "", line)
            for pattern in (_LINK, _REFERENCE):
                yield from ((number, m.group(1)) for m in pattern.finditer(plain))


def check_links(root: Path) -> Iterator[Violation]:
    """Relative links in Markdown lead to something inside the tree."""
    top = root.resolve()
    for path in walk(root):
        if not path.endswith(".md"):
            continue
        text = (root / path).read_text(encoding="utf-8")
        for line, target in markdown_links(text):
            file = target.split("#", 1)[0]
            if not file or _SCHEME.match(target):
                continue
            place = (top / path).parent.joinpath(file).resolve()
            if not place.is_relative_to(top):
                yield Violation(path, line, f'link "{target}" leads out of the tree')
            elif not place.exists():
                yield Violation(path, line, f'link "{target}" leads nowhere')


def check_pages(root: Path) -> Iterator[Violation]:
    """Comments, docstrings and Markdown name pages, and headings in them, that are there."""
    for path in walk(root):
        if path.endswith(PAGED_SUFFIXES):
            for line, problem in find_page_problems(root, path):
                yield Violation(path, line, problem)


def check_all(root: Path) -> list[Violation]:
    """Every violation of every rule below `root`, sorted by place."""
    tree = read_tree(root)
    rules = (check_layers, check_orders, check_full_paths)
    rules += (check_fences, check_leaks, check_showing_headers, check_circles)
    found = [violation for rule in rules for violation in rule(tree)]
    return sorted([*found, *check_sizes(root), *check_links(root), *check_pages(root)])


def main(argv: list[str] | None = None) -> int:
    """Prints the violations; 0 if there are none, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("root", nargs="?", type=Path, default=here)
    root = parser.parse_args(argv).root
    if not root.is_dir():
        parser.error(f"{root} is not a folder")
    violations = check_all(root)
    for violation in violations:
        print(violation)
    print(f"layers: {len(violations)} violations in {len(read_tree(root).includes)} C++ files")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
