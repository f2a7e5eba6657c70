"""The guards that a program's process puts around itself, before it loads the program.

Standard library only: the process has no opyard. Linux has two guards that need no rights. Landlock
leaves files outside of the given folders, TCP and signals to other processes out of reach. A
seccomp filter refuses sockets, further processes and threads, and everything that reaches into
another process. Elsewhere the limits of `resource` are all there is.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Sequence

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = 0b111 | 1 << 14 | 1 << 15  # execute, write, read, truncate, ioctl
_SET_DEATH_SIGNAL, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES = 1, 22, 38
_FILTER_MODE = 2

# Linux' numbers of what a program is refused: sockets, processes, threads, signals, and calls that
# reach into other processes or into the kernel.
_X86_64 = [41, 53, 56, 57, 58, 59, 62, 101, 129, 165, 200, 234, 250, 272, 297, 298, 302, 308]
_X86_64 += [310, 311, 321, 322]
_ARM64 = [40, 97, 117, 129, 130, 131, 138, 198, 199, 219, 220, 221, 240, 241, 261, 268, 270, 271]
_ARM64 += [280, 281]
_BOTH = [424, 425, 434, 435]
_REFUSED = {
    "x86_64": (0xC000003E, _X86_64 + _BOTH),
    "aarch64": (0xC00000B7, _ARM64 + _BOTH),
}
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # an error: EPERM
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_X32_CALLS = 0x40000000


def guards() -> list[str]:
    """The guards that this machine offers, of ``"limits"``, ``"landlock"`` and ``"seccomp"``."""
    found = ["limits"]
    if _landlock_version() > 0:
        found.append("landlock")
    if sys.platform == "linux" and platform.machine() in _REFUSED:
        found.append("seccomp")
    return found


def limit(cpu_seconds: int, memory_bytes: int, file_bytes: int) -> None:
    """Limits processor time, address space, the size of files, and how many are open."""
    for what, most in (
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def end_with_parent() -> None:
    """Has the kernel end this process when the one that scores it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def enclose(readable: Sequence[str], writable: Sequence[str]) -> None:
    """Puts both guards up, as far as they are there; they cannot be taken down again.

    Args:
        readable: Files and folders, with all below them, that may be read.
        writable: Folders in which anything may be done.

    Raises:
        OSError: The kernel offers a guard and refuses to put it up.
    """
    offered = guards()
    if len(offered) > 1:
        _call(ctypes.CDLL(None, use_errno=True).prctl, _SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if "landlock" in offered:
        _enclose_files(readable, writable)
    if "seccomp" in offered:
        _refuse_calls(*_REFUSED[platform.machine()])


def _landlock_version() -> int:
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION_FLAG))


def _enclose_files(readable: Sequence[str], writable: Sequence[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    version = _landlock_version()
    num_rights = {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)
    all_rights = (1 << num_rights) - 1
    rules = struct.pack("=Q", all_rights)
    if version >= 4:
        rules += struct.pack("=Q", 0b11)  # TCP: bind, connect
    if version >= 6:
        rules += struct.pack("=Q", 0b11)  # abstract sockets and signals
    fd = _call(libc.syscall, _LANDLOCK_CREATE, rules, len(rules), 0)
    for paths, rights in ((readable, _READ_FILE | _READ_DIR), (writable, all_rights)):
        for path in paths:
            _allow(libc, fd, path, rights & all_rights)
    _call(libc.syscall, _LANDLOCK_RESTRICT, fd, 0)
    os.close(fd)


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):  # noqa: PTH112 (pathlib takes longer to load than the rest)
        rights &= _FILE_RIGHTS
    _call(
        libc.syscall,
        _LANDLOCK_ADD,
        rules,
        _RULE_PATH_BENEATH,
        struct.pack("=Qi", rights, target),
        0,
    )
    os.close(target)


def _refuse_calls(architecture: int, calls: Sequence[int]) -> None:
    steps = [(_LOAD, 0, 0, 4), (_IF_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _REFUSE)]
    steps += [(_LOAD, 0, 0, 0), (_IF_AT_LEAST, 0, 1, _X32_CALLS), (_RETURN, 0, 0, _REFUSE)]
    for call in calls:
        steps += [(_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, _REFUSE)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    _call(ctypes.CDLL(None, use_errno=True).prctl, _SET_SECCOMP, _FILTER_MODE, program, 0, 0)


def _call(function: ctypes._NamedFuncPointer, *arguments: object) -> int:
    result = int(function(*arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{arguments[0]}: {os.strerror(error)}")
    return result
