"""The error of an export that the user can mend."""


class ExportError(ValueError):
    """The user's input cannot be exported; the message is one line for the terminal."""


def one_line(error: BaseException, limit: int = 240) -> str:
    """Returns type and message of `error` on one line of at most about `limit` characters."""
    text = " ".join(str(error).split())
    if len(text) > limit:
        text = text[:limit].rstrip() + " ..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
