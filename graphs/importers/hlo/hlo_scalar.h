// Constant folding of integer scalars of HLO programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

// Greater magnitudes count as not known, so that sums and differences of a few known values stay
// within int64.
inline constexpr std::int64_t kScalarLimit = std::int64_t{1} << 60U;

// The value of `instruction` for the values of its `operands`, if its result is an integer scalar;
// for a constant, the value in its text. Truth values are 0 and 1. Nothing where an operand or the
// opcode's rule is not known, or at a magnitude of kScalarLimit or more.
[[nodiscard]] std::optional<std::int64_t> FoldScalar(
    const HloInstruction& instruction, std::span<const std::optional<std::int64_t>> operands);

// The same for the root of a fused computation, given the values of its parameters. Nothing also
// for a computation of more than 64 instructions.
[[nodiscard]] std::optional<std::int64_t> FoldFused(
    const HloComputation& fused, std::span<const std::optional<std::int64_t>> parameters);

// True if the result is one tensor of rank 0 of integers or truth values.
[[nodiscard]] bool IsIntegerScalar(const HloInstruction& instruction);
// True for instructions whose value is that of their one operand: convert, copy, bitcast, reshape.
[[nodiscard]] bool ForwardsOperand(std::string_view opcode);
// `value` if its magnitude is below kScalarLimit, else nothing.
[[nodiscard]] std::optional<std::int64_t> WithinScalarLimit(std::int64_t value);

}  // namespace opyard::graphs
