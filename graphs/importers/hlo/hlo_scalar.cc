#include "graphs/importers/hlo/hlo_scalar.h"

#include <algorithm>
#include <string>

namespace opyard::graphs {
namespace {

using MaybeInt64 = std::optional<std::int64_t>;

bool IsIntegerOrBool(sim::DType dtype) {
  switch (dtype) {
    case sim::DType::kI64:
    case sim::DType::kI32:
    case sim::DType::kI16:
    case sim::DType::kI8:
    case sim::DType::kI4:
    case sim::DType::kI2:
    case sim::DType::kU8:
    case sim::DType::kBool:
      return true;
    default:
      return false;
  }
}

MaybeInt64 ConstantOf(const HloInstruction& instruction) {
  if (!IsIntegerScalar(instruction)) {
    return std::nullopt;
  }
  HloScanner scanner(instruction.arguments);
  const std::string_view word = scanner.TakeWord();
  if (word == "true" || word == "false") {
    return word == "true" ? 1 : 0;
  }
  const std::vector<std::int64_t> number = IntegersOf(word);
  return number.size() == 1 && std::to_string(number[0]) == word ? WithinScalarLimit(number[0])
                                                                 : std::nullopt;
}

MaybeInt64 Product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::nullopt : WithinScalarLimit(product);
}

MaybeInt64 Compare(std::string_view direction, std::int64_t a, std::int64_t b) {
  const bool is_less = direction == "LT" || direction == "LE" || direction == "NE";
  const bool is_more = direction == "GT" || direction == "GE" || direction == "NE";
  const bool is_equal = direction == "LE" || direction == "GE" || direction == "EQ";
  if (!is_less && !is_more && !is_equal) {
    return std::nullopt;
  }
  return (a < b ? is_less : a > b ? is_more : is_equal) ? 1 : 0;
}

MaybeInt64 Binary(const HloInstruction& instruction, std::int64_t a, std::int64_t b) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "compare") {
    return Compare(FindAttribute(instruction.attributes, "direction").value_or(""), a, b);
  }
  if ((opcode == "divide" || opcode == "remainder") && b != 0) {
    return opcode == "divide" ? a / b : a % b;
  }
  return opcode == "add"        ? WithinScalarLimit(a + b)
         : opcode == "subtract" ? WithinScalarLimit(a - b)
         : opcode == "multiply" ? Product(a, b)
         : opcode == "maximum"  ? std::max(a, b)
         : opcode == "minimum"  ? std::min(a, b)
         : opcode == "and"      ? a & b
         : opcode == "or"       ? a | b
                                : MaybeInt64();
}

}  // namespace

bool IsIntegerScalar(const HloInstruction& instruction) {
  return instruction.type.tensors.size() == 1 && instruction.type.tensors[0].shape.empty() &&
         IsIntegerOrBool(instruction.type.tensors[0].dtype);
}

bool ForwardsOperand(std::string_view opcode) {
  return opcode == "convert" || opcode == "copy" || opcode == "bitcast" || opcode == "reshape";
}

MaybeInt64 WithinScalarLimit(std::int64_t value) {
  return value > -kScalarLimit && value < kScalarLimit ? MaybeInt64(value) : std::nullopt;
}

MaybeInt64 FoldScalar(const HloInstruction& instruction, std::span<const MaybeInt64> operands) {
  if (!IsIntegerScalar(instruction)) {
    return std::nullopt;
  }
  if (instruction.opcode == "constant") {
    return ConstantOf(instruction);
  }
  if (operands.empty() || operands.size() > 3 ||
      !std::ranges::all_of(operands, [](const MaybeInt64& number) { return number.has_value(); })) {
    return std::nullopt;
  }
  if (operands.size() == 1) {
    return ForwardsOperand(instruction.opcode) ? operands[0]
           : instruction.opcode == "negate"    ? WithinScalarLimit(-*operands[0])
                                               : std::nullopt;
  }
  if (operands.size() == 2) {
    return Binary(instruction, *operands[0], *operands[1]);
  }
  return instruction.opcode == "select" ? (*operands[0] != 0 ? operands[1] : operands[2])
         : instruction.opcode == "clamp"
             ? std::min(std::max(*operands[1], *operands[0]), *operands[2])
             : MaybeInt64();
}

MaybeInt64 FoldFused(const HloComputation& fused, std::span<const MaybeInt64> parameters) {
  constexpr std::size_t kMostInstructions = 64;
  if (fused.instructions.size() > kMostInstructions) {
    return std::nullopt;
  }
  std::vector<MaybeInt64> values;
  for (const HloInstruction& instruction : fused.instructions) {
    std::vector<MaybeInt64> operands;
    for (const std::size_t operand : instruction.operands) {
      operands.push_back(values[operand]);
    }
    const std::size_t number = ParameterNumber(instruction).value_or(parameters.size());
    values.push_back(number < parameters.size() ? parameters[number]
                                                : FoldScalar(instruction, operands));
  }
  return values[fused.root];
}

}  // namespace opyard::graphs
