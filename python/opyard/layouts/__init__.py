"""Plans in the forms of frameworks, where these need Python: annotated ONNX models."""

from __future__ import annotations
