"""Names of ATen ops in the words of the field, with their arithmetic per element.

One table. Columns: the ATen op; the type written to the graph; its fusion class
(docs/formats.md, "Graph"); floating-point operations per element; which elements
count: those of output 0 ("out") or of input 0 ("in"). A fused multiply-add
counts 2; exp, log, sqrt and a division count 1. Matrix products, convolutions,
attention and pooling have rules of their own in `flops.py`. An ATen op that is
not listed keeps its ATen name; if ATen tags it as pointwise or as a reduction
it counts 1 per element, else 0.
"""

from __future__ import annotations

from dataclasses import dataclass

OPAQUE = "opaque"


@dataclass(frozen=True)
class OpType:
    """What the graph says about all ops of one ATen name."""

    type: str
    fusion_class: str
    flops_per_element: int = 0
    elements: str = "out"


_ROWS: tuple[tuple[str, str, str, int, str], ...] = (
    # Matrix products and convolutions.
    ("mm", "MatMul", "heavy", 0, "out"),
    ("mv", "MatMul", "heavy", 0, "out"),
    ("addmm", "MatMul", "heavy", 0, "out"),
    ("bmm", "BatchMatMul", "heavy", 0, "out"),
    ("baddbmm", "BatchMatMul", "heavy", 0, "out"),
    ("convolution", "Conv2D", "heavy", 0, "out"),
    ("_scaled_dot_product_flash_attention_for_cpu", "Attention", "heavy", 0, "out"),
    ("_scaled_dot_product_flash_attention_for_cpu_backward", "AttentionGrad", "heavy", 0, "out"),
    # Arithmetic, one element at a time.
    ("add", "Add", "elementwise", 1, "out"),
    ("sub", "Sub", "elementwise", 1, "out"),
    ("rsub", "Sub", "elementwise", 1, "out"),
    ("mul", "Mul", "elementwise", 1, "out"),
    ("div", "Div", "elementwise", 1, "out"),
    ("addcmul", "Addcmul", "elementwise", 3, "out"),
    ("addcdiv", "Addcdiv", "elementwise", 3, "out"),
    ("neg", "Neg", "elementwise", 1, "out"),
    ("abs", "Abs", "elementwise", 1, "out"),
    ("exp", "Exp", "elementwise", 1, "out"),
    ("log", "Log", "elementwise", 1, "out"),
    ("sqrt", "Sqrt", "elementwise", 1, "out"),
    ("rsqrt", "Rsqrt", "elementwise", 1, "out"),
    ("pow", "Pow", "elementwise", 1, "out"),
    ("maximum", "Maximum", "elementwise", 1, "out"),
    ("minimum", "Minimum", "elementwise", 1, "out"),
    ("clamp", "Clamp", "elementwise", 2, "out"),
    ("where", "Select", "elementwise", 0, "out"),
    ("masked_fill", "Select", "elementwise", 0, "out"),
    ("eq", "Equal", "elementwise", 0, "out"),
    ("ne", "NotEqual", "elementwise", 0, "out"),
    ("gt", "Greater", "elementwise", 0, "out"),
    ("ge", "GreaterEqual", "elementwise", 0, "out"),
    ("lt", "Less", "elementwise", 0, "out"),
    ("le", "LessEqual", "elementwise", 0, "out"),
    ("_to_copy", "Cast", "elementwise", 0, "out"),
    # Activations: sigmoid = neg, exp, add, div; its gradient dy·y·(1−y).
    ("relu", "Relu", "elementwise", 1, "out"),
    ("threshold_backward", "ReluGrad", "elementwise", 1, "out"),
    ("leaky_relu", "LeakyRelu", "elementwise", 2, "out"),
    ("leaky_relu_backward", "LeakyReluGrad", "elementwise", 2, "out"),
    ("hardtanh", "Relu6", "elementwise", 2, "out"),
    ("hardtanh_backward", "Relu6Grad", "elementwise", 2, "out"),
    ("sigmoid", "Sigmoid", "elementwise", 4, "out"),
    ("sigmoid_backward", "SigmoidGrad", "elementwise", 3, "out"),
    ("tanh", "Tanh", "elementwise", 5, "out"),
    ("tanh_backward", "TanhGrad", "elementwise", 3, "out"),
    ("gelu", "Gelu", "elementwise", 8, "out"),
    ("gelu_backward", "GeluGrad", "elementwise", 14, "out"),
    ("silu", "Silu", "elementwise", 5, "out"),
    ("silu_backward", "SiluGrad", "elementwise", 8, "out"),
    ("native_dropout", "Dropout", "elementwise", 2, "out"),
    ("native_dropout_backward", "DropoutGrad", "elementwise", 2, "out"),
    # Normalisation in training: mean 1, variance 3, normalise 2, scale and shift 2.
    ("_native_batch_norm_legit_functional", "BatchNorm", "reduction", 8, "in"),
    ("native_batch_norm_backward", "BatchNormGrad", "reduction", 11, "in"),
    ("native_layer_norm", "LayerNorm", "reduction", 8, "in"),
    ("native_layer_norm_backward", "LayerNormGrad", "reduction", 11, "in"),
    ("native_group_norm", "GroupNorm", "reduction", 8, "in"),
    ("native_group_norm_backward", "GroupNormGrad", "reduction", 11, "in"),
    # Softmax: max, subtract, exp, sum, divide; its gradient: multiply, sum, subtract, multiply.
    ("_softmax", "Softmax", "reduction", 5, "in"),
    ("_safe_softmax", "Softmax", "reduction", 5, "in"),
    ("_softmax_backward_data", "SoftmaxGrad", "reduction", 4, "in"),
    ("_log_softmax", "LogSoftmax", "reduction", 5, "in"),
    ("_log_softmax_backward_data", "LogSoftmaxGrad", "reduction", 4, "in"),
    ("nll_loss_forward", "NllLoss", "reduction", 2, "out"),
    ("nll_loss_backward", "NllLossGrad", "elementwise", 0, "out"),
    ("mse_loss", "MseLoss", "reduction", 3, "in"),
    ("mse_loss_backward", "MseLossGrad", "elementwise", 3, "out"),
    # Reductions.
    ("sum", "Sum", "reduction", 1, "in"),
    ("mean", "Mean", "reduction", 1, "in"),
    ("logsumexp", "LogSumExp", "reduction", 3, "in"),
    ("amax", "Max", "reduction", 1, "in"),
    ("max", "Max", "reduction", 1, "in"),
    ("argmax", "ArgMax", "reduction", 1, "in"),
    ("cumsum", "CumSum", "reduction", 1, "in"),
    # Pooling; the windows are counted in flops.py.
    ("max_pool2d_with_indices", "MaxPool", OPAQUE, 0, "out"),
    ("max_pool2d_with_indices_backward", "MaxPoolGrad", OPAQUE, 1, "in"),
    ("avg_pool2d", "AvgPool", OPAQUE, 0, "out"),
    ("avg_pool2d_backward", "AvgPoolGrad", OPAQUE, 0, "out"),
    ("_adaptive_avg_pool2d", "AvgPool", OPAQUE, 1, "in"),
    ("_adaptive_avg_pool2d_backward", "AvgPoolGrad", OPAQUE, 1, "out"),
    # Tables.
    ("embedding", "Gather", OPAQUE, 0, "out"),
    ("embedding_dense_backward", "ScatterAdd", OPAQUE, 1, "in"),
    ("index", "Gather", OPAQUE, 0, "out"),
    ("gather", "Gather", OPAQUE, 0, "out"),
    ("index_put", "Scatter", OPAQUE, 0, "out"),
    ("scatter", "Scatter", OPAQUE, 0, "out"),
    ("scatter_add", "ScatterAdd", OPAQUE, 1, "out"),
    # Movement of data.
    ("cat", "Concat", "reshape", 0, "out"),
    ("stack", "Stack", "reshape", 0, "out"),
    ("clone", "Copy", "reshape", 0, "out"),
    ("copy", "Copy", "reshape", 0, "out"),
    ("lift_fresh_copy", "Copy", "reshape", 0, "out"),
    ("constant_pad_nd", "Pad", "reshape", 0, "out"),
    ("repeat", "Tile", "broadcast", 0, "out"),
    ("select_backward", "SliceGrad", "reshape", 0, "out"),
    ("slice_backward", "SliceGrad", "reshape", 0, "out"),
    ("select_scatter", "SliceUpdate", "reshape", 0, "out"),
    ("slice_scatter", "SliceUpdate", "reshape", 0, "out"),
    # Views: no arithmetic, no traffic.
    ("view", "Reshape", "reshape", 0, "out"),
    ("_unsafe_view", "Reshape", "reshape", 0, "out"),
    ("squeeze", "Reshape", "reshape", 0, "out"),
    ("unsqueeze", "Reshape", "reshape", 0, "out"),
    ("t", "Transpose", "reshape", 0, "out"),
    ("transpose", "Transpose", "reshape", 0, "out"),
    ("permute", "Transpose", "reshape", 0, "out"),
    ("select", "Slice", "reshape", 0, "out"),
    ("slice", "Slice", "reshape", 0, "out"),
    ("as_strided", "Slice", "reshape", 0, "out"),
    ("split", "Split", "reshape", 0, "out"),
    ("split_with_sizes", "Split", "reshape", 0, "out"),
    ("unsafe_split", "Split", "reshape", 0, "out"),
    ("unbind", "Split", "reshape", 0, "out"),
    ("expand", "Expand", "broadcast", 0, "out"),
    # Constants and random numbers.
    ("full", "Fill", "broadcast", 0, "out"),
    ("full_like", "Fill", "broadcast", 0, "out"),
    ("zeros", "Fill", "broadcast", 0, "out"),
    ("zeros_like", "Fill", "broadcast", 0, "out"),
    ("ones", "Fill", "broadcast", 0, "out"),
    ("ones_like", "Fill", "broadcast", 0, "out"),
    ("new_zeros", "Fill", "broadcast", 0, "out"),
    ("scalar_tensor", "Fill", "broadcast", 0, "out"),
    ("empty", "Empty", OPAQUE, 0, "out"),
    ("empty_like", "Empty", OPAQUE, 0, "out"),
    ("empty_strided", "Empty", OPAQUE, 0, "out"),
    ("new_empty", "Empty", OPAQUE, 0, "out"),
    ("new_empty_strided", "Empty", OPAQUE, 0, "out"),
    ("arange", "Range", OPAQUE, 0, "out"),
    ("bernoulli", "RandomUniform", OPAQUE, 0, "out"),
    ("rand", "RandomUniform", OPAQUE, 0, "out"),
)

OP_TYPES: dict[str, OpType] = {name: OpType(*rest) for name, *rest in _ROWS}
