// Whole numbers of HLO programs that follow from constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

// The number that `instruction` makes of `operands`, if it makes one tensor without an axis of
// whole numbers or truth values (0 and 1), and all are known. For constants, that of the text.
// Nothing where it is not known, or from 2^60 on.
[[nodiscard]] std::optional<std::int64_t> FoldScalar(
    const HloInstruction& instruction, std::span<const std::optional<std::int64_t>> operands);

// The same for the root of a fused computation, of its parameters. Nothing also for one of more
// than 64 instructions.
[[nodiscard]] std::optional<std::int64_t> FoldFused(
    const HloComputation& fused, std::span<const std::optional<std::int64_t>> parameters);

// A tensor of whole numbers or truth values without an axis.
[[nodiscard]] bool IsWholeScalar(const HloInstruction& instruction);
// Instructions that give a number on as it is.
[[nodiscard]] bool HandsOn(std::string_view opcode);
// `value` where its sums with a few others stay within int64: below 2^60.
[[nodiscard]] std::optional<std::int64_t> SmallNumber(std::int64_t value);

}  // namespace opyard::graphs
