#include "graphs/importers/hlo/hlo_call.h"

namespace opyard::graphs {
namespace {

constexpr std::string_view kStart = "-start";

// Kernels of libraries whose last result, bytes without an axis but one, is their scratch.
bool ListsWorkspace(const HloCall& call) {
  const HloType& type = call.instruction.type;
  const std::string_view target = call.target();
  if (!target.starts_with("__cu") && !target.starts_with("cu")) {
    return false;
  }
  return type.tensors.size() > 1 && type.tensors.back().shape.size() == 1 &&
         (type.tensors.back().dtype == sim::DType::kU8 ||
          type.tensors.back().dtype == sim::DType::kI8);
}

}  // namespace

std::string_view HloCall::opcode() const {
  const std::string_view opcode = instruction.opcode;
  return opcode.ends_with(kStart) ? opcode.substr(0, opcode.size() - kStart.size()) : opcode;
}

std::string_view HloCall::target() const {
  return opcode() == "custom-call" ? WithoutQuotes(Attribute("custom_call_target")) : "";
}

TensorRange HloCall::made() const {
  const HloType& type = instruction.type;
  const TensorRange all{0, type.tensors.size()};
  const std::string_view name = opcode();
  if (name == "send") {
    return {0, 0};
  }
  if (name == "recv" || name == "infeed") {  // the data, then a token
    return TensorsOfElement(type, 0).value_or(all);
  }
  const bool is_pair =
      instruction.opcode.ends_with(kStart) || instruction.opcode.ends_with("-update");
  if (!is_pair || name == "all-reduce" || !type.is_tuple) {
    return {0, all.count - (ListsWorkspace(*this) ? 1 : 0)};
  }
  return TensorsOfElement(type, name == "copy" ? 0 : 1).value_or(all);
}

Bytes HloCall::workspace() const {
  return ListsWorkspace(*this) ? BytesOf(instruction.type.tensors.back()) : Bytes{};
}

const TensorType* HloCall::Operand(std::size_t index) const {
  if (index >= instruction.operands.size()) {
    return nullptr;
  }
  const HloInstruction& source = computation.instructions[instruction.operands[index]];
  return source.type.tensors.size() == 1 ? source.type.tensors.data() : nullptr;
}

const TensorType* HloCall::Result() const {
  const TensorRange range = made();
  return range.count == 0 ? nullptr : instruction.type.tensors.data() + range.first;
}

std::string_view HloCall::Attribute(std::string_view key) const {
  return FindAttribute(instruction.attributes, key).value_or("");
}

bool IsFloating(sim::DType dtype) {
  return dtype <= sim::DType::kF4;
}

}  // namespace opyard::graphs
