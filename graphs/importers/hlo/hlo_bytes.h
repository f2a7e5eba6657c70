// Memory traffic of HLO instructions that touch a part of what they read or write.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "graphs/importers/hlo/hlo_call.h"

namespace opyard::graphs {

// The bytes that an instruction reads of its operands and writes of its results.
struct HloTraffic {
  std::vector<Bytes> read;       // by operand, as far as `is_partial` reaches
  std::vector<bool> is_partial;  // by operand: `read` counts, else all of it is read
  std::optional<Bytes> written;  // nothing: all results
  // The operand whose storage the result takes over if nobody reads it later.
  std::optional<std::size_t> updated;
};

// A slice, a gather or their updates move the slice only; a fusion moves of each parameter what its
// slices take of it. Remembers what it found of fused computations.
class HloTrafficTable {
 public:
  // `module` lives longer.
  explicit HloTrafficTable(const HloModule& module) : module_(module) {}

  // Nothing for instructions that read and write all.
  [[nodiscard]] std::optional<HloTraffic> Of(const HloCall& call);

 private:
  const std::optional<HloTraffic>& OfFused(std::size_t computation);

  const HloModule& module_;
  std::unordered_map<std::size_t, std::optional<HloTraffic>> of_fused_;
};

}  // namespace opyard::graphs
