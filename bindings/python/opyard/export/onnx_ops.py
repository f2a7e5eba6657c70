"""Names of ONNX ops in the words of the field, with their arithmetic per element.

One table, as `op_types.py` is for ATen; a multiply-add counts 2, exp, log, sqrt
and a division 1. Products, convolutions, recurrent layers and pooling have
rules of their own in `onnx_work.py`. An op that is not listed keeps its name,
is opaque for fusion and counts 1 per element of its outputs; the importer's
summary names it.
"""

from __future__ import annotations

from opyard.export.op_types import OPAQUE, OpType

_ROWS: tuple[tuple[str, str, str, int, str], ...] = (
    # Products and layers with rules of their own.
    ("Gemm", "MatMul", "heavy", 0, "out"),
    ("MatMul", "MatMul", "heavy", 0, "out"),
    ("Conv", "Conv2D", "heavy", 0, "out"),
    ("ConvTranspose", "Conv2DTranspose", "heavy", 0, "out"),
    ("LSTM", "LSTM", "heavy", 0, "out"),
    ("GRU", "GRU", "heavy", 0, "out"),
    ("RNN", "RNN", "heavy", 0, "out"),
    # Arithmetic, one element at a time.
    ("Add", "Add", "elementwise", 1, "out"),
    ("Sum", "Add", "elementwise", 1, "out"),  # times its inputs less one
    ("Sub", "Sub", "elementwise", 1, "out"),
    ("Mul", "Mul", "elementwise", 1, "out"),
    ("Div", "Div", "elementwise", 1, "out"),
    ("Neg", "Neg", "elementwise", 1, "out"),
    ("Abs", "Abs", "elementwise", 1, "out"),
    ("Exp", "Exp", "elementwise", 1, "out"),
    ("Log", "Log", "elementwise", 1, "out"),
    ("Sqrt", "Sqrt", "elementwise", 1, "out"),
    ("Reciprocal", "Reciprocal", "elementwise", 1, "out"),
    ("Pow", "Pow", "elementwise", 1, "out"),
    ("Max", "Maximum", "elementwise", 1, "out"),
    ("Min", "Minimum", "elementwise", 1, "out"),
    ("Clip", "Clip", "elementwise", 2, "out"),
    ("Erf", "Erf", "elementwise", 8, "out"),
    ("Floor", "Floor", "elementwise", 1, "out"),
    ("Where", "Select", "elementwise", 0, "out"),
    ("Equal", "Equal", "elementwise", 0, "out"),
    ("Greater", "Greater", "elementwise", 0, "out"),
    ("Less", "Less", "elementwise", 0, "out"),
    ("Not", "LogicalNot", "elementwise", 0, "out"),
    ("And", "LogicalAnd", "elementwise", 0, "out"),
    ("Cast", "Cast", "elementwise", 0, "out"),
    # Activations: sigmoid = neg, exp, add, div.
    ("Relu", "Relu", "elementwise", 1, "out"),
    ("LeakyRelu", "LeakyRelu", "elementwise", 2, "out"),
    ("PRelu", "PRelu", "elementwise", 2, "out"),
    ("Elu", "Elu", "elementwise", 3, "out"),
    ("HardSigmoid", "HardSigmoid", "elementwise", 4, "out"),
    ("HardSwish", "HardSwish", "elementwise", 5, "out"),
    ("Sigmoid", "Sigmoid", "elementwise", 4, "out"),
    ("Tanh", "Tanh", "elementwise", 5, "out"),
    ("Gelu", "Gelu", "elementwise", 8, "out"),
    ("Softplus", "Softplus", "elementwise", 3, "out"),
    # Normalisation: at inference a batch norm scales and shifts.
    ("BatchNormalization", "BatchNorm", "elementwise", 2, "out"),
    ("LayerNormalization", "LayerNorm", "reduction", 8, "in"),
    ("InstanceNormalization", "InstanceNorm", "reduction", 8, "in"),
    ("GroupNormalization", "GroupNorm", "reduction", 8, "in"),
    ("Softmax", "Softmax", "reduction", 5, "in"),
    ("LogSoftmax", "LogSoftmax", "reduction", 5, "in"),
    # Reductions.
    ("ReduceSum", "Sum", "reduction", 1, "in"),
    ("ReduceMean", "Mean", "reduction", 1, "in"),
    ("ReduceMax", "Max", "reduction", 1, "in"),
    ("ReduceMin", "Min", "reduction", 1, "in"),
    ("ReduceL2", "Norm", "reduction", 2, "in"),
    ("ArgMax", "ArgMax", "reduction", 1, "in"),
    ("CumSum", "CumSum", "reduction", 1, "in"),
    # Pooling; the windows are counted in onnx_work.py.
    ("MaxPool", "MaxPool", OPAQUE, 0, "out"),
    ("AveragePool", "AvgPool", OPAQUE, 0, "out"),
    ("GlobalAveragePool", "AvgPool", OPAQUE, 1, "in"),
    ("GlobalMaxPool", "MaxPool", OPAQUE, 1, "in"),
    ("LRN", "LRN", OPAQUE, 0, "out"),
    # Tables.
    ("Gather", "Gather", OPAQUE, 0, "out"),
    ("GatherElements", "Gather", OPAQUE, 0, "out"),
    ("GatherND", "Gather", OPAQUE, 0, "out"),
    ("ScatterND", "Scatter", OPAQUE, 0, "out"),
    ("OneHot", "OneHot", OPAQUE, 0, "out"),
    ("TopK", "TopK", OPAQUE, 1, "in"),
    # Movement of data.
    ("Concat", "Concat", "reshape", 0, "out"),
    ("Split", "Split", "reshape", 0, "out"),
    ("Slice", "Slice", "reshape", 0, "out"),
    ("Pad", "Pad", "reshape", 0, "out"),
    ("Transpose", "Transpose", "reshape", 0, "out"),
    ("Expand", "Expand", "broadcast", 0, "out"),
    ("Tile", "Tile", "broadcast", 0, "out"),
    ("DepthToSpace", "DepthToSpace", "reshape", 0, "out"),
    ("SpaceToDepth", "SpaceToDepth", "reshape", 0, "out"),
    ("Resize", "Resize", OPAQUE, 1, "out"),
    ("Upsample", "Resize", OPAQUE, 1, "out"),
    # Views: no arithmetic, no traffic.
    ("Reshape", "Reshape", "reshape", 0, "out"),
    ("Flatten", "Reshape", "reshape", 0, "out"),
    ("Squeeze", "Reshape", "reshape", 0, "out"),
    ("Unsqueeze", "Reshape", "reshape", 0, "out"),
    # Shapes and constants.
    ("Shape", "Shape", OPAQUE, 0, "out"),
    ("Size", "Size", OPAQUE, 0, "out"),
    ("Range", "Range", OPAQUE, 0, "out"),
    ("ConstantOfShape", "Fill", "broadcast", 0, "out"),
    ("Constant", "Const", OPAQUE, 0, "out"),
)

ONNX_OPS: dict[str, OpType] = {name: OpType(*rest) for name, *rest in _ROWS}
VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})
# At inference these hand on their first input.
IDENTITIES = frozenset({"Identity", "Dropout"})
