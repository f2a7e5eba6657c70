"""Readers of what other tools say of machines; each module has `read(request)`."""
