"""Exports a user's model as an `opyard-graph/1` file.

`opyard export torch MODULE:FUNCTION --out F` is the command (`command.py`);
`user_function.py` states what FUNCTION has to return. Importing this package
does not import torch: only tracing does.
"""
