#include "graphs/importers/hlo/hlo_expansion.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "graphs/importers/hlo/hlo_custom_calls.h"
#include "graphs/importers/hlo/hlo_scalar.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostOpened = kMostImportedNodes;
constexpr std::size_t kMostInputs = std::size_t{1} << 23U;

// Instructions whose value is that of their first operand.
bool NamesItsOperand(const HloInstruction& instruction, std::string_view target) {
  const std::string_view opcode = instruction.opcode;
  return opcode == "opt-barrier" || opcode == "optimization-barrier" || opcode == "domain" ||
         opcode == "add-dependency" || opcode == "set-dimension-size" ||
         opcode.ends_with("-update") || IsAnnotation(target);
}

// Instructions whose value is known to the device, or is none.
bool IsNothing(std::string_view opcode, std::string_view target) {
  return opcode == "after-all" || opcode == "partition-id" || opcode == "replica-id" ||
         opcode == "get-dimension-size" || target.starts_with("NopReturn");
}

// Names that occur again get a number: those of the file itself may hold any signs.
void MakeNamesUnique(std::vector<sim::OpSpec>& ops) {
  std::unordered_set<std::string> taken;
  for (sim::OpSpec& op : ops) {
    const std::string name = op.name;
    for (std::size_t i = 2; !taken.insert(op.name).second; ++i) {
      op.name = name + "#" + std::to_string(i);
    }
  }
}

}  // namespace

HloExpansion::HloExpansion(const std::string& place,
                           const HloModule& module,
                           std::int64_t most_trips,
                           ImportSummary& summary)
    : place_(place),
      module_(module),
      most_trips_(most_trips),
      summary_(summary),
      costs_(module, place),
      state_(module, place),
      maker_(module, costs_),
      left_(kMostOpened) {}

std::vector<sim::OpSpec> HloExpansion::Run() {
  CheckSizes();
  const HloScope scope{.budget = kMostOpened};
  const HloComputation& entry = module_.computations[module_.entry];
  for (const HloValue& value : Lower(entry, {}, scope)) {
    if (!value.is_folded()) {
      ops_[static_cast<std::size_t>(value.op)]
          .outputs[static_cast<std::size_t>(value.output)]
          .keep = true;
    }
  }
  UpdateInPlace(updates_, ops_);
  MakeNamesUnique(ops_);
  return std::move(ops_);
}

// All results together stay far below int64.
void HloExpansion::CheckSizes() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  std::int64_t sum = 0;
  for (const HloComputation& computation : module_.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      for (const TensorType& tensor : instruction.type.tensors) {
        if (__builtin_add_overflow(sum, BytesOf(tensor).count, &sum) || sum > kMost) {
          throw InputError(place_ +
                           ": found results of more bytes than int64 holds together, "
                           "expected less");
        }
      }
    }
  }
}

HloValues HloExpansion::Lower(const HloComputation& computation,
                              const std::vector<const HloValues*>& arguments,
                              const HloScope& scope) {
  Frame frame{computation, arguments, scope, {}};
  frame.values.resize(computation.instructions.size());
  for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
    LowerInstruction(frame, i);
  }
  return std::move(frame.values[computation.root]);
}

void HloExpansion::LowerInstruction(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  if (instruction.opcode == "parameter") {
    LowerParameter(frame, i);
  } else if (!LowerWithoutOp(frame, i) && !LowerCalls(frame, i)) {
    LowerOp(frame, i);
  }
}

bool HloExpansion::LowerWithoutOp(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const std::string_view opcode = instruction.opcode;
  const std::string_view target = HloCall{frame.computation, instruction}.target();
  if (opcode == "tuple") {
    LowerTuple(frame, i);
  } else if (opcode == "get-tuple-element") {
    LowerSelection(frame, i);
  } else if (opcode == "constant") {
    LowerConstant(frame, i);
  } else if (opcode.ends_with("-done")) {
    LowerDone(frame, i);
  } else if (NamesItsOperand(instruction, target) && !instruction.operands.empty()) {
    summary_.folded.Add(target.empty() ? opcode : target, instruction.name);
    frame.values[i] = frame.values[instruction.operands[0]];
    NeedTensors(instruction, frame.values[i].size(), instruction.type.tensors.size());
  } else if (IsNothing(opcode, target)) {
    summary_.folded.Add(target.empty() ? opcode : target, instruction.name);
    frame.values[i].resize(instruction.type.tensors.size());
  } else {
    return LowerScalar(frame, i);
  }
  return true;
}

bool HloExpansion::LowerCalls(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const std::string_view opcode = instruction.opcode;
  const bool is_loop = opcode == "while" && instruction.called.size() == 2;
  const bool is_conditional = opcode == "conditional" && !instruction.called.empty();
  const bool is_call = (opcode == "call" || opcode == "call-start" || opcode == "async-start") &&
                       instruction.called.size() == 1;
  if (!is_loop && !is_conditional && !is_call) {
    return false;
  }
  if (!std::ranges::all_of(instruction.called,
                           [&](std::size_t called) { return Fits(frame, called, 1); })) {
    summary_.unknown.Add("call too large to be opened: one op with the work of all of it",
                         instruction.name);
    return false;
  }
  if (is_loop) {
    OpenLoop(frame, i);
  } else if (is_conditional) {
    OpenConditional(frame, i);
  } else {
    OpenCall(frame, i);
  }
  return true;
}

void HloExpansion::LowerTuple(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  summary_.folded.Add("tuple", instruction.name);
  std::size_t count = 0;
  for (const HloValues* operand : OperandsOf(frame, i)) {
    count += operand->size();
  }
  NeedTensors(instruction, count, instruction.type.tensors.size());
  for (const HloValues* operand : OperandsOf(frame, i)) {
    frame.values[i].insert(frame.values[i].end(), operand->begin(), operand->end());
  }
}

void HloExpansion::LowerSelection(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  summary_.folded.Add("get-tuple-element", instruction.name);
  const std::vector<std::int64_t> index =
      IntegersOf(FindAttribute(instruction.attributes, "index").value_or(""));
  if (instruction.operands.size() != 1 || index.size() != 1) {
    Refuse(instruction, "no index or another number of operands", "one of each");
  }
  const std::size_t source = instruction.operands[0];
  const HloType& type = frame.computation.instructions[source].type;
  const auto range =
      index[0] < 0 ? std::nullopt : TensorsOfElement(type, static_cast<std::size_t>(index[0]));
  if (!range.has_value()) {
    Refuse(instruction,
           "the index " + std::to_string(index[0]),
           "one of " + std::to_string(type.elements.size()) + " elements");
  }
  NeedTensors(instruction, range->count, instruction.type.tensors.size());
  const auto begin = frame.values[source].begin() + static_cast<std::ptrdiff_t>(range->first);
  frame.values[i].assign(begin, begin + static_cast<std::ptrdiff_t>(range->count));
}

// The second half of a pair names what the first made, and a token beside it.
void HloExpansion::LowerDone(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  summary_.folded.Add("second half of a start and its done", instruction.name);
  if (instruction.operands.empty()) {
    Refuse(instruction, "no operand", "its start");
  }
  const std::size_t source = instruction.operands[0];
  const HloInstruction& start = frame.computation.instructions[source];
  const TensorRange made = HloCall{frame.computation, start}.made();
  if (made.count > instruction.type.tensors.size()) {
    NeedTensors(instruction, made.count, instruction.type.tensors.size());
  }
  const auto begin = frame.values[source].begin() + static_cast<std::ptrdiff_t>(made.first);
  frame.values[i].assign(begin, begin + static_cast<std::ptrdiff_t>(made.count));
  frame.values[i].resize(instruction.type.tensors.size());
}

// Numbers without an axis that are made of constants alone: counters and bounds of loops.
bool HloExpansion::LowerScalar(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const bool is_view = instruction.opcode == "reshape" || instruction.opcode == "bitcast";
  const bool is_fused = instruction.opcode == "fusion" && instruction.called.size() == 1;
  const bool is_scalar =
      instruction.type.tensors.size() == 1 && instruction.type.tensors[0].shape.empty() &&
      (is_fused || FusionClassOfOpcode(instruction.opcode) == sim::FusionClass::kElementwise);
  if ((!is_scalar && !is_view) || instruction.operands.empty()) {
    return false;
  }
  std::vector<std::optional<std::int64_t>> numbers;
  for (const HloValues* operand : OperandsOf(frame, i)) {
    if (operand->size() != 1 || !(*operand)[0].is_folded()) {
      return false;
    }
    numbers.push_back((*operand)[0].number);
  }
  summary_.folded.Add("arithmetic on constants without an axis", instruction.name);
  frame.values[i] = {
      {.number = is_fused ? FoldFused(module_.computations[instruction.called[0]], numbers)
                          : FoldScalar(instruction, numbers)}};
  return true;
}

void HloExpansion::LowerOp(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const HloCall call{frame.computation, instruction};
  HloOp op = maker_.Make(call, OperandsOf(frame, i), frame.scope.times);
  op.spec.name = NameOf(frame, i);
  num_inputs_ += op.spec.inputs.size();
  if (num_inputs_ > kMostInputs) {
    Refuse(instruction, "more tensors read than can be kept", "at most 8388608 in all");
  }
  if (op.num_unknown > 0) {
    const std::string_view target = call.target();
    summary_.unknown.Add("instruction without a rule, or that calls one: its FLOPs are left out",
                         target.empty() ? instruction.opcode : target);
  }
  const TensorRange made = call.made();
  frame.values[i].resize(instruction.type.tensors.size());
  for (std::size_t t = 0; t < made.count; ++t) {
    frame.values[i][made.first + t] = {.op = static_cast<std::int64_t>(ops_.size()),
                                       .output = static_cast<std::int32_t>(t)};
  }
  if (op.updated_input.has_value()) {
    updates_.push_back({ops_.size(), *op.updated_input, op.bytes_of_copy});
  }
  AddOp(frame.scope, std::move(op.spec));
}

void HloExpansion::AddOp(const HloScope& scope, sim::OpSpec op) {
  if (ops_.size() == kMostImportedNodes) {
    throw InputError(place_ + ": found more ops than can be kept, expected at most 1048576");
  }
  if (op.phase == sim::Phase::kUnknown) {
    op.phase = scope.phase;
  }
  const auto first = static_cast<std::int64_t>(scope.first_op);
  const bool waits = std::ranges::any_of(
      op.inputs, [first](const sim::InputRef& input) { return input.op >= first; });
  if (!waits) {
    op.control_inputs = scope.waits_for;
  }
  ops_.push_back(std::move(op));
}

std::vector<const HloValues*> HloExpansion::OperandsOf(const Frame& frame, std::size_t i) const {
  std::vector<const HloValues*> operands;
  for (const std::size_t operand : frame.computation.instructions[i].operands) {
    operands.push_back(&frame.values[operand]);
  }
  return operands;
}

std::string HloExpansion::NameOf(const Frame& frame, std::size_t i) const {
  return frame.scope.prefix + std::string(frame.computation.instructions[i].name);
}

void HloExpansion::NeedTensors(const HloInstruction& instruction,
                               std::size_t found,
                               std::size_t expected) const {
  if (found != expected) {
    Refuse(instruction,
           std::to_string(found) + " tensors in its operands",
           std::to_string(expected) + " by its shape");
  }
}

void HloExpansion::Refuse(const HloInstruction& instruction,
                          const std::string& found,
                          const std::string& expected) const {
  throw InputError(place_ + ": instruction " + Quoted(instruction.name) + ": found " + found +
                   ", expected " + expected);
}

}  // namespace opyard::graphs
