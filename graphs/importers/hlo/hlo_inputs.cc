// The members of HloExpansion that lower what is there before a step begins: parameters, constants.
#include "graphs/importers/hlo/hlo_expansion.h"
#include "graphs/importers/hlo/hlo_scalar.h"

namespace opyard::graphs {
namespace {

constexpr Bytes kLargestFolded{1024};

// Token and opaque results have an extent of 0.
Bytes SizeOf(const HloInstruction& instruction) {
  Bytes sum;
  for (const TensorType& tensor : instruction.type.tensors) {
    sum += BytesOf(tensor);
  }
  return sum;
}

}  // namespace

// Parameters of ENTRY are there before the step begins; those of others are what calls pass.
void HloExpansion::LowerParameter(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  if (&frame.computation == &module_.computations[module_.entry]) {
    AddParameter(frame, i);
    for (std::size_t t = 0; t < instruction.type.tensors.size(); ++t) {
      const std::size_t first = ops_.size() - instruction.type.tensors.size();
      frame.values[i].push_back({.op = static_cast<std::int64_t>(first + t)});
    }
    return;
  }
  const std::size_t number = ParameterNumber(instruction).value_or(0);
  if (number >= frame.arguments.size()) {
    Refuse(instruction,
           "the parameter " + std::to_string(number),
           "one of the " + std::to_string(frame.arguments.size()) + " that it is called with");
  }
  frame.values[i] = *frame.arguments[number];
  NeedTensors(instruction, frame.values[i].size(), instruction.type.tensors.size());
}

// One op for each tensor, so that each can be placed by itself.
void HloExpansion::AddParameter(const Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const std::size_t number = ParameterNumber(instruction).value_or(0);
  if (number >= frame.computation.instructions.size()) {
    Refuse(instruction,
           "the parameter " + std::to_string(number),
           "a number below that of the instructions");
  }
  const std::vector<TensorType>& tensors = instruction.type.tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const bool is_state = state_.Holds(number, t);
    sim::OpSpec op{.name = NameOf(frame, i) + (tensors.size() > 1 ? "/" + std::to_string(t) : ""),
                   .type = is_state ? "Variable" : "Placeholder"};
    op.outputs.push_back(OutputOf(tensors[t]));
    op.dtype = tensors[t].dtype;
    op.bytes_accessed = Bytes{};
    if (is_state) {
      op.param_bytes = op.outputs[0].bytes;
      op.outputs[0].alias = sim::Alias::kParams;
    }
    if (is_state && !state_.is_stated()) {
      summary_.unknown.Add("role of a parameter: the root gives it back, taken as a Variable",
                           op.name);
    }
    AddOp(frame.scope, std::move(op));
  }
}

void HloExpansion::LowerConstant(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  HloValues& values = frame.values[i];
  if (SizeOf(instruction) <= kLargestFolded) {
    summary_.folded.Add("constant up to 1 KiB", instruction.name);
    values.resize(instruction.type.tensors.size());
    if (values.size() == 1) {
      values[0].number = FoldScalar(instruction, {});
    }
    return;
  }
  HloValues& made = constants_[&instruction];
  if (made.empty()) {
    sim::OpSpec op{.name = NameOf(frame, i), .type = "Const"};
    for (const TensorType& tensor : instruction.type.tensors) {
      made.push_back({.op = static_cast<std::int64_t>(ops_.size()),
                      .output = static_cast<std::int32_t>(op.outputs.size())});
      op.outputs.push_back(OutputOf(tensor));
      op.outputs.back().alias = sim::Alias::kParams;
    }
    op.dtype = op.outputs[0].dtype;
    op.bytes_accessed = Bytes{};
    op.param_bytes = SizeOf(instruction);
    AddOp({}, std::move(op));  // NameOf holds the prefix
  }
  values = made;
}

}  // namespace opyard::graphs
