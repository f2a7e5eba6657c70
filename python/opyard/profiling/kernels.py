"""The calls of PyTorch behind the cases of `opyard profile measure`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from opyard.profiling.cases import ROW
from opyard.profiling.rows import Case
from opyard.profiling.timing import Call

_TORCH_TYPES = {
    **{"f64": torch.float64, "f32": torch.float32, "tf32": torch.float32},
    **{"f16": torch.float16, "bf16": torch.bfloat16, "f8": torch.float8_e4m3fn},
}
_RECURRENT = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_vanilla": torch.nn.RNN}
_VOCABULARY = 32_000


class CannotRunError(Exception):
    """This case does not run on this device; the message says why."""


class Kernels:
    """Makes the call of a case, its tensors included.

    Args:
        device: Where the kernels run.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._compiled: dict[str, Callable[..., torch.Tensor]] = {}
        self._compiling_problem = ""
        if device.type == "cuda":
            torch.backends.cudnn.benchmark = True

    def prepare(self, case: Case) -> Call:
        """The call of `case`, other than a launch, whose tensors are there.

        Raises:
            CannotRunError: Kernels are not fused here.
            Exception: What PyTorch says of types or sizes that do not run here.
        """
        allows_tf32 = case.dtype == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = allows_tf32
        torch.backends.cudnn.allow_tf32 = allows_tf32
        makers: dict[str, Callable[[Case], Call]] = {
            "gemm": self._gemm,
            "conv2d": self._convolution,
            "attention": self._attention,
            "copy": self._copy,
            "triad": self._triad,
            "copy_h2d": self._copy_between,
            "copy_d2h": self._copy_between,
            "copy_peer": self._copy_between,
            "unfused": self._pair,
            "fused": self._pair,
            **dict.fromkeys(_RECURRENT, self._recurrent),
        }
        return makers.get(case.op, self._elementwise)(case)

    def _random(self, case: Case, *shape: int, **more: Any) -> torch.Tensor:
        dtype = _TORCH_TYPES[case.dtype]
        if case.dtype == "f8":
            return torch.rand(shape, device=self._device).to(dtype)
        return torch.rand(shape, dtype=dtype, device=self._device, **more)

    def _gemm(self, case: Case) -> Call:
        if case.dtype == "f8":
            return self._scaled_product(case)
        batch = (case["batch"],) if case.text("batch") else ()
        left = self._operand(case, batch, case["M"], case["K"], case.text("transA"))
        right = self._operand(case, batch, case["K"], case["N"], case.text("transB"))
        out = torch.matmul(left, right)
        return lambda: torch.matmul(left, right, out=out)

    def _operand(
        self, case: Case, batch: Sequence[int], rows: int, columns: int, way: str
    ) -> torch.Tensor:
        if way == "T":
            return self._random(case, *batch, columns, rows).transpose(-1, -2)
        return self._random(case, *batch, rows, columns)

    def _scaled_product(self, case: Case) -> Call:
        """A product of 8-bit numbers, for which the right operand lies by columns."""
        left = self._random(case, case["M"], case["K"])
        right = self._random(case, case["N"], case["K"]).t()
        one = torch.ones((), device=self._device)
        return lambda: torch._scaled_mm(
            left, right, scale_a=one, scale_b=one, out_dtype=torch.bfloat16
        )

    def _convolution(self, case: Case) -> Call:
        image = self._random(case, case["N"], case["C"], case["H"], case["W"])
        weight = self._random(case, case["K"], case["C"] // case["groups"], case["R"], case["S"])
        stride = [case["stride_h"], case["stride_w"]]
        padding = [case["pad_h"], case["pad_w"]]
        groups = case["groups"]
        if case.pass_ == "fwd":
            return lambda: functional.conv2d(image, weight, None, stride, padding, 1, groups)
        gradient = torch.ones_like(
            functional.conv2d(image, weight, None, stride, padding, 1, groups)
        )
        wanted = [case.pass_ == "bwd_data", case.pass_ == "bwd_weight", False]
        backward = torch.ops.aten.convolution_backward
        return lambda: backward(
            *(gradient, image, weight, None, stride, padding, [1, 1]),
            *(False, [0, 0], groups, wanted),
        )

    def _recurrent(self, case: Case) -> Call:
        hidden = case["hidden"]
        layer = _RECURRENT[case.op](
            hidden, hidden, device=self._device, dtype=_TORCH_TYPES[case.dtype]
        )
        steps = self._random(case, case["timesteps"], case["batch"], hidden, requires_grad=True)
        if case.pass_ == "fwd":
            return lambda: layer(steps)
        return _backward(layer(steps)[0], [steps, *layer.parameters()])

    def _attention(self, case: Case) -> Call:
        heads = (case["batch"], case["heads"])
        query = self._random(case, *heads, case["seq_q"], case["head_dim"], requires_grad=True)
        key, value = (
            self._random(case, *heads, case["seq_kv"], case["head_dim"], requires_grad=True)
            for _ in range(2)
        )
        attend = functional.scaled_dot_product_attention
        if case.pass_ == "fwd":
            return lambda: attend(query, key, value)
        return _backward(attend(query, key, value), [query, key, value])

    def _copy(self, case: Case) -> Call:
        source = self._random(case, case["elements"])
        target = torch.empty_like(source)
        return lambda: target.copy_(source)

    def _triad(self, case: Case) -> Call:
        first, second = (self._random(case, case["elements"]) for _ in range(2))
        target = torch.empty_like(first)
        return lambda: torch.add(first, second, alpha=3, out=target)

    def _copy_between(self, case: Case) -> Call:
        here = torch.empty(case["bytes"], dtype=torch.uint8, device=self._device)
        if case.op == "copy_peer":
            there = torch.empty_like(here, device=case.text("peer"))
        else:
            there = torch.empty(case["bytes"], dtype=torch.uint8, pin_memory=True)
        source, target = (there, here) if case.op == "copy_h2d" else (here, there)
        return lambda: target.copy_(source, non_blocking=True)

    def _elementwise(self, case: Case) -> Call:
        x = self._random(case, max(1, case["elements"] // ROW), min(ROW, case["elements"]))
        y = self._random(case, *x.shape)
        if case.op == "embedding":
            table = self._random(case, _VOCABULARY, ROW)
            index = torch.randint(_VOCABULARY, (len(x),), device=self._device)
            return lambda: functional.embedding(index, table)
        if case.op == "batch_norm":
            images = x.reshape(-1, 64, 4, 4)
            return lambda: functional.batch_norm(images, None, None, training=True)
        calls: dict[str, Call] = {
            "add": lambda: torch.add(x, y),
            "mul": lambda: torch.mul(x, y),
            "relu": lambda: torch.relu(x),
            "gelu": lambda: functional.gelu(x),
            "tanh": lambda: torch.tanh(x),
            "sum": lambda: torch.sum(x),
            "softmax": lambda: torch.softmax(x, -1),
            "layer_norm": lambda: functional.layer_norm(x, x.shape[-1:]),
            "transpose": lambda: x.t().contiguous(),
        }
        return calls[case.op]

    def _pair(self, case: Case) -> Call:
        x, y, z = (self._random(case, case["elements"]) for _ in range(3))
        function = _PAIR_FUNCTIONS[case.text("kernels")]
        if case.op == "unfused":
            return lambda: function(x, y, z)
        return self._compiled_call(case.text("kernels"), x, y, z)

    def _compiled_call(self, kernels: str, *tensors: torch.Tensor) -> Call:
        """The call of a fused pair, which is compiled once for all sizes."""
        if self._compiling_problem:
            raise CannotRunError(self._compiling_problem)
        try:
            if kernels not in self._compiled:
                function = _PAIR_FUNCTIONS[kernels]
                self._compiled[kernels] = torch.compile(function, fullgraph=True, dynamic=True)
            fused = self._compiled[kernels]
            fused(*tensors)
        except Exception as error:
            self._compiling_problem = f"torch.compile: {_first_line(error)}"
            raise CannotRunError(self._compiling_problem) from error
        return lambda: fused(*tensors)


def _backward(output: torch.Tensor, inputs: Sequence[torch.Tensor]) -> Call:
    gradient = torch.ones_like(output)
    return lambda: torch.autograd.grad(output, inputs, gradient, retain_graph=True)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


_PAIR_FUNCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    "add+relu": lambda x, y, z: torch.relu(x + y),
    "mul+add": lambda x, y, z: x * y + z,
    "gelu+mul": lambda x, y, z: functional.gelu(x) * y,
}
