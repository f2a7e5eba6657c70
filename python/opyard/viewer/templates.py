"""Templates of pages."""

from __future__ import annotations

import jinja2


def template_environment(package: str) -> jinja2.Environment:
    """The templates in the folder of `package`: texts are escaped, unknown names are errors."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
