"""The packages that opyard uses: which are here, and which install the rest."""

from __future__ import annotations

import importlib.metadata
import platform
import re

_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)[^;]*(?:;.*extra == ['\"]([\w-]+)['\"])?")


def installed_packages() -> dict[str, tuple[bool, str]]:
    """Rows of `opyard doctor`: Python, the packages that opyard needs, and each of its extras.

    Versions are read, nothing is imported.

    Returns:
        By the name of a row, whether all of it is there, and the detail: versions, and of an extra
        that lacks packages the command that installs it.
    """
    found = {"Python": (True, f"{platform.python_version()}, {platform.platform()}")}
    for extra, names in requirements().items():
        if extra:
            found[f"extra {extra}"] = _of_extra(extra, names)
        else:
            found["Python packages"] = (True, ", ".join(map(_with_version, names)))
    return found


def requirements() -> dict[str, list[str]]:
    """The names of the packages that the metadata of opyard lists, by extra; "" for all."""
    found: dict[str, list[str]] = {"": []}
    for line in importlib.metadata.requires("opyard") or ():
        match = _REQUIREMENT.match(line)
        if match is not None:
            found.setdefault(match[2] or "", []).append(match[1])
    return found


def _of_extra(extra: str, names: list[str]) -> tuple[bool, str]:
    lacking = [name for name in names if _version(name) is None]
    details = [", ".join(_with_version(name) for name in names if name not in lacking)]
    if lacking:
        details.append(f"lacks {', '.join(lacking)}: pip install 'opyard[{extra}]'")
    return not lacking, "; ".join(filter(None, details))


def _with_version(name: str) -> str:
    return f"{name} {_version(name) or '?'}"


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
