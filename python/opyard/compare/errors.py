"""The error of a comparison that the user can mend."""


class CompareError(ValueError):
    """The input cannot be compared; the message says where, what was found and expected."""
