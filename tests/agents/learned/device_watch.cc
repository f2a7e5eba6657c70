#include "tests/agents/learned/device_watch.h"

#include <array>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace opyard::agents::testing {
namespace {

// A key that LibTorch keeps for tests: it comes before all that an operation does.
constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

void AddTensors(const c10::IValue& value, std::vector<torch::Tensor>& tensors) {
  if (value.isTensor() && value.toTensor().defined()) {
    tensors.push_back(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      AddTensors(item, tensors);
    }
  }
}

std::vector<torch::Tensor> Operands(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  std::vector<torch::Tensor> tensors;
  for (const c10::IValue& value : torch::jit::last(stack, op.schema().arguments().size())) {
    AddTensors(value, tensors);
  }
  return tensors;
}

void RequireOneDevice(const std::string& name, const std::vector<torch::Tensor>& operands) {
  std::set<std::string> devices;
  for (const torch::Tensor& tensor : operands) {
    if (!tensor.is_cpu() || tensor.dim() > 0) {
      devices.insert(tensor.device().str());
    }
  }
  if (devices.size() > 1) {
    throw std::runtime_error(name + " was given tensors of several devices");
  }
}

// Whether the operation moves what it is given to the CPU.
bool MovesToCpu(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const std::optional<int> position = op.schema().argumentIndexWithName("device");
  if (!position.has_value()) {
    return false;
  }
  const c10::IValue& device =
      torch::jit::peek(stack, static_cast<std::size_t>(*position), op.schema().arguments().size());
  return device.isDevice() && device.toDevice().is_cpu();
}

void Watch(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard unwatched(kKey);
  const std::string& name = op.schema().name();
  const std::vector<torch::Tensor> operands = Operands(op, *stack);
  if (name == "aten::to" || name == "aten::_to_copy" || name == "aten::copy_") {
    if (operands[0].is_meta() && MovesToCpu(op, *stack)) {
      torch::jit::peek(*stack, 0, op.schema().arguments().size()) =
          torch::zeros(operands[0].sizes(), operands[0].options().device(torch::kCPU));
    }
    op.callBoxed(stack);
    return;
  }
  RequireOneDevice(name, operands);
  const bool reads_meta = !operands.empty() && operands[0].is_meta();
  if (reads_meta && name == "aten::item") {
    torch::jit::drop(*stack, 1);
    stack->emplace_back(0.0);
  } else if (reads_meta && name == "aten::masked_select") {
    torch::jit::drop(*stack, 2);
    stack->emplace_back(operands[0].flatten());
  } else if (reads_meta && name == "aten::scaled_dot_product_attention") {
    torch::jit::drop(*stack, op.schema().arguments().size());
    stack->emplace_back(  // LibTorch's own stops at a softmax that it has not for this device
        operands[0].matmul(operands[1].transpose(-2, -1)).softmax(-1).matmul(operands[2]));
  } else {
    op.callBoxed(stack);
  }
}

// LibTorch has kernels for `meta` in C++ and in Python; these, of the operations that networks
// need, in Python alone.
constexpr std::array kWithoutKernel = {"embedding_dense_backward",
                                       "index_select",
                                       "logical_and_",
                                       "logical_not",
                                       "logical_or_",
                                       "native_layer_norm",
                                       "native_layer_norm_backward",
                                       "relu",
                                       "where.self"};

// Computes with zeros on the CPU, for the shapes of the results. What changes its first operand has
// nothing to do.
void ComputeShapes(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (op.schema().is_mutable()) {
    torch::jit::drop(*stack, op.schema().arguments().size() - 1);
    return;
  }
  for (std::size_t i = 0; i < op.schema().arguments().size(); ++i) {
    c10::IValue& value = torch::jit::peek(*stack, i, op.schema().arguments().size());
    if (value.isTensor() && value.toTensor().defined()) {
      value =
          torch::zeros(value.toTensor().sizes(), value.toTensor().options().device(torch::kCPU));
    }
  }
  op.callBoxed(stack);
  for (std::size_t i = 0; i < op.schema().returns().size(); ++i) {
    c10::IValue& value = torch::jit::peek(*stack, i, op.schema().returns().size());
    if (value.isTensor() && value.toTensor().defined()) {
      value = value.toTensor().to(torch::kMeta);
    }
  }
}

// Opens what LibTorch keeps to tensors themselves.
struct TensorParts : c10::TensorImpl {
  using c10::TensorImpl::copy_tensor_metadata;
};

}  // namespace

DeviceWatch::DeviceWatch()
    : fallback_(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__),
      kernels_(torch::Library::IMPL, "aten", c10::DispatchKey::Meta, __FILE__, __LINE__),
      watched_(kKey) {
  for (const char* const name : kWithoutKernel) {
    kernels_.impl(name, torch::CppFunction::makeFromBoxedFunction<&ComputeShapes>());
  }
  fallback_.fallback(torch::CppFunction::makeFromBoxedFunction<&Watch>());
}

void MoveToMeta(const torch::nn::Module& module) {
  for (const torch::Tensor& parameter : module.parameters()) {
    const torch::Tensor moved = parameter.detach().to(torch::kMeta);
    c10::TensorImpl* const parts = parameter.unsafeGetTensorImpl();
    TensorParts::copy_tensor_metadata(moved.unsafeGetTensorImpl(),
                                      parts,
                                      parts->version_counter(),
                                      /*allow_tensor_metadata_change=*/true);
  }
}

}  // namespace opyard::agents::testing
