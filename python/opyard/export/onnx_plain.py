"""Adds nodes that are no control flow, with shapes and values of their results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_contrib import Partial
from opyard.export.onnx_flat import SHORT_BYTES, Constant, Node
from opyard.export.onnx_guesses import guess
from opyard.export.onnx_inference import Answer, Question, infer
from opyard.export.onnx_scope import (
    Binding,
    Scope,
    attribute_value,
    graphs_of,
    label_of,
    tensors_of,
)
from opyard.export.onnx_types import UNDEFINED, Value

if TYPE_CHECKING:
    import numpy as np
    import onnx

    from opyard.export.onnx_opening import Opening

# Ops of other domains that differ from ONNX's of their name.
_OF_TWO_DOMAINS = frozenset({"Attention", "RotaryEmbedding"})


class PlainNodes:
    """Adds plain nodes to what is being opened; equal questions are answered once."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._flat = opening.flat
        self._answers: dict[tuple[object, ...], Answer] = {}

    def add(
        self, node: onnx.NodeProto, domain: str, inputs: list[Binding | None], scope: Scope
    ) -> None:
        if any(isinstance(found, list) for found in inputs):
            raise ExportError(
                f'node "{label_of(node)}" ({node.op_type}) reads a sequence of tensors, which only '
                "ops on sequences can"
            )
        names = [found if isinstance(found, str) else "" for found in inputs]
        answer = self._answer(node, domain, names, scope)
        outputs = [self._opening.fresh(name, scope.frame) if name else "" for name in node.output]
        self._set_values(node, names, outputs, answer, scope)
        scope.bindings.update(
            (name, made) for name, made in zip(node.output, outputs, strict=True) if name
        )
        if self._becomes_constant(node, domain, names, outputs, answer):
            return
        attributes = {a.name: attribute_value(a) for a in scope.attributes_of(node)}
        is_other = domain and node.op_type in _OF_TWO_DOMAINS
        op = f"{domain}.{node.op_type}" if is_other else str(node.op_type)
        made = Node(op, label_of(node), names, outputs, attributes)
        made.waits_for = self._outer_reads(node, scope)
        self._opening.add_node(made, scope, scope.opsets.get(domain, 1))

    def _outer_reads(self, node: onnx.NodeProto, scope: Scope) -> list[str]:
        """The tensors that the bodies of a node read that is not opened, such as a beam search."""
        reads = [name for graph in graphs_of(node) for name in self._opening.body(graph).reads]
        return tensors_of([scope.find(name) for name in reads])

    def _answer(self, node: onnx.NodeProto, domain: str, names: list[str], scope: Scope) -> Answer:
        values = tuple(self._flat.value(name) if name else None for name in names)
        data = tuple(self._opening.data(name) for name in names)
        key = (
            id(node),
            values,
            tuple(None if array is None else array.tobytes() for array in data),
        )
        if key in self._answers:
            return self._answers[key]
        version = scope.opsets.get(domain) or (1 if domain else scope.opsets.get("ai.onnx", 1))
        attributes = tuple(scope.attributes_of(node))
        answer = infer(
            Question(node.op_type, domain, version, attributes, values, data, len(node.output))
        )
        if not any(attribute.ref_attr_name for attribute in node.attribute):
            self._answers[key] = answer
        return answer

    def _set_values(
        self,
        node: onnx.NodeProto,
        names: list[str],
        outputs: list[str],
        answer: Answer,
        scope: Scope,
    ) -> None:
        """Sets the values of the results: by inference, else by the file, else by their bound."""
        for position, (name, made) in enumerate(zip(node.output, outputs, strict=True)):
            if not name:
                continue
            known = answer.outputs[position]
            declared = scope.declared.get(name)
            value = self._merged(name, known, declared)
            if value.shape is None:
                self._check_missing(node, names)
                bound = guess(node.op_type, position, known, [self._flat.value(n) for n in names])
                value = replace(value, shape=bound)
                if bound is not None:
                    self._flat.bounded.append(made)
            if value.shape is None and answer.problem:
                raise ExportError(f'node "{label_of(node)}" ({node.op_type}): {answer.problem}')
            if value.element == UNDEFINED and names and names[0]:
                value = replace(value, element=self._flat.value(names[0]).element)
            self._flat.values[made] = value

    def _merged(self, name: str, known: Partial, declared: Partial | None) -> Value:
        value = known.value
        if declared is None:
            return value
        if value.element == UNDEFINED:
            value = replace(value, element=declared.element)
        if value.shape is None:
            return replace(value, shape=declared.value.shape)
        if declared.extents is not None and not _agree(value.shape, declared.extents):
            self._flat.contradicted.append(name)
        return value

    def _check_missing(self, node: onnx.NodeProto, names: list[str]) -> None:
        for name in names:
            constant = self._flat.constants.get(name)
            if constant and constant.missing:
                raise ExportError(
                    f'node "{label_of(node)}" ({node.op_type}): its shape follows from the values '
                    f'of "{name}", which cannot be read: {constant.missing}'
                )

    def _becomes_constant(
        self,
        node: onnx.NodeProto,
        domain: str,
        names: list[str],
        outputs: list[str],
        answer: Answer,
    ) -> bool:
        if not domain and node.op_type == "ConstantOfShape" and names[0] in self._flat.constants:
            return self._becomes_source(outputs[0], answer)
        if answer.data is None:
            return False
        is_constant = self._is_folded(names, outputs)
        for name, array in zip(outputs, answer.data, strict=True):
            if name:
                constant = Constant(array, is_source=False) if is_constant else None
                self._keep(name, constant, array)
        if is_constant:
            self._flat.folded["arithmetic on shapes and constants"] += 1
        return is_constant

    def _becomes_source(self, name: str, answer: Answer) -> bool:
        """A filled tensor is a weight, as in models without their weights' values."""
        if self._flat.value(name).shape is None:
            return False
        data = answer.data[0] if answer.data else None
        self._keep(name, Constant(data), data)
        return True

    def _is_folded(self, names: list[str], outputs: list[str]) -> bool:
        """True for short results that are whole numbers, or follow from numbers alone."""
        values = [self._flat.value(name) for name in outputs if name]
        is_short = all((value.bytes or 0) <= SHORT_BYTES for value in values)
        is_whole = not any(value.is_floating for value in values)
        return is_short and (is_whole or all(self._flat.is_number(n) for n in names if n))

    def _keep(self, name: str, constant: Constant | None, data: np.ndarray | None) -> None:
        if constant is not None:
            self._flat.constants[name] = constant
        if data is not None:
            self._opening.set_data(name, data)


def _agree(shape: tuple[int, ...], extents: tuple[int | None, ...]) -> bool:
    return len(shape) == len(extents) and all(
        declared in (None, extent) for extent, declared in zip(shape, extents, strict=True)
    )
