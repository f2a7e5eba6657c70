#include "graphs/importers/hlo/hlo_bytes.h"

#include <algorithm>

namespace opyard::graphs {
namespace {

bool TakesPart(std::string_view opcode) {
  return opcode == "dynamic-slice" || opcode == "slice" || opcode == "gather";
}

bool UpdatesPart(std::string_view opcode) {
  return opcode == "dynamic-update-slice" || opcode == "scatter";
}

Bytes SizeOf(const TensorType* tensor) {
  return tensor == nullptr ? Bytes{} : BytesOf(*tensor);
}

void SetRead(HloTraffic& traffic, std::size_t operand, Bytes bytes) {
  if (traffic.read.size() <= operand) {
    traffic.read.resize(operand + 1);
    traffic.is_partial.resize(operand + 1);
  }
  traffic.read[operand] = bytes;
  traffic.is_partial[operand] = true;
}

// The operand that holds what is written: (target, update, …) or (target, indices, update).
std::size_t UpdateOperand(const HloCall& call) {
  return call.opcode() == "scatter" ? call.instruction.operands.size() - 1 : 1;
}

// A scatter that combines reads what it adds to.
std::optional<HloTraffic> OfUpdate(const HloCall& call) {
  if (call.instruction.operands.size() < 2 || call.instruction.type.tensors.size() != 1) {
    return std::nullopt;  // a scatter of several tensors
  }
  const Bytes update = SizeOf(call.Operand(UpdateOperand(call)));
  HloTraffic traffic{.written = update, .updated = 0};
  SetRead(traffic, 0, call.opcode() == "scatter" ? update : Bytes{});
  return traffic;
}

bool IsView(std::string_view opcode) {
  return opcode == "bitcast" || opcode == "reshape";
}

// The accesses of a fused kernel to its parameters, instruction by instruction.
class FusedTraffic {
 public:
  explicit FusedTraffic(const HloComputation& fused)
      : fused_(fused),
        source_(fused.instructions.size()),
        taken_(fused.instructions.size()),
        reads_all_(fused.instructions.size()) {}

  std::optional<HloTraffic> Run() {
    for (std::size_t i = 0; i < fused_.instructions.size(); ++i) {
      const HloInstruction& instruction = fused_.instructions[i];
      const bool is_view =
          IsView(instruction.opcode) && instruction.operands.size() == 1 && i != fused_.root;
      source_[i] = is_view ? source_[instruction.operands[0]] : i;
      if (!is_view) {
        ReadOperands({fused_, instruction});
      }
    }
    HloTraffic traffic;
    for (std::size_t i = 0; i < fused_.instructions.size(); ++i) {
      const auto number = ParameterNumber(fused_.instructions[i]);
      const Bytes whole = SizeOf(HloCall{fused_, fused_.instructions[i]}.Result());
      if (number.has_value() && *number < fused_.instructions.size() && !reads_all_[i] &&
          i != fused_.root && taken_[i] < whole) {
        SetRead(traffic, *number, taken_[i]);
      }
    }
    FindUpdate(traffic);
    const bool is_partial = !traffic.read.empty() || traffic.written.has_value();
    return is_partial ? std::optional(traffic) : std::nullopt;
  }

 private:
  void ReadOperands(const HloCall& call) {
    for (std::size_t k = 0; k < call.instruction.operands.size(); ++k) {
      const std::size_t source = source_[call.instruction.operands[k]];
      if (k == 0 && TakesPart(call.opcode())) {
        taken_[source] += SizeOf(call.Result());
      } else if (k == 0 && UpdatesPart(call.opcode())) {
        taken_[source] += OfUpdate(call).value_or(HloTraffic{}).read.empty()
                              ? SizeOf(call.Operand(0))
                              : OfUpdate(call)->read[0];
      } else {
        reads_all_[source] = true;
      }
    }
  }

  // A root that updates a part of a parameter writes that part, in place.
  void FindUpdate(HloTraffic& traffic) const {
    std::size_t root = fused_.root;
    while (IsView(fused_.instructions[root].opcode) &&
           fused_.instructions[root].operands.size() == 1) {
      root = fused_.instructions[root].operands[0];
    }
    const HloCall call{fused_, fused_.instructions[root]};
    const auto update = UpdatesPart(call.opcode()) ? OfUpdate(call) : std::nullopt;
    if (!update.has_value()) {
      return;
    }
    const HloInstruction& target = fused_.instructions[source_[call.instruction.operands[0]]];
    const auto number = ParameterNumber(target);
    if (number.has_value()) {
      traffic.written = update->written;
      traffic.updated = number;
    }
  }

  const HloComputation& fused_;
  std::vector<std::size_t> source_;  // through views
  std::vector<Bytes> taken_;         // by slices
  std::vector<bool> reads_all_;
};

}  // namespace

const std::optional<HloTraffic>& HloTrafficTable::OfFused(std::size_t computation) {
  const auto [entry, is_new] = of_fused_.try_emplace(computation);
  if (is_new) {
    entry->second = FusedTraffic(module_.computations[computation]).Run();
  }
  return entry->second;
}

std::optional<HloTraffic> HloTrafficTable::Of(const HloCall& call) {
  const std::string_view opcode = call.opcode();
  if (opcode == "fusion" && call.instruction.called.size() == 1) {
    return OfFused(call.instruction.called[0]);
  }
  if (UpdatesPart(opcode)) {
    return OfUpdate(call);
  }
  if (!TakesPart(opcode)) {
    return std::nullopt;
  }
  HloTraffic traffic;
  SetRead(traffic, 0, SizeOf(call.Result()));
  return traffic;
}

}  // namespace opyard::graphs
