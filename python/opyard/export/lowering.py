"""Turns a joint graph of ATen ops into the ops of an `opyard-graph/1` file.

* Parameters and buffers become `Variable`s, inputs `Placeholder`s, the
  gradient of the loss a `Fill`.
* `getitem` disappears: edges name the output they read. `detach` disappears.
* Views alias their input and cost nothing. A view that shows a tensor as it
  already is, or as an earlier view does (the transpose of a transpose, the
  same transpose in every time step), is not repeated.
* The gradient of a convolution becomes one op per gradient.
* A sum of gradients belongs to the module that made the tensor, or holds the
  parameter, whose gradients it adds.
* A buffer that one op updates shares its storage and its device with the op.
* An op belongs to the module that ran it, forward or backward, a parameter or
  a buffer to the module that holds it, the loss to the network itself. Inputs
  and constants are left to the ops that read them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch.fx import Node
from torch.fx.node import map_arg

from opyard.export.aten_nodes import (
    aten_name,
    input_tensors,
    is_view,
    make_call,
    makes_several,
    tensors_of,
)
from opyard.export.convolution import make_convolution
from opyard.export.element_types import arithmetic_dtype, dtype_name
from opyard.export.flops import Work, tensor_bytes, work_of
from opyard.export.graph_writer import Op, Output
from opyard.export.op_types import OP_TYPES, OPAQUE
from opyard.export.recomputation import awaited_by
from opyard.export.scopes import Scope, is_backward, scope_of
from opyard.export.torch_graph import JointTrace, StepInput

Value = tuple[Op, int]  # producer, output index
Values = Value | list[Value | None] | None  # a list for an op with several outputs

_IDENTITIES = {"detach", "alias", "lift_fresh"}
_NOTES = {"_record_function_enter_new", "_record_function_exit"}  # names of a user's profile


@dataclass
class LoweredStep:
    """Ops in execution order, and what the trace says about them."""

    ops: list[Op]
    variables: dict[str, Op] = field(default_factory=dict)  # name → Variable
    gradients: dict[str, Value] = field(default_factory=dict)  # name of the parameter → gradient
    sparse_gradients: dict[str, int] = field(default_factory=dict)  # the elements that they hold
    colocated: list[tuple[Op, Op]] = field(default_factory=list)
    values: dict[Node, Values] = field(default_factory=dict)
    nodes: dict[Op, Node] = field(default_factory=dict)  # the node that an op runs
    parts: dict[Op, int] = field(default_factory=dict)  # which result, of gradients of convolutions
    updated: dict[str, Value] = field(default_factory=dict)  # name of the buffer → new value


def _make_output(tensor: torch.Tensor | None, alias: int | str | None = None) -> Output:
    if tensor is None:
        return Output(bytes=0)
    size = tensor_bytes(tensor)
    held = tensor._values() if tensor.layout == torch.sparse_coo else tensor
    return Output(size, tuple(held.shape), dtype_name(tensor.dtype), alias)


class _Names:
    """Hands out unique names: the first "a/Relu", then "a/Relu_1"."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        name = wanted
        while name in self._used:
            self._next[wanted] = self._next.get(wanted, 0) + 1
            name = f"{wanted}_{self._next[wanted]}"
        self._used.add(name)
        return name


class _Lowering:
    """Walks the nodes of one trace in order."""

    def __init__(self, trace: JointTrace) -> None:
        self._trace = trace
        self._names = _Names()
        self._roots: dict[Value, Value] = {}  # view → tensor whose storage it shows
        self._views: dict[tuple, Value] = {}
        self._parameter_of: dict[Node, str] = {}  # gradient → name of its first parameter
        self.step = LoweredStep(ops=[])
        self._values = self.step.values

    def run(self) -> LoweredStep:
        nodes = self._trace.graph_module.graph.nodes
        self._note_parameters(next(node for node in nodes if node.op == "output"))
        for node in nodes:
            if node.op == "placeholder":
                self._values[node] = self._lower_input(node)
            elif node.op == "get_attr":
                self._values[node] = self._lower_constant(node)
            elif node.op == "call_function":
                self._values[node] = self._lower_call(node)
            elif node.op == "output":
                self._lower_outputs(node)
        return self.step

    # Sources.

    def _lower_input(self, node: Node) -> Value:
        described = self._described(node.meta["desc"])
        if type(node.meta["desc"]).__name__ == "TangentAOTInput":
            op = self._source("loss/Gradient", "Fill", node)
            op.phase = "backward"
            op.module = ""
        elif described is None or described.kind == "input":
            name = described.name if described else node.name
            op = self._source(name, "Placeholder", node)
        else:
            op = self._source(described.name, "Variable", node)
            op.outputs[0].alias = "params"
            op.param_bytes = tensor_bytes(node.meta["val"])
            op.module = self._module_at(described.name.rpartition(".")[0])
            self.step.variables[described.name] = op
        return (op, 0)

    def _described(self, descriptor: object) -> StepInput | None:
        """The step's input that `descriptor` names; None for the tracer's own inputs."""
        index = getattr(descriptor, "idx", None)
        return self._trace.inputs[index] if isinstance(index, int) else None

    def _lower_constant(self, node: Node) -> Value:
        tensor = node.meta.get("val")
        if tensor is None:
            tensor = getattr(self._trace.graph_module, str(node.target))
            node.meta["val"] = tensor
        return (self._source(f"constants/{node.target}", "Const", node), 0)

    def _source(self, name: str, kind: str, node: Node) -> Op:
        tensor = node.meta["val"]
        op = Op(self._names.unique(name), kind, dtype=dtype_name(tensor.dtype), phase="forward")
        op.outputs = [_make_output(tensor)]
        op.bytes_accessed = 0
        self._remember(op, [tensor])
        self._append(op, node)
        return op

    def _append(self, op: Op, node: Node) -> None:
        self.step.ops.append(op)
        self.step.nodes[op] = node

    # Calls.

    def _lower_call(self, node: Node) -> Values:
        if getattr(node.target, "__name__", "") == "getitem":
            source, index = node.args
            values = self._values[source]
            return values[index] if isinstance(values, list) else values
        name = aten_name(node)
        if name in _IDENTITIES:
            return self._values[node.args[0]]
        if name in _NOTES:
            return None
        if name == "convolution_backward":
            return self._lower_convolution_gradients(node)
        return self._lower_op(node, name)

    def _lower_op(self, node: Node, name: str) -> Values:
        inputs = self._inputs_of(node)
        outputs = tensors_of(node.meta.get("val"))
        shows_input = is_view(node) and bool(inputs)
        if shows_input and len(outputs) == 1:
            earlier = self._find_view(inputs[0], outputs[0])
            if earlier is not None:
                return earlier
        known = OP_TYPES.get(name)
        op = self._add_op(node, known.type if known else name, inputs)
        op.outputs = [_make_output(tensor, 0 if shows_input else None) for tensor in outputs]
        tensors = input_tensors(node)
        op.dtype = arithmetic_dtype(outputs, tensors)
        op.fusion_class = _fusion_class(node, name)
        if shows_input:
            op.bytes_accessed = 0
            self._remember(op, outputs, self._root_of(inputs[0]))
        else:
            self._remember(op, outputs)
            _set_work(op, work_of(make_call(node, name, tensors, outputs)))
        values = [(op, port) if outputs[port] is not None else None for port in range(len(outputs))]
        return values if makes_several(node) else values[0] if values else None

    def _lower_convolution_gradients(self, node: Node) -> list[Value | None]:
        grad, image, weight = node.args[:3]
        tensors = [source.meta["val"] for source in (grad, image, weight)]
        convolution = make_convolution(tensors[1], tensors[2], tensors[0], node.args[4:10])
        wants = node.args[10]
        prefix = f"Conv{convolution.dimensions}D" + "Transpose" * convolution.transposed
        results = tensors_of(node.meta["val"])
        values: list[Value | None] = [None, None, None]
        if wants[0]:
            op = self._add_op(node, prefix + "BackpropInput", self._values_of([grad, weight]))
            _set_work(op, Work(convolution.flops, conv=convolution.block("backward_data")))
            values[0] = (op, 0)
        if wants[1]:
            op = self._add_op(node, prefix + "BackpropFilter", self._values_of([grad, image]))
            _set_work(op, Work(convolution.flops, conv=convolution.block("backward_weight")))
            values[1] = (op, 0)
        if wants[2]:
            op = self._add_op(node, "BiasAddGrad", self._values_of([grad]))
            _set_work(op, Work(flops=tensors[0].numel()))
            values[2] = (op, 0)
        for part, (value, result) in enumerate(zip(values, results, strict=True)):
            if value is not None:
                self.step.parts[value[0]] = part
                value[0].outputs = [_make_output(result)]
                self._remember(value[0], [result])
                value[0].dtype = dtype_name(result.dtype)
                is_bias = value[0].type == "BiasAddGrad"
                value[0].fusion_class = "reduction" if is_bias else "heavy"
        return values

    def _add_op(self, node: Node, kind: str, inputs: list[Value]) -> Op:
        scope = scope_of(node) or self._scope_of_sum(node)
        if kind == "Conv2D":
            kind = _convolution_type(node)
        path = (scope[0] if scope else _first_path(inputs)) or "step"
        op = Op(self._names.unique(f"{path}/{kind}"), kind, inputs=inputs)
        op.phase = "backward" if is_backward(node) else "forward"
        op.layer = scope[1] if scope else None
        op.module = self._module_at(scope[0]) if scope else None
        op.control_inputs = self._awaited_ops(node)
        self._append(op, node)
        return op

    def _module_at(self, path: str) -> str:
        """The module of that path; the network itself for the loss, which is no module of it."""
        return path if path in self._trace.modules else ""

    def _awaited_ops(self, node: Node) -> list[Op]:
        roots = [self._root_of(value)[0] for value in self._values_of(awaited_by(node))]
        return list(dict.fromkeys(roots))

    def _scope_of_sum(self, node: Node) -> Scope | None:
        """The scope of what `node` sums gradients of; None for an input of the step.

        The sum is read by the backward pass of the op that made the tensor, or
        it is, perhaps after more sums, the gradient of a parameter.
        """
        scope = None
        while scope is None and node.users:
            if node in self._parameter_of:
                return self._parameter_of[node].rpartition(".")[0], None
            node = next(iter(node.users))
            scope = scope_of(node)
        return scope

    def _inputs_of(self, node: Node) -> list[Value]:
        sources: list[Node] = []
        map_arg((node.args, node.kwargs), lambda source: sources.append(source))
        return self._values_of(sources)

    def _values_of(self, sources: list[Node]) -> list[Value]:
        values: list[Value] = []
        for source in sources:
            value = self._values[source]
            for part in value if isinstance(value, list) else [value]:
                if part is not None:
                    values.append(part)
        return values

    # Views.

    def _view_key(self, root: Value, tensor: torch.Tensor) -> tuple:
        layout = (tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.dtype)
        return (*root, *layout)

    def _root_of(self, value: Value) -> Value:
        return self._roots[value]

    def _find_view(self, source: Value, tensor: torch.Tensor) -> Value | None:
        return self._views.get(self._view_key(self._root_of(source), tensor))

    def _remember(
        self, op: Op, tensors: list[torch.Tensor | None], root: Value | None = None
    ) -> None:
        """Notes how the outputs of `op` lie in the storage of `root`, or in their own."""
        for port, tensor in enumerate(tensors):
            if tensor is not None:
                self._roots[(op, port)] = root or (op, port)
                self._views.setdefault(self._view_key(root or (op, port), tensor), (op, port))

    # Results.

    def _note_parameters(self, output: Node) -> None:
        for source, descriptor in zip(output.args[0], output.meta["desc"], strict=True):
            name = self._parameter_of_gradient(descriptor)
            if name is not None:
                self._parameter_of.setdefault(source, name)

    def _parameter_of_gradient(self, descriptor: object) -> str | None:
        """The name of the parameter whose gradient `descriptor` describes, if it is one."""
        wanted = self._described(getattr(descriptor, "grad_of", None))
        is_gradient = type(descriptor).__name__ == "GradAOTOutput"
        return wanted.name if is_gradient and wanted and wanted.kind == "parameter" else None

    def _lower_outputs(self, node: Node) -> None:
        for source, descriptor in zip(node.args[0], node.meta["desc"], strict=True):
            value = self._values.get(source) if isinstance(source, Node) else None
            if value is None or descriptor is None:
                continue
            kind = type(descriptor).__name__
            if kind == "InputMutationAOTOutput":
                self._lower_mutation(value, self._described(descriptor.mutated_input))
                continue
            wanted = self._parameter_of_gradient(descriptor)
            if wanted is not None:
                self.step.gradients[wanted] = value
                gradient = source.meta["val"]
                if gradient.layout == torch.sparse_coo:
                    self.step.sparse_gradients[wanted] = gradient._values().numel()
            else:
                value[0].outputs[value[1]].keep = True

    def _lower_mutation(self, value: Value, target: StepInput | None) -> None:
        op, port = value
        variable = self.step.variables.get(target.name) if target else None
        if variable is not None:
            self.step.updated[variable.name] = value
        readers = [reader for reader in self.step.ops if (variable, 0) in reader.inputs]
        if variable is not None and readers == [op]:
            op.outputs[port].alias = op.inputs.index((variable, 0))
            self.step.colocated.append((variable, op))
        else:
            op.outputs[port].keep = True


def _set_work(op: Op, work: Work) -> None:
    op.flops, op.bytes_accessed = work.flops, work.bytes_accessed
    op.gemm, op.conv, op.attention = work.gemm, work.conv, work.attention


def _fusion_class(node: Node, name: str) -> str | None:
    known = OP_TYPES.get(name)
    if known is not None:
        return None if known.fusion_class == OPAQUE else known.fusion_class
    tags = getattr(node.target, "tags", ())
    if torch.Tag.pointwise in tags:
        return "elementwise"
    return "reduction" if torch.Tag.reduction in tags else None


def _convolution_type(node: Node) -> str:
    dimensions = node.args[1].meta["val"].dim() - 2
    return f"Conv{dimensions}D" + "Transpose" * bool(node.args[6])


def _first_path(inputs: list[Value]) -> str:
    """The path of the first input: for sums of the gradients of inputs, which have no module."""
    return inputs[0][0].name.rpartition("/")[0] if inputs else ""


def lower(trace: JointTrace) -> LoweredStep:
    """Returns the ops of `trace`, with gradients named but neither kept nor applied."""
    return _Lowering(trace).run()
