// Arithmetic of HLO instructions, from their shapes and attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/importers/hlo/hlo_call.h"

namespace opyard::graphs {

// The costs of instructions and of the computations that they call: a fusion or a call the sum over
// what it calls, a loop that times its trips (once where they are not known), a conditional its
// dearest branch. What a reduction applies to its elements is part of its own rule.
class HloCosts {
 public:
  // Throws InputError, naming `place`, if calls form a cycle or nest too deeply. O(instructions).
  // `module` lives longer.
  HloCosts(const HloModule& module, const std::string& place);

  [[nodiscard]] HloWork Of(const HloComputation& computation,
                           const HloInstruction& instruction) const;
  [[nodiscard]] const HloWork& OfComputation(std::size_t index) const { return costs_[index]; }
  // Instructions and their results if all that is called is opened, each loop once; at most 2^40.
  [[nodiscard]] std::size_t SizeOf(std::size_t computation) const { return sizes_[computation]; }
  // The index in `instruction.called` of the branch of most FLOPs; of equals the largest, then the
  // first. REQUIRES: a conditional with branches.
  [[nodiscard]] std::size_t DearestBranch(const HloInstruction& instruction) const;

 private:
  [[nodiscard]] HloWork OfCalled(const HloComputation& computation,
                                 const HloInstruction& instruction) const;
  // The only product inside, if there is just one: that of a kernel made around it.
  [[nodiscard]] std::optional<sim::WorkShape> ProductInside(std::size_t computation) const;
  [[nodiscard]] std::size_t SizeWithin(const HloComputation& computation) const;

  const HloModule& module_;
  std::vector<HloWork> costs_;      // by computation
  std::vector<std::size_t> sizes_;  // by computation
};

// Elementwise for what HLO has beside the types that the simulator knows; else what those say.
[[nodiscard]] sim::FusionClass FusionClassOfOpcode(std::string_view opcode);

}  // namespace opyard::graphs
