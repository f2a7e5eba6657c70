"""The error of an export that the user can mend."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class ExportError(ValueError):
    """The user's input cannot be exported; the message is one line for the terminal."""


def one_line(error: BaseException, limit: int = 240) -> str:
    """Returns type and message of `error` on one line of at most about `limit` characters."""
    text = " ".join(str(error).split())
    if len(text) > limit:
        text = text[:limit].rstrip() + " ..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@contextmanager
def without_stack_traces() -> Iterator[None]:
    """Keeps PyTorch from logging the stack of what fails under fake tensors, and from warnings."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Accessing the data pointer of FakeTensor")
            yield
    finally:
        logger.setLevel(level)
