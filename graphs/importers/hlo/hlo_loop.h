// Trip counts of loops of HLO programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

// The known number in a tensor of a loop's first state.
using InitialNumber = std::function<std::optional<std::int64_t>(std::size_t tensor)>;

// A loop, as far as it is known before it runs. The counter is an element of the state to which the
// body adds a constant. The condition compares it with a constant or with an element that the body
// leaves as it is; both may stand in computations that are called.
class HloLoop {
 public:
  // `loop` is a while of `module`, which lives longer.
  HloLoop(const HloModule& module, const HloInstruction& loop) : module_(module), loop_(loop) {}

  // The number of runs of the body: known_trip_count of the compiler, else counted. Nothing if it
  // is not known, or if the loop never ends.
  [[nodiscard]] std::optional<std::int64_t> TripCount(const InitialNumber& initial) const;
  // True if each run of the body gives tensor `tensor` of the state back as it is.
  [[nodiscard]] bool Keeps(std::size_t tensor) const;

 private:
  const HloModule& module_;
  const HloInstruction& loop_;
};

// The trip count as far as the computation that holds `loop` says it, without what is around it.
[[nodiscard]] std::optional<std::int64_t> TripCountWithin(const HloModule& module,
                                                          const HloComputation& computation,
                                                          const HloInstruction& loop);

}  // namespace opyard::graphs
